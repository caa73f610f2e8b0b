package logs

import (
	"fmt"
	"sort"
	"time"

	"rung/engine/logs"

	"rung/model/words"
	"rung/ui/view"
	"rung/ui/widget"
)

// fileSearch is the search of the log files for what the page shows: the lines that are kept are
// their last ones, or those from a time on. Once it is through, the page has its lines.
type fileSearch struct {
	terms        searchTerms
	running      *logs.Search // under way, or through
	shownSearch  *logs.Search // whose lines the page has, nil for the store's
	toldProgress logs.SearchProgress
	err          error
}

// searchTerms holds the terms of a search; the zero value searches for nothing.
type searchTerms struct {
	isWanted bool
	filter   string
	around   int
}

// lineSource is where a page takes entries from.
type lineSource interface {
	EntriesAfter(seq uint64, most int) []*logs.Entry
	FirstNumber() uint64
	LastNumber() uint64
}

// shownLines are the lines of the search that is shown, or the store's.
func (h *fileSearch) shownLines(l *logs.Store) lineSource {
	switch {
	case h.shownSearch != nil:
		return h.shownSearch
	case l != nil:
		return l
	}
	return nil
}

// wantedTerms returns the terms to search the files for: none while all lines of the files are
// held, after the page was cleared, or while the files are played.
func (v *logPage) wantedTerms(l *logs.Store) searchTerms {
	if l == nil || v.feed.query.ShowsAll() || !v.cleared.IsZero() {
		return searchTerms{}
	}
	if pos, ok := l.Position(); !ok || pos.Speed > 0 || pos.ReadWhole {
		return searchTerms{}
	}
	return searchTerms{true, v.filter, v.list.around.n}
}

// searchFiles begins to search the files where that is wanted, and takes what was found.
func (v *logPage) searchFiles(l *logs.Store) {
	h := &v.hunt
	if want := v.wantedTerms(l); want != h.terms {
		v.giveUp()
		h.terms = want
		if want.isWanted {
			v.startHunt(l)
		}
		return
	}
	if h.running == nil {
		return
	}
	h.toldProgress = h.running.Progress()
	switch {
	case h.toldProgress.Err != nil:
		h.err = h.toldProgress.Err
	case h.toldProgress.Done && h.shownSearch != h.running:
		v.swapLines(h.running)
	case h.toldProgress.NoMoreLines: // another page searched, or the files were gone to another time
		v.startHunt(l)
	}
}

// startHunt begins to search.
func (v *logPage) startHunt(l *logs.Store) {
	q, about := v.feed.query, scopeOf(v.page, v.rev)
	h := &v.hunt
	h.toldProgress = logs.SearchProgress{}
	h.running, h.err = l.Search(logs.SearchWanted{About: about, Around: h.terms.around, Matches: func(e *logs.Entry) bool { return e.Matches(&q, nil) }})
}

// giveUp ends the search and shows the lines of the store again.
func (v *logPage) giveUp() {
	h := &v.hunt
	if h.running != nil {
		h.running.Stop()
	}
	if h.shownSearch != nil {
		v.swapLines(nil)
	}
	*h = fileSearch{}
}

// isUnderWay says whether the files are being searched.
func (h *fileSearch) isUnderWay() bool {
	return h.running != nil && h.err == nil && h.shownSearch != h.running && !h.toldProgress.NoMoreLines
}

// swapLines shows what a search found, or the lines of the store; the cursor stays on its line,
// and marks between theirs.
func (v *logPage) swapLines(to *logs.Search) {
	var at *logs.Entry
	over := 0
	if i := v.cursorLine(); i >= 0 && !v.follow {
		at, over = v.feed.entryOf(v.list.lineAt(i).seq), v.list.rowOf(i)-v.top
	}
	behind := make([]*logs.Entry, len(v.list.marks))
	for i, m := range v.list.marks {
		behind[i] = v.feed.entryOf(m.after)
	}
	v.hunt.shownSearch = to
	v.feed.held, v.feed.texts, v.feed.isAbout = nil, nil, nil
	v.feed.sure = to != nil && v.hunt.terms.around == 0
	v.feed.restartScan()
	v.feed.pullNew(v.hunt.shownLines(v.store))
	v.feed.scanLines(10 * budget)
	for i := range v.list.marks {
		if behind[i] != nil {
			v.list.marks[i].after = v.feed.sameLine(behind[i])
		}
	}
	if at != nil {
		v.untilLine, v.sel = v.feed.lastHeld(), v.feed.sameLine(at)
	}
	v.updateList()
	if i := v.cursorLine(); at != nil && i >= 0 {
		v.top = max(0, v.list.rowOf(i)-over)
	}
	v.piles.renewPiles()
}

// sameLine is the number of a line that was another one elsewhere; of one that is not there, of
// the next by its time.
func (f *lineFeed) sameLine(e *logs.Entry) uint64 {
	if len(f.held) == 0 {
		return 0
	}
	i := sort.Search(len(f.held), func(i int) bool { return !f.held[i].Line.At.Before(e.Line.At) })
	for j := i; j < len(f.held) && f.held[j].Line.At.Equal(e.Line.At); j++ {
		if f.held[j].Line.Raw == e.Line.Raw {
			return f.held[j].Seq
		}
	}
	return f.held[min(i, len(f.held)-1)].Seq
}

// beforeLine is how long before a line the files are gone to, to see what came before it.
const beforeLine = 5 * time.Second

// clearFilter shows all lines around the one under the cursor, where a search of the files has
// found it among those that are not kept.
func (v *logPage) clearFilter() {
	i := v.cursorLine()
	if v.hunt.shownSearch == nil || v.follow || i < 0 || v.store == nil {
		return
	}
	e := v.feed.entryOf(v.list.lineAt(i).seq)
	kept := v.store.EntriesAfter(0, 0)
	if e == nil || len(kept) > 0 && !e.Line.At.Before(kept[0].Line.At) {
		return
	}
	if v.store.Seek(e.Line.At.Add(-beforeLine)) == nil {
		v.going, v.place.target = max(1, v.store.LastNumber()), e
		v.list.marks = nil
	}
}

// searchLine says how far the search is, or what it found; nil without one.
func (h *fileSearch) searchLine(env *view.Env) widget.Line {
	st := env.Styles
	switch f := &h.toldProgress; {
	case h.err != nil:
		return widget.StyledLine(" "+words.Warned+" log files not searched to their end: "+widget.CleanText(h.err.Error()), st.Warn)
	case h.running == nil, h.shownSearch == nil && !h.isUnderWay():
		return nil
	case h.isUnderWay():
		text := " searching all of the log files"
		if f.TotalBytes > 0 {
			text += fmt.Sprintf(": %d%%", min(100, 100*f.Bytes/f.TotalBytes))
		}
		if f.Matches > 0 {
			text += ", " + words.Count(f.Matches, "match") + " so far"
		}
		text += "; on top: of the lines kept" // the count beside the filter, until the search has ended
		return widget.StyledLine(text, st.Info)
	default:
		text := fmt.Sprintf(" log files searched: %s of %s %s", words.Thousands(f.Matches), words.Count(f.Lines, "line"), words.OneOrMany(f.Matches, "matches", "match"))
		if kept := h.shownSearch.LastNumber() + 1 - h.shownSearch.FirstNumber(); h.terms.around == 0 && kept < f.Matches {
			text += ", newest " + words.Thousands(kept) + " shown"
		}
		return widget.StyledLine(text, st.Dim)
	}
}
