package words

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// Age is a duration as kubectl says it: "4s", "12m", "3h", "2d". A moment that lies
// ahead, by another machine's clock, is now.
func Age(d time.Duration) string { return duration.ShortHumanDuration(max(d, 0)) }

// Clock is a moment of today as people read it; of another day with its date.
func Clock(t, now time.Time) string {
	switch {
	case t.IsZero():
		return "never"
	case t.YearDay() == now.YearDay() && t.Year() == now.Year():
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04")
}

// Left is a time to go, in the unit that matters: "14 min".
func Left(d time.Duration) string {
	switch {
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d >= 2*time.Minute:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d s", d/time.Second)
}

// Lasted is how long something has been so, in whole units: "12 s", "4 min", "3 h".
func Lasted(d time.Duration) string {
	d = max(0, d)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}
