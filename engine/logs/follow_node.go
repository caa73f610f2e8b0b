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

// aclOnly is the container that prints only ACL lines. Its line numbers skip other lines, so missing numbers
// say nothing.
const aclOnly = "ovn-acl-logging"

// repeatsKept bounds the remembered lines of a node. When a container that prints a file restarts, it begins
// with the file's last lines (tail prints ten).
const repeatsKept = 128

// nodeLog is the stream of one node.
type nodeLog struct {
	follower *Follower
	node     string
	stop     context.CancelFunc

	mu     sync.Mutex
	stream logline.Stream

	running sync.Mutex // held while the log is followed; guards the rest
	since   time.Time  // start of the log; zero means lines written from now on
	lately  recentLines
	number  acllog.LineNumbers
}

// recentLines holds the last lines.
type recentLines struct {
	seed     maphash.Seed
	has      map[lineStamp]bool
	ring     [repeatsKept]lineStamp
	position int
}

// lineStamp identifies a line of ovn-controller: its time and number never repeat.
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

// followLog follows the node's log, after an earlier followLog of the same node has ended. Few nodes connect
// at a time, so that a cluster of hundreds of nodes is not asked for everything at once.
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

// resumePoint returns where to begin; for a returned node, where its log was left.
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

// setState takes over the stream's state.
func (n *nodeLog) setState(s kube.StreamStatus) {
	n.updateStream(func(x *logline.Stream) {
		if x.State != s.State {
			x.State, x.Since = s.State, n.follower.logs.now()
		}
		x.Namespace, x.Pod = words.CleanText(s.Target.Namespace), words.CleanText(s.Target.Pod)
		x.Container = words.CleanText(s.Target.Container)
		x.Attempts, x.Error, x.TooLong = s.Attempts, s.Error, s.TooLong
	})
}

// addGap adds a gap, where lines may be missing, to the log.
func (n *nodeLog) addGap(ctx context.Context, g logline.LogGap) {
	n.updateStream(func(s *logline.Stream) { s.Gaps++ })
	n.follower.logs.merge.putLine(ctx, arrival{line: logline.Line{At: g.To.UTC(), Zone: n.node}, gap: &g})
}

func (n *nodeLog) updateStream(f func(*logline.Stream)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f(&n.stream)
}

// takeLine handles one line of the container.
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
			s.Unparsed++
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

// isRepeated reports whether a line came recently, and remembers it.
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
