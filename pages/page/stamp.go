package page

import (
	"strconv"
	"time"
)

// Stamp is a moment as JSON has it: in UTC, to the millisecond; empty for none.
type Stamp struct{ time.Time }

// String is the moment as the command line writes it.
func (s Stamp) String() string {
	if s.IsZero() {
		return ""
	}
	return s.UTC().Format("2006-01-02T15:04:05.000Z")
}

// MarshalJSON writes the text of the moment.
func (s Stamp) MarshalJSON() ([]byte, error) { return strconv.AppendQuote(nil, s.String()), nil }

// StampText is a time as the command line writes it, empty for none.
func StampText(at time.Time) string { return Stamp{Time: at}.String() }
