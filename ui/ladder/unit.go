package ladder

import (
	"fmt"
	"regexp"
	"strings"

	"rung/model"
	"rung/model/nb"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/widget"
)

// unit is one line of tier 2.
func (b *builder) unit(u *model.Unit, stage model.Stage) {
	k, st := u.Key, b.st
	first, last, _ := u.Range(stage)
	if stage == "" {
		first, last = u.Top(), u.Top()
	}
	it := &item{kind: unit, id: unitID(k, stage), ovn: first, ingress: dash(b), egress: dash(b), rules: dash(b), log: dash(b)}
	it.name = widget.Line{{Text: "─ ", Style: st.Dim}, {Text: unitName(k), Style: st.Text}}
	if k.Kind == model.KindMulticastNS || k.Kind == model.KindNetpolNamespace {
		it.subject = "ns: " + k.Namespace
	}
	if rp := u.Policy; rp != nil {
		p := rp.Policy
		it.kind, it.id, it.key = policy, policyID(k), k
		it.name = widget.Line{{Text: "─ ", Style: st.Dim}, {Text: k.Kind.Short() + " ", Style: st.Dim}, {Text: b.policyName(k), Style: st.Accent}}
		it.subject, it.ingress, it.egress = p.Subject.String(), counts(rp.Ingress, st), counts(rp.Egress, st)
		if it.rules = it.egress; stage == model.StageToLport && k.Kind == model.KindNP {
			it.rules = it.ingress
		}
		it.mark = b.mark(rp, &model.Rung{})
	} else {
		it.stands = k
		it.effect(k, stage, b)
		it.to = nav.Page{Kind: nav.Rows, Text: unitFilter(k)}
		if k.Kind == model.KindNetpolNode {
			it.to.Zone = k.Name // its rows are there and nowhere else
		}
	}
	b.stand(it, k, stage)
	if k.Namespace == "" {
		it.pods = "–" // it is about no pods in particular
	}
	it.log = b.unitLog(k)
	if len(it.mark) == 0 && last != first {
		it.mark = widget.Styled(fmt.Sprintf("%s, to %d", detail.Count(len(u.Policy.Policy.Egress), "rule"), last), st.Dim)
	}
	b.add(it)
}

// effect says in the columns of rules what a unit does that has none.
func (it *item) effect(k model.Key, stage model.Stage, b *builder) {
	n := model.RuleCount{Allow: 1}
	if k.Kind == model.KindNetpolNamespace || k.Kind == model.KindMulticastCluster && k.Name == "DefaultDeny" {
		n = model.RuleCount{Deny: 1}
	}
	u := model.Unit{Key: k}
	l := counts(n, b.st)
	if _, _, ok := u.Range(model.StageToLport); ok && stage != model.StageAfterLB {
		it.ingress = l
	}
	if _, _, ok := u.Range(model.StageAfterLB); ok && stage != model.StageToLport {
		it.egress = l
	}
	it.rules = l
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
	case model.KindNetpolDefault:
		return "hairpin"
	case model.KindNetpolNode:
		return k.Name
	case model.KindMulticastNS:
		return "multicast " + k.Namespace
	case model.KindMulticastCluster:
		if k.Name == "DefaultDeny" {
			return "deny multicast"
		}
		return "node multicast"
	}
	return k.Label()
}

// unitFilter finds the rows of a unit among those of a zone by their id
// (compile-spec §0.1).
func unitFilter(k model.Key) string {
	parts := []string{nb.DefaultController, string(k.Kind)}
	if k.Namespace != "" {
		parts = append(parts, k.Namespace)
	}
	if k.Kind != model.KindMulticastNS {
		parts = append(parts, k.Name)
	}
	return regexp.QuoteMeta(strings.Join(parts, ":") + ":")
}

// unitLog is what a unit of tier 2 logs, as its namespace says (compile-spec
// §4.1.7); multicast, hairpin and nodes never log.
func (b *builder) unitLog(k model.Key) widget.Line {
	ns := b.rev.Cluster.Namespace(k.Namespace)
	if ns == nil {
		return dash(b)
	}
	l, problems := model.NamespaceLogLevels(ns.Annotations[model.AnnotationLogging])
	l.Pass = ""
	switch k.Kind {
	case model.KindNP:
		l.Deny = ""
	case model.KindNetpolNamespace:
		l.Allow = ""
	case model.KindEF:
	default:
		return dash(b)
	}
	if len(problems) > 0 && !l.Any() {
		return widget.Styled("✗ not valid", b.st.Error)
	}
	return levels(l, b.st)
}
