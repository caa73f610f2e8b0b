package consequences

import (
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/pages/page"
	"rung/revision/connections"
)

// Log are the log lines that would have gone the other way.
type Log struct {
	Summary  string     `json:"summary"`
	From     string     `json:"from"` // time of the oldest line
	To       string     `json:"to"`
	Judged   int        `json:"judged"`
	Lost     int        `json:"lost"`     // an address has no pod any more, or another one
	Over     int        `json:"over"`     // too many different connections
	Contrary int        `json:"contrary"` // they say otherwise than the policies before the change
	Lines    int        `json:"lines"`
	Groups   []LogGroup `json:"groups"`
}

type LogGroup struct {
	Before   verdict.Verdict  `json:"before"`
	After    verdict.Verdict  `json:"after"`
	From     Ends             `json:"from"`
	To       Ends             `json:"to"`
	Protocol verdict.Protocol `json:"protocol"`
	Port     uint16           `json:"port"`
	Lines    int              `json:"lines"`
	First    string           `json:"first"`
	Last     string           `json:"last"`
	Logged   Logged           `json:"logged_as"`
	Contrary int              `json:"contrary"`
	Example  struct {
		At string `json:"at"`
		Connection
	} `json:"example"`
}

// Logged is what the lines say themselves.
type Logged struct {
	Allowed int `json:"allowed"`
	Denied  int `json:"denied"`
	Passed  int `json:"passed"`
}

func logOf(o *diff.Otherwise) *Log {
	if connections.OtherwiseText(o) == "" {
		return nil
	}
	return &Log{Summary: connections.OtherwiseText(o), From: page.StampText(o.From), To: page.StampText(o.To), Judged: o.Judged, Lost: o.Lost, Over: o.Over,
		Contrary: o.Contrary, Lines: o.Lines, Groups: page.Each(o.Groups, func(g diff.SeenGroup) LogGroup {
			out := LogGroup{Before: g.Before, After: g.After, From: endsOf(g.From), To: endsOf(g.To), Protocol: g.Protocol,
				Port: g.Port, Lines: g.Lines, First: page.StampText(g.First), Last: page.StampText(g.Last), Logged: Logged{g.Allowed, g.Denied, g.Passed},
				Contrary: g.Contrary}
			c := connections.SeenConnection(&g.Example)
			out.Example.At, out.Example.Connection = page.StampText(g.Example.Last), Connection{c.From.String(), c.To.String(), c.Protocol, c.Port}
			return out
		})}
}
