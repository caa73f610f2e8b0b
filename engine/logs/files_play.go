package logs

import (
	"container/heap"
	"context"
	"errors"
	"iter"
	"time"

	"rung/model/logline"
	"rung/sources/acllog"
	"rung/sources/retry"
)

// storedLine is a line of a file.
type storedLine struct {
	line logline.Line
	gap  *logline.LogGap // before it
	file *acllog.File
}

// nextLine returns the next ACL line of a file.
func (r *FileReader) nextLine(f *acllog.File) (x storedLine, ok bool) {
	for {
		text, err := f.Next()
		parse := acllog.Parse
		switch {
		case errors.Is(err, acllog.ErrUnended):
			parse = acllog.ParseUnended
		case err != nil:
			return x, false
		}
		f.Lines++
		if !acllog.MayBeACLLine(text) {
			continue
		}
		line, err := parse(string(text))
		switch {
		case errors.Is(err, acllog.ErrNotACL):
			continue
		case err != nil:
			f.Unparsed++
			r.logs.CountLost(0, 1)
			continue
		}
		if line.At.Before(r.cfg.Since) {
			continue
		}
		f.ACLs++
		if line.Zone == "" {
			r.findNode(f)
			line.Zone = f.Origin()
		}
		x = storedLine{line: line, file: f}
		if f.Gap != "" {
			x.gap = &logline.LogGap{From: f.Last, To: line.At, Why: f.Gap, Cut: true}
			if !f.Last.IsZero() {
				x.gap.Missing = max(0, line.At.Sub(f.Last))
			}
			f.Gap = ""
		}
		f.Last = line.At
		return x, true
	}
}

// storeLine hands a line on: at once, or merged by time with other sources.
func (r *FileReader) storeLine(ctx context.Context, x storedLine, direct bool) {
	put := func(a arrival) {
		if direct {
			r.logs.storeInOrder(ctx, a)
		} else {
			r.logs.merge.putLine(ctx, a)
		}
	}
	if x.gap != nil {
		put(arrival{line: logline.Line{At: x.line.At, Zone: x.line.Zone}, gap: x.gap, stored: true})
	}
	put(arrival{line: x.line, stored: true})
}

// inOrder yields the lines of the files, in order of time.
func (r *FileReader) inOrder() iter.Seq[storedLine] {
	return func(yield func(storedLine) bool) {
		q := &lineHeap[storedLine]{isBefore: func(a, b *storedLine) bool { return a.line.At.Before(b.line.At) }}
		for _, f := range r.set.Files() {
			if f.IsPiped() {
				continue
			}
			if x, ok := r.nextLine(f); ok {
				heap.Push(q, x)
			}
		}
		for q.Len() > 0 {
			x := q.items[0]
			if !yield(x) {
				return
			}
			// The file's next line replaces this one.
			if x, ok := r.nextLine(x.file); ok {
				q.items[0] = x
				heap.Fix(q, 0)
			} else {
				heap.Pop(q)
			}
		}
	}
}

// playHistory hands on the lines of the files in order of time, at their own pace or at once.
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
		r.storeLine(ctx, x, !r.merges)
		r.noteLastTime(x.line.At)
	}
	r.publishState()
}

// playPace replays lines at the pace in which they were written.
type playPace struct {
	speed     float64
	firstLine time.Time // time of the first line
	begunAt   time.Time // start of the replay
}

// waitForLine waits until a line's time has come.
func (p *playPace) waitForLine(ctx context.Context, at time.Time) {
	if p.speed <= 0 {
		return
	}
	if p.firstLine.IsZero() {
		p.firstLine, p.begunAt = at, time.Now()
	}
	if due := time.Until(p.begunAt.Add(time.Duration(float64(at.Sub(p.firstLine)) / p.speed))); due > 0 {
		retry.Sleep(ctx, due)
	}
}

// noteLastTime records the time of the line handed on last.
func (r *FileReader) noteLastTime(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lastAt = at
}

// publishState publishes the state of the files.
func (r *FileReader) publishState() {
	for _, f := range r.set.Files() {
		r.findNode(f)
	}
	out := r.set.States(r.logs.now())
	r.mu.Lock()
	defer r.mu.Unlock()
	r.streams = out
}
