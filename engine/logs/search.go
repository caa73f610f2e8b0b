package logs

import (
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rung/model/words"
	"rung/sources/logfile"
)

const (
	// searchAfter is how long a search waits before it begins: a filter that is being
	// typed is another one with every key.
	searchAfter = 300 * time.Millisecond
	// searchLease is how long a search goes on that nobody looks at.
	searchLease = 30 * time.Second
	// searchStride is how many lines are looked at between two looks at the clock.
	searchStride = 512
)

// Search finds lines in all of the log files, beside the lines that are kept, and then in
// those that come. It keeps the newest that match, as many as a Store keeps of all. It
// ends when another one begins, the files are gone to another time, or nobody looks.
type Search struct {
	entryWindow
	logs   *Store
	reader *FileReader
	wanted SearchWanted
	end    context.CancelFunc

	lastAsked         atomic.Int64 // when somebody looked, in Unix nanoseconds
	bytes, totalBytes atomic.Int64
	lines, matches    atomic.Uint64
	done, isOver      atomic.Bool
	failed            atomic.Pointer[error]

	// Of the goroutine that searches:
	linesBefore []*Entry // those that are kept should a match follow
	linesAfter  int      // how many more are kept behind a match
}

// SearchWanted are the conditions of a search.
type SearchWanted struct {
	// About says whether a line counts at all, nil for all; Matches which of those match.
	// Both are called beside the screen.
	About, Matches func(*Entry) bool
	// Around is how many lines before and after each match are kept with it.
	Around int
}

// SearchProgress is how far a search is.
type SearchProgress struct {
	// Done says that all files were looked through, NoMoreLines that no more comes: what was
	// found is as of then.
	Done, NoMoreLines bool
	// Bytes of TotalBytes were read, in Lines that count, of which Matches match.
	Bytes, TotalBytes int64
	Lines, Matches    uint64
	Err               error
}

// Progress says how far the search is, and that somebody looks.
func (s *Search) Progress() SearchProgress {
	s.lastAsked.Store(time.Now().UnixNano())
	f := SearchProgress{NoMoreLines: s.isOver.Load(), Done: s.done.Load(), Bytes: s.bytes.Load(), TotalBytes: s.totalBytes.Load(), Lines: s.lines.Load(), Matches: s.matches.Load()}
	if err := s.failed.Load(); err != nil {
		f.Err = *err
	}
	return f
}

// Stop ends the search.
func (s *Search) Stop() { s.end() }

// Search looks through the log files for lines; a search before it ends. It returns at
// once. It does not look through logs that are played at a speed: their later lines are not
// known yet.
func (l *Store) Search(w SearchWanted) (*Search, error) {
	if p := l.currentPlayer(); p != nil {
		return p.startSearch(w)
	}
	return nil, ErrNoFiles
}

// runningSearches are the searches of one reader; the newest goes on.
type runningSearches struct {
	mu      sync.Mutex
	ctx     context.Context // nil while the reader does not run
	current *Search
	wg      sync.WaitGroup
}

// openSearches lets searches begin until the function is called, which ends them.
func (x *runningSearches) openSearches(ctx context.Context) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	x.mu.Lock()
	x.ctx = ctx
	x.mu.Unlock()
	return func() {
		cancel()
		x.mu.Lock()
		x.ctx = nil
		x.mu.Unlock()
		x.wg.Wait()
	}
}

// forgetSearch lets go of a search that ended: what it found belongs to whoever looks at it.
func (x *runningSearches) forgetSearch(s *Search) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.current == s {
		x.current = nil
	}
}

func (r *FileReader) startSearch(w SearchWanted) (*Search, error) {
	x := &r.searches
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ctx == nil {
		return nil, ErrNoFiles
	}
	if x.current != nil {
		x.current.Stop()
	}
	ctx, cancel := context.WithCancel(x.ctx)
	s := &Search{logs: r.logs, reader: r, wanted: w, end: cancel, entryWindow: entryWindow{limit: r.logs.limit}}
	s.lastAsked.Store(time.Now().UnixNano())
	x.current = s
	x.wg.Go(func() {
		defer x.forgetSearch(s)
		defer cancel()
		defer s.isOver.Store(true)
		if err := s.runSearch(ctx); err != nil && ctx.Err() == nil {
			s.failed.Store(&err)
		}
	})
	return s, nil
}

// runSearch looks through the files, then at what comes.
func (s *Search) runSearch(ctx context.Context) error {
	begin := time.NewTimer(searchAfter)
	defer begin.Stop()
	select {
	case <-ctx.Done():
		return nil
	case <-begin.C:
	}
	ticks, stop := s.logs.Subscribe()
	defer stop()
	turns := s.logs.turns.Load()
	kept := s.logs.EntriesAfter(0, 0)
	rest, err := s.searchFiles(ctx, kept)
	if err != nil || rest == nil {
		return err
	}
	s.done.Store(true)
	seen := uint64(0)
	if n := len(kept); n > 0 {
		seen = kept[n-1].Seq
	}
	lease := time.NewTicker(searchLease / 4)
	defer lease.Stop()
	for {
		for _, e := range s.logs.EntriesAfter(seen, 0) {
			if s.logs.turns.Load() != turns {
				return nil
			}
			seen = e.Seq
			if !rest.takeOut(e) {
				s.matchEntry(e)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticks:
		case <-lease.C:
			if s.isAbandoned() {
				return nil
			}
		}
		if s.logs.turns.Load() != turns {
			return nil
		}
	}
}

// isAbandoned says whether nobody looks any more.
func (s *Search) isAbandoned() bool {
	return time.Since(time.Unix(0, s.lastAsked.Load())) > searchLease
}

// lineSet are lines that were seen: each is there as often as it was.
type lineSet struct {
	seed maphash.Seed
	n    map[uint64]int
}

func newLineSet() *lineSet { return &lineSet{maphash.MakeSeed(), map[uint64]int{}} }

func (x *lineSet) add(raw string) { x.n[maphash.String(x.seed, raw)]++ }

// takeOut says whether a line is there, and takes it out.
func (x *lineSet) takeOut(e *Entry) bool {
	k := maphash.String(x.seed, e.Line.Raw)
	if e.Gap != nil || x.n[k] == 0 {
		return false
	}
	x.n[k]--
	return true
}

// searchFiles looks at what the files hold and at the entries that are kept already, in order of
// time, each line once. rest are lines that were added meanwhile and are to come once more,
// nil where the search ended before.
func (s *Search) searchFiles(ctx context.Context, kept []*Entry) (rest *lineSet, err error) {
	rest = newLineSet()
	known := newLineSet()
	newest := time.Time{}
	for _, e := range kept {
		if e.Gap == nil {
			known.add(e.Line.Raw)
			newest = laterTime(newest, e.Line.At)
		}
	}
	// The files once more, from their beginning: what they count is of no interest here.
	r := NewFileReader(&Store{now: s.logs.now}, Files{Paths: s.reader.cfg.Paths}, s.reader.nodeOf, false)
	r.set, err = logfile.Open(ctx, r.cfg.Paths, nil)
	if err != nil {
		return rest, err
	}
	defer func() { r.set.Close() }()
	r.sources = map[*logfile.File]*fileSource{}
	for _, f := range r.set.Files() {
		f.Finish()
		s.totalBytes.Add(f.State().Size)
	}
	pass := func() {
		var n int64
		for _, f := range r.set.Files() {
			n += f.ReadBytes()
		}
		s.bytes.Store(n)
	}
	n := 0
	for x := range r.inOrder(time.Time{}) {
		n++
		if n%searchStride == 0 {
			pass()
			if ctx.Err() != nil || s.isAbandoned() {
				return nil, nil
			}
		}
		e := &Entry{At: x.line.At, Line: x.line}
		if known.takeOut(e) {
			continue // it comes among those that are kept
		}
		for len(kept) > 0 && !kept[0].Line.At.After(x.line.At) {
			s.matchEntry(kept[0])
			kept = kept[1:]
		}
		if x.line.At.After(newest) {
			rest.add(x.line.Raw)
		}
		s.logs.explainLine(e)
		s.matchEntry(e)
	}
	pass()
	for _, e := range kept {
		s.matchEntry(e)
	}
	for _, st := range r.set.States() {
		if st.Err != nil {
			return rest, errors.New(words.CleanText(st.Path) + ": " + fileError(st.Err))
		}
	}
	return rest, nil
}

// matchEntry keeps an entry that matches, and those around it.
func (s *Search) matchEntry(e *Entry) {
	if e.Gap == nil {
		if s.wanted.About != nil && !s.wanted.About(e) {
			return
		}
		s.lines.Add(1)
	}
	if s.wanted.Matches(e) {
		for _, b := range s.linesBefore {
			s.keepCopy(b)
		}
		s.linesBefore, s.linesAfter = s.linesBefore[:0], s.wanted.Around
		s.matches.Add(1)
		s.keepCopy(e)
		return
	}
	switch n := s.wanted.Around; {
	case s.linesAfter > 0:
		s.linesAfter--
		s.keepCopy(e)
	case n > 0:
		if len(s.linesBefore) == n {
			s.linesBefore = slices.Delete(s.linesBefore, 0, 1)
		}
		s.linesBefore = append(s.linesBefore, e)
	}
}

// keepCopy keeps a copy: its number is another one here.
func (s *Search) keepCopy(e *Entry) {
	x := *e
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entryWindow.storeEntry(&x)
}
