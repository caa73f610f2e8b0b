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

// SetFilter shows only lines that match the filter.
func (v *logPage) SetFilter(f widget.LineFilter) {
	q, err := logline.Parse(f.Text, v.writer.Clock.TimeIn(v.now))
	v.filterError, v.filter = nil, f.Text
	errors.As(err, &v.filterError)
	v.feed.setScope(q)
	v.feed.scanLines(typing)
	v.updateList()
	v.buckets.recount()
}

// JudgeFilter returns the error of the first unreadable term.
func (v *logPage) JudgeFilter(text string) (wrong string, unfinished bool) {
	var e *logline.Error
	if _, err := logline.Parse(text, v.writer.Clock.TimeIn(v.now)); errors.As(err, &e) {
		return e.Error(), e.Open
	}
	return "", false
}

// FilterHints returns example terms.
func (v *logPage) FilterHints() []string {
	return []string{"not policy:x", "ns:a->b port:53", `"text" /regex/`}
}

// newest bounds the lines searched for a completion.
const newest = 500

// CompleteFilter completes the last term: its field, or a known value or one of a line.
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

// logSetup holds the settings of the page's lines.
type logSetup struct {
	writer LineWriter
	begun  bool // set up from the previous page or a saved view
}

// beginSetup takes the settings of the previous page, once.
func (v *logSetup) beginSetup(env *view.Env) {
	if v.begun {
		return
	}
	v.begun = true
	if set := env.LogSetup; set != nil {
		v.writer.Clock, v.writer.Columns = ParseClock(set.Clock), ParseColumns(set.Columns)
	}
}

// ChooseColumns sets the columns of a saved view, for this page only.
func (v *logSetup) ChooseColumns(names []string) (unknown string, known []string) {
	v.begun = true
	v.writer.Columns = ParseColumns(names)
	for _, name := range names {
		if !slices.Contains(AllColumnNames(), name) {
			unknown = name
		}
	}
	return unknown, AllColumnNames()
}

// keepSetup keeps the settings for the next page.
func (v *logSetup) keepSetup(env *view.Env) {
	if set := env.LogSetup; set != nil {
		set.Clock, set.Columns = v.writer.Clock.ClockName(), ColumnNames(v.writer.Columns)
	}
}

// newScopeFilter returns the function that reports whether a line is about the page's subject: a policy, one of its
// rules, or a pod; nil for a page about all lines. For a NetworkPolicy, lines of the namespace's default deny
// count if they are about its pods in rev, never if rev is nil.
func newScopeFilter(p nav.Page, rev *revision.Revision) func(*logs.Entry) bool {
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

// isDenied reports whether the default deny dropped traffic of a pod that the page's NetworkPolicy isolates in
// that direction.
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
