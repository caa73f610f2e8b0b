package preview

import "time"

// SetFollowTime changes how long the page waits for rows; the function puts it
// back.
func SetFollowTime(d time.Duration) func() {
	was := followTime
	followTime = d
	return func() { followTime = was }
}

// SetRestTime changes how long the page waits before it works a change out again; the
// function puts it back.
func SetRestTime(d time.Duration) func() {
	was := restTime
	restTime = d
	return func() { restTime = was }
}
