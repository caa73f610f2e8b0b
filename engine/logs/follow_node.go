package logs

import (
	"context"
	"errors"
	"hash/maphash"
	"sync"
	"time"

	"rung/model/clean"
	"rung/model/logline"
	"rung/sources/acllog"
	"rung/sources/kube/podlogs"
)

// aclOnly is the container that prints ACL lines alone: numbers of other lines are
// missing in it, and say nothing.
const aclOnly = "ovn-acl-logging"

// repeatsKept is how many lines of a node are remembered. A container that prints
// a file begins with its last lines (tail prints ten) when it restarts.
const repeatsKept = 128

// nodeLog is the stream of one node.
type nodeLog struct {
	p    *Follower
	node string
	stop context.CancelFunc
	done chan struct{} // closed when run has ended

	mu     sync.Mutex
	stream logline.Stream

	// Of the stream's goroutine alone, and after it of that of the node that came
	// back:
	before *nodeLog // of the same node, which went; nil: none
	lately recentLines
	number acllog.LineNumbers
}

// recentLines are the lines that came last.
type recentLines struct {
	seed maphash.Seed
	has  map[repeat]bool
	ring [repeatsKept]repeat
	at   int
}

// repeat is a line of ovn-controller: its time and number never come twice.
type repeat struct {
	at   int64
	seq  uint64
	text uint64
}

func newNodeLog(p *Follower, node string) *nodeLog {
	return &nodeLog{p: p, node: node, done: make(chan struct{}),
		lately: recentLines{seed: maphash.MakeSeed(), has: map[repeat]bool{}},
		stream: logline.Stream{Zone: node, State: logline.StreamWaiting, Since: p.logs.now()}}
}

// run follows the node's log. Connecting needs one of few places, so that a
// cluster of hundreds of nodes is not asked for everything at once.
func (n *nodeLog) run(ctx context.Context) {
	defer close(n.done)
	since, ok := n.resume(ctx)
	if !ok {
		return
	}
	n.p.read.Follow(ctx, podlogs.Request{
		Find: func(ctx context.Context) (podlogs.Target, error) {
			select {
			case n.p.dials <- struct{}{}:
			case <-ctx.Done():
				return podlogs.Target{}, ctx.Err()
			}
			defer func() { <-n.p.dials }()
			return n.p.read.ACLLog(ctx, n.node, n.p.namespaces)
		},
		Since: since,
		Line:  func(at time.Time, text []byte) { n.line(ctx, at, text) },
		Gap:   func(g logline.LogGap) { n.gap(ctx, g) },
		State: n.stands,
	})
}

// resume says where the log begins: for a node that went and came back where it was
// left, with the lines that were taken in there. ok is false when ctx ended.
func (n *nodeLog) resume(ctx context.Context) (since time.Time, ok bool) {
	if n.before == nil {
		return n.p.since, true
	}
	var was *nodeLog
	for n.before != nil {
		was = n.before
		select {
		case <-was.done:
			n.before = was.before // it went before it began itself
		case <-ctx.Done():
			return since, false
		}
	}
	n.lately = was.lately
	last := was.state()
	if last.Last.IsZero() {
		return last.Since, true // no line yet: since it was followed
	}
	return last.Last, true
}

func (n *nodeLog) state() logline.Stream {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.stream
}

// stands takes over how the stream stands.
func (n *nodeLog) stands(s podlogs.State) {
	n.mu.Lock()
	defer n.mu.Unlock()
	x := &n.stream
	if x.State != s.State {
		x.State, x.Since = s.State, n.p.logs.now()
	}
	x.Namespace, x.Pod = clean.Text(s.Target.Namespace), clean.Text(s.Target.Pod)
	x.Container = clean.Text(s.Target.Container)
	x.Attempts, x.Error, x.TooLong = s.Attempts, s.Error, s.TooLong
}

// gap puts a place where lines may be missing into the log.
func (n *nodeLog) gap(ctx context.Context, g logline.LogGap) {
	n.count(func(s *logline.Stream) { s.Gaps++ })
	n.p.logs.merge.put(ctx, arrival{line: logline.Line{At: g.To.UTC(), Zone: n.node}, gap: &g})
}

func (n *nodeLog) count(f func(*logline.Stream)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f(&n.stream)
}

// line takes one line of the container in.
func (n *nodeLog) line(ctx context.Context, at time.Time, text []byte) {
	if unseen := n.number.Unseen(text, repeatsKept); unseen > 0 && n.state().Container != aclOnly {
		n.count(func(s *logline.Stream) { s.Unseen += unseen })
	}
	if !acllog.Maybe(text) {
		n.count(func(s *logline.Stream) { s.Lines, s.Last = s.Lines+1, at })
		return
	}
	l, err := acllog.Parse(string(text))
	odd := err != nil && !errors.Is(err, acllog.ErrNotACL)
	n.count(func(s *logline.Stream) {
		s.Lines, s.Last = s.Lines+1, at
		if odd {
			s.Odd++
		}
	})
	switch {
	case odd:
		n.p.logs.Lost(0, 1)
	case err == nil && !n.lately.repeated(&l):
		l.Zone = n.node
		if n.p.logs.merge.put(ctx, arrival{line: l}) {
			n.count(func(s *logline.Stream) { s.ACLs++ })
		} else if ctx.Err() == nil {
			n.p.logs.Lost(1, 0)
			n.count(func(s *logline.Stream) { s.Lost++ })
		}
	}
}

// repeated says whether a line came lately, and remembers it.
func (r *recentLines) repeated(l *logline.Line) bool {
	k := repeat{l.At.UnixNano(), l.Seq, maphash.String(r.seed, l.Raw)}
	if r.has[k] {
		return true
	}
	delete(r.has, r.ring[r.at])
	r.has[k], r.ring[r.at] = true, k
	r.at = (r.at + 1) % repeatsKept
	return false
}
