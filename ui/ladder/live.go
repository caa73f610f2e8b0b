package ladder

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/revision/liverows"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/widget"
)

// groupsShown bounds the lines of live rows in a tier; the page of rows has all.
const groupsShown = 100

const tier0Band = "tier 0"

// tier0 is what decides before every policy. No object stands for it: it is known
// from live rows alone. It is one line until somebody unfolds it, or looks at one
// stage: an admin comes for what policies do.
func (b *builder) tier0() {
	groups := b.live.Of(model.TierIsolation, b.v.stage)
	n, examples := 0, b.rev.Mode.Sandbox
	for _, g := range groups {
		n += g.Rows
		examples = examples && g.Examples
	}
	text := "OVN-Kubernetes' own rows, before every policy · "
	if examples && n > 0 {
		text = "" // they decide nothing, and are nobody's
	}
	switch {
	case b.live.Zones == 0:
		text += "no zone to read them"
	case b.live.Read == 0:
		text += "not read yet"
	case n == 0:
		text += "none in " + words.Total(b.live.Read, "zone")
	case examples:
		text += sandboxExample + " · " + words.Total(n, "row")
	default:
		text += words.Total(n, "row")
	}
	if left := b.live.Zones - b.live.Read; b.live.Read > 0 && left > 0 {
		text += fmt.Sprintf(", %d not read", left)
	}
	if !b.fresh && b.live.Read == 0 { // later counts replace the one that stands, without a word
		text += ", counting"
	}
	folds := n > 0 && b.v.stage == ""
	if folds {
		text += " · " + owners(groups)
		key := b.keys.Action(action.Open).Shown()
		if b.v.tier0 {
			text += " · " + key + " folds"
		} else {
			text += " · " + key + " unfolds"
		}
	}
	b.band(tier0Band, text, folds)
	if folds && !b.v.tier0 && !b.v.filtered {
		return
	}
	(&others{b: b, groups: groups, tier: model.TierIsolation}).rest()
}

// sandboxExample is what rows are called that the sandbox made up to be looked at.
const sandboxExample = "sandbox example"

// owners names the owners of the rows, each once.
func owners(groups []liverows.RowGroup) string {
	var names []string
	for i := range groups {
		if n := groups[i].Owner; !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return strings.Join(names, ", ")
}

// others puts live rows that no policy stands for between the policies.
type others struct {
	b      *builder
	groups []liverows.RowGroup
	tier   int
	shown  int
	// examples stand for nothing: they are one line, after all others.
	examples []liverows.RowGroup
}

// others are the groups of a tier by priority, whatever their stage.
func (b *builder) others(tier int) *others {
	o := &others{b: b, tier: tier}
	for _, g := range b.live.Of(tier, b.v.stage) {
		if g.Examples && b.rev.Mode.Sandbox {
			o.examples = append(o.examples, g)
		} else {
			o.groups = append(o.groups, g)
		}
	}
	return o
}

// above adds what has a higher OVN priority.
func (o *others) above(priority int) {
	for len(o.groups) > 0 && o.groups[0].Priority > priority {
		o.next()
	}
}

// rest adds what is left.
func (o *others) rest() {
	for len(o.groups) > 0 {
		o.next()
	}
	if len(o.examples) > 0 {
		o.fold()
	}
}

// fold is the line of the sandbox's examples, with them below it once somebody
// unfolds it.
func (o *others) fold() {
	b, st := o.b, o.b.st
	id, n := "examples "+strconv.Itoa(o.tier), 0
	for _, g := range o.examples {
		n += g.Rows
	}
	open := b.v.folded[id] || b.v.filtered
	sign := "+ "
	if open {
		sign = "- "
	}
	l := widget.Line{{Text: "      " + sign, Style: st.Key}, {Text: sandboxExample, Style: st.Dim}}
	b.add(&item{kind: namespace, id: id, folds: true, rank: 8, full: l.Add(" · "+o.examples[0].Label+" · "+words.Total(n, "row"), st.Dim)})
	if open {
		o.groups, o.examples = o.examples, nil
		o.rest()
	}
}

func (o *others) next() {
	g := &o.groups[0]
	left := len(o.groups)
	o.groups = o.groups[1:]
	b, st := o.b, o.b.st
	if o.shown++; o.shown > groupsShown {
		text := fmt.Sprintf("      ◦ and %s of rows", words.Total(left, "more group"))
		b.add(&item{kind: rows, id: fmt.Sprintf("rows %d more", o.tier), rank: 8, full: widget.Styled(text, st.Dim),
			to: nav.Page{Kind: nav.Rows, Zone: g.Zones[0]}})
		o.groups = nil
		return
	}
	example := g.Examples && b.rev.Mode.Sandbox
	prio, what, look := fmt.Sprintf("%5d ", g.Priority), "", st.Warn
	switch {
	case example:
		prio, look = "        ", st.Dim
		if g.Tier != model.TierIsolation {
			what = sandboxExample + ": "
		}
	case g.Gone:
		what = "rows of what is gone: "
	case g.Tier == model.TierIsolation:
	default:
		what = "rows Rung does not compile: "
	}
	l := widget.Line{{Text: prio}, {Text: "◦ ", Style: look}, {Text: what, Style: look}, {Text: g.Label, Style: st.Accent}}
	hold := l.Width()
	l = widget.Join(l.Add("  ", st.Text), counts(g.Actions, st))
	if b.v.stage == "" {
		l = l.Add("  "+string(g.Stage), st.Dim)
	}
	l = l.Add(fmt.Sprintf("  %s in %d/%d zones", words.Total(g.Rows, "row"), len(g.Zones), b.live.Zones), st.Dim)
	switch {
	case example:
		l = l.Add(fmt.Sprintf(" · OVN priority %d", g.Priority), st.Dim)
	case g.Last != g.Priority:
		l = l.Add(", to "+strconv.Itoa(g.Last), st.Dim)
	}
	b.add(&item{kind: rows, id: fmt.Sprintf("rows %d %s %d %s", g.Tier, g.Stage, g.Priority, g.Label), rank: 8, full: l, hold: hold, whose: g.Label,
		to: nav.Page{Kind: nav.Rows, Zone: g.Zones[0], Text: g.Filter}})
}
