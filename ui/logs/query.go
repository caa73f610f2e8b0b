package logs

import (
	"errors"

	"rung/engine/logs/entries"
	"rung/model/logquery"
	"rung/ui/view"
	"rung/ui/widget"
)

// SetFilter shows only lines that match the expression.
func (v *logPage) SetFilter(f widget.Filter) {
	q, err := logquery.Parse(f.Text, v.writer.Clock.In(v.now))
	if q.Empty() {
		v.unfilter()
	}
	if f.Text != v.filter {
		v.giveUp()
	}
	v.wrong, v.filter = nil, f.Text
	errors.As(err, &v.wrong)
	v.feed.narrow(q)
	v.feed.scan(typing)
	v.bring()
	v.piles.renew()
}

// JudgeFilter names the first term that cannot be read.
func (v *logPage) JudgeFilter(text string) (wrong string, unfinished bool) {
	var e *logquery.Error
	if _, err := logquery.Parse(text, v.writer.Clock.In(v.now)); errors.As(err, &e) {
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
	return entries.Complete(text, func(yield func(*entries.Entry) bool) {
		for i := len(v.feed.held) - 1; i >= max(0, len(v.feed.held)-newest); i-- {
			if !yield(v.feed.held[i]) {
				return
			}
		}
	})
}

var _ view.Expression = (*logPage)(nil)
