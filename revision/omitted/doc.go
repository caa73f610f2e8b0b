// Package omitted says which omissions of a revision (model.Omission: what was refused, not
// read or assumed) could change an answer, so that the answer is given with them beside it.
//
// Invariants: what could change an answer is never left out; an omission is left out only
// where the answer is the same whatever stands in what was omitted. Of a connection that a rule
// decides, a refused policy that stands below the rule is such a one; an unreadable file never
// is.
//
// Whoever answers questions may import it: engine/trace, engine/verify, change/gate, and cli
// and ui for what they ask of a revision itself.
package omitted
