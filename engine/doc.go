// Package engine is the console without a screen: it puts its parts together, takes in
// what sources deliver, and publishes revisions.
//
//	loop        the one goroutine that owns what changes; what it publishes
//	zones       the zones, followed and swept, and how they were judged
//	dialects    what the zones' OVN-Kubernetes runs with, and whose precedence holds
//	ownership   who may write a zone that is not Rung's own
//	below       Southbound databases, meters, programs in pods
//	sessions    logging sessions, ended by their time
//	health      metrics and health checks
//	logs        ACL log lines, each with the rule behind it
//	rooms       what optional rooms are given: lab (the sandbox) and ovntrace
//	source      what delivers objects
//	statedir    the files below the state folder that are no history and no audit
//
// Invariants: what is in state is touched by functions of the loop alone; whoever is not
// the loop sends it a function. Object state is delivered always and coalesced, log lines
// may be dropped and are counted then. Every goroutine and timer ends with Close. The
// engine builds without its optional rooms.
//
// It may import everything below it (compiler, reconciler, sources, model) and its parts,
// of which none imports it; ui and cli import it.
//
// Ends the logging sessions whose time is over, and remembers those that
// ended, whoever ended them.
//
// Invariants: it changes nothing but through the gate; a session that could not be ended
// is tried again, ever more seldom.
//
// The engine imports it; it imports engine/loop, change/gate and revision.
//
// Is how an engine is, for those who watch it by HTTP: metrics, /healthz
// and /readyz, and the list of what is left unwritten.
//
// Invariants: it reads revisions and changes nothing; the number of series is bounded,
// whatever log lines say.
//
// The engine makes it, cli serves it; it imports engine/loop, engine/ownership,
// engine/logs and revision.
package engine
