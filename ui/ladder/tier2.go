package ladder

import (
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/revision/policies"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/widget"
)

// fewUnits is up to how many units the namespaces of tier 2 unfold together with
// it; beyond, each by itself.
const fewUnits = 60

// judgedMost bounds the units whose states are looked through, zone by zone, for
// the line of the folded tier.
const judgedMost = 5000

// unfolds says whether the lines of a namespace are shown.
func (b *builder) unfolds(ns string) bool {
	few := len(b.ladder.Tiers[model.TierNetwork].Units) <= fewUnits
	return b.v.filtered || few != b.v.folded[namespaceID(ns)]
}

// tier2 is the band of what decides between the AdminNetworkPolicies and their
// baseline; unfolded it lists everything by kind and namespace, or within one
// stage in the order of the OVN priorities.
func (b *builder) tier2() {
	t := &b.ladder.Tiers[model.TierNetwork]
	others := b.others(model.TierNetwork)
	folds := len(t.Units)+len(others.groups) > 0
	b.band("tier 2", b.tier2Text(t, len(others.groups), folds), folds)
	if !folds || !b.v.tier2 && !b.v.filtered {
		return
	}
	stage := b.v.stage
	for _, s := range t.Sections(stage) {
		if stage != "" && len(s.Units) > 0 {
			first, _, _ := s.Units[0].Range(stage)
			others.above(first)
		}
		b.section(s)
		for i := range s.Namespaces {
			b.namespace(&s.Namespaces[i], stage)
		}
		for i := range s.Units {
			first, _, _ := s.Units[i].Range(s.Stage)
			if stage != "" {
				others.above(first)
			}
			b.unit(&s.Units[i], s.Stage)
		}
	}
	if stage == "" && len(others.groups) > 0 {
		b.part("live rows of others in tier 2: they decide by their priority, too")
	}
	others.rest()
}

// tier2Text says how much there is, how it stands while it is folded, and which
// key unfolds it.
func (b *builder) tier2Text(t *ladder.Tier, groups int, folds bool) string {
	if b.v.stage == model.StageFromLport && !folds {
		return "no rule decides in this stage"
	}
	np, ef := string(model.KindNP), string(model.KindEF)
	if b.w < 110 {
		np, ef = model.KindNP.Short(), model.KindEF.Short()
	}
	parts := []string{fmt.Sprintf("%s %d", np, t.Counts[model.KindNP])}
	if b.v.stage != model.StageAfterLB {
		parts = append(parts, fmt.Sprintf("%s %d", ef, t.Counts[model.KindEF]))
	}
	multicast := 0
	for i := range t.Units {
		if t.Units[i].Key.Kind == model.KindMulticastNS {
			multicast++
		}
	}
	if multicast > 0 {
		parts = append(parts, fmt.Sprintf("multicast %d", multicast))
	}
	if groups > 0 {
		parts = append(parts, "other rows")
	}
	if n := b.worrying(t); n > 0 && !b.v.tier2 {
		parts = append(parts, fmt.Sprintf("▲ %d not in sync", n))
	}
	if key := b.keys.Action(action.Open).Shown(); folds && b.v.tier2 {
		parts = append(parts, key+" folds")
	} else if folds {
		parts = append(parts, key+" unfolds")
	}
	if folds {
		parts = append(parts, "higher OVN priority first")
	}
	return strings.Join(parts, " · ")
}

// worrying counts the units that an admin should look at.
func (b *builder) worrying(t *ladder.Tier) int {
	if len(t.Units)*len(b.rev.Zones) > judgedMost {
		return 0
	}
	return policies.Astray(b.rev, t, b.now)
}

// part is the heading of a part of the tier, with what should be known about it.
func (b *builder) part(title string, notes ...string) {
	l := widget.Line{{Text: "   ── ", Style: b.st.Border}, {Text: title, Style: b.st.Title}, {Text: " ──", Style: b.st.Border}}
	b.add(&item{kind: band, id: "part " + title, full: l})
	for _, n := range notes {
		for i, line := range detail.Wrap(n, b.w-10) {
			b.add(&item{kind: band, id: fmt.Sprint("note ", title, n, i), full: widget.Styled("      "+line, b.st.Dim)})
		}
	}
}

func (b *builder) section(s ladder.Section) {
	switch s.Kind {
	case ladder.SectionFirewall:
		what := "EgressFirewall and ingress multicast"
		if !slices.ContainsFunc(s.Units, func(u ladder.Unit) bool { return u.Key.Kind == model.KindEF }) {
			what = "ingress multicast"
		} else if !slices.ContainsFunc(s.Units, func(u ladder.Unit) bool { return u.Key.Kind != model.KindEF }) {
			what = "EgressFirewall"
		}
		b.part("to-lport: decides even after an ANP egress Allow", what+"; where the destination is a pod, a tier-1 ingress Allow or Deny there decides before")
	case ladder.SectionMulticast:
		b.part("from-lport-after-lb: egress multicast")
	case ladder.SectionNetpol:
		title := "NetworkPolicy by namespace: 1001 allows, then 1000 denies the rest"
		if s.Stage != "" {
			title = "NetworkPolicy by namespace: what one of them allows is allowed"
		}
		b.part(title)
	case ladder.SectionOwn:
		b.part("OVN-Kubernetes' own: hairpin and nodes, whatever NetworkPolicies say")
	case ladder.SectionDeny:
		b.part("default deny: what nothing above allowed to isolated pods")
	}
}

// namespace says what a namespace has in tier 2, and lists it.
func (b *builder) namespace(n *ladder.Namespace, stage model.Stage) {
	open := b.unfolds(n.Name)
	sign := "+ "
	if open {
		sign = "- "
	}
	st := b.st
	l := widget.Line{{Text: "      " + sign, Style: st.Key}, {Text: n.Name, Style: st.Title}}
	l = l.Add("  "+words.Count(len(n.Policies), "policy"), st.Text)
	var denied []string
	for _, d := range []model.Direction{model.Ingress, model.Egress} {
		if n.Isolates(d) {
			denied = append(denied, d.Lower())
		}
	}
	if len(denied) > 0 {
		l = l.Add(" · default deny "+strings.Join(denied, ", "), st.Deny)
	} else {
		l = l.Add(" · no default deny", st.Dim)
	}
	if n.Firewall != nil && stage != model.StageAfterLB {
		l = l.Add(" · EgressFirewall", st.Info)
	}
	if n.Multicast {
		l = l.Add(" · multicast", st.Info)
	}
	b.add(&item{kind: namespace, id: namespaceID(n.Name), folds: true, rank: 8, full: l})
	if !open {
		return
	}
	for i := range n.Policies {
		b.unit(&n.Policies[i], stage)
	}
	if stage == "" {
		for i := range n.Denies {
			b.unit(&n.Denies[i], stage)
		}
	}
}
