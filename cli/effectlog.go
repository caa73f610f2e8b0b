package cli

import (
	"rung/model/verdict"
	"rung/model/verdict/diff"
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
