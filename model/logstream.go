package model

import (
	"fmt"
	"time"
)

// StreamState is how the following of one node's log stands.
type StreamState string

// The states of a stream.
const (
	StreamWaiting     StreamState = "waiting"    // its turn to connect has not come
	StreamOpening     StreamState = "connecting" //
	StreamOpen        StreamState = "streaming"  //
	StreamLost        StreamState = "lost"       // tried again, see Error
	StreamDenied      StreamState = "no permission"
	StreamNoPod       StreamState = "no pod"       // no ovnkube-node pod on the node
	StreamNoContainer StreamState = "no container" // the pod has none that writes ACL lines
)

// LogStream is the stream of log lines from one node.
type LogStream struct {
	Zone                      string
	Namespace, Pod, Container string // empty before the pod was found
	State                     StreamState
	Since                     time.Time // of State
	Last                      time.Time // of the newest line, by the node's clock
	// Lines are all lines read, ACLs those of acl_log, Gaps the places where
	// lines may be missing; TooLong and Odd are lines that were lost because of
	// their length or a form nobody knows, Lost those that came too fast.
	Lines, ACLs, Gaps  uint64
	TooLong, Odd, Lost uint64
	Attempts           int    // since it last stood
	Error              string // clean, one line, with the remedy where there is one
}

// Up says whether lines come through the stream.
func (s *LogStream) Up() bool { return s.State == StreamOpen }

// LogGap is a place in a log where lines may be missing.
type LogGap struct {
	// From is the last line before it and To where the log goes on, by the
	// node's clock.
	From, To time.Time
	// Missing is at most how much time is not covered.
	Missing time.Duration
	Why     string // clean: "the log was rotated meanwhile"
}

// String is the gap as a line of the log shows it.
func (g LogGap) String() string {
	s := "less than a second"
	if n := int64(g.Missing.Round(time.Second) / time.Second); n > 0 {
		s = fmt.Sprintf("%d s", n)
	}
	s = "reconnected, " + s + " missing"
	if g.Why != "" {
		s += ": " + g.Why
	}
	return s
}
