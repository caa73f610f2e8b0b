package cluster

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// Table lists zones.
var Table = &page.Table[*ZoneFacts]{
	Help: map[string]string{
		"state":             "whether its rows are read, and how",
		"since":             "since when it is in this state",
		"read":              "when its rows were last read",
		"rows":              "number of its rows",
		"in_sync":           "policies whose rows are as desired",
		"differs":           "number of missing, extra or different rows",
		"policies":          "number of policies in each state",
		"other_rows":        "rows that belong to no policy",
		"waiting":           "changes not yet written",
		"writes":            "whether Rung writes its rows",
		"server":            "the version of its database server",
		"endpoint":          "where its database is reached",
		"log_lines":         "lines of the ACL log that were lost",
		"written_made_done": "how long until rows, flows and nodes followed",
		"wrong":             "problems of the zone apart from differing rows",
	},
	ID:    func(z *ZoneFacts) string { return z.Name },
	Empty: "no zones yet",
	Columns: []page.Column[*ZoneFacts]{
		{Key: "zone", Title: "ZONE", Name: true, Min: 20, Importance: page.Always, Cell: func(z *ZoneFacts) page.Cell {
			return page.Cell{Sign: ZoneSign(z.rev, z.ZoneState, z.now), Text: z.Name, Role: themes.Accent}
		}},
		{Key: "state", Title: "STATE", Importance: page.Always,
			Cell: func(z *ZoneFacts) page.Cell { return page.Cell{Text: z.stateText(), Role: connRole(z.State)} }},
		{Key: "since", Title: "SINCE", Live: true, Importance: 95, Less: func(a,
			b *ZoneFacts) int {
			return a.ZoneState.ConnAt.Compare(b.ZoneState.ConnAt)
		},
			Exact: func(z *ZoneFacts) string { return page.StampText(z.ZoneState.ConnAt) }, Cell: func(z *ZoneFacts) page.Cell {
				if z.ZoneState.ConnAt.IsZero() {
					return page.Cell{Text: "–"}
				}
				return page.Cell{Text: words.Age(z.now.Sub(z.ZoneState.ConnAt))}
			}},
		{Key: "read", Title: "READ", Live: true, Importance: 97, Less: func(a, b *ZoneFacts) int { return a.SyncedAt.Compare(b.SyncedAt.Time) },
			Exact: func(z *ZoneFacts) string {
				return z.SyncedAt.String()
			}, Cell: func(z *ZoneFacts) page.Cell { return page.Cell{Text: z.rowsAge()} }},
		{Key: "rows", Title: "ROWS", Right: true, Importance: 94, Exact: func(z *ZoneFacts) string {
			if z.SyncedAt.IsZero() {
				return ""
			}
			return words.Thousands(z.Rows)
		}, Cell: func(z *ZoneFacts) page.Cell {
			if z.SyncedAt.IsZero() {
				return page.Cell{Text: "–"}
			}
			return page.Cell{Text: words.Thousands(z.Rows)}
		}},
		{Key: "in_sync", Title: "IN SYNC", Right: true, Importance: 99, Cell: func(z *ZoneFacts) page.Cell {
			switch {
			case z.Tally == nil:
				return page.None
			case z.Tally.InSync == z.Tally.Policies:
				return page.Cell{Text: z.Tally.InSyncText(), Role: themes.OK}
			}
			return page.Cell{Text: z.Tally.InSyncText(), Role: themes.Warn}
		}},
		{Key: "differs", Title: "DIFFERS", Max: 40, Importance: 98,
			Cell: page.RoleCell(themes.Error, func(z *ZoneFacts) string { return z.DifferenceText(2) })},
		{Key: "policies", Title: "POLICIES", Wide: true, Importance: 90,
			Cell: page.TextCell(func(z *ZoneFacts) string { return words.CountByState(z.Policies) })},
		{Key: "other_rows", Title: "OTHER ROWS", DetailOnly: true, Importance: 90, Cell: func(z *ZoneFacts) page.Cell {
			text := words.CountByState(z.Units)
			if names := z.differingUnits(); len(names) > 0 {
				text += ": " + words.JoinAtMost(names, "; ", 3)
			}
			return page.Cell{Text: text}
		}},
		{Key: "waiting", Title: "WAITING", Live: true, Right: true, Importance: 96,
			Cell: page.TextCell(func(z *ZoneFacts) string { return words.Thousands(z.ZoneState.Pending) })},
		{Key: "writes", Title: "WRITES", Live: true, Importance: 92, Cell: func(z *ZoneFacts) page.Cell {
			return words.Choose(z.Writes, page.Cell{Text: "yes"}, page.Cell{Text: "observed"})
		}},
		{Key: "server", Title: "SERVER", Min: 10, Max: 24, Importance: 91,
			Cell: func(z *ZoneFacts) page.Cell { return page.Cell{Text: z.Server} }},
		{Key: "endpoint", Title: "ENDPOINT", Min: 10, Max: 60, Flex: true, Importance: 93,
			Cell: page.TextCell(func(z *ZoneFacts) string { return z.Endpoint })},
		{Key: "log_lines", Title: "LOG LINES", Sparse: true, Importance: 98,
			Less: func(a, b *ZoneFacts) int { return a.Loss.compareLoss(b.Loss) },
			Cell: func(z *ZoneFacts) page.Cell { return z.Loss.lossCell() }},
		// nb_cfg of the rows written, of the flows made, and of the zone's nodes.
		{Key: "written_made_done", Title: "ROWS/FLOWS/NODES", Sparse: true, NoSort: true, Importance: 95, Cell: func(z *ZoneFacts) page.Cell {
			p := revision.ReadProgress(z.rev, z.ZoneState)
			if !p.Known || !p.IsTracked() {
				return page.Cell{Text: "–"}
			}
			c := page.Cell{Text: fmt.Sprintf("%d/%d/%d", p.NodeProgress.Written.Cfg, p.NodeProgress.Made.Cfg, p.NodeProgress.Done.Cfg),
				Role: themes.Text}
			if p.BehindText(z.now) != "" {
				c.Role = themes.Error
			}
			return c
		}},
		{Key: "wrong", Title: "WRONG", Wide: true, Sparse: true, Flex: true, Importance: 89,
			Cell: page.RoleCell(themes.Error, func(z *ZoneFacts) string { return strings.Join(z.ProblemTexts(), "; ") })},
	},
}

// ZoneSign returns the sign of a zone: ● read, ▲ read but faulty below its rows, ◐ not read yet, ■
// unreachable, ✗ no permission.
func ZoneSign(r *revision.Revision, z *model.ZoneState, now time.Time) page.Span {
	switch z.Conn {
	case model.ConnSynced, model.ConnReadOnly, model.ConnSwept:
		if revision.IsBelowFaulty(r, z, now) {
			return page.Span{Text: words.Warned, Role: themes.Warn}
		}
		return page.Span{Text: words.Live, Role: themes.OK}
	case model.ConnDenied:
		return page.Span{Text: words.No, Role: themes.Error}
	case model.ConnLost:
		return page.Span{Text: words.Failed, Role: themes.Error}
	}
	return page.Span{Text: words.Working, Role: themes.Info}
}

func connRole(c model.ConnState) page.Role {
	switch c {
	case model.ConnSynced, model.ConnReadOnly:
		return themes.OK
	case model.ConnLost, model.ConnDenied:
		return themes.Error
	}
	return themes.Info
}

// stateText is the state in the table: that of a zone which its node agent judged differs from one that was read.
func (z *ZoneFacts) stateText() string {
	if z.Agent != "" && z.State == model.ConnSwept {
		return "by agent"
	}
	return string(z.State)
}

// rowsAge returns the age of the rows; they are current while the connection works.
func (z *ZoneFacts) rowsAge() string {
	switch {
	case z.SyncedAt.IsZero():
		return "never"
	case z.State == model.ConnSynced:
		return "now"
	}
	return words.Age(z.now.Sub(z.SyncedAt.Time)) + " ago"
}

// Rank orders zones, worst first: unreachable, rows that differ, faults below the rows, not read yet.
func (z *ZoneFacts) Rank() int {
	switch {
	case z.State == model.ConnLost || z.State == model.ConnDenied:
		return 0
	case z.HasDifferences():
		return 1
	case len(z.Trouble) > 0:
		return 2
	case z.SyncedAt.IsZero():
		return 3
	}
	return 4
}

// HasDifferences reports whether any unit is not in sync although its rows are known.
func (z *ZoneFacts) HasDifferences() bool { return z.Tally != nil && len(z.Tally.Differ) > 0 }

// differingUnits returns the units that are not in sync.
func (z *ZoneFacts) differingUnits() []string {
	if z.Tally == nil {
		return []string{}
	}
	return model.MapList(z.Tally.UnitsOutOfSync, model.Key.Label)
}

// DifferenceText names what differs: "behind: cluster-control and 2 more".
func (z *ZoneFacts) DifferenceText(most int) string {
	if !z.HasDifferences() {
		return ""
	}
	names := model.MapList(z.Tally.Differ, func(d revision.UnitState) string { return d.Key.ShortLabel() })
	return string(z.Tally.Differ[0].State) + ": " + words.List(names, most)
}

// ProblemTexts returns the problems of a zone, one text each.
func (z *ZoneFacts) ProblemTexts() (out []string) {
	if z.ZoneState.Paused != "" {
		out = append(out, "writing paused: "+z.ZoneState.Paused)
	}
	if n := len(z.ZoneState.Disowned); n > 0 {
		d := &z.ZoneState.Disowned[0]
		out = append(out, words.Count(n, "row")+" written by Rung lost the owner ids: "+d.Table+" "+d.UUID+" belonged to "+d.Was.Label())
	}
	if z.Error != "" {
		out = append(out, z.Error)
	}
	if z.ZoneState.Attempts > 1 {
		out = append(out, fmt.Sprintf("%s attempts", words.Thousands(z.ZoneState.Attempts)))
	}
	return append(out, z.Trouble...)
}

// LogLoss counts the log lines of a zone that meters discard.
type LogLoss struct {
	Now     bool   // lines are being lost
	Lines   uint64 // lower bound unless Counted
	Counted bool   // all lost lines are counted
}

// lossCell returns a word and a count: "losing 1,300", "lost 1,300", or "losing" without a count.
func (x *LogLoss) lossCell() page.Cell {
	switch {
	case x == nil:
		return page.None
	case x.Now && !x.Counted && x.Lines == 0:
		return page.Cell{Text: "losing", Role: themes.Warn}
	}
	word, n := "lost ", words.Thousands(x.Lines)
	if x.Now {
		word = "losing "
	}
	if !x.Counted {
		n = "≥" + n
	}
	return page.Cell{Text: word + n, Role: themes.Warn}
}

// compareLoss orders zones by their losses; zones that lose lines now come last.
func (x *LogLoss) compareLoss(with *LogLoss) int {
	rank := func(x *LogLoss) (now int, lines uint64) {
		switch {
		case x == nil:
			return 0, 0
		case x.Now:
			return 2, x.Lines
		}
		return 1, x.Lines
	}
	a, n := rank(x)
	b, m := rank(with)
	return cmp.Or(cmp.Compare(a, b), cmp.Compare(n, m))
}
