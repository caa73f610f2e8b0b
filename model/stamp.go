package model

import (
	"strconv"
	"time"
)

// Stamp is a time as in JSON: UTC with milliseconds, empty if zero.
type Stamp struct{ time.Time }

// String returns the time as on the command line.
func (s Stamp) String() string {
	if s.IsZero() {
		return ""
	}
	return s.UTC().Format("2006-01-02T15:04:05.000Z")
}

// MarshalJSON returns String as JSON.
func (s Stamp) MarshalJSON() ([]byte, error) { return strconv.AppendQuote(nil, s.String()), nil }
