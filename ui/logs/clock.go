package logs

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// ClockMode is by which clock the times of lines are shown.
type ClockMode int

const (
	Local ClockMode = iota
	UTC
	Relative
	Hidden
	clocks
)

// clockNames are the names by which clocks are kept.
var clockNames = [clocks]string{"", "utc", "age", "hidden"}

// ClockName is the name by which the clock is kept, empty for that of this machine.
func (c ClockMode) ClockName() string { return clockNames[c] }

// ClockOf is the clock of a name, that of this machine where there is none.
func ClockOf(name string) ClockMode { return ClockMode(max(0, slices.Index(clockNames[:], name))) }

// NextClock is the clock after this one; after the last comes the first.
func (c ClockMode) NextClock() ClockMode { return (c + 1) % clocks }

// TimeIn is a moment by the clock: times of day in a filter are those on the screen.
func (c ClockMode) TimeIn(now time.Time) time.Time {
	if c == UTC {
		return now.UTC()
	}
	return now
}

// ToldText says in which times the page is now.
func (c ClockMode) ToldText(now time.Time) string {
	switch c {
	case UTC:
		return "times in UTC"
	case Relative:
		return "times as age: how long ago"
	case Hidden:
		return "times hidden"
	}
	zone, _ := now.Zone()
	return "times of this machine (" + zone + ")"
}

// stampForm says how much of a line's time is shown.
type stampForm int

const (
	full stampForm = iota
	seconds
	none
)

// fullStamp is the most that is shown by a clock.
func (c ClockMode) fullStamp() stampForm {
	if c == Hidden {
		return none
	}
	return full
}

const (
	ageWidth = len("7m59s ago")
	dayForm  = "01-02 "
)

// stampWidth is how wide the times of a shape are.
func (s *LineShape) stampWidth() int {
	n := 0
	switch {
	case s.stamp == none:
		return 0
	case s.clock == Relative:
		return ageWidth
	case s.stamp == full:
		n = len("15:04:05.000")
	default:
		n = len("15:04:05")
	}
	if s.dated {
		n += len(dayForm)
	}
	if s.clock == UTC {
		n++
	}
	return n
}

// stampText is a time as the shape shows it. In UTC it ends with a Z, as in files.
func (s *LineShape) stampText(at, now time.Time) string {
	if s.stamp == none {
		return ""
	}
	form, end := "15:04:05", ""
	switch s.clock {
	case Relative:
		return fmt.Sprintf("%*s", ageWidth, duration.HumanDuration(max(0, now.Sub(at)))+" ago")
	case UTC:
		at, end = at.UTC(), "Z"
	default:
		at = at.In(now.Location())
	}
	if s.stamp == full {
		form += ".000"
	}
	if s.dated {
		form = dayForm + form
	}
	return at.Format(form) + end
}

// otherDay says whether a time is of another day than now by a clock: it is shown with
// its date then.
func (c ClockMode) otherDay(at, now time.Time) bool {
	if c == UTC {
		at, now = at.UTC(), now.UTC()
	} else {
		at = at.In(now.Location())
	}
	return at.YearDay() != now.YearDay() || at.Year() != now.Year()
}

// SecondText is a time to its second, also where times are hidden.
func (c ClockMode) SecondText(at, now time.Time) string {
	if c == Hidden {
		c = Local
	}
	s := LineShape{clock: c, stamp: seconds, dated: c.otherDay(at, now)}
	return s.stampText(at, now)
}
