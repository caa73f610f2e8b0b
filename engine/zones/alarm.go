package zones

import "time"

// Slack is how much later than due it is looked: what is due at a time holds after it.
const Slack = time.Millisecond

// Alarm is something that the loop does at a time and not because somebody sends it.
// It is the loop's alone.
type Alarm struct {
	ringsAt time.Time // zero: it does not ring
	ring    func()
}

// NewAlarm makes one that does not ring yet.
func (l *Loop) NewAlarm(ring func()) *Alarm {
	a := &Alarm{ring: ring}
	l.alarms = append(l.alarms, a)
	return a
}

// Set makes it ring once, after d, and not when it would have before.
func (a *Alarm) Set(d time.Duration) { a.ringsAt = time.Now().Add(d) }

// Stop makes it not ring.
func (a *Alarm) Stop() { a.ringsAt = time.Time{} }

// nextAlarm is when the first alarm rings, zero where none does.
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

// Timer is a timer that may be set again and again. Its zero value never rings.
type Timer struct{ timer *time.Timer }

// Set makes it ring once, after d, and not when it would have before.
func (t *Timer) Set(d time.Duration) {
	t.Stop()
	t.timer = time.NewTimer(d)
}

// Stop makes it not ring.
func (t *Timer) Stop() {
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
}

// RingChannel returns the channel on which the timer rings, nil before Set and after Stop.
func (t *Timer) RingChannel() <-chan time.Time {
	if t.timer == nil {
		return nil
	}
	return t.timer.C
}
