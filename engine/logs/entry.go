package logs

import (
	"time"

	"rung/model"
	"rung/model/logline"
)

// Entry is one log line, with the deciding rule and both ends. It never changes.
type Entry struct {
	Seq  uint64 // counts from 1
	At   time.Time
	Line logline.Line
	// Rule is the rule that decided. Attributed is false for an unknown rule; Rule then has what the name
	// gives away.
	Rule       logline.RuleRef
	Attributed bool
	// Candidates lists the first few candidate rules if name and packet leave several; CandidateCount is the number of
	// candidates.
	Candidates     []logline.RuleRef
	CandidateCount int
	// Gone says that the policy does not exist now, or has no rule of that number.
	Gone     string
	RuleName string // the rule's own name, or empty
	Action   string // "allowed", "dropped", "rejected", "passed"
	Src, Dst End
	// Late means that it arrived after later lines of other nodes.
	Late bool
	// Gap, if set, makes this a place where lines may be missing; Line then has only time and zone.
	Gap *logline.LogGap
}

// End is an end of a logged connection.
type End struct {
	// Key is the Pod, Node or Service that had the address when the line was written; zero if none had it, or
	// if unknown.
	Key  model.Key
	Addr string
	// Note is empty without a cluster, "outside" for an address nobody in it has, "gone" if Key had the
	// address until Gone, "now" if Key has it now and nobody watched at that time, "later" if Later has it now
	// and did not exist then, "no longer known", or how Key has it: "host network", "completed", "management
	// port", "gateway router".
	Note  string
	Gone  time.Time
	Later model.Key
	// Network is the rule's network that contains the outside address; empty if the rule names none or
	// everything.
	Network string
}

// IsOutside reports whether nobody in the cluster has the address.
func (d *End) IsOutside() bool { return d.Note == NoteOutside }

// The notes of an End.
const (
	NoteOutside   = "outside"
	noteGone      = "gone"
	noteNow       = "now"
	noteLater     = "later"
	noteUnknown   = "no longer known"
	NoteHost      = "host network"
	noteCompleted = "completed"
	noteMgmt      = "management port"
	noteGateway   = "gateway router"
)
