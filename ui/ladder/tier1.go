package ladder

import (
	"fmt"
	"strconv"

	"rung/model"
	"rung/model/ladder"
	"rung/ui/widget"
)

// decides names what the rules of a tier are called in the stage, with a word for
// the tier where none decides.
func (b *builder) decides(kind model.Kind) string {
	switch b.v.stage {
	case model.StageFromLport:
		return string(kind) + " · no rule decides in this stage"
	case model.StageAfterLB:
		return string(kind) + " · egress rules"
	case model.StageToLport:
		return string(kind) + " · ingress rules"
	}
	return string(kind)
}

// tier1 puts rungs and gaps in order, with live rows of others where they decide;
// a policy that is carried stands where it would be put down. Within one stage
// there are no gaps: a free priority is one in all.
func (b *builder) tier1() {
	text := b.decides(model.KindANP)
	if b.v.stage != model.StageFromLport {
		text += " · lower number decides first"
	}
	b.band("tier 1", text, false)
	t := b.ladder.Tiers[model.TierAdmin]
	rungs, gaps := t.Rungs, t.Gaps
	if c := b.v.carry; c != nil {
		rungs, gaps = b.ladder.Moved(c.key, c.at)
	}
	if b.v.stage != "" {
		gaps = nil
	}
	others := b.others(model.TierAdmin)
	for i := range rungs {
		r := &rungs[i]
		for len(gaps) > 0 && gaps[0].From < r.Priority {
			b.gap(gaps[0])
			gaps = gaps[1:]
		}
		others.above(t.Top(r))
		for j := range r.Policies {
			b.add(b.policy(&r.Policies[j], r, j))
		}
	}
	for _, g := range gaps {
		b.gap(g)
	}
	others.rest()
}

// tier3 is the baseline.
func (b *builder) tier3() {
	b.band("tier 3", b.decides(model.KindBANP), false)
	others := b.others(model.TierBaseline)
	t := &b.ladder.Tiers[model.TierBaseline]
	for _, r := range t.Rungs {
		others.above(t.Top(&r))
		for i := range r.Policies {
			b.add(b.policy(&r.Policies[i], &r, i))
		}
	}
	others.rest()
}

func (b *builder) gap(g ladder.Gap) {
	spread := b.v.spread || b.v.unfolded[g.From]
	if !spread {
		text, span := "1 free", strconv.Itoa(int(g.From))
		if g.Len() > 1 {
			text, span = fmt.Sprintf("%d free", g.Len()), fmt.Sprintf("%d–%d", g.From, g.To)
		}
		l := widget.Line{{Text: fmt.Sprintf("┊ %-8s %s", text, span), Style: b.st.Dim}}
		b.add(&item{kind: gap, id: gapID(g.From), gap: g, prio: g.From, name: l})
		return
	}
	for p := g.From; p <= g.To; p++ {
		b.add(&item{kind: slot, id: slotID(p), gap: g, prio: p, listed: true, name: widget.Styled("┊ free", b.st.Dim)})
	}
}
