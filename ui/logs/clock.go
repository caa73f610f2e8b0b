package logs

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"rung/model/words"
)

// ClockMode is the clock for the times of lines.
type ClockMode int

const (
	Local ClockMode = iota
	UTC
	Relative
	Hidden
	clocks
)

// clockNames are the stored names of clocks.
var clockNames = [clocks]string{"", "utc", "age", "hidden"}

// ClockName returns the stored name of the clock, or empty for the local clock.
func (c ClockMode) ClockName() string { return clockNames[c] }

// ParseClock returns the clock of a name, the local clock if unknown.
func ParseClock(name string) ClockMode { return ClockMode(max(0, slices.Index(clockNames[:], name))) }

// TimeIn converts now to the clock: times of day in a filter mean the times on screen.
func (c ClockMode) TimeIn(now time.Time) time.Time {
	if c == UTC {
		return now.UTC()
	}
	return now
}

// Description names the times the page shows now.
func (c ClockMode) Description(now time.Time) string {
	switch c {
	case UTC:
		return "times in UTC"
	case Relative:
		return "times as age: how long ago"
	case Hidden:
		return "times hidden"
	}
	zone, _ := now.Zone()
	return "local times (" + zone + ")"
}

// stampForm says how much of a line's time is shown.
type stampForm int

const (
	full stampForm = iota
	seconds
	noStamp
)

// fullStamp returns the most detailed form of a clock.
func (c ClockMode) fullStamp() stampForm { return words.Choose(c == Hidden, noStamp, full) }

const (
	ageWidth = len("7m59s ago")
	dayForm  = "01-02 "
)

// stampWidth returns the width of the times of a shape.
func (s *LineShape) stampWidth() int {
	switch {
	case s.stamp == noStamp:
		return 0
	case s.clock == Relative:
		return ageWidth
	}
	n := words.Choose(s.stamp == full, len("15:04:05.000"), len("15:04:05"))
	if s.dated {
		n += len(dayForm)
	}
	if s.clock == UTC {
		n++
	}
	return n
}

// stampText formats a time for the shape. A UTC time ends with a Z, as in files.
func (s *LineShape) stampText(at, now time.Time) string {
	if s.stamp == noStamp {
		return ""
	}
	form, end := "15:04:05"+words.Choose(s.stamp == full, ".000", ""), ""
	switch s.clock {
	case Relative:
		return fmt.Sprintf("%*s", ageWidth, duration.HumanDuration(max(0, now.Sub(at)))+" ago")
	case UTC:
		at, end = at.UTC(), "Z"
	default:
		at = at.In(now.Location())
	}
	if s.dated {
		form = dayForm + form
	}
	return at.Format(form) + end
}

// otherDay reports whether a time is on another day than now, and so needs its date.
func (c ClockMode) otherDay(at, now time.Time) bool {
	if c == UTC {
		at, now = at.UTC(), now.UTC()
	} else {
		at = at.In(now.Location())
	}
	return at.YearDay() != now.YearDay() || at.Year() != now.Year()
}

// SecondText formats a time to the second, even if times are hidden.
func (c ClockMode) SecondText(at, now time.Time) string {
	if c == Hidden {
		c = Local
	}
	s := LineShape{clock: c, stamp: seconds, dated: c.otherDay(at, now)}
	return s.stampText(at, now)
}
