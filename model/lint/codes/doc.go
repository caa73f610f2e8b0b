// Package codes is the registry of findings: of each kind its code, severity, sentence, short form
// and remedy, in the order in which they are worth naming.
//
// Invariants: a code never changes, since scripts and annotations name it.
//
// It imports model and model/antrea; whoever tells findings imports it.
package codes
