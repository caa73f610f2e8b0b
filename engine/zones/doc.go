// Package zones keeps the zones of an engine: which zones exist, whether each is followed over a connection or
// swept (read now and then), its reconciler, and its last judgement.
//
//	Loop            the goroutine that owns mutable state, and publishes revisions
//	Set             the zones
//	Owners          who else may write a zone's rows: pods, nodes, Leases, reports
//	Dialects        the options of the zones' OVN-Kubernetes, and whose precedence holds
//	Southbounds     Southbound databases with logical flows, followed while somebody looks
//	RunMeters, Pods meters of the datapath, and programs in ovnkube-node pods
//	Parts           the parts of an engine for the sandbox and ovn-trace
//	agentReports    zones judged by the agents on their nodes: neither followed nor swept, unless somebody opens them
//	ReadZones       zones read once more by libovsdb, in a child process
//
// Invariants: only functions of the Loop touch state without a lock, and the Loop never waits. Reading and
// judging run beside the Loop and hand over their results. Every goroutine and alarm ends with Close.
// Ownership fails closed: without proof that nobody else writes, Rung does not write. A zone that is not
// followed keeps its judgement but not its rows. A zone's first rows are never judged without their options.
// Only Northbound databases are written.
//
// The engine and its optional parts import it; it imports reconciler, revision and sources.
package zones
