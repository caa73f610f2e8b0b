package kube

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"rung/model/logline"
	"rung/model/words"
	"rung/sources/retry"
)

// maxLine bounds the bytes of a line, including the kubelet's time.
const maxLine = 64 << 10

// logStream is one request for a log.
type logStream struct {
	r  *logFollower
	id containerID
	// overlap means a known line must come before a new one, else lines are missing; that line clears it.
	overlap bool
	// anchor means an old first line is only remembered.
	anchor bool
	// endsWithResponse means the log ends with the response: a last line without an end is whole.
	endsWithResponse bool
	// missed means a new line came where a known one was due; rechecked, that it goes on with a gap.
	missed, rechecked bool
	why               string // reason of that gap
	replay            bool   // no new line yet
	kubeletText       string // the kubelet's message instead of a log
	state             int    // guarded by the follower's mu
	touched           atomic.Int64
}

// readLog requests the log and reads it to its end.
func (s *logStream) readLog(ctx context.Context, opt corev1.PodLogOptions) error {
	r := s.r
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.touched.Store(time.Now().UnixNano())
	clear(r.seenLines.metAgain) // every remembered line may come once more
	s.replay = true
	if opt.Follow {
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.watchTarget(ctx, cancel)
		}()
		defer func() {
			cancel(nil)
			<-done
			r.mu.Lock()
			s.state = streamOver
			r.mu.Unlock()
		}()
	}
	body, err := r.p.currentClient().Log(ctx, s.id.Namespace, s.id.Pod, &opt)
	if err == nil {
		if opt.Follow {
			s.noteFollowed()
			s.wasFollowed()
		}
		err = s.readLines(body)
		_ = body.Close()
	} else if !s.wasFollowed() {
		return err
	}
	if s.wasFollowed() {
		now := time.Now()
		if err != nil { // client-go notices a dead connection only after deadConnectionTime
			now = now.Add(-deadConnectionTime)
		}
		if now.After(r.newest) {
			r.newest = now
		}
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errChanged):
		return cause
	case s.kubeletText != "":
		return fmt.Errorf("read the log of %s: the kubelet says: %s", s.id.LogTarget, s.kubeletText)
	case err != nil:
		return fmt.Errorf("read the log of %s: %w", s.id.LogTarget, err)
	case s.endsWithResponse:
		return nil
	}
	return fmt.Errorf("the log of %s ended", s.id.LogTarget)
}

// deadConnectionTime is how long a connection can be dead before client-go notices.
const deadConnectionTime = 45 * time.Second

// The states of a stream.
const (
	streamAsked = iota
	streamFollowing
	streamOver
)

// noteFollowed reports that the log is being followed.
func (s *logStream) noteFollowed() {
	r := s.r
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.state != streamAsked {
		return
	}
	s.state = streamFollowing
	r.state.State, r.state.Error, r.state.Attempts = logline.StreamOpen, "", 0
	r.f.State(r.state)
}

// wasFollowed reports whether the log was followed, and then records its container.
func (s *logStream) wasFollowed() bool {
	r := s.r
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.state != streamFollowing {
		return false
	}
	r.id, r.idKnown, r.opened = s.id, true, true
	return true
}

// errMissed ends a stream that skipped lines.
var errMissed = errors.New("lines are missing")

// readLines delivers the lines of a response until it ends.
func (s *logStream) readLines(body io.Reader) error {
	return eachLine(body, s.endsWithResponse, func(line []byte, long bool) error {
		s.touched.Store(time.Now().UnixNano())
		if long {
			s.isTooLong()
		} else if !s.takeLine(line) {
			return errMissed
		}
		return nil
	})
}

// eachLine calls f for the lines of a log until it ends or f returns an error. long is set for the end of a
// line longer than maxLine. A last line without an end counts if withLast is set.
func eachLine(body io.Reader, withLast bool, f func(line []byte, long bool) error) error {
	in := bufio.NewReaderSize(body, maxLine)
	for long := false; ; {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = true
			continue
		}
		if err == nil || errors.Is(err, io.EOF) && withLast && len(line) > 0 {
			if err := f(bytes.TrimRight(line, "\r\n"), long); err != nil {
				return err
			}
			long = false
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// isTooLong counts a line lost by its length; repeated lines were counted before.
func (s *logStream) isTooLong() {
	r := s.r
	if s.replay && r.seenLines.started {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.TooLong++
	r.f.State(r.state)
}

// takeLine delivers a line unless it is known; false ends the stream.
func (s *logStream) takeLine(line []byte) bool {
	r := s.r
	at, text, ok := cutTime(line)
	if !ok { // not a log line: the kubelet's own message
		if len(line) > 0 {
			s.kubeletText = words.CleanText(string(line[:min(len(line), 300)]))
		}
		return true
	}
	anchor := s.anchor && at.Before(r.askFrom)
	s.anchor = false
	if r.seenLines.isKnown(at, text, s.replay) {
		s.overlap = false
		return true
	}
	if anchor {
		r.seenLines.addLine(at, text)
		r.seenLines.floor = max(r.seenLines.floor, at.UnixNano()) // a resumed log repeats lines up to here
		r.newest = time.Now()
		return true
	}
	if s.overlap {
		if !s.rechecked {
			s.missed = true
			return false
		}
		s.overlap = false
		r.reportGap(at, cmp.Or(s.why, "the log was rotated meanwhile"))
	}
	s.replay = false
	r.seenLines.addLine(at, text)
	r.lines++
	r.newest = time.Now()
	r.f.Line(at, text)
	return true
}

// watchTarget checks, while no line comes, whether the target still is the followed container: a stream to a
// dead node is silent.
//
// The kubelet sends its answer only with the first line, so a quiet log looks like an unanswered request. A
// request that is not refused for a while counts as open.
func (s *logStream) watchTarget(ctx context.Context, cancel context.CancelCauseFunc) {
	r := s.r
	if !retry.Sleep(ctx, r.p.pause.quiet) {
		return
	}
	s.noteFollowed()
	for {
		if !retry.Sleep(ctx, wait.Jitter(r.p.pause.idle, 0.125)) {
			return
		}
		if time.Since(time.Unix(0, s.touched.Load())) < r.p.pause.idle {
			continue
		}
		ask, stop := context.WithTimeout(ctx, 20*time.Second)
		target, err := r.f.Find(ask)
		now := s.id
		if err == nil && target == s.id.LogTarget {
			now, err = r.p.identifyTarget(ask, target)
		} else if err == nil {
			now = containerID{LogTarget: target}
		}
		stop()
		if err == nil && now != s.id {
			cancel(errChanged)
			return
		}
	}
}

// cutTime cuts off the time that the kubelet puts in front of a line.
func cutTime(line []byte) (at time.Time, text []byte, ok bool) {
	word, rest, _ := bytes.Cut(line, []byte(" "))
	if len(word) < len("2006-01-02T15:04:05Z") || len(word) > 40 {
		return time.Time{}, nil, false
	}
	at, err := time.Parse(time.RFC3339Nano, string(word))
	return at, rest, err == nil
}

// wholeSeconds returns a time for the API, cut so that a resumed log repeats the second; nil for zero.
func wholeSeconds(t time.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	return &metav1.Time{Time: t.Truncate(time.Second)}
}
