package change

import (
	"fmt"
	"strings"

	"rung/change/gate"
	"rung/cli/command"
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

// seenLines says which log lines would have gone the other way.
func seenLines(o *diff.Otherwise) string {
	text := connections.OtherwiseText(o)
	if text == "" {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  log: %s\n", text)
	for i := range o.Groups {
		if i == maxGroupLines {
			fmt.Fprintf(&b, "    and %s (-o json has all)\n", words.Count(len(o.Groups)-maxGroupLines, "more group"))
			break
		}
		g := &o.Groups[i]
		fmt.Fprintf(&b, "    %s → %s: %s\n      %s; %s\n", g.Before, g.After, connections.SeenText(g), connections.SeenSaid(g), connections.SeenExample(g))
	}
	if text := connections.ContraryText(o); text != "" {
		fmt.Fprintf(&b, "    %s\n", text)
	}
	return b.String()
}

// mdSeen is the same for a review.
func mdSeen(o *diff.Otherwise) string {
	text := connections.OtherwiseText(o)
	if text == "" {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "### Log lines\n\n%s\n\n", command.MarkdownText(text))
	for i := range o.Groups {
		switch i {
		case 0:
			b.WriteString("| verdict | connections | lines | logged as | example |\n|---|---|---:|---|---|\n")
		case maxGroupLines:
			b.WriteString("| | more (-o json has all) | | | |\n\n")
			return b.String()
		}
		g := &o.Groups[i]
		ends, _, _ := strings.Cut(connections.SeenText(g), ": ")
		for _, c := range []string{fmt.Sprintf("%s → %s", g.Before, g.After), ends, words.Thousands(g.Lines),
			strings.TrimPrefix(connections.SeenSaid(g), "logged as "), strings.TrimPrefix(connections.SeenExample(g), "for example ")} {
			fmt.Fprintf(&b, "| %s ", command.MarkdownText(c))
		}
		b.WriteString("|\n")
	}
	if len(o.Groups) > 0 {
		b.WriteByte('\n')
	}
	if text := connections.ContraryText(o); text != "" {
		fmt.Fprintf(&b, "%s\n\n", command.MarkdownText(text))
	}
	return b.String()
}
