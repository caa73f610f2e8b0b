// Package zones keeps the zones of an engine: which zones exist, whether each is followed over a
// connection or swept (read now and then), its reconciler, and its last judgement.
//
//	Loop            the goroutine that owns what changes, and publishes revisions
//	Set             the zones
//	Owners          who else may write a zone's rows: pods, nodes, Leases, reports
//	Dialects   the options of the zones' OVN-Kubernetes, and whose precedence holds
//	Southbounds     Southbound databases with logical flows, followed while somebody looks
//	RunMeters, Pods meters of the datapath, and programs in ovnkube-node pods
//	Parts           what an engine gives to the sandbox and ovn-trace, and asks of them
//	ReadZones       zones read once more by libovsdb, in a child process
//
// Invariants: state without a lock is touched by functions of the Loop alone, and the Loop waits
// for nobody. Reading and judging run beside the Loop and hand over what they found. Every
// goroutine and alarm ends with Close. Ownership fails closed: without proof that nobody else
// writes, Rung does not write. A zone that is not followed keeps its judgement and not its rows.
// A zone's first rows are never judged without their options. Nothing below a Northbound database
// is written.
//
// The engine and its rooms import it; it imports reconciler, revision and sources.
package zones
