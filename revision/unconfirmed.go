package revision

import (
	"fmt"
	"strings"
	"time"
)

// UnconfirmedChange is a change on trial that waits to be confirmed, by this Rung or another one on the same
// state folder. It does not change.
type UnconfirmedChange struct {
	// ID identifies the change; Title says what it does.
	ID, Title string
	// Until is when the change is reverted unless confirmed.
	Until time.Time
	// IsOver means that the time is over: it is being reverted.
	IsOver bool
	// Why says why it is not reverted yet; Rung retries.
	Why string
	// Partly says how much of a change was written before it was interrupted: "2 of 11 written, at 17:03".
	// Such a change is not on trial; it waits to be finished or undone.
	Partly string
	// File has the state to revert to, empty if kept in memory.
	File string
	// Ended is the outcome, empty while it waits. Kept means that the change stays, wholly or in part: it was
	// confirmed, or changed meanwhile.
	Ended string
	Kept  bool
	// FromEarlierRun means that an earlier run made it and ended before it was confirmed.
	FromEarlierRun bool
	// IsOwn means that this process reverts it; else process PID on Host does, 0 if none.
	IsOwn bool
	PID   int
	Host  string
}

// IsOpen reports whether the change waits to be confirmed or reverted.
func (u *UnconfirmedChange) IsOpen() bool { return u != nil && u.Ended == "" }

// TimeLeft returns the time left to confirm, rounded up to whole seconds.
func (u *UnconfirmedChange) TimeLeft(now time.Time) time.Duration {
	left := u.Until.Sub(now)
	if u.IsOver || left <= 0 {
		return 0
	}
	return (left + time.Second - 1).Truncate(time.Second)
}

// The values of Ended for confirmed changes.
const (
	TrialConfirmed          = "confirmed"
	TrialConfirmedElsewhere = "confirmed by another Rung"
)

// ChangeFinished is the value of Ended for an interrupted change that was finished later.
const ChangeFinished = "finished"

// ConfirmTimeText formats a time to confirm: "60s", "5m", "5m20s".
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

// HeaderText returns the state for the header: "reverts in 42s".
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

// Text returns a clause after the title: "not confirmed: reverts in 42s by another Rung (pid 4711)".
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
