// Package engine is the console without a screen: it puts its parts together, takes in what
// sources deliver, and publishes revisions. It ends logging sessions in time, and serves metrics
// and health checks.
//
//	zones     the loop, the zones and their options, ownership, Southbound databases
//	logs      ACL log lines, each with the rule behind it
//	lab       the sandbox: an optional room
//	statedir  the files below the state folder except history and audit
//
// Invariants: state is touched by functions of the loop alone; everybody else sends it a function.
// Object state is always delivered and coalesced. Log lines may be dropped and are counted then.
// Logging sessions end through the gate; one that cannot be ended is tried again, ever less often.
// Metrics read revisions and change nothing, and their number of series is bounded. Every goroutine
// and timer ends with Close. The engine builds without its optional rooms.
//
// It may import everything below it and its parts, none of which imports it; ui and cli import it.
package engine
