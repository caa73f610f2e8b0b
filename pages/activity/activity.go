package activity

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"rung/change/history"
	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/themes"
)

// Entry is a change that a user made, or an action of Rung (command-line.md#output).
type Entry struct {
	At       model.Stamp `json:"at"`
	Zone     string      `json:"zone,omitempty"`
	Policy   string      `json:"policy,omitempty"`
	By       string      `json:"by"`
	Summary  string      `json:"summary"`
	Took     int64       `json:"took_ms"`
	Ops      int         `json:"operations"`
	Commands []string    `json:"commands"`
	Error    string      `json:"error,omitempty"`
	// For changes: user, target and outcome.
	User    string   `json:"user,omitempty"`
	Mode    string   `json:"mode,omitempty"` // "sandbox", "files" or "cluster"
	Context string   `json:"context,omitempty"`
	Op      string   `json:"op,omitempty"`
	Result  string   `json:"result,omitempty"` // "ok", "failed", "refused", "unknown", "undone" or "reverted"
	Objects []Object `json:"objects,omitempty"`
	Guards  []string `json:"guards,omitempty"`
	Number  uint64   `json:"number,omitempty"` // in the history, for rung undo
	Undoes  uint64   `json:"undoes,omitempty"` // number of the change that this one undid
	// Change is when the change behind these rows was made.
	Change model.Stamp `json:"change,omitzero"`

	Done      model.Activity `json:"-"` // the action of Rung
	Now       time.Time      `json:"-"` // when it is shown
	Rows      []*Entry       `json:"-"` // rows written for this change
	CausedBy  *Entry         `json:"-"` // the change that caused these rows
	UndoneBy  *Entry         `json:"-"` // the change that undid this one
	Original  *Entry         `json:"-"` // the change that this one undid
	Line      page.Line      `json:"-"` // a line of details on a screen, of LineEntry
	LineEntry *Entry         `json:"-"`
	Lead      Target         `json:"-"` // where such a line leads
	isPlan    bool
	id        string
}

// Object is an object of a change.
type Object struct {
	Kind      model.Kind `json:"kind"`
	Namespace string     `json:"namespace,omitempty"`
	Name      string     `json:"name"`
	Change    string     `json:"change"` // "create", "update" or "delete"
}

// key returns the object's key.
func (o *Object) key() model.Key {
	return model.Key{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}
}

// IsChange reports whether the entry is a user's change; else it is an action of Rung.
func (e *Entry) IsChange() bool { return e.Result != "" }

// NewEntry returns an action of Rung as shown now.
func NewEntry(done model.Activity, now time.Time) *Entry {
	e := &Entry{At: model.Stamp{Time: done.At}, Zone: done.Zone, By: done.By, Summary: done.Summary, Took: done.Took.Milliseconds(),
		Ops:      done.Ops,
		Commands: append([]string{}, done.Commands...), Error: done.Error, Done: done, Now: now, id: strconv.FormatUint(done.Seq, 10)}
	if done.Policy.Name != "" {
		e.Policy = done.Policy.String()
	}
	return e
}

// Table lists entries.
var Table = &page.Table[*Entry]{
	Help: map[string]string{
		"time":       "when it was done",
		"where":      "the zone written to; for a change its target: sandbox, files or cluster",
		"policy":     "the changed policy, or the policy of the rows",
		"what":       "what was done",
		"operations": "operations sent to the database",
		"took":       "how long it took",
		"by":         "from where: console, command, plan, session, reverted, files; reconciler of rows",
		"user":       "who made the change",
		"result":     "the outcome of the change",
	},
	ID:    func(e *Entry) string { return e.id },
	Under: func(e *Entry) bool { return e.CausedBy != nil },
	Full:  func(e *Entry) page.Line { return e.Line },
	Empty: "no changes yet",
	Columns: []page.Column[*Entry]{
		{Key: "time", Title: "TIME", Importance: page.Always, Less: func(a, b *Entry) int { return a.At.Compare(b.At.Time) },
			Exact: func(e *Entry) string { return e.At.String() },
			Cell:  page.RoleCell(themes.Dim, func(e *Entry) string { return words.Clock(e.At.In(e.Now.Location()), e.Now) })},
		{Key: "where", Title: "WHERE", Min: 11, Max: 24, Importance: 96,
			Cell: func(e *Entry) page.Cell { return page.Cell{Text: e.whereText()} }},
		{Key: "policy", Title: "POLICY", Name: true, Min: 20, Importance: page.Always, Cell: func(e *Entry) page.Cell {
			k := e.policyKey()
			if k.Name == "" {
				return page.None
			}
			return page.Cell{Text: k.Label(), Role: themes.Accent}
		}},
		{Key: "what", Title: "WHAT", Min: 28, Short: 20, Flex: true, Importance: page.Always, Cell: (*Entry).whatCell},
		{Key: "operations", Title: "OPS", Right: true, Importance: 95,
			Cell: page.TextCell(func(e *Entry) string { return words.Thousands(e.Ops) })},
		{Key: "took", Title: "TOOK", Right: true, Importance: 94, Less: func(a, b *Entry) int { return int(a.Took - b.Took) },
			Cell: func(e *Entry) page.Cell { return page.Cell{Text: e.tookText()} }},
		{Key: "by", Title: "BY", Importance: 99, Cell: func(e *Entry) page.Cell { return page.Cell{Text: e.By} }},
		{Key: "user", Title: "WHO", Max: 16, Sparse: true, Importance: 97, Cell: func(e *Entry) page.Cell { return page.Cell{Text: e.User} }},
		{Key: "result", Title: "STATE", Sparse: true, Importance: 98, Cell: (*Entry).stateCell},
	},
}

// whereText returns the zone of rows, or the target of a change.
func (e *Entry) whereText() string {
	switch {
	case e.IsChange():
		return e.Mode
	case e.Zone == "":
		return "objects"
	}
	return e.Zone
}

// stateCell returns the outcome of a change.
func (e *Entry) stateCell() page.Cell {
	switch e.Result {
	case "":
		return page.Cell{}
	case history.OK:
		return page.Cell{Text: "done", Role: themes.OK}
	case history.Failed, history.Refused:
		return page.Cell{Text: e.Result, Role: themes.Error}
	case history.Unknown:
		return page.Cell{Text: e.Result, Role: themes.Warn}
	}
	return page.Cell{Text: e.Result, Role: themes.Dim}
}

// whatCell returns the action, and the error if it failed.
func (e *Entry) whatCell() page.Cell {
	text := e.briefText()
	switch {
	case e.IsChange() && e.Result == history.Unknown:
		return page.Cell{Text: text, Role: themes.Warn}
	case e.Error != "" && (text == "" || strings.HasPrefix(e.Error, text+": ")): // the error says what failed
		return page.Cell{Text: words.Failed + " " + e.Error, Role: themes.Error}
	case e.Error != "":
		return page.Cell{Text: words.Failed + " " + text + ": " + e.Error, Role: themes.Error}
	case e.Done.Rail != "":
		return page.Cell{Text: words.Warned + " " + text, Role: themes.Warn}
	}
	return page.Cell{Text: text}
}

// policyKey returns the only changed policy, or the rows' policy; its name may be empty.
func (e *Entry) policyKey() model.PolicyKey {
	if e.IsChange() && len(e.Objects) == 1 {
		return policyPageKey(e.Objects[0].key())
	}
	return e.Done.Policy
}

// briefText returns the summary without the policy's name, which has its own column.
func (e *Entry) briefText() string {
	k := e.policyKey()
	if e.IsChange() && k.Name != "" {
		return strings.Replace(e.Summary, " "+k.Label(), "", 1)
	}
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

func (e *Entry) tookText() string {
	d := e.Done.Took
	if e.IsChange() {
		d = time.Duration(e.Took) * time.Millisecond
	}
	switch {
	case d < time.Millisecond:
		return "<1ms"
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1fs", d.Seconds())
}
