package revision

import (
	"fmt"
	"strings"

	"rung/model"
	"rung/model/words"
)

// SubjectCount is the number of pods a policy applies to: the one count of ladder, policy page, preview and
// command line.
type SubjectCount struct {
	// Pods counts the subject pods. OtherNetwork counts selected pods with a user-defined primary network,
	// where the policy is not enforced.
	Pods, OtherNetwork int
	// IsUnread means that pods were not read, so the counts are unknown.
	IsUnread bool
}

// SelectedPods returns the number of pods that the subject selects.
func (n SubjectCount) SelectedPods() int { return n.Pods + n.OtherNetwork }

// ShareText returns "38", or "38 of 39" if the policy is not enforced on every selected pod.
func (n SubjectCount) ShareText() string {
	if n.IsUnread {
		return words.Unknown
	}
	if n.OtherNetwork == 0 {
		return words.Thousands(n.Pods)
	}
	return words.Thousands(n.Pods) + " of " + words.Thousands(n.SelectedPods())
}

// String returns "38 pods", or "38 of 39 pods: 1 on a user-defined network" if the policy is not enforced on
// every selected pod.
func (n SubjectCount) String() string {
	if n.IsUnread {
		return "pods unknown"
	}
	if n.OtherNetwork == 0 {
		return words.Count(n.Pods, "pod")
	}
	return fmt.Sprintf("%s of %s: %s on a user-defined network", words.Thousands(n.Pods), words.Count(n.SelectedPods(), "pod"),
		words.Thousands(n.OtherNetwork))
}

// BriefText returns String without the reason: "38 pods", "38 of 39 pods".
func (n SubjectCount) BriefText() string {
	text, _, _ := strings.Cut(n.String(), ":")
	return text
}

// CountSubjects counts the pods a policy applies to, or would apply to if it had rows, as SubjectPods returns
// them.
func CountSubjects(r *Revision, k model.PolicyKey) SubjectCount {
	var n SubjectCount
	if p := r.Cluster.Policy(k); r.BySelectors(p) {
		n.Pods = AppliedPods(r, p).Len()
	} else {
		d := r.DesiredFor(k)
		n.Pods, n.OtherNetwork = d.SubjectCount(d.Policy(k))
		n.Pods += CountFuturePods(r, k)
	}
	n.IsUnread = r.Unread(model.KindPod, model.KindNamespace).HidesCount(n.SelectedPods())
	return n
}

// PeerCount counts the pods behind a peer. NoAddress counts pods without an address, which are not in the
// address set. OtherNetwork counts pods on a user-defined network, which are in the set, but would not count
// as subjects.
type PeerCount struct{ Pods, NoAddress, OtherNetwork int }

// String returns "38 pods", or with details "39 pods: 1 without an address, 1 on a user-defined network".
func (n PeerCount) String() string { return n.briefText(n.NoAddress, n.OtherNetwork) }

// BriefText returns String without the pods on other networks: "39 pods: 1 without an address".
func (n PeerCount) BriefText() string { return n.briefText(n.NoAddress, 0) }

func (n PeerCount) briefText(noAddress, apart int) string {
	var why []string
	if noAddress > 0 {
		why = append(why, words.Thousands(noAddress)+" without an address")
	}
	if apart > 0 {
		why = append(why, words.Thousands(apart)+" on a user-defined network")
	}
	text := words.Count(n.Pods, "pod")
	if len(why) > 0 {
		text += ": " + strings.Join(why, ", ")
	}
	return text
}

// CountPeers counts the pods behind one peer of a rule.
func CountPeers(r *Revision, k model.PolicyKey, dir model.Direction, rule, peer int) PeerCount {
	var n PeerCount
	for _, p := range r.PeerPods(k, dir, rule, peer) {
		n.Pods++
		if len(p.IPs) == 0 {
			n.NoAddress++
		}
		if p.PrimaryUDN() != "" {
			n.OtherNetwork++
		}
	}
	return n
}

// FuturePodNote explains why a pod that does not exist yet is shown.
func FuturePodNote(p *model.Pod) string {
	if p.Workload == "" {
		return "does not exist yet: its manifest has no status"
	}
	return "does not exist yet: " + p.Workload + " will create it"
}

// PodNote describes how a pod is special for policies, or empty for most pods; odd marks surprising ones. The
// first reason wins: those that exclude every policy come first.
func PodNote(p *model.Pod) (text string, odd bool) {
	switch udn := p.PrimaryUDN(); {
	case p.HostNetwork:
		return "host network: no policy applies to it; as a peer it counts only in NetworkPolicy rules that select pods", true
	case p.Planned != nil && udn == "":
		return FuturePodNote(p), false
	case p.IsCompleted():
		return "completed: its addresses are ignored; another pod may have them by now", true
	case p.NodeName == "" && p.Planned == nil:
		return "not scheduled: no policy applies to it until it has a node", false
	case udn != "":
		return "its primary network is " + udn + ": AdminNetworkPolicies are not enforced there, only on the default network", true
	case len(p.IPs) == 0:
		return "no address: a subject, but in no address set", false
	}
	return "", false
}
