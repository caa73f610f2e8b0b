package kube

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"

	"rung/model/logline"
	"rung/sources/retry"
)

// Reader reads the logs of pods. It has its own client: hundreds of streams that connect at once must not
// delay other requests. It is safe for concurrent use.
type Reader struct {
	c         *Cluster
	pause     followPauses
	podClient atomic.Pointer[Builtin]
	lists     SharedAnswers[[]logPod] // by namespace
}

// followPauses are the waits of a follower; tests shorten them.
type followPauses struct {
	firstRetry, longest time.Duration // between two attempts
	denied              time.Duration // before a refused request is repeated
	quiet               time.Duration // an unanswered request counts as open after this
	idle                time.Duration // silence before the container is checked again
	steady              time.Duration // a stream that lasted this long did not fail
	recheck             time.Duration // before a container that may have restarted is checked again
	previousRead        time.Duration // bounds reading the log from before a restart
}

var usualPauses = followPauses{firstRetry: 500 * time.Millisecond, longest: 30 * time.Second, denied: 30 * time.Second,
	quiet: 2 * time.Second, idle: 2 * time.Minute, steady: 10 * time.Second, recheck: 2 * time.Second,
	previousRead: 2 * time.Minute}

// New makes a reader of a cluster's pod logs; it sends no request.
func New(c *Cluster) (*Reader, error) {
	p := &Reader{c: c, pause: usualPauses, lists: SharedAnswers[[]logPod]{Keep: listedFor, Within: listedWithin}}
	return p, p.makeClient()
}

// makeClient makes the client with the cluster's present credentials.
func (p *Reader) makeClient() error {
	own, err := p.c.OwnClient(50, 100)
	if err != nil {
		return fmt.Errorf("read pod logs: %w", err)
	}
	p.podClient.Store(own)
	return nil
}

func (p *Reader) currentClient() *Builtin { return p.podClient.Load() }

// LogTarget is one container's log.
type LogTarget struct{ Namespace, Pod, Container string }

func (t LogTarget) String() string { return t.Namespace + "/" + t.Pod + "/" + t.Container }

// StreamStatus is the state of a stream.
type StreamStatus struct {
	Target   LogTarget // zero until the pod is found
	State    logline.StreamState
	Attempts int
	Error    string // clean, one line, with the remedy if known
	TooLong  uint64 // lines lost so far because they were too long
}

// FollowRequest names the log to follow and receives its lines. Line and Gap are called one at a time and may
// block. Line's text is valid only during the call; it has neither the kubelet's time nor an end of line.
// State must not block; other goroutines call it too, one call at a time.
type FollowRequest struct {
	// Find names the log; it is called before every connection, since pods are replaced.
	Find func(context.Context) (LogTarget, error)
	// Since is where the log begins; zero means now.
	Since time.Time
	Line  func(at time.Time, text []byte)
	Gap   func(logline.LogGap)
	State func(StreamStatus)
}

// Follow follows a log until ctx ends: through rotation, cut connections, restarts of the API server and of
// the container, and from a pod to its replacement. No line comes twice, and Gap reports where lines may be
// missing. One gap cannot be detected: a log rotated between two connections before its first line was seen.
func (p *Reader) Follow(ctx context.Context, f FollowRequest) {
	r := &logFollower{p: p, f: f}
	r.reportState(logline.StreamOpening, "")
	for ctx.Err() == nil {
		began := time.Now()
		err := r.readOnce(ctx)
		if ctx.Err() != nil {
			return
		}
		r.countFailure(err, r.lines > 0 || time.Since(began) >= p.pause.steady && r.opened)
		if !retry.Sleep(ctx, r.nextPause(err)) {
			return
		}
	}
}

// logFollower is one followed log. mu guards its state: a timer and the check of idle streams report too.
type logFollower struct {
	p *Reader
	f FollowRequest

	id        containerID
	idKnown   bool // a stream of id was open once
	seenLines seenLines
	askFrom   time.Time // start of the requested lines until one is seen
	newest    time.Time // no line was missed until then, by this machine's clock

	lines  int  // from the present stream
	opened bool // it was not refused

	mu    sync.Mutex
	state StreamStatus
}

func (r *logFollower) reportState(s logline.StreamState, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.State, r.state.Error = s, text
	if s == logline.StreamOpen {
		r.state.Attempts = 0
	}
	r.f.State(r.state)
}

// countFailure counts an attempt; progress means the stream had been open.
func (r *logFollower) countFailure(err error, progress bool) {
	if apierrors.IsUnauthorized(err) {
		_ = r.p.makeClient() // on failure the old client stays
	}
	r.mu.Lock()
	s, text := r.p.explainError(r.state.Target, err)
	if progress {
		r.state.Attempts = 0
	}
	r.state.Attempts++
	r.mu.Unlock()
	r.reportState(s, text)
}

// nextPause returns the growing wait before the next attempt, with jitter, so that hundreds do not return together.
func (r *logFollower) nextPause(err error) time.Duration {
	r.mu.Lock()
	n := r.state.Attempts
	r.mu.Unlock()
	pause := &r.p.pause
	if isDenied(err) {
		return max(retry.WaitAfter(n, pause.firstRetry, pause.longest), wait.Jitter(pause.denied/2, 1))
	}
	return retry.WaitAfter(n, pause.firstRetry, pause.longest)
}

// errChanged ends a stream because another container writes the log now.
var errChanged = errors.New("the container changed")

// readOnce connects, reads until the stream ends, and returns why it ended.
func (r *logFollower) readOnce(ctx context.Context) error {
	r.lines, r.opened = 0, false
	target, err := r.f.Find(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.state.Target = target
	r.mu.Unlock()
	id, err := r.p.identifyTarget(ctx, target)
	if err != nil {
		return err
	}
	opt := corev1.PodLogOptions{Container: target.Container, Follow: true, Timestamps: true}
	s := logStream{r: r, id: id}
	switch {
	case !r.idKnown:
		if r.askFrom.IsZero() {
			r.askFrom = r.f.Since
		}
		opt.SinceTime = wholeSeconds(r.askFrom)
		if r.askFrom.IsZero() {
			// The last line shows that the stream is open, and where the log goes on.
			opt.TailLines, r.askFrom, s.anchor = new(int64(1)), time.Now(), true
		}
	case !id.isPodOf(r.id):
		r.reportGap(time.Now(), "pod "+r.id.Pod+" was replaced by "+id.Pod)
		r.seenLines.reset()
	case !id.isRunOf(r.id):
		if err := r.readPrevious(ctx, target, id); err != nil {
			return err
		}
		r.seenLines.reset()
	default:
		opt.SinceTime = wholeSeconds(r.askFrom)
		if last := r.seenLines.newestTime(); !last.IsZero() {
			opt.SinceTime, s.overlap = wholeSeconds(last), true
		}
	}
	err = s.readLog(ctx, opt)
	if s.missed && !s.rechecked {
		// The first line is new: the log was rotated, or the API server does not know of a restart yet. No
		// line was handed on.
		if retry.Sleep(ctx, r.p.pause.recheck) {
			if now, e := r.p.identifyTarget(ctx, target); e == nil && now != id {
				return errChanged
			}
			s.rechecked, s.missed = true, false
			err = s.readLog(ctx, opt)
		}
	}
	return err
}

// readPrevious reads the log of a container from before its restart.
func (r *logFollower) readPrevious(ctx context.Context, target LogTarget, id containerID) error {
	last := r.seenLines.newestTime()
	opt := corev1.PodLogOptions{Container: target.Container, Timestamps: true, Previous: true, SinceTime: wholeSeconds(r.askFrom)}
	s := logStream{r: r, id: r.id, rechecked: true, endsWithResponse: true, why: "container " + target.Container + " restarted"}
	if !last.IsZero() {
		opt.SinceTime, s.overlap = wholeSeconds(last), true
	}
	if id.restarts != r.id.restarts+1 {
		r.reportGap(time.Now(), fmt.Sprintf("container %s restarted %d times", target.Container, id.restarts-r.id.restarts))
		s.overlap = false
	}
	// This stream has no idle check: a hanging kubelet must not delay the new container's lines.
	ask, cancel := context.WithTimeout(ctx, r.p.pause.previousRead)
	defer cancel()
	err := s.readLog(ask, opt)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if s.overlap || err != nil {
		// The old log is gone, has no known line, or broke off.
		r.reportGap(time.Now(), s.why)
	}
	r.id, r.lines = id, 0
	return nil
}

// reportGap reports that lines may be missing up to a time.
func (r *logFollower) reportGap(to time.Time, why string) {
	g := logline.LogGap{From: r.seenLines.newestTime(), To: to, Why: why, Missing: time.Since(r.newest)}
	if g.From.IsZero() {
		g.From = r.newest
	}
	if d := to.Sub(g.From); d > 0 {
		g.Missing = min(g.Missing, d)
	}
	r.f.Gap(g)
}
