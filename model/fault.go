package model

import "time"

// Fault is what is wrong below a zone's rows, where they become flows: a process that
// does not run or does not answer.
type Fault struct {
	What  string // a process by its name; "OVN" for all of them
	State string // "died", "stopped", "does not answer", "not up yet", "did not start"
	Since time.Time
	Error string // why, clean; empty where nobody knows
}

// Text is the fault in a few words, without its time: "ovn-northd died: signal: killed".
func (f *Fault) Text() string {
	text := f.What + " " + f.State
	if f.Error != "" {
		text += ": " + f.Error
	}
	return text
}
