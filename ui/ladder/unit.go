package ladder

import (
	"fmt"
	"strings"

	"rung/model"
	"rung/model/ladder"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision/policies"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/widget"
)

// unit is one line of tier 2.
func (b *builder) unit(u *ladder.Unit, stage model.Stage) {
	k, st := u.Key, b.st
	first, last, _ := u.Range(stage)
	if stage == "" {
		first, last = u.Top(), u.Top()
	}
	it := &item{kind: unit, id: unitID(k, stage), ovn: first, ingress: dash(b), egress: dash(b), rules: dash(b)}
	it.name = b.named("─", st.Dim, widget.Styled(unitName(k), st.Text))
	if k.Kind == model.KindMulticastNS || k.Kind == model.KindNetpolNamespace || k.Kind == model.KindIsolation2016 {
		it.subject = "ns: " + k.Namespace
	}
	if rp := u.Policy; rp != nil {
		p := rp.Policy
		it.kind, it.id, it.key = policy, policyID(k), k
		it.name = b.named("─", st.Dim, widget.Line{{Text: k.Kind.Short() + " ", Style: st.Dim}, {Text: b.policyName(k), Style: st.Accent}})
		it.subject, it.ingress, it.egress = p.Subject.String(), counts(rp.Ingress, st), counts(rp.Egress, st)
		if it.rules = it.egress; stage == model.StageToLport && k.Kind == model.KindNP {
			it.rules = it.ingress
		}
		b.note(it, nil, rp)
	} else {
		it.stands = k
		ingress, egress := u.Effect(stage)
		it.ingress, it.egress, it.rules = counts(ingress, st), counts(egress, st), counts(ingress, st)
		if ingress == (ladder.RuleCount{}) {
			it.rules = it.egress
		}
		it.to = nav.Page{Kind: nav.Rows, Text: detail.RowsFilter(k)}
		if k.Kind == model.KindNetpolNode {
			it.to.Zone = k.Name // its rows are there and nowhere else
		} else if k.Kind == model.KindIsolation2016 {
			it.to = nav.Page{Kind: nav.Findings} // there is no row of it
		}
	}
	b.stand(it, k, stage)
	if k.Namespace == "" {
		it.pods = "–" // it is about no pods in particular
	}
	it.levels = b.unitLog(k)
	if len(it.marks) == 0 && last != first {
		it.marks = []widget.Line{widget.Styled(fmt.Sprintf("%s, to %d", words.Total(len(u.Policy.Policy.Egress), "rule"), last), st.Dim)}
	}
	b.add(it)
}

func dash(b *builder) widget.Line { return widget.Styled("–", b.st.Dim) }

// policyName is a policy's name as it stands under its namespace, or in full
// where lines stand in another order. An EgressFirewall is the only one of its
// namespace.
func (b *builder) policyName(k model.Key) string {
	switch {
	case k.Kind == model.KindEF:
		return k.Namespace
	case b.v.filtered || b.v.table.SortedBy() != "":
		return k.Namespace + "/" + k.Name
	}
	return k.Name
}

// unitName names what no object stands for.
func unitName(k model.Key) string {
	switch k.Kind {
	case model.KindNetpolNamespace:
		return "deny " + strings.ToLower(k.Name)
	case model.KindIsolation2016:
		return "annotation: deny ingress"
	case model.KindNetpolDefault:
		return "hairpin"
	case model.KindNetpolNode:
		return k.Name
	case model.KindMulticastNS:
		return "multicast " + k.Namespace
	case model.KindMulticastCluster:
		if k.Name == nb.TypeMulticastDeny {
			return "deny multicast"
		}
		return "node multicast"
	}
	return k.Label()
}

// unitLog is what a unit of tier 2 logs, as its namespace says.
func (b *builder) unitLog(k model.Key) []widget.Line {
	l, ok := policies.UnitLogging(b.rev, k)
	switch {
	case !ok:
		return []widget.Line{dash(b)}
	case len(l.Problems) > 0 && !l.Levels.Any():
		return badLevels(b.st)
	}
	return levels(l.Levels, b.st)
}
