package cli

import (
	"fmt"
	"strings"

	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/model/words"
	"rung/revision/connections"
)

// seenOut are the log lines that would have gone the other way.
type seenOut struct {
	Summary  string         `json:"summary"`
	From     string         `json:"from"` // time of the oldest line
	To       string         `json:"to"`
	Judged   int            `json:"judged"`
	Lost     int            `json:"lost"`     // an address has no pod any more, or another one
	Over     int            `json:"over"`     // too many different connections
	Contrary int            `json:"contrary"` // they say otherwise than the policies before the change
	Lines    int            `json:"lines"`
	Groups   []seenGroupOut `json:"groups"`
}

type seenGroupOut struct {
	Before   verdict.Verdict  `json:"before"`
	After    verdict.Verdict  `json:"after"`
	From     endsOut          `json:"from"`
	To       endsOut          `json:"to"`
	Protocol verdict.Protocol `json:"protocol"`
	Port     uint16           `json:"port"`
	Lines    int              `json:"lines"`
	First    string           `json:"first"`
	Last     string           `json:"last"`
	Logged   loggedOut        `json:"logged_as"`
	Contrary int              `json:"contrary"`
	Example  struct {
		At string `json:"at"`
		exampleOut
	} `json:"example"`
}

// loggedOut is what the lines say themselves.
type loggedOut struct {
	Allowed int `json:"allowed"`
	Denied  int `json:"denied"`
	Passed  int `json:"passed"`
}

func describeSeen(o *diff.Otherwise) *seenOut {
	if connections.OtherwiseText(o) == "" {
		return nil
	}
	return &seenOut{Summary: connections.OtherwiseText(o), From: stamp(o.From), To: stamp(o.To), Judged: o.Judged, Lost: o.Lost, Over: o.Over,
		Contrary: o.Contrary, Lines: o.Lines, Groups: each(o.Groups, func(g diff.SeenGroup) seenGroupOut {
			out := seenGroupOut{Before: g.Before, After: g.After, From: describeEnds(g.From), To: describeEnds(g.To), Protocol: g.Protocol,
				Port: g.Port, Lines: g.Lines, First: stamp(g.First), Last: stamp(g.Last), Logged: loggedOut{g.Allowed, g.Denied, g.Passed},
				Contrary: g.Contrary}
			c := connections.SeenConnection(&g.Example)
			out.Example.At, out.Example.exampleOut = stamp(g.Example.Last), exampleOut{c.From.String(), c.To.String(), c.Protocol, c.Port}
			return out
		})}
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
	fmt.Fprintf(&b, "### Log lines\n\n%s\n\n", mdText(text))
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
			fmt.Fprintf(&b, "| %s ", mdText(c))
		}
		b.WriteString("|\n")
	}
	if len(o.Groups) > 0 {
		b.WriteByte('\n')
	}
	if text := connections.ContraryText(o); text != "" {
		fmt.Fprintf(&b, "%s\n\n", mdText(text))
	}
	return b.String()
}
