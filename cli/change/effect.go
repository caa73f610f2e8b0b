package change

import (
	"fmt"
	"strings"

	"rung/change/gate"
	"rung/model/verdict/diff"
	"rung/model/words"
	"rung/revision/connections"
)

// maxGroupLines bounds the groups that are printed; JSON has all of them.
const maxGroupLines = 40

// effectText says what becomes of connections.
func effectText(p *gate.Preview) string {
	e := p.Effect
	if e == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  connections: %s\n", e.Text())
	for _, s := range p.StepTexts() {
		fmt.Fprintf(&b, "    %s\n", s)
	}
	b.WriteString(seenLines(e.Log))
	if e.Difference == nil {
		return b.String()
	}
	writeGroups(&b, e.Flips, func(g *diff.Group) string { return fmt.Sprintf("%s → %s", g.Before, g.After) })
	writeGroups(&b, e.Others, func(g *diff.Group) string { return "still " + g.After.Done() })
	return b.String()
}

func writeGroups(b *strings.Builder, gs []diff.Group, what func(*diff.Group) string) {
	for i := range gs {
		if i == maxGroupLines {
			fmt.Fprintf(b, "    and %s (-o json has all)\n", words.Count(len(gs)-maxGroupLines, "more group"))
			return
		}
		g := &gs[i]
		fmt.Fprintf(b, "    %s: %s\n      %s; %s\n", what(g), connections.GroupText(g), connections.DecidedText(g), connections.ExampleText(g))
	}
}
