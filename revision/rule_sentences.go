package revision

import (
	"regexp"
	"slices"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/selectors"
	"rung/model/words"
	"rung/system"
)

// RuleSentences describes in sentences what a rule of a policy does.
func RuleSentences(r *Revision, p *model.Policy, rule *model.Rule) []string {
	if r.BySelectors(p) {
		return []string{sentenceWithoutRows(r, p, rule)}
	}
	// The policy is not enforced on the primary network of these pods.
	count := CountSubjects(r, p.Key)
	subjects, apart := count.Pods, count.OtherNetwork
	none := r.WhyNoRows(p.Key)
	switch {
	case none != nil && none.Code == model.NoController:
		return []string{"Nothing: OVN-Kubernetes has no controller for ClusterNetworkPolicy and writes no rows for it. --compile-cnp shows " +
			"its effect."}
	case none != nil && p.Kind == model.KindCNP:
		return []string{"Nothing: OVN-Kubernetes would not program it as an AdminNetworkPolicy: " + none.Message + "."}
	case none != nil && !p.Kind.IsAdmin():
		return []string{"OVN-Kubernetes does not accept it: " + none.Message + "."}
	case none != nil:
		return []string{"OVN-Kubernetes does not program this policy: " + none.Message + ". Old rows stay and still decide."}
	case subjects == 0 && apart > 0:
		return []string{"Nothing now: the pods of the subject have a primary user-defined network, where the policy is not enforced."}
	case subjects == 0:
		return []string{"Nothing now: the subject selects no pod."}
	}
	peers, nobody := peerText(r, p.Key, rule)
	switch {
	case rule.MatchesNothing():
		return []string{words.Warned + " " + rule.BrokenPortsText() + "."}
	case nobody && p.Kind == model.KindEF:
		return []string{"Nothing now: its destination has no address. Its index stays reserved."}
	case nobody:
		return []string{"Nothing now: its peers match no pod or node."}
	}
	var what string
	pods, sends := "the "+words.Count(subjects, "pod"), " send"
	if subjects == 1 {
		pods, sends = "the one pod", " sends"
	}
	if rule.Direction == model.Ingress {
		if rule.AnyPeer || strings.HasPrefix(peers, "1 ") && !strings.Contains(peers, " and ") {
			sends = " sends"
		} else {
			sends = " send"
		}
		what = "What " + peers + sends + " to " + pods + " of the subject"
	} else {
		what = "What " + pods + " of the subject" + sends + " to " + peers
	}
	if ports := portText(rule); ports != "" {
		what += " on " + ports
	}
	switch {
	case p.Tier == model.TierBaseline:
		what += ", unless an AdminNetworkPolicy, a NetworkPolicy or an earlier rule decided,"
	case p.Kind == model.KindNP:
		what += ", unless an AdminNetworkPolicy decided,"
	case p.Kind == model.KindEF:
		what += ", unless an earlier rule of the EgressFirewall decided,"
	default:
		what += ", unless an earlier rule decided,"
	}
	switch p.Kind {
	case model.KindNP:
		return append([]string{what + " " + netpolOutcome(r, p, rule)}, isolationText(r, p, rule)...)
	case model.KindEF:
		becomes := " is allowed."
		if rule.Action == model.Deny {
			becomes = " is denied."
		}
		return []string{what + becomes,
			"It decides last, in the to-lport stage: even after an Allow of an AdminNetworkPolicy or NetworkPolicy, not after their " +
				"Deny."}
	}
	out := []string{what + " " + outcomeText(p, rule)}
	if p.Kind == model.KindCNP {
		out = append(out, "OVN-Kubernetes has no controller for it: this is the effect of the rows it might write.")
	}
	if broken := rule.BrokenPortsText(); broken != "" {
		out = append(out, words.Warned+" "+broken+".")
	}
	return append(out, alsoDecidesText(r, p, rule)...)
}

// netpolOutcome describes what a NetworkPolicy's rule does with connections (ovn-kubernetes.md#rule-rows).
func netpolOutcome(r *Revision, p *model.Policy, rule *model.Rule) string {
	for _, a := range r.ACLs(p.Key, "") {
		if _, dir, i, ok := RuleOfIDs(a.ExternalIDs); ok && dir == rule.Direction && i == rule.Index && a.Action == nb.ActionAllowStateless {
			return "is allowed statelessly: replies need their own rule. The baseline is not consulted."
		}
	}
	return "is allowed, with the replies. The baseline is not consulted."
}

// isolationText describes what happens to connections that no NetworkPolicy allows, and what else decides.
func isolationText(r *Revision, p *model.Policy, rule *model.Rule) (out []string) {
	if OutsideTypes(p, rule.Direction) {
		out = append(out, words.Warned+" policyTypes leave "+string(rule.Direction)+
			" out: the policy isolates no pod there, but OVN-Kubernetes still applies the rule.")
	} else {
		out = append(out, "What no NetworkPolicy of "+p.Namespace+" allows these pods is denied by the "+
			DefaultDeny(p.Namespace, rule.Direction).Label()+".")
	}
	return append(out, alsoDecidesText(r, p, rule)...)
}

func outcomeText(p *model.Policy, rule *model.Rule) string {
	asked := " NetworkPolicies and the baseline are not consulted."
	if p.Tier == model.TierBaseline {
		asked = ""
	}
	switch rule.Action {
	case model.Allow:
		return "is allowed, with the replies." + asked
	case model.Deny:
		return "is denied." + asked
	case model.Pass:
		if p.Tier == model.TierBaseline {
			return "is passed on: no later rule of the tier decides, and it is allowed."
		}
		return "is passed on: a NetworkPolicy that selects the pod decides, else the baseline; without either it is allowed."
	}
	return "is left to " + string(rule.Action) + "."
}

// alsoDecidesText names what else decides about a connection that a rule allows.
func alsoDecidesText(r *Revision, p *model.Policy, rule *model.Rule) []string {
	if rule.Action != model.Allow {
		return nil
	}
	if rule.Direction == model.Ingress {
		return []string{"Egress rules for the sender decide as well, before this one."}
	}
	var out []string
	for f := range r.Cluster.Policies(model.KindEF) { // some subject pod may be under it
		if p.Namespace == "" || p.Namespace == f.Namespace {
			out = append(out, "An EgressFirewall of the namespace still applies to what leaves the cluster.")
			break
		}
	}
	if slices.ContainsFunc(rule.Peers, func(pe model.Peer) bool { return pe.Kind == model.PeerNamespaces || pe.Kind == model.PeerPods }) {
		out = append(out, "Ingress rules for the pods at the other end decide as well.")
	}
	return out
}

// peerText names the other end of a rule's connections; nobody means that no pod, node or address matches now.
func peerText(r *Revision, k model.PolicyKey, rule *model.Rule) (text string, nobody bool) {
	if rule.AnyPeer && rule.Direction == model.Ingress {
		return "anybody", false
	} else if rule.AnyPeer {
		return "anywhere", false
	}
	var parts, networks []string
	pods, nodes := 0, 0
	hasPods, hasNodes, hasDNS, exceptions := false, false, false, 0
	seen := map[model.Key]bool{}
	for i := range rule.Peers {
		pe := &rule.Peers[i]
		switch pe.Kind {
		case model.PeerNetworks:
			networks = append(networks, pe.Networks...)
			exceptions += len(pe.Except)
		case model.PeerDNS:
			parts = append(parts, "what "+pe.DNSName+" resolves to")
			hasDNS = true
		case model.PeerNodes:
			hasNodes = true
			for n := range r.Cluster.Nodes() {
				if pe.Nodes.Matches(n.Labels) && !seen[n.Key] {
					seen[n.Key] = true
					nodes++
				}
			}
		case model.PeerNamespaces, model.PeerPods:
			hasPods = true
			for _, pod := range r.PeerPods(k, rule.Direction, rule.Index, i) {
				if !seen[pod.Key] {
					seen[pod.Key] = true
					pods++
				}
			}
		}
	}
	if hasPods && pods > 0 {
		parts = append(parts, words.Count(pods, "pod"))
	}
	if hasNodes && nodes > 0 {
		parts = append(parts, words.Count(nodes, "node"))
	}
	networksText := networkText(networks)
	if k.Kind == model.KindEF && len(networks) == 1 && len(selectors.WholeFamilies(networks)) == 0 {
		networksText = networks // one for each rule, so show it
	}
	if n := len(networksText); n > 0 && exceptions > 0 {
		networksText[n-1] += " (" + words.Count(exceptions, "exception") + ")"
	}
	if n, out := len(networksText), exceptText(r, k, rule); n > 0 && len(out) > 0 {
		networksText[n-1] += " but " + words.List(out, 4) + " (the cluster's pods)"
	}
	parts = append(parts, networksText...)
	if len(parts) == 0 {
		return "", hasPods || hasNodes
	}
	if hasDNS && hasNoDNSAddress(r, k, rule) {
		return "", true
	}
	return words.List(parts, 6), false
}

// leftOutTerm matches a cluster subnet that an EgressFirewall rule excludes from its destination
// (ovn-kubernetes.md#firewall-match).
var leftOutTerm = regexp.MustCompile(`ip[46]\.dst != ([0-9a-fA-F.:]+/[0-9]+)`)

// exceptText returns the subnets that an EgressFirewall rule's row excludes.
func exceptText(r *Revision, k model.PolicyKey, rule *model.Rule) (out []string) {
	if k.Kind != model.KindEF {
		return nil
	}
	for _, a := range r.ACLs(k, "") {
		if _, _, i, ok := RuleOfIDs(a.ExternalIDs); ok && i == rule.Index {
			for _, m := range leftOutTerm.FindAllStringSubmatch(a.Match, -1) {
				out = append(out, m[1])
			}
		}
	}
	return out
}

// hasNoDNSAddress reports whether no address is known for the rule's DNS names.
func hasNoDNSAddress(r *Revision, k model.PolicyKey, rule *model.Rule) bool {
	for _, unit := range RuleSets(r, k, rule) {
		for _, name := range SetNames(unit) {
			if set := r.DesiredSet(k, name); set != nil && len(set.Addresses) > 0 {
				return false
			}
		}
	}
	return true
}

func networkText(networks []string) []string {
	if len(networks) == 0 {
		return nil
	}
	if whole := selectors.WholeFamilies(networks); len(whole) > 0 {
		out := make([]string, len(whole))
		for i, w := range whole {
			out[i] = "every IPv4 address"
			if strings.Contains(w, "::") {
				out[i] = "every IPv6 address"
			}
		}
		return out
	}
	return []string{words.Count(len(networks), "network")}
}

func portText(rule *model.Rule) string {
	if len(rule.Ports) == 0 {
		return "any port"
	}
	var parts []string
	for _, p := range rule.Ports {
		if !p.IsBroken() {
			parts = append(parts, p.String())
		}
	}
	return words.List(parts, 5)
}

// sentenceWithoutRows describes in a sentence what a rule does in a system without compiled rows.
func sentenceWithoutRows(r *Revision, p *model.Policy, rule *model.Rule) string {
	pods := CountSubjects(r, p.Key).Pods
	if p.Tiered != nil {
		pods = len(RuleSubjects(r, p, rule))
	}
	switch {
	case p.Tiered != nil && r.System.Order == nil:
		return "Nothing here: it is a policy of " + system.SystemOfKind(p.Kind).Title + ", and " + r.System.TitlePossessive +
			" precedence applies."
	case p.IsRejected():
		by, b := p.WhyRejected(r.System.Title)
		return words.Choose(b.IsError(), "Nothing: ", "Unknown: ") + by + " the policy, " + b.Field + " " + b.Message + "."
	}
	peers, to := strings.Join(rule.PeerTexts(), " or "), words.Count(pods, "pod")
	text := "What " + to + words.OneOrMany(pods, " sends", " send") + " to " + peers
	if rule.Direction == model.Ingress {
		text = "What comes from " + peers + " to " + to
	}
	if ports := rule.PortTexts(); len(ports) > 0 {
		text += " on " + strings.Join(ports, ", ")
	}
	switch rule.ActionText() {
	case "Reject":
		text += " is denied with an error reply"
	case string(model.Allow):
		text += " is allowed"
	case string(model.Pass):
		text += " is left to the NetworkPolicies and the baseline"
	default:
		text += " is denied"
	}
	return text + "."
}
