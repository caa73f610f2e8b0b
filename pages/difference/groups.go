package difference

import (
	"fmt"
	"strings"

	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// maxGroups limits the groups listed; JSON has all.
const maxGroups = 40

// GroupTable lists groups of connections that change alike.
type GroupTable struct {
	Title string
	page.Table[GroupLine]
	Rows []GroupLine
	// More counts the groups that are not listed, empty if all are.
	More string
}

// GroupLine describes one group of connections.
type GroupLine struct {
	Sign page.Span
	// The change of verdict; Short suits a place below a title: "still denied", "deny".
	What, Short string
	Ends        string // "blue (2 pods) → red (2 pods), TCP 80"
	Count       int
	Unit        string // of Count: "pair" or "line"
	By          string // the deciding rules, or the verdicts in the log
	Example     string
}

// ConnectionsText describes the connections and their number.
func (g *GroupLine) ConnectionsText() string { return g.Ends + ": " + words.Count(g.Count, g.Unit) }

// DeciderText names the deciding rules, or the logged verdicts, with an example.
func (g *GroupLine) DeciderText() string { return g.By + "; for example " + g.Example }

// loggedAs is the prefix of a text about logged verdicts.
const loggedAs = "logged as "

func newGroups[G any](title, unit, by string, gs []G, tell func(*G) GroupLine) GroupTable {
	column := func(title string, text func(*GroupLine) string) page.Column[GroupLine] {
		return page.Column[GroupLine]{Key: title, Title: title, Cell: func(g GroupLine) page.Cell { return page.Cell{Text: text(&g)} }}
	}
	out := GroupTable{Title: title, Table: page.Table[GroupLine]{Columns: []page.Column[GroupLine]{
		column("verdict", func(g *GroupLine) string { return g.What }),
		column("connections", func(g *GroupLine) string { return g.Ends }),
		column(words.Plural(unit), func(g *GroupLine) string { return words.Thousands(g.Count) }),
		column(by, func(g *GroupLine) string { return strings.TrimPrefix(g.By, loggedAs) }),
		column("example", func(g *GroupLine) string { return g.Example }),
	}}}
	out.Columns[2].Right = true
	for i := range gs[:min(len(gs), maxGroups)] {
		g := tell(&gs[i])
		g.Unit = unit
		out.Rows = append(out.Rows, g)
	}
	if n := len(gs) - maxGroups; n > 0 {
		out.More = "and " + words.Count(n, "more group")
	}
	return out
}

func newFlipTable(title string, gs []diff.FlipGroup) GroupTable {
	return newGroups(title, "pair", "who decides", gs, func(g *diff.FlipGroup) GroupLine {
		out := fillGroupLine(g.Before, g.After, g.From, g.To, g.Ports, GroupLine{Count: g.Pairs, By: revision.DecidedText(g),
			Example: g.Example.String()})
		out.Ends += words.OnNetwork(g.Network)
		return out
	})
}

func loggedGroups(gs []diff.LoggedGroup) GroupTable {
	return newGroups("log lines that would be decided differently", "line", strings.TrimSpace(loggedAs), gs,
		func(g *diff.LoggedGroup) GroupLine {
			return fillGroupLine(g.Before, g.After, g.From, g.To, []verdict.PortRange{{Protocol: g.Protocol, Lo: g.Port, Hi: g.Port}},
				GroupLine{Count: g.Lines,
					By: revision.LoggedVerdictText(g), Example: strings.TrimPrefix(revision.LoggedExampleText(g), "for example ")})
		})
}

// fillGroupLine fills in the change and the ends of a group.
func fillGroupLine(before, after verdict.Verdict, from, to verdict.Ends, ports []verdict.PortRange, g GroupLine) GroupLine {
	g.Ends = fmt.Sprintf("%s → %s, %s", revision.EndsText(from), revision.EndsText(to), revision.PortsText(ports))
	g.What = fmt.Sprintf("%s → %s", before, after)
	g.Short, g.Sign = g.What, page.Span{Text: words.Unknown, Role: themes.Warn}
	switch {
	case before == after:
		g.What, g.Short, g.Sign = "still "+after.DoneText(), string(after), Notes
	case after == verdict.Deny:
		g.Sign = page.Span{Text: "-", Role: themes.Removed}
	case after == verdict.Allow:
		g.Sign = page.Span{Text: "+", Role: themes.Added}
	}
	return g
}
