// Package codes names the findings: each code, its two or three words for where a sentence has no
// room, and which of several is worth naming first.
//
// Invariants: a code never changes, since scripts and annotations name it.
//
// It imports model/antrea; whoever tells findings imports it.
package codes
