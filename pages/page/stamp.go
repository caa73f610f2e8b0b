package page

import (
	"time"

	"rung/model"
)

// Stamp is a time as in JSON.
type Stamp = model.Stamp

// StampText returns a time as on the command line, empty if zero.
func StampText(at time.Time) string { return Stamp{Time: at}.String() }
