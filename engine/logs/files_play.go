package logs

import (
	"bytes"
	"container/heap"
	"context"
	"errors"
	"iter"
	"time"

	"rung/model/logline"
	"rung/sources/acllog"
	"rung/sources/logfile"
)

// timeOf returns the time of a line, parsed from the line or its prefix.
func timeOf(text []byte) (time.Time, bool) {
	if l, err := acllog.Parse(string(text)); err == nil {
		return l.At, true
	}
	word, _, _ := bytes.Cut(text, []byte(" "))
	word, _, _ = bytes.Cut(word, []byte("|"))
	if len(word) < len("2006-01-02T15:04:05Z") || len(word) > 40 {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, string(word))
	return at, err == nil
}

// stored is a line of a file.
type stored struct {
	line logline.Line
	gap  *logline.LogGap // before it
	s    *fileSource
}

// next is the next ACL line of a file.
func (r *FileReader) next(s *fileSource) (x stored, ok bool) {
	for {
		text, err := s.file.Next()
		if err != nil {
			return x, false
		}
		s.lines++
		if !acllog.Maybe(text) {
			continue
		}
		line, err := acllog.Parse(string(text))
		switch {
		case errors.Is(err, acllog.ErrNotACL):
			continue
		case err != nil:
			s.odd++
			r.logs.Lost(0, 1)
			continue
		}
		s.acls++
		if !s.sure {
			s.zone, s.sure = r.zoneOf(s.file)
		}
		if line.Zone == "" {
			line.Zone = s.zone
		}
		x = stored{line: line, s: s}
		if s.gap != "" {
			x.gap = &logline.LogGap{From: s.last, To: line.At, Why: s.gap, Cut: true}
			if !s.last.IsZero() {
				x.gap.Missing = max(0, line.At.Sub(s.last))
			}
			s.gap = ""
		}
		s.last = line.At
		return x, true
	}
}

// give hands a line on: at once, or by its time between those of other sources.
func (r *FileReader) give(ctx context.Context, x stored, direct bool) {
	put := func(a arrival) {
		if direct {
			r.logs.give(ctx, a)
		} else {
			r.logs.merge.put(ctx, a)
		}
	}
	if x.gap != nil {
		put(arrival{line: logline.Line{At: x.line.At, Zone: x.line.Zone}, gap: x.gap, stored: true})
	}
	put(arrival{line: x.line, stored: true})
}

// queue is the next line of every file, the earliest first.
type queue []stored

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].line.At.Before(q[j].line.At) }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(stored)) }
func (q *queue) Pop() any {
	old := *q
	x := old[len(old)-1]
	old[len(old)-1] = stored{}
	*q = old[:len(old)-1]
	return x
}

// inOrder are the lines that the files hold from a time on, in order of time.
func (r *FileReader) inOrder(from time.Time) iter.Seq[stored] {
	return func(yield func(stored) bool) {
		var q queue
		take := func(s *fileSource) {
			for {
				x, ok := r.next(s)
				if !ok {
					return
				}
				if !x.line.At.Before(from) { // a compressed file is read from its beginning
					heap.Push(&q, x)
					return
				}
			}
		}
		for _, f := range r.set.Files() {
			if !f.Piped() {
				take(r.source(f))
			}
		}
		for len(q) > 0 {
			x := q[0]
			if !yield(x) {
				return
			}
			// The file's next line takes the place of this one.
			if x, ok := r.next(x.s); ok {
				q[0] = x
				heap.Fix(&q, 0)
			} else {
				heap.Pop(&q)
			}
		}
	}
}

// history hands on the lines of the files in order of time, in their own pace or at once;
// at most limit lines, all for 0. An order that comes meanwhile ends it.
func (r *FileReader) history(ctx context.Context, speed float64, limit int) (order time.Time, ordered bool) {
	pace := pace{speed: speed}
	n := 0
	for x := range r.inOrder(r.sought) {
		if limit > 0 && n == limit {
			break
		}
		if n%256 == 0 || speed > 0 {
			r.show()
		}
		n++
		select {
		case <-ctx.Done():
			return order, false
		case order = <-r.orders:
			return order, true
		default:
		}
		order, ordered = pace.wait(ctx, x.line.At, r.orders)
		if ordered || ctx.Err() != nil {
			return order, ordered
		}
		r.give(ctx, x, !r.merges)
		r.stands(x.line.At)
	}
	r.show()
	return order, false
}

// pace is how lines come that are played in the pace in which they were written.
type pace struct {
	speed float64
	first time.Time // of the lines
	began time.Time // the playing
}

// wait waits until a line's time has come.
func (p *pace) wait(ctx context.Context, at time.Time, orders <-chan time.Time) (order time.Time, ordered bool) {
	if p.speed <= 0 {
		return order, false
	}
	if p.first.IsZero() {
		p.first, p.began = at, time.Now()
	}
	due := time.Until(p.began.Add(time.Duration(float64(at.Sub(p.first)) / p.speed)))
	if due <= 0 {
		return order, false
	}
	timer := time.NewTimer(due)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case order = <-orders:
		ordered = true
	}
	return order, ordered
}

// turn goes to another time.
func (r *FileReader) turn(ctx context.Context, to time.Time) error {
	r.mu.Lock()
	r.pos.Sought, r.pos.At, r.sought = !to.Equal(TheEnd), to, to
	r.mu.Unlock()
	r.logs.merge.forget()
	r.logs.give(ctx, arrival{reset: true})
	if err := r.open(ctx); err != nil {
		return err
	}
	return r.begin(to, to.Equal(TheEnd))
}

// position and seek make the reader the player of a store.
func (r *FileReader) position() Position {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pos
}

func (r *FileReader) seek(to time.Time) error {
	for {
		select {
		case r.orders <- to:
			return nil
		default:
		}
		select {
		case <-r.orders: // what was asked before counts no more
		default:
		}
	}
}

// stands notes the line that was handed on.
func (r *FileReader) stands(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pos.At = at
	if at.After(r.pos.To) {
		r.pos.To = at
	}
}

// span finds from when to when the files have lines.
func (r *FileReader) span() {
	var from, to time.Time
	for _, f := range r.set.Files() {
		if f.Piped() {
			continue
		}
		if first := f.FirstTime(timeOf); !first.IsZero() && (from.IsZero() || first.Before(from)) {
			from = first
		}
		if last := f.LastTime(timeOf); last.After(to) {
			to = last
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pos.From, r.pos.To = from, to
}

// states are how the states of a file are called among those of streams.
var states = map[logfile.Status]logline.StreamState{logfile.Following: logline.StreamOpen, logfile.Ended: logline.StreamEnded,
	logfile.Gone: logline.StreamGone, logfile.Failed: logline.StreamFailed}

// show publishes how the files stand.
func (r *FileReader) show() {
	byPath := map[string]*fileSource{}
	for f, s := range r.sources {
		byPath[f.State().Path] = s
	}
	var out []logline.Stream
	for _, st := range r.set.States() {
		x := logline.Stream{File: st.Path, Zone: st.Place.Node, Namespace: st.Place.Namespace, Pod: st.Place.Pod,
			Container: st.Place.Container, State: states[st.Status], TooLong: st.TooLong, Gaps: st.Gaps, Behind: -1}
		if st.Read >= 0 {
			x.Behind = max(0, st.Size-st.Read)
		}
		if st.Err != nil {
			x.Error = fileError(st.Err)
		}
		if s := byPath[st.Path]; s != nil {
			if s.state != x.State {
				s.state, s.since = x.State, r.logs.now()
			}
			x.Zone, x.Since, x.Last, x.Lines, x.ACLs, x.Odd = s.zone, s.since, s.last, s.lines, s.acls, s.odd
		}
		out = append(out, x)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.streams = out
}
