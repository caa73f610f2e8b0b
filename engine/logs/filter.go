package logs

import (
	"rung/model/logline"
)

// Matches reports whether a filter shows the entry. text makes the text to compare with, and is called only if
// the filter needs it; nil means Text.
func (e *Entry) Matches(q *logline.Query, text func() string) bool {
	if q.ShowsAll() {
		return true
	}
	if e.Gap != nil { // missing lines may be of any policy
		return q.MatchGap(e.Line.Zone, e.Line.At)
	}
	if text == nil {
		text = e.Text
	}
	if q.IsTextOnly() { // every filter is while its first word is typed
		return q.MatchLine(&logline.QueryLine{Text: text})
	}
	l := e.filterFacts()
	l.Text = text
	return q.MatchLine(&l)
}

// filterFacts returns the entry for a filter, without its text.
func (e *Entry) filterFacts() logline.QueryLine {
	l := logline.QueryLine{Line: &e.Line, RuleName: e.RuleName, Rule: e.Rule,
		Src: logline.LineEnd{Key: e.Src.Key, Addr: e.Src.Addr, Note: e.Src.Note}, Dst: logline.LineEnd{Key: e.Dst.Key, Addr: e.Dst.Addr,
			Note: e.Dst.Note}}
	if u := e.UnitKey(); u != e.Rule.Policy && e.Attributed {
		l.Unit = u.Label()
	}
	return l
}

// CompleteFilter completes a filter with values of these entries; empty if nothing fits.
func CompleteFilter(filter string, entries func(yield func(*Entry) bool)) string {
	return logline.CompleteWord(filter, func(yield func(*logline.QueryLine) bool) {
		for e := range entries {
			if e.Gap != nil {
				continue
			}
			if l := e.filterFacts(); !yield(&l) {
				return
			}
		}
	})
}
