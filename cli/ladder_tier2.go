package cli

import (
	"fmt"
	"strconv"
	"strings"

	"rung/model"
)

// tier2 prints tier 2 by kind and namespace, within one stage in the order of
// the OVN priorities.
func (t *ladderTable) tier2(tier *model.LadderTier) {
	live := t.rowsOf(model.TierNetwork)
	for _, s := range tier.Sections(t.l.Stage) {
		if t.l.Stage != "" && len(s.Namespaces) > 0 {
			first, _, _ := s.Namespaces[0].Policies[0].Range(t.l.Stage)
			live.above(first)
		}
		for i := range s.Namespaces {
			n := &s.Namespaces[i]
			for j := range n.Policies {
				t.unit(&n.Policies[j], t.l.Stage, nil)
			}
			if t.l.Stage == "" {
				for j := range n.Denies {
					t.unit(&n.Denies[j], "", nil)
				}
			}
		}
		for i := range s.Units {
			if t.l.Stage != "" {
				first, _, _ := s.Units[i].Range(t.l.Stage)
				live.above(first)
			}
			t.unit(&s.Units[i], s.Stage, sectionMarks(s.Kind))
		}
	}
	live.above(-1)
}

// sectionMarks say what a part of the tier is apart from the rest.
func sectionMarks(k model.SectionKind) []string {
	switch k {
	case model.SectionFirewall:
		return []string{"to-lport: decides even after an ANP egress Allow"}
	case model.SectionMulticast:
		return []string{"from-lport-after-lb"}
	}
	return nil
}

func (t *ladderTable) unit(u *model.Unit, stage model.Stage, marks []string) {
	prio := strconv.Itoa(u.Top())
	if first, last, _ := u.Range(stage); stage != "" && first != last {
		prio = fmt.Sprintf("%d–%d", first, last)
	}
	k := u.Key
	log := t.unitLog(k)
	if u.Policy != nil {
		p := u.Policy
		name := k.Kind.Short() + " " + k.Namespace + "/" + k.Name
		ingress, egress := p.Ingress.String(), p.Egress.String()
		if k.Kind == model.KindNP && stage == model.StageToLport {
			egress = "–"
		} else if stage == model.StageAfterLB {
			ingress = "–"
		}
		if none := t.r.None(k); none != nil {
			marks = append([]string{"✗ not enforced: " + none.Message}, marks...)
		}
		t.cells(model.TierNetwork, prio, name, p.Policy.Subject.String(), ingress, egress, log, k, stage, p.Policy.Origin.Where(), marks)
		return
	}
	does := "1A"
	if k.Kind == model.KindNetpolNamespace || k.Kind == model.KindMulticastCluster && k.Name == "DefaultDeny" {
		does = "1D"
	}
	ingress, egress := "–", "–"
	if _, _, ok := u.Range(model.StageToLport); ok && stage != model.StageAfterLB {
		ingress = does
	}
	if _, _, ok := u.Range(model.StageAfterLB); ok && stage != model.StageToLport {
		egress = does
	}
	subject := ""
	if k.Namespace != "" {
		subject = "ns: " + k.Namespace
	}
	t.cells(model.TierNetwork, prio, unitLabel(k), subject, ingress, egress, log, k, stage, "", marks)
}

// unitLabel names what no object stands for.
func unitLabel(k model.Key) string {
	switch k.Kind {
	case model.KindNetpolNamespace:
		return "default deny of " + k.Namespace + ", " + strings.ToLower(k.Name)
	case model.KindNetpolDefault:
		return "hairpin"
	case model.KindNetpolNode:
		return "node " + k.Name
	case model.KindMulticastNS:
		return "multicast of " + k.Namespace
	case model.KindMulticastCluster:
		if k.Name == "DefaultDeny" {
			return "multicast default deny"
		}
		return "multicast between nodes"
	}
	return k.Label()
}

// unitLog is what a unit logs, as the annotation of its namespace says
// (compile-spec §4.1.7).
func (t *ladderTable) unitLog(k model.Key) string {
	ns := t.r.Cluster.Namespace(k.Namespace)
	if k.Kind == model.KindMulticastNS || k.Namespace == "" {
		return "–"
	}
	if ns == nil {
		return "off"
	}
	l, problems := model.NamespaceLogLevels(ns.Annotations[model.AnnotationLogging])
	if len(problems) > 0 && !l.Any() {
		return "invalid"
	}
	l.Pass = ""
	switch k.Kind {
	case model.KindNP:
		l.Deny = ""
	case model.KindNetpolNamespace:
		l.Allow = ""
	}
	return l.String()
}
