// Package engine is the console without a screen: it connects its parts, takes what sources deliver, and
// publishes revisions. It ends logging sessions in time, serves metrics and health checks, and publishes the report of
// an agent (rung observe).
//
//	zones     the loop, the zones and their options, ownership, Southbound databases
//	logs      ACL log lines, each with the rule behind it
//	lab       the sandbox, optional
//	statedir  the files below the state folder except history and audit
//
// Invariants: only functions run by the loop touch state; everybody else sends it a function. Object state is
// always delivered and coalesced. Log lines may be dropped, and are then counted. Logging sessions end through
// the gate; failed attempts are repeated, ever less often. Metrics read revisions and change nothing, and
// their number of series is bounded. Every goroutine and timer ends with Close. The engine builds without its
// optional parts.
//
// It may import everything below it and its parts; none of them imports it. ui and cli import it.
package engine
