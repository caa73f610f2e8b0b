package logfile

// Passed is what lies below a folder and is not read.
type Passed struct {
	Folder string // as it was given, or found by a glob; not clean
	// Files is how many files there are, Other how many of them are not named as logs, or are
	// of pods that are not the network's.
	Files, Other int
	// Unread is how many folders could not be read; Err says why of the first.
	Unread int
	Err    error
	// Cut says that there are more than WalkMost, and that the rest was not looked at.
	Cut bool
}

// Some says whether anything was passed over.
func (p *Passed) Some() bool { return p.Other > 0 || p.Unread > 0 || p.Cut }
