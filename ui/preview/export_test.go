package preview

import "time"

// SetFollowTime changes how long the page waits for rows; the function puts it
// back.
func SetFollowTime(d time.Duration) func() {
	was := followTime
	followTime = d
	return func() { followTime = was }
}
