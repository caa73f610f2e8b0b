package revision

import (
	"fmt"
	"strings"
	"time"
)

// UnconfirmedChange is a change that was made on trial and waits to be confirmed, by this Rung
// or by another one on the same state folder. It does not change.
type UnconfirmedChange struct {
	// ID tells this change from all others that waited; Title says what it does.
	ID, Title string
	// Until is when the change is put back unless it was confirmed.
	Until time.Time
	// IsOver says that the time is over: it is being put back.
	IsOver bool
	// Why says why it could not be put back yet; it is tried again.
	Why string
	// Partly says of a change that is not on trial that it was killed while it was made, and
	// how much of it stands: "2 of 11 written, at 17:03". It waits to be finished or undone.
	Partly string
	// File has what it is put back to, empty where that is kept in memory.
	File string
	// Ended says what became of it, and is empty as long as it waits. Kept says that it
	// stands, wholly or in part: it was confirmed, or was changed meanwhile.
	Ended string
	Kept  bool
	// FromEarlierRun says that an earlier run made it, which ended before it was confirmed.
	FromEarlierRun bool
	// IsOwn says that this process puts it back. Another one is PID, on Host, as long as it
	// runs; 0 is nobody.
	IsOwn bool
	PID   int
	Host  string
}

// IsOpen says whether a change waits to be confirmed or put back.
func (u *UnconfirmedChange) IsOpen() bool { return u != nil && u.Ended == "" }

// TimeLeft is how long there is to confirm it, in whole seconds, the one that runs counted.
func (u *UnconfirmedChange) TimeLeft(now time.Time) time.Duration {
	left := u.Until.Sub(now)
	if u.IsOver || left <= 0 {
		return 0
	}
	return (left + time.Second - 1).Truncate(time.Second)
}

// The outcomes of a change that was confirmed, in Ended.
const (
	TrialConfirmed          = "confirmed"
	TrialConfirmedElsewhere = "confirmed by another Rung"
)

// ChangeFinished is the outcome, in Ended, of a change whose rest was made after its
// process was killed.
const ChangeFinished = "finished"

// ConfirmTimeText is a time to confirm a change in, as people write it: "60s", "5m", "5m20s".
func ConfirmTimeText(d time.Duration) string {
	switch {
	case d <= 2*time.Minute:
		return fmt.Sprintf("%.3gs", d.Seconds())
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d%time.Minute == 0:
		return strings.TrimSuffix(d.String(), "0s")
	}
	return d.String()
}

// HeaderText is how it stands, for the header: "reverts in 42s".
func (u *UnconfirmedChange) HeaderText(now time.Time) string {
	switch left := u.TimeLeft(now); {
	case u.Partly != "":
		what, _, _ := strings.Cut(u.Partly, ",")
		return what
	case u.Why != "":
		return "not reverted yet"
	case left == 0:
		return "reverting"
	default:
		return "reverts in " + ConfirmTimeText(left)
	}
}

// Text is how it stands, as a clause after its title: "not confirmed: reverts in 42s
// by another Rung (pid 4711)".
func (u *UnconfirmedChange) Text(now time.Time) string {
	if u.Ended != "" {
		return u.Ended
	}
	if u.Partly != "" {
		text := u.Partly + ": finish, or undo"
		if u.Why != "" {
			text += " (" + u.Why + ")"
		}
		return text
	}
	by := ""
	if !u.IsOwn && u.PID != 0 {
		by = fmt.Sprintf(" by another Rung (pid %d", u.PID)
		if u.Host != "" {
			by += " on " + u.Host
		}
		by += ")"
	}
	text := "not confirmed: " + u.HeaderText(now) + by
	if u.Why != "" {
		text += ": " + u.Why
	}
	return text
}
