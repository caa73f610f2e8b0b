package logs

import (
	"time"

	"rung/model"
	"rung/model/logline"
)

// Entry is one log line and what is known about it. It is never changed.
type Entry struct {
	Seq  uint64 // counts from 1
	At   time.Time
	Line logline.Line
	// Rule is the rule that decided. Attributed is false when it could not be
	// found; Rule is then as much of it as the name gives away.
	Rule       logline.RuleRef
	Attributed bool
	// Among are the rules it may be where the name and the packet do not tell which
	// one: the first few, and how many there are.
	Among    []logline.RuleRef
	AmongAll int
	// Gone says that the policy does not exist now, or that it has no rule of that number.
	Gone     string
	RuleName string // the rule's own name, empty when it has none
	Action   string // "allowed", "dropped", "rejected", "passed"
	Src, Dst End
	// Late says that lines of other nodes with a later time came before it.
	Late bool
	// Gap, when set, is no line but a place where lines may be missing; Line then
	// has its time and zone only.
	Gap *logline.LogGap
}

// End is one end of a logged connection.
type End struct {
	// Key is the Pod, Node or Service that had the address when the line was written;
	// zero when none had it, or nobody knows.
	Key  model.Key
	Addr string
	// Note is empty where no cluster is known, "outside" for an address nobody in it has,
	// "gone" for one that Key had until Gone, "now" where Key has it now and nobody watched
	// when the line was written, "later" where Later has it now and did not exist then, "no
	// longer known", or how Key has it: "host network", "completed", "management port",
	// "gateway router".
	Note  string
	Gone  time.Time
	Later model.Key
	// Network is the rule's network that the outside address is in, empty where the
	// rule names none or everything.
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
