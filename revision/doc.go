// Package revision is what is read: one immutable state of everything Rung knows, and
// the questions it answers: the ladder joined with live rows, the facts of policies and
// rules, rows, who touches a pod, readiness, findings, differences between zones.
//
// Invariants: a Revision never changes and is read without a lock. What is costly is
// worked out when first asked for, once, and handed on to later revisions of the same
// objects. New is the only constructor; With is the revision as it will be after a
// change, and answers the same questions.
//
// It knows no loop, no writer and no screen. engine and its other rooms, ui and cli may
// import it; it imports settings, model and the compiler.
package revision

//go:generate go test . -run TestFindingsDoc -update
