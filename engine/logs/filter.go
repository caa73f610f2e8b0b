package logs

import (
	"rung/model/logline"
)

// Matches says whether a filter shows the entry. text makes the text that texts of the
// filter are compared with, and is called only where the filter has one; nil stands for
// Text.
func (e *Entry) Matches(q *logline.Query, text func() string) bool {
	if q.ShowsAll() {
		return true
	}
	if e.Gap != nil { // what is missing may be of any policy
		return q.MatchGap(e.Line.Zone, e.Line.At)
	}
	if text == nil {
		text = e.Text
	}
	if q.IsTextOnly() { // as every one is while its first word is typed, with every key
		return q.MatchLine(&logline.QueryLine{Text: text})
	}
	l := e.filterFacts()
	l.Text = text
	return q.MatchLine(&l)
}

// filterFacts are the entry as a filter sees it, without its text.
func (e *Entry) filterFacts() logline.QueryLine {
	l := logline.QueryLine{Line: &e.Line, RuleName: e.RuleName, Rule: e.Rule,
		Src: logline.LineEnd{Key: e.Src.Key, Addr: e.Src.Addr, Note: e.Src.Note}, Dst: logline.LineEnd{Key: e.Dst.Key, Addr: e.Dst.Addr,
			Note: e.Dst.Note}}
	if u := e.UnitKey(); u != e.Rule.Policy && e.Attributed {
		l.Unit = u.Label()
	}
	return l
}

// CompleteFilter finds how a filter goes on, with values of these entries; empty for nothing.
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
