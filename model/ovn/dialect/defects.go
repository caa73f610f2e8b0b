package dialect

import (
	"slices"

	"rung/model"
	"rung/model/ovn/nb"
)

// Defect is one of OVN-Kubernetes' known defects.
type Defect struct {
	Code    string // stable, for programs
	Meaning string // what OVN-Kubernetes does, and what that leaves
	Remedy  string // what an admin can do
	Doc     string // page and section of docs/
}

// Remedies shared by several defects.
const (
	touchPod    = "change a label of the pod, or restart the zone's ovnkube-node pod: OVN-Kubernetes then computes the policy again"
	restartNode = "restart the zone's ovnkube-node pod"
	touchPolicy = "change the policy's spec, which makes its rows, or " + restartNode
)

// Defects that leave differences. Other defects are compiled as OVN-Kubernetes does, or freeze a policy with a
// reason.
var (
	FirewallRow = &Defect{"firewall-row-left",
		"OVN-Kubernetes leaves this row when the list of rules gets shorter, a known defect: OVN still enforces it",
		"remove the row from the namespace's port group: OVN-Kubernetes does not", "ovn-kubernetes.md#stale-firewall-row"}
	PodAddress = &Defect{"pod-address-unseen",
		"OVN-Kubernetes does not notice when an address of a pod is replaced by another, a known defect",
		touchPod, "ovn-kubernetes.md#unseen-pod-updates"}
	PodPorts = &Defect{"pod-ports-unseen",
		"OVN-Kubernetes does not notice when container ports of a pod get other names or numbers, a known defect",
		touchPod, "ovn-kubernetes.md#unseen-pod-updates"}
	PodPort = &Defect{"pod-passed-over",
		"OVN-Kubernetes skips a pod whose logical port or node comes after its first event, a known defect",
		"the pod's next event fixes it, such as a label change, at the latest when the pod runs", "ovn-kubernetes.md#subject-pods"}
	SetsLeft = &Defect{"sets-left",
		"OVN-Kubernetes ignores an error in deleting a policy's address sets, a known defect: policy and port group are gone, and nothing " +
			"uses this set",
		restartNode + ", which removes it; until then it does no harm", "ovn-kubernetes.md#policy-sync"}
	NotDeleted = &Defect{"rows-not-deleted",
		"OVN-Kubernetes rejected this policy before it was deleted, and its rows still apply: either the zone's ovnkube-node pod is down, " +
			"or it never programmed the policy since its start and so deletes no rows, a known defect",
		"make sure the zone's ovnkube-node pod runs, and restart it if it does: at its start it removes rows of deleted policies",
		"ovn-kubernetes.md#policy-sync"}
	Baseline = &Defect{"baseline-slot",
		"OVN-Kubernetes keeps only one BaselineAdminNetworkPolicy, and mistakes another with the same content for it, a known defect",
		"delete all but one, then " + restartNode, "ovn-kubernetes.md#baseline"}
	JoinedLate = &Defect{"network-joined-late",
		"OVN-Kubernetes does not process a NetworkPolicy again when its namespace joins a running network, a known defect: its rows come " +
			"with a retry, within minutes, or never",
		touchPolicy, "networks.md#namespaces"}
	AttachedLate = &Defect{"attachment-late",
		"OVN-Kubernetes does not process a MultiNetworkPolicy again when a running network gets another NetworkAttachmentDefinition, a " +
			"known defect",
		touchPolicy, "networks.md#multinetworkpolicy"}
	SelectorsRemembered = &Defect{"selectors-taken-back",
		"OVN-Kubernetes does not program a MultiNetworkPolicy on a network without addresses once its peers selected pods, even after they " +
			"are IP blocks again, a known defect: nothing isolates its pods there",
		restartNode, "networks.md#multinetworkpolicy"}
)

// AllDefects returns the defects in the order of their sections.
func AllDefects() []*Defect {
	return []*Defect{PodPort, Baseline, PodAddress, PodPorts, SetsLeft, NotDeleted, FirewallRow, JoinedLate, AttachedLate, SelectorsRemembered}
}

// DiffCause is why one row differs.
type DiffCause struct {
	*Defect
	Detail string // details of this case; may be empty
}

// Text returns the cause in one sentence, without the remedy.
func (c *DiffCause) Text() string {
	if c.Detail == "" {
		return c.Meaning
	}
	return c.Meaning + ": " + c.Detail
}

// Facts are the inputs for explaining a policy's differences in one zone. The functions may be called often.
type Facts struct {
	// Policy is the object, nil if it was deleted.
	Policy *model.Policy
	// Peers returns the pods behind the peers of a rule; the list must not be changed.
	Peers func(d model.Direction, rule int) []*model.Pod
	// Subjects returns the pods of the zone that the policy applies to.
	Subjects func() []*model.Pod
	// Owned reports whether a pod or node has an address now.
	Owned func(addr string) bool
	// FindPod returns the pod of a logical switch port, nil if unknown.
	FindPod func(port string) *model.Pod
	// Before returns known earlier states of a pod: when OVN-Kubernetes last noticed it, and from
	// OVN-Kubernetes' own records.
	Before func(*model.Pod) []*model.Pod
	// Match returns the matches of an ACL that differs; empty if the row is missing or unavailable.
	Match func(*model.RowDiff) (desired, live string)
	// Refused is true if OVN-Kubernetes rejected the policy before it was deleted.
	Refused bool
	// OtherNetwork describes the rows' network, or nil for the default.
	OtherNetwork *OtherNetwork
	// Baselines are the other BaselineAdminNetworkPolicies.
	Baselines []OtherBaseline
}

// OtherBaseline is a BaselineAdminNetworkPolicy other than the policy in question.
type OtherBaseline struct {
	IsSameSpec bool // it has the same spec
	HasNoRows  bool // it has no rows in the zone
}

// ExplainDiffs returns the cause of each difference in p.Diffs, parallel to it. A nil cause is unknown; the
// result is nil if all are. p must be complete: a shortened judgement cannot be explained. Only Rung writes
// rows of ClusterNetworkPolicies, so they have no causes.
func ExplainDiffs(p *model.PolicyInZone, f *Facts) []*DiffCause {
	if p.NotComparable || p.None != nil || len(p.Diffs) == 0 || p.Policy.Kind == model.KindCNP {
		return nil
	}
	var out []*DiffCause
	switch {
	case f.Policy == nil && p.Policy.Kind.IsAdmin():
		out = explainOrphanRows(p, f)
	case f.Policy == nil:
	case f.OtherNetwork != nil:
		out = explainNotProgrammed(p, f)
	case p.Policy.Kind == model.KindEF:
		out = explainFirewallRow(p, len(f.Policy.Egress))
	case p.Policy.Kind.IsAdmin():
		out = explainOtherBaseline(p, f)
		if out == nil {
			out = explainPods(p, f)
		}
	}
	if !slices.ContainsFunc(out, func(c *DiffCause) bool { return c != nil }) {
		return nil
	}
	return out
}

// explainFirewallRow explains the extra row of a shortened firewall, after the last rule
// (ovn-kubernetes.md#stale-firewall-row). If two rows have its id, OVN-Kubernetes left at most one of them.
func explainFirewallRow(p *model.PolicyInZone, rules int) []*DiffCause {
	out, found := make([]*DiffCause, len(p.Diffs)), 0
	for i := range p.Diffs {
		d := &p.Diffs[i]
		if d.Kind == model.DiffExtra && d.Table == nb.TableACL && d.Note == "" && ownerOfDiff(p, d).Index == rules {
			out[i] = &DiffCause{Defect: FirewallRow}
			found++
		}
	}
	if found != 1 {
		return nil
	}
	return out
}

// explainOrphanRows explains rows of a deleted policy.
func explainOrphanRows(p *model.PolicyInZone, f *Facts) []*DiffCause {
	defect, why := SetsLeft, ""
	onlySets := p.LiveACLs == 0
	for i := range p.Diffs {
		d := &p.Diffs[i]
		if d.Kind != model.DiffExtra || d.Waiting != "" {
			return nil
		}
		onlySets = onlySets && d.Table == nb.TableAddressSet
	}
	switch {
	case onlySets:
	case f.Refused:
		defect = NotDeleted
	case p.Policy.Kind == model.KindBANP &&
		slices.ContainsFunc(f.Baselines, func(o OtherBaseline) bool { return o.HasNoRows }):
		defect, why = Baseline, "this one was deleted after another took its place"
	default:
		return nil
	}
	return causeForAll(p, &DiffCause{defect, why})
}

// explainOtherBaseline explains a baseline without rows because of another baseline.
func explainOtherBaseline(p *model.PolicyInZone, f *Facts) []*DiffCause {
	if p.Policy.Kind != model.KindBANP || p.LiveACLs > 0 ||
		!slices.ContainsFunc(f.Baselines, func(o OtherBaseline) bool { return o.IsSameSpec && !o.HasNoRows }) {
		return nil
	}
	if !lacksAll(p) {
		return nil
	}
	return causeForAll(p, &DiffCause{Baseline, "the rows belong to the other"})
}

// lacksAll reports whether all differences are missing rows.
func lacksAll(p *model.PolicyInZone) bool {
	return !slices.ContainsFunc(p.Diffs, func(d model.RowDiff) bool { return d.Kind != model.DiffMissing })
}

func causeForAll(p *model.PolicyInZone, c *DiffCause) []*DiffCause {
	return slices.Repeat([]*DiffCause{c}, len(p.Diffs))
}

// ownerOfDiff returns the owner of a row that differs, from its id.
func ownerOfDiff(p *model.PolicyInZone, d *model.RowDiff) nb.Owner {
	return nb.ParseOwner(d.Table, map[string]string{nb.KeyOwnerController: nb.DefaultController,
		nb.KeyOwnerType: string(p.Policy.Kind), nb.KeyID: d.ID})
}
