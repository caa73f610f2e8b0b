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

// Reader reads the logs of pods. It has a client of its own, so that hundreds
// of streams that connect at once take no request away from anybody else. It is
// safe for concurrent use.
type Reader struct {
	c         *Cluster
	pause     followPauses
	podClient atomic.Pointer[Builtin]
	lists     SharedAnswers[[]logPod] // by namespace
}

// followPauses are how long a follower waits; tests shorten them.
type followPauses struct {
	firstRetry, longest time.Duration // between two attempts
	denied              time.Duration // before asking again what was refused
	quiet               time.Duration // after which a request without an answer stands
	idle                time.Duration // after which it is checked whose log it is
	steady              time.Duration // a stream that lasted so long is no failure
	recheck             time.Duration // before a container that may have restarted is looked at again
	previousRead        time.Duration // bounds reading what a container wrote before it restarted
}

var usualPauses = followPauses{firstRetry: 500 * time.Millisecond, longest: 30 * time.Second, denied: 30 * time.Second,
	quiet: 2 * time.Second, idle: 2 * time.Minute, steady: 10 * time.Second, recheck: 2 * time.Second,
	previousRead: 2 * time.Minute}

// New makes a reader of a cluster's pod logs; it asks nobody.
func New(c *Cluster) (*Reader, error) {
	p := &Reader{c: c, pause: usualPauses, lists: SharedAnswers[[]logPod]{Keep: listedFor, Within: listedWithin}}
	return p, p.makeClient()
}

// makeClient makes the client with the credentials that the cluster has now.
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

// StreamStatus is how a stream stands.
type StreamStatus struct {
	Target   LogTarget // zero before the pod was found
	State    logline.StreamState
	Attempts int
	Error    string // clean, one line, with the remedy where there is one
	TooLong  uint64 // lines so far that were lost because of their length
}

// FollowRequest says what to follow and takes what comes. Line and Gap are called one
// at a time and may block; Line's text is valid during the call and has no time
// of the kubelet's in front of it, nor an end of line. State must not block and
// is called from other goroutines too, one call at a time.
type FollowRequest struct {
	// Find names the log; it is asked before every connection, since pods are
	// replaced by others.
	Find func(context.Context) (LogTarget, error)
	// Since is where the log begins; zero begins with what is written from now on.
	Since time.Time
	Line  func(at time.Time, text []byte)
	Gap   func(logline.LogGap)
	State func(StreamStatus)
}

// Follow follows a log until ctx ends: through rotation, cut connections,
// restarts of the API server and of the container, and from a pod to the one
// that replaces it. No line comes twice, and where lines may be missing Gap says
// so. One case cannot be told: a log of which no line was ever seen and that was
// rotated between two connections.
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

// logFollower is one log being followed. Its state is told under mu: a timer and
// the watch of an idle stream speak too.
type logFollower struct {
	p *Reader
	f FollowRequest

	id        containerID
	idKnown   bool // a stream of id stood
	seenLines seenLines
	askFrom   time.Time // since when lines are asked for while none was seen
	newest    time.Time // until when, by this machine's clock, no line was missed

	lines  int  // by the stream that stands
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

// countFailure counts an attempt; progress says that the stream had stood.
func (r *logFollower) countFailure(err error, progress bool) {
	if apierrors.IsUnauthorized(err) {
		_ = r.p.makeClient() // a failure leaves the client there is
	}
	r.mu.Lock()
	target := r.state.Target
	r.mu.Unlock()
	s, text := r.p.explainError(target, err)
	r.mu.Lock()
	if progress {
		r.state.Attempts = 0
	}
	r.state.Attempts++
	r.mu.Unlock()
	r.reportState(s, text)
}

// nextPause is how long the next attempt waits: longer each time, with jitter, so
// that hundreds do not come back together.
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

// errChanged ends a stream because its log became another.
var errChanged = errors.New("the container changed")

// readOnce connects, reads until the stream ends, and says why it did.
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
	switch r.changeTo(id) {
	case logNew:
		if r.askFrom.IsZero() {
			r.askFrom = r.f.Since
		}
		opt.SinceTime = wholeSeconds(r.askFrom)
		if r.askFrom.IsZero() {
			// The last line shows that the stream stands, and where the log goes on.
			opt.TailLines, r.askFrom, s.anchor = new(int64(1)), time.Now(), true
		}
	case logSame:
		opt.SinceTime = wholeSeconds(r.askFrom)
		if last := r.seenLines.newestTime(); !last.IsZero() {
			opt.SinceTime, s.overlap = wholeSeconds(last), true
		}
	case logRestarted:
		if err := r.readPrevious(ctx, target, id); err != nil {
			return err
		}
		r.seenLines.reset()
	case logReplaced:
		r.reportGap(time.Now(), "pod "+r.id.Pod+" was replaced by "+id.Pod)
		r.seenLines.reset()
	}
	err = s.readLog(ctx, opt)
	if s.missed && !s.rechecked {
		// The first line is a new one: rotation, or a restart that the API server
		// does not know of yet. Nothing was handed on.
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

// readPrevious reads what a container wrote before it restarted.
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
	// Nobody watches this stream as those that follow are watched: a kubelet that
	// stands still must not keep the new container's lines away.
	ask, cancel := context.WithTimeout(ctx, r.p.pause.previousRead)
	defer cancel()
	err := s.readLog(ask, opt)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if s.overlap || err != nil {
		// Nothing of it is kept, or no line that was known, or it broke off.
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
