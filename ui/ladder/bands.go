package ladder

import (
	"fmt"
	"strconv"

	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/revision/policies"
	"rung/ui/widget"
)

// bands are the lines of a cluster on Antrea: its tiers in order, with the NetworkPolicies
// of Kubernetes before the baseline.
func (b *builder) bands() {
	for _, band := range b.rev.Bands() {
		b.band(band.Name, bandText(&band), false)
		for i := range band.Rungs {
			r := &band.Rungs[i]
			rung := &ladder.Rung{Policies: r.Policies, Duplicate: r.Tied}
			for j := range r.Policies {
				b.inBand(&band, r, rung, j)
			}
		}
	}
}

// bandText is what stands behind a band's name in its heading.
func bandText(band *ladder.Band) string {
	count := "no policies"
	if n := band.Count(); n > 0 {
		count = words.Count(n, "policy")
	}
	switch {
	case band.Missing:
		return "no such tier: " + words.Form(band.Count(), "it decides", "they decide") + " nothing"
	case band.Name == string(model.KindNP):
		return "after tier application · " + count
	case band.Tier == nil:
		return "at " + strconv.Itoa(int(band.Priority)) + " · " + count
	case !band.Tier.Static:
		return fmt.Sprintf("tier %d, custom · %s", band.Priority, count)
	}
	return fmt.Sprintf("tier %d · %s", band.Priority, count)
}

// inBand is the line of a policy in a band.
func (b *builder) inBand(band *ladder.Band, r *ladder.BandRung, rung *ladder.Rung, i int) {
	rp, st := &r.Policies[i], b.st
	p := rp.Policy
	it := &item{kind: policy, id: policyID(p.Key), key: p.Key, subject: p.SubjectText(), ingress: counts(rp.Ingress, st),
		egress: counts(rp.Egress, st)}
	sign := "─"
	if r.Tied {
		sign = b.sign(rung, i)
	}
	if band.Missing {
		sign = "✗"
	}
	name := p.Name
	if p.Namespace != "" {
		name = p.Namespace + "/" + p.Name
	}
	it.name = b.named(sign, st.Dim, widget.Line{{Text: p.Kind.Short() + " ", Style: st.Dim}, {Text: name, Style: st.Accent}})
	if p.Kind != model.KindNP {
		it.order = strconv.FormatFloat(r.Priority, 'g', -1, 64)
	}
	it.rules = it.egress
	it.pods = strconv.Itoa(policies.CountSubjects(b.rev, p.Key).Pods)
	it.acls, it.zones, it.rank = "–", dash(b), 9
	it.state = dash(b)
	it.levels = []widget.Line{widget.Styled("off", st.Dim)}
	if a := p.Antrea; a != nil {
		if a.Phase != "" {
			it.state = widget.Styled(fmt.Sprintf("%s %d/%d", a.Phase, a.NodesRealized, a.NodesDesired), st.Text)
		}
		for rule := range p.AllRules() {
			if rule.Antrea.Logging {
				it.levels = []widget.Line{widget.Styled("on", st.Info)}
			}
		}
	}
	if p.Refused() || band.Missing {
		it.state, it.rank = widget.Styled("decides nothing", st.Error), 0
	}
	b.note(it, nil, rp)
	b.add(it)
}
