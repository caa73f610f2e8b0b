package logs

import (
	"errors"
	"slices"

	"rung/engine/logs"
	"rung/model"
	"rung/model/logline"
	"rung/revision"

	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// SetFilter shows only lines that match the expression.
func (v *logPage) SetFilter(f widget.LineFilter) {
	q, err := logline.Parse(f.Text, v.writer.Clock.TimeIn(v.now))
	v.filterError, v.filter = nil, f.Text
	errors.As(err, &v.filterError)
	v.feed.setScope(q)
	v.feed.scanLines(typing)
	v.updateList()
	v.piles.renewPiles()
}

// JudgeFilter names the first term that cannot be read.
func (v *logPage) JudgeFilter(text string) (wrong string, unfinished bool) {
	var e *logline.Error
	if _, err := logline.Parse(text, v.writer.Clock.TimeIn(v.now)); errors.As(err, &e) {
		return e.Error(), e.Open
	}
	return "", false
}

// FilterHints are terms that may be tried.
func (v *logPage) FilterHints() []string {
	return []string{"not policy:x", "ns:a->b port:53", `"text" /regex/`}
}

// newest bounds how many lines are looked through for a value.
const newest = 500

// CompleteFilter finds how the last term goes on: its field, or a value that is known or
// that a line has.
func (v *logPage) CompleteFilter(text string) string {
	return logs.CompleteFilter(text, func(yield func(*logs.Entry) bool) {
		for i := len(v.feed.held) - 1; i >= max(0, len(v.feed.held)-newest); i-- {
			if !yield(v.feed.held[i]) {
				return
			}
		}
	})
}

var _ view.FilterLanguage = (*logPage)(nil)

// logSetup is how lines are written, until the page is set up otherwise.
type logSetup struct {
	writer LineWriter
	begun  bool // it has the setup of the page before it, or of a saved view
}

// beginSetup sets the page up as the one before it, once.
func (v *logSetup) beginSetup(env *view.Env) {
	if v.begun {
		return
	}
	v.begun = true
	if set := env.LogSetup; set != nil {
		v.writer.Clock, v.writer.Columns = ClockOf(set.Clock), ColumnsOf(set.Columns)
	}
}

// ChooseColumns gives the page columns of a saved view, for this page alone.
func (v *logSetup) ChooseColumns(names []string) (unknown string, known []string) {
	v.begun = true
	v.writer.Columns = ColumnsOf(names)
	for _, name := range names {
		if !slices.Contains(AllColumnNames(), name) {
			unknown = name
		}
	}
	return unknown, AllColumnNames()
}

// keepSetup keeps how the page is set up.
func (v *logSetup) keepSetup(env *view.Env) {
	if set := env.LogSetup; set != nil {
		set.Clock, set.Columns = v.writer.Clock.ClockName(), ColumnNames(v.writer.Columns)
	}
}

// scopeOf returns the function that reports whether a line is about the page's subject: a
// policy, one of its rules, or a pod; nil for a page about all lines. Lines of a namespace's
// default deny count for a NetworkPolicy if they are about its pods in rev; a nil rev has none.
func scopeOf(p nav.Page, rev *revision.Revision) func(*logs.Entry) bool {
	switch {
	case p.Key.Kind == model.KindPod:
		return func(e *logs.Entry) bool { return e.Src.Key == p.Key || e.Dst.Key == p.Key }
	case p.Key.Name == "" && p.Key.Kind == "":
		return nil
	case p.Dir != "":
		return func(e *logs.Entry) bool {
			return e.Rule.Policy == p.Key && e.Rule.Direction == p.Dir && e.Rule.Rule == p.Rule
		}
	case p.Key.Kind == model.KindNP:
		return func(e *logs.Entry) bool { return e.Rule.Policy == p.Key || isDenied(p.Key, rev, e) }
	}
	return func(e *logs.Entry) bool { return e.Rule.Policy == p.Key }
}

// isDenied says whether the default deny dropped what a pod of the page's
// NetworkPolicy sent or should have got, in a direction in which that isolates it.
func isDenied(k model.PolicyKey, rev *revision.Revision, e *logs.Entry) bool {
	if !IsDeny(e.Rule) || e.Rule.Policy.Namespace != k.Namespace || !e.Attributed || rev == nil {
		return false
	}
	end := &e.Src
	if e.Rule.Direction == model.Ingress {
		end = &e.Dst
	}
	p, pod := rev.Cluster.Policy(k), rev.Cluster.Pod(end.Key.Namespace, end.Key.Name)
	return p != nil && pod != nil && end.Key.Kind == model.KindPod && !revision.OutsideTypes(p, e.Rule.Direction) && rev.IsSubject(k, pod)
}
