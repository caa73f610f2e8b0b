package cli

import (
	"fmt"
	"strconv"

	"rung/model"
	"rung/model/ladder"
	"rung/revision/policies"
)

// tier2 prints tier 2 by kind and namespace, within one stage in the order of
// the OVN priorities.
func (t *ladderTable) tier2(tier *ladder.Tier) {
	live := t.rowsOf(model.TierNetwork)
	for _, s := range tier.Sections(t.l.Stage) {
		if t.l.Stage != "" && len(s.Namespaces) > 0 {
			first, _, _ := s.Namespaces[0].Policies[0].Range(t.l.Stage)
			live.above(first)
		}
		for i := range s.Namespaces {
			n := &s.Namespaces[i]
			for j := range n.Policies {
				t.line(t.unit(&n.Policies[j], t.l.Stage, nil))
			}
			if t.l.Stage == "" {
				for j := range n.Denies {
					t.line(t.unit(&n.Denies[j], "", nil))
				}
			}
		}
		for i := range s.Units {
			if t.l.Stage != "" {
				first, _, _ := s.Units[i].Range(t.l.Stage)
				live.above(first)
			}
			t.line(t.unit(&s.Units[i], s.Stage, sectionMarks(s.Kind)))
		}
	}
	live.above(-1)
}

// sectionMarks say what a part of the tier is apart from the rest.
func sectionMarks(k ladder.SectionKind) []string {
	switch k {
	case ladder.SectionFirewall:
		return []string{"to-lport: decides even after an ANP egress Allow"}
	case ladder.SectionMulticast:
		return []string{"from-lport-after-lb"}
	}
	return nil
}

// unit is the line of a unit of tier 2.
func (t *ladderTable) unit(u *ladder.Unit, stage model.Stage, marks []string) *ladderLine {
	prio := strconv.Itoa(u.Top())
	if first, last, _ := u.Range(stage); stage != "" && first != last {
		prio = fmt.Sprintf("%d–%d", first, last)
	}
	k := u.Key
	l := &ladderLine{tier: model.TierNetwork, prio: prio, name: k.Label(), log: t.unitLog(k), key: k, stage: stage,
		marks: marks}
	if u.Policy == nil {
		does, sends := u.Effect(stage)
		l.ingress, l.egress = does.String(), sends.String()
		if k.Namespace != "" {
			l.subject = "ns: " + k.Namespace
		}
		return l
	}
	p := u.Policy
	l.name = k.Kind.Short() + " " + k.Namespace + "/" + k.Name
	l.subject, l.where = p.Policy.Subject.String(), p.Policy.Origin.Where()
	l.ingress, l.egress = p.Ingress.String(), p.Egress.String()
	if k.Kind == model.KindNP && stage == model.StageToLport {
		l.egress = "–"
	} else if stage == model.StageAfterLB {
		l.ingress = "–"
	}
	if none := t.r.None(k); none != nil {
		l.marks = append([]string{"✗ not enforced: " + none.Message}, marks...)
	}
	return l
}

// unitLog is what a unit logs, as its namespace says.
func (t *ladderTable) unitLog(k model.Key) string {
	l, ok := policies.UnitLogging(t.r, k)
	switch {
	case !ok:
		return "–"
	case len(l.Problems) > 0 && !l.Levels.Any():
		return "invalid"
	}
	return l.Levels.String()
}
