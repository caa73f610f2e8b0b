// Package omitted says which omissions of a revision (model.Omission: what was refused, not
// read or assumed) could change an answer, so that the answer is given with them beside it.
//
// Invariants: an omission that could change an answer is never left out. One is left out only
// where the answer is the same whatever the omitted object says: for a connection that a rule
// decides, a refused policy below the rule is left out, an unreadable file never.
//
// All packages that answer questions may import it: engine/trace, engine/verify, change/gate,
// and cli and ui for their own questions to a revision.
package omitted
