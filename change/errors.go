package change

import "errors"

// Why the gate does not make a change. They are compared with errors.Is.
var (
	// ErrBlocked: the change cannot be made as it is: read-only, not valid, a
	// conflict, or nothing to do. Preview.Blocked says which.
	ErrBlocked = errors.New("cannot be done")
	// ErrStale: the change is not the one that was read any more. A StaleError
	// says what is different and has the preview as it is now.
	ErrStale = errors.New("changed since the preview")
	// ErrNotConfirmed: nobody said yes, or the name that had to be typed was not.
	ErrNotConfirmed = errors.New("not confirmed")
	// ErrNotRecorded: the change was made, and the audit or the history could not
	// be written. A Result comes with it.
	ErrNotRecorded = errors.New("the change was made, but not written down")
)
