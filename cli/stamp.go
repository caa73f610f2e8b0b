package cli

import (
	"rung/pages/page"
	"time"
)

// stamp is a time as the command line writes it, empty for none.
func stamp(at time.Time) string { return page.Stamp{Time: at}.String() }
