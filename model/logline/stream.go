package logline

import (
	"fmt"
	"time"
)

// StreamState tells whether a log source delivers lines.
type StreamState string

// The states of a stream.
const (
	StreamWaiting     StreamState = "waiting"    // waits for its turn to connect
	StreamOpening     StreamState = "connecting" //
	StreamOpen        StreamState = "streaming"  //
	StreamLost        StreamState = "lost"       // will be tried again, see Error
	StreamDenied      StreamState = "no permission"
	StreamNoPod       StreamState = "no pod"       // no ovnkube-node pod on the node
	StreamNoContainer StreamState = "no container" // no container of the pod writes ACL lines
	StreamEnded       StreamState = "read"         // a file read to its end
	StreamGone        StreamState = "deleted"      // a file that may return
	StreamFailed      StreamState = "failed"       // a file that cannot be read, see Error
)

// Stream describes a source of log lines: a node or a file.
type Stream struct {
	Zone                      string
	File                      string // its path; empty for the log of a pod
	Namespace, Pod, Container string // empty until the pod is found
	State                     StreamState
	Since                     time.Time // of State
	Last                      time.Time // of the newest line, by the node's clock
	// Counts: all lines, acl_log lines, and gaps where lines may be missing; then lines lost because they were
	// too long, had an unknown form, or came too fast.
	Lines, ACLs, Gaps       uint64
	TooLong, Unparsed, Lost uint64
	// Unseen counts message numbers of ovn-controller that never came: lost on the way, or written to another
	// of its outputs only. Meters leave no such gap (ovn-kubernetes.md#lost-lines).
	Unseen   uint64
	Attempts int    // since it was last open
	Error    string // clean, one line, with the remedy if known
	// Behind is the unread rest of a file in bytes; -1 if unknown.
	Behind int64
}

// IsUp reports whether lines are coming, or all came.
func (s *Stream) IsUp() bool { return s.State == StreamOpen || s.State == StreamEnded }

// LogGap is a place in a log where lines may be missing.
type LogGap struct {
	// From is the time of the last line before the gap, To of the first after it, by the node's clock.
	From, To time.Time
	// Missing is the longest time for which lines may be missing.
	Missing time.Duration
	Why     string // clean: "the log was rotated meanwhile"
	Cut     bool   // the file was truncated
}

// String returns the gap as a line of the log.
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
