package page

import (
	"time"

	"rung/model"
)

// StampText returns a time as on the command line, empty if zero.
func StampText(at time.Time) string { return model.Stamp{Time: at}.String() }
