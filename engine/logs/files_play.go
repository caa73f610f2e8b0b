package logs

import (
	"container/heap"
	"context"
	"errors"
	"iter"
	"time"

	"rung/model/logline"
	"rung/sources/acllog"
)

// storedLine is a line of a file.
type storedLine struct {
	line logline.Line
	gap  *logline.LogGap // before it
	s    *fileSource
}

// nextLine is the next ACL line of a file.
func (r *FileReader) nextLine(s *fileSource) (x storedLine, ok bool) {
	for {
		text, err := s.file.Next()
		parse := acllog.Parse
		switch {
		case errors.Is(err, acllog.ErrUnended):
			parse = acllog.ParseUnended
		case err != nil:
			return x, false
		}
		s.lines++
		if !acllog.MayBeACLLine(text) {
			continue
		}
		line, err := parse(string(text))
		switch {
		case errors.Is(err, acllog.ErrNotACL):
			continue
		case err != nil:
			s.odd++
			r.logs.CountLost(0, 1)
			continue
		}
		if line.At.Before(r.cfg.Since) {
			continue
		}
		s.acls++
		if !s.zoneSure {
			s.zone, s.zoneSure = r.zoneOf(s.file)
		}
		if line.Zone == "" {
			line.Zone = s.zone
		}
		x = storedLine{line: line, s: s}
		if s.gap != "" {
			x.gap = &logline.LogGap{From: s.lastLine, To: line.At, Why: s.gap, Cut: true}
			if !s.lastLine.IsZero() {
				x.gap.Missing = max(0, line.At.Sub(s.lastLine))
			}
			s.gap = ""
		}
		s.lastLine = line.At
		return x, true
	}
}

// giveLine hands a line on: at once, or by its time between those of other sources.
func (r *FileReader) giveLine(ctx context.Context, x storedLine, direct bool) {
	put := func(a arrival) {
		if direct {
			r.logs.giveInOrder(ctx, a)
		} else {
			r.logs.merge.putLine(ctx, a)
		}
	}
	if x.gap != nil {
		put(arrival{line: logline.Line{At: x.line.At, Zone: x.line.Zone}, gap: x.gap, stored: true})
	}
	put(arrival{line: x.line, stored: true})
}

// lineQueue is the next line of every file, the earliest first.
type lineQueue []storedLine

func (q lineQueue) Len() int           { return len(q) }
func (q lineQueue) Less(i, j int) bool { return q[i].line.At.Before(q[j].line.At) }
func (q lineQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *lineQueue) Push(x any)        { *q = append(*q, x.(storedLine)) }
func (q *lineQueue) Pop() any {
	old := *q
	x := old[len(old)-1]
	old[len(old)-1] = storedLine{}
	*q = old[:len(old)-1]
	return x
}

// inOrder yields the lines that the files hold, in order of time.
func (r *FileReader) inOrder() iter.Seq[storedLine] {
	return func(yield func(storedLine) bool) {
		var q lineQueue
		for _, f := range r.set.Files() {
			if f.IsPiped() {
				continue
			}
			if x, ok := r.nextLine(r.sourceOf(f)); ok {
				heap.Push(&q, x)
			}
		}
		for len(q) > 0 {
			x := q[0]
			if !yield(x) {
				return
			}
			// The file's next line takes the place of this one.
			if x, ok := r.nextLine(x.s); ok {
				q[0] = x
				heap.Fix(&q, 0)
			} else {
				heap.Pop(&q)
			}
		}
	}
}

// playHistory hands on the lines of the files in order of time, in their own pace or at once.
func (r *FileReader) playHistory(ctx context.Context) {
	pace := playPace{speed: r.cfg.Speed}
	n := 0
	for x := range r.inOrder() {
		if n%256 == 0 || pace.speed > 0 {
			r.publishState()
		}
		n++
		pace.waitForLine(ctx, x.line.At)
		if ctx.Err() != nil {
			return
		}
		r.giveLine(ctx, x, !r.merges)
		r.noteStanding(x.line.At)
	}
	r.publishState()
}

// playPace is how lines come that are played in the pace in which they were written.
type playPace struct {
	speed     float64
	firstLine time.Time // of the lines
	begunAt   time.Time // the playing
}

// waitForLine waits until a line's time has come.
func (p *playPace) waitForLine(ctx context.Context, at time.Time) {
	if p.speed <= 0 {
		return
	}
	if p.firstLine.IsZero() {
		p.firstLine, p.begunAt = at, time.Now()
	}
	due := time.Until(p.begunAt.Add(time.Duration(float64(at.Sub(p.firstLine)) / p.speed)))
	if due <= 0 {
		return
	}
	timer := time.NewTimer(due)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// noteStanding notes the line that was handed on.
func (r *FileReader) noteStanding(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lastAt = at
}

// states are how the states of a file are called among those of streams.
var states = map[acllog.ReadStatus]logline.StreamState{acllog.Following: logline.StreamOpen, acllog.Ended: logline.StreamEnded,
	acllog.Gone: logline.StreamGone, acllog.Failed: logline.StreamFailed}

// publishState publishes how the files stand.
func (r *FileReader) publishState() {
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
				s.state, s.countedSince = x.State, r.logs.now()
			}
			x.Zone, x.Since, x.Last, x.Lines, x.ACLs, x.Odd = s.zone, s.countedSince, s.lastLine, s.lines, s.acls, s.odd
		}
		out = append(out, x)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.streams = out
}
