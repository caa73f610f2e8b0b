package logline

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
	StreamEnded       StreamState = "read"         // a file that was read to its end
	StreamGone        StreamState = "deleted"      // a file that may return
	StreamFailed      StreamState = "failed"       // a file that cannot be read, see Error
)

// Stream is the stream of log lines from one node, or of one file.
type Stream struct {
	Zone                      string
	File                      string // its path; empty for the log of a pod
	Namespace, Pod, Container string // empty before the pod was found
	State                     StreamState
	Since                     time.Time // of State
	Last                      time.Time // of the newest line, by the node's clock
	// Lines are all lines read, ACLs those of acl_log, Gaps the places where
	// lines may be missing; TooLong and Odd are lines that were lost because of
	// their length or a form nobody knows, Lost those that came too fast.
	Lines, ACLs, Gaps  uint64
	TooLong, Odd, Lost uint64
	// Unseen are numbers of ovn-controller's lines that never came: it wrote them, and
	// they were lost on the way, or went to another of its outputs only. Meters leave no
	// such gap (ovn-kubernetes.md#lost-lines).
	Unseen   uint64
	Attempts int    // since it last stood
	Error    string // clean, one line, with the remedy where there is one
	// Behind is how many bytes of a file are not read yet; -1: unknown.
	Behind int64
}

// IsUp says whether lines come through the stream, or all came.
func (s *Stream) IsUp() bool { return s.State == StreamOpen || s.State == StreamEnded }

// LogGap is a place in a log where lines may be missing.
type LogGap struct {
	// From is the last line before it and To where the log goes on, by the
	// node's clock.
	From, To time.Time
	// Missing is at most how much time is not covered.
	Missing time.Duration
	Why     string // clean: "the log was rotated meanwhile"
	Cut     bool   // it is where a file was truncated
}

// String is the gap as a line of the log shows it.
func (g LogGap) String() string {
	s, much := "reconnected, ", "less than a second"
	if n := int64(g.Missing.Round(time.Second) / time.Second); n > 0 {
		much = fmt.Sprintf("%d s", n)
		if g.Cut {
			much = "up to " + much
		}
	}
	if g.Cut {
		s = "truncated, "
	}
	s += much + " missing"
	if g.Why != "" {
		s += ": " + g.Why
	}
	return s
}
