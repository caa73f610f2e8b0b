// Package revision is what is read: one immutable state of everything Rung knows, with what
// follows from the objects alone: who is selected, the ladder, the desired rows, verdicts.
//
// Invariants: a Revision never changes and is read without a lock. What is costly is
// worked out when first asked for, once, and handed on to later revisions of the same
// objects. New is the only constructor; With is the revision as it will be after a
// change, and answers the same questions. The questions are functions of the packages
// below: policies, liverows, flows, finding, connections, omitted. They keep what they
// worked out in the revision (Shared, Carried), which knows none of them.
//
// It knows no loop, no writer and no screen. Everything above may import it; it imports
// settings, model and the compiler.
package revision
