package logs

import (
	"context"
	"errors"
	"hash/maphash"
	"sync"
	"time"

	"rung/model/logline"
	"rung/model/words"
	"rung/sources/acllog"
	"rung/sources/kube"
)

// aclOnly is the container that prints ACL lines alone: numbers of other lines are
// missing in it, and say nothing.
const aclOnly = "ovn-acl-logging"

// repeatsKept is how many lines of a node are remembered. A container that prints
// a file begins with its last lines (tail prints ten) when it restarts.
const repeatsKept = 128

// nodeLog is the stream of one node.
type nodeLog struct {
	follower *Follower
	node     string
	stop     context.CancelFunc

	mu     sync.Mutex
	stream logline.Stream

	running sync.Mutex // held while the log is followed; of whoever follows:
	since   time.Time  // where the log begins; zero begins with what is written from now on
	lately  recentLines
	number  acllog.LineNumbers
}

// recentLines are the lines that came last.
type recentLines struct {
	seed     maphash.Seed
	has      map[lineStamp]bool
	ring     [repeatsKept]lineStamp
	position int
}

// lineStamp is a line of ovn-controller: its time and number never come twice.
type lineStamp struct {
	at   int64
	seq  uint64
	text uint64
}

func newNodeLog(p *Follower, node string) *nodeLog {
	return &nodeLog{follower: p, node: node, since: p.askSince,
		lately: recentLines{seed: maphash.MakeSeed(), has: map[lineStamp]bool{}},
		stream: logline.Stream{Zone: node, State: logline.StreamWaiting, Since: p.logs.now()}}
}

// followLog follows the node's log, after an earlier followLog of a node that went and came back has
// ended. Connecting needs one of few places, so that a cluster of hundreds of nodes is not asked for
// everything at once.
func (n *nodeLog) followLog(ctx context.Context) {
	n.running.Lock()
	defer n.running.Unlock()
	since := n.resumePoint()
	n.follower.podReader.Follow(ctx, kube.FollowRequest{
		Find: func(ctx context.Context) (kube.LogTarget, error) {
			select {
			case n.follower.dials <- struct{}{}:
			case <-ctx.Done():
				return kube.LogTarget{}, ctx.Err()
			}
			defer func() { <-n.follower.dials }()
			return n.follower.podReader.ACLLog(ctx, n.node, n.follower.namespaces)
		},
		Since: since,
		Line:  func(at time.Time, text []byte) { n.takeLine(ctx, at, text) },
		Gap:   func(g logline.LogGap) { n.addGap(ctx, g) },
		State: n.setState,
	})
}

// resumePoint returns where the log begins: for a node that went and came back where it was left.
func (n *nodeLog) resumePoint() time.Time {
	now, since := n.follower.logs.now(), n.since
	n.updateStream(func(s *logline.Stream) {
		s.State, s.Since, s.Error = logline.StreamWaiting, now, ""
		if !s.Last.IsZero() {
			since = s.Last
		}
	})
	if n.since.IsZero() {
		n.since = now
	}
	return since
}

func (n *nodeLog) streamState() logline.Stream {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.stream
}

// setState takes over how the stream stands.
func (n *nodeLog) setState(s kube.StreamStatus) {
	n.mu.Lock()
	defer n.mu.Unlock()
	x := &n.stream
	if x.State != s.State {
		x.State, x.Since = s.State, n.follower.logs.now()
	}
	x.Namespace, x.Pod = words.CleanText(s.Target.Namespace), words.CleanText(s.Target.Pod)
	x.Container = words.CleanText(s.Target.Container)
	x.Attempts, x.Error, x.TooLong = s.Attempts, s.Error, s.TooLong
}

// addGap puts a place where lines may be missing into the log.
func (n *nodeLog) addGap(ctx context.Context, g logline.LogGap) {
	n.updateStream(func(s *logline.Stream) { s.Gaps++ })
	n.follower.logs.merge.putLine(ctx, arrival{line: logline.Line{At: g.To.UTC(), Zone: n.node}, gap: &g})
}

func (n *nodeLog) updateStream(f func(*logline.Stream)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f(&n.stream)
}

// takeLine takes one line of the container in.
func (n *nodeLog) takeLine(ctx context.Context, at time.Time, text []byte) {
	if unseen := n.number.MissingBefore(text, repeatsKept); unseen > 0 && n.streamState().Container != aclOnly {
		n.updateStream(func(s *logline.Stream) { s.Unseen += unseen })
	}
	if !acllog.MayBeACLLine(text) {
		n.updateStream(func(s *logline.Stream) { s.Lines, s.Last = s.Lines+1, at })
		return
	}
	l, err := acllog.Parse(string(text))
	odd := err != nil && !errors.Is(err, acllog.ErrNotACL)
	n.updateStream(func(s *logline.Stream) {
		s.Lines, s.Last = s.Lines+1, at
		if odd {
			s.Odd++
		}
	})
	switch {
	case odd:
		n.follower.logs.CountLost(0, 1)
	case err == nil && !n.lately.isRepeated(&l):
		l.Zone = n.node
		if n.follower.logs.merge.putLine(ctx, arrival{line: l}) {
			n.updateStream(func(s *logline.Stream) { s.ACLs++ })
		} else if ctx.Err() == nil {
			n.follower.logs.CountLost(1, 0)
			n.updateStream(func(s *logline.Stream) { s.Lost++ })
		}
	}
}

// isRepeated says whether a line came lately, and remembers it.
func (r *recentLines) isRepeated(l *logline.Line) bool {
	k := lineStamp{l.At.UnixNano(), l.Seq, maphash.String(r.seed, l.Raw)}
	if r.has[k] {
		return true
	}
	delete(r.has, r.ring[r.position])
	r.has[k], r.ring[r.position] = true, k
	r.position = (r.position + 1) % repeatsKept
	return false
}
