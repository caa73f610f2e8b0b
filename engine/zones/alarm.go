package zones

import "time"

// DueTolerance is added to due times: a condition due at a time holds only after it.
const DueTolerance = time.Millisecond

// Alarm runs a function in the loop at a set time. Only the loop may use it.
type Alarm struct {
	ringsAt time.Time // zero: not set
	ring    func()
}

// NewAlarm returns an alarm that is not set.
func (l *Loop) NewAlarm(ring func()) *Alarm {
	a := &Alarm{ring: ring}
	l.alarms = append(l.alarms, a)
	return a
}

// Set makes it ring once, after d, and replaces an earlier time.
func (a *Alarm) Set(d time.Duration) { a.ringsAt = time.Now().Add(d) }

// Stop clears the alarm.
func (a *Alarm) Stop() { a.ringsAt = time.Time{} }

// nextAlarm returns when the first alarm rings; zero if none is set.
func (l *Loop) nextAlarm() (first time.Time) {
	for _, a := range l.alarms {
		if !a.ringsAt.IsZero() && (first.IsZero() || a.ringsAt.Before(first)) {
			first = a.ringsAt
		}
	}
	return first
}

func (l *Loop) ringAlarms(now time.Time) {
	for _, a := range l.alarms {
		if !a.ringsAt.IsZero() && !a.ringsAt.After(now) {
			a.Stop()
			a.ring()
		}
	}
}

// stoppedTimer returns a timer that rings only after a Reset.
func stoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}
