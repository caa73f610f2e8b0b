package page

import (
	"time"
)

// StampText is a time as the command line writes it, empty for none.
func StampText(at time.Time) string { return Stamp{Time: at}.String() }
