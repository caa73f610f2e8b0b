// Package zones has the zones of an engine: which there are, followed over one connection
// each or swept (read now and then), their reconcilers, and how they were judged.
//
// Invariants: a Set is the loop's alone but for what locks itself; what reads and judges
// runs beside the loop and hands over what it found; a zone that is not followed keeps its
// judgement and not its rows; a change and "in sync" never stand side by side because a
// zone was not looked at yet.
//
// The engine and its parts that need zones import it; it imports engine/loop,
// engine/ownership, reconciler, and sources/nbdb for the zones given by address.
//
// Is the goroutine that owns what changes in an engine: it runs the
// functions that are sent to it one after the other and publishes a revision when
// something changed, so that a burst of changes becomes few revisions.
//
// Invariants: what the parts of an engine (zones, objects, Southbound databases …) keep
// without a lock is touched by functions of the loop alone; the loop waits for nobody.
// Every goroutine that Go starts, and every alarm, ends with Close.
//
// The engine and its parts import it; it imports revision and model.
//
// Says whether rows may be written in zones that are not Rung's own:
// who else may write there, by pods, nodes and Leases, and what is reported of it.
//
// Invariants: it fails closed, so that who does not know that nobody else writes does not
// write; whether rows change by another writer is watched by the reconciler, which sees
// them first; what is reported when a Lease ends is the next holder's.
//
// The engine and its zones import it; it imports engine/loop, reconciler, revision and
// sources/kube.
//
// Finds out the options of the zones' OVN-Kubernetes and the network
// plugin whose precedence holds: by flags, by the cluster's configuration, and by the rows
// of others. Policies are compiled for the options of most zones; rows that cannot be
// compared with the desired ones are reported as such.
//
// Invariants: Dialects belongs to the loop alone, except for the methods that read rows
// beside it; a zone's first rows are never judged without their dialect; options change
// seldom, since all is compiled anew then.
//
// The engine imports it; it imports engine/loop, engine/zones, compiler, revision
// and sources/kube.
//
// Reads what lies below the Northbound databases of zones: their Southbound
// databases with the logical flows, the meters of the datapath, and what programs print in
// the ovnkube-node pods.
//
// Invariants: a Southbound database is followed only while somebody wants its flows; rows
// and flows are held against each other beside the loop, from revisions; nothing is
// written.
//
// The engine and its parts import it; it imports engine/loop, engine/zones, engine/logs,
// revision and the sources it reads.
//
// Says what an engine gives to its optional rooms, and what it asks of
// them: the sandbox, and ovn-trace. The engine is built without them; whoever wires it
// puts them into its configuration.
//
// Invariants: an engine without a room has nothing of it; a room keeps its own state,
// and what of it the loop is asked for is the loop's alone.
//
// The engine and the rooms import it; it imports the parts of an engine.
//
// Reads zones once more through libovsdb, and says how what it reads
// differs from what Rung's own client has.
//
// Invariants: it is an optional room, which the engine does not import; libovsdb runs in a
// child process, and nothing is written.
//
// cli imports it; it imports engine/zones, revision and sources/nbdb/second.
package zones
