package activity

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"rung/model"
	"rung/model/signs"
	"rung/model/words"
	"rung/pages/page"
	"rung/themes"
)

// Entry is something that was done (command-line.md#output).
type Entry struct {
	At       page.Stamp `json:"at"`
	Zone     string     `json:"zone,omitempty"`
	Policy   string     `json:"policy,omitempty"`
	By       string     `json:"by"`
	Summary  string     `json:"summary"`
	Took     int64      `json:"took_ms"`
	Ops      int        `json:"operations"`
	Commands []string   `json:"commands"`
	Error    string     `json:"error,omitempty"`

	Done model.Activity `json:"-"`
	Now  time.Time      `json:"-"` // when it is shown
}

// EntryOf is an entry as it is shown now.
func EntryOf(done model.Activity, now time.Time) *Entry {
	e := &Entry{At: page.Stamp{Time: done.At}, Zone: done.Zone, By: done.By, Summary: done.Summary, Took: done.Took.Milliseconds(), Ops: done.Ops,
		Commands: append([]string{}, done.Commands...), Error: done.Error, Done: done, Now: now}
	if done.Policy.Name != "" {
		e.Policy = done.Policy.String()
	}
	return e
}

// Table lists entries.
var Table = &page.Table[*Entry]{
	Help: map[string]string{
		"time":       "when it was done",
		"where":      "the zone that was written to, or where else it was done",
		"policy":     "the policy it was about",
		"what":       "what was done",
		"operations": "how many operations the database was sent",
		"took":       "how long it took",
		"by":         "who did it",
	},
	ID:    func(e *Entry) string { return strconv.FormatUint(e.Done.Seq, 10) },
	Empty: "no changes yet",
	Columns: []page.Column[*Entry]{
		{Key: "time", Title: "TIME", Worth: page.Always, Less: func(a, b *Entry) int { return a.At.Compare(b.At.Time) },
			Exact: func(e *Entry) string { return e.At.String() },
			Cell:  func(e *Entry) page.Cell { return page.Cell{Text: words.Clock(e.At.Time, e.Now), Role: themes.Dim} }},
		{Key: "where", Title: "WHERE", Min: 11, Max: 24, Worth: 98, Cell: func(e *Entry) page.Cell {
			if e.Zone == "" {
				return page.Cell{Text: "objects"}
			}
			return page.Cell{Text: e.Zone}
		}},
		{Key: "policy", Title: "POLICY", Name: true, Min: 20, Worth: page.Always, Cell: func(e *Entry) page.Cell {
			if e.Policy == "" {
				return page.None
			}
			return page.Cell{Text: e.Done.Policy.Label(), Role: themes.Accent}
		}},
		{Key: "what", Title: "WHAT", Min: 28, Short: 20, Flex: true, Worth: page.Always, Cell: (*Entry).whatCell},
		{Key: "operations", Title: "OPS", Right: true, Worth: 95, Cell: func(e *Entry) page.Cell { return page.Cell{Text: strconv.Itoa(e.Ops)} }},
		{Key: "took", Title: "TOOK", Right: true, Worth: 94, Less: func(a, b *Entry) int { return int(a.Done.Took - b.Done.Took) },
			Cell: func(e *Entry) page.Cell { return page.Cell{Text: tookText(e.Done.Took)} }},
		{Key: "by", Title: "BY", Worth: 96, Cell: func(e *Entry) page.Cell { return page.Cell{Text: e.By} }},
	},
}

// whatCell says what was done, and why it failed.
func (e *Entry) whatCell() page.Cell {
	text := e.briefText()
	switch {
	case e.Error != "" && text == "":
		return page.Cell{Text: signs.Failed + " " + e.Error, Role: themes.Error}
	case e.Error != "":
		return page.Cell{Text: signs.Failed + " " + text + ": " + e.Error, Role: themes.Error}
	case e.Done.Rail != "":
		return page.Cell{Text: signs.Warned + " " + text, Role: themes.Warn}
	}
	return page.Cell{Text: text}
}

// briefText is the summary without the policy's name, which stands beside it.
func (e *Entry) briefText() string {
	k := e.Done.Policy
	for _, name := range []string{k.Label(), k.Name} {
		if after, ok := strings.CutPrefix(e.Summary, name+": "); ok && k.Name != "" {
			return after
		}
	}
	if e.Done.Rail != "" {
		return strings.Replace(e.Summary, ": "+k.Label()+": ", ": ", 1)
	}
	return e.Summary
}

func tookText(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "<1ms"
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1fs", d.Seconds())
}
