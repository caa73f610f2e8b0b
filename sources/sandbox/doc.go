// Package sandbox stands in for a cluster's databases and traffic. Each zone has an OVN_Northbound database on
// a unix socket. It contains the rows that Rung does not write: switches, pods' ports, port groups of
// namespaces and of the cluster, the logging meter, some rows of others. Simulated connections between pods
// are decided by the live rows and logged as ovn-controller would. Rows made up as examples carry the note
// rung=sandbox.
//
// If an OVN is found, each zone runs on it: connections are packets, and ovn-controller writes the log.
// Otherwise real ovsdb-servers serve the databases if installed, else this process does, from memory. OVS's
// own tools work on both.
//
// Invariants: all files are in one 0700 folder with an exclusive lock and a mark that lists the zones' file
// names. No other file is ever removed, and a folder with other files and no mark is rejected. Child processes
// die with this process, however it ends. The next start removes the folders of dead instances. Only databases
// started here are touched. The user interface shows whether traffic is simulated or on OVN.
//
// It may import the model packages, sources/nbdb, sources/acllog and the tools of sources; only engine/lab and
// tests import it.
//
// The database in memory (DB) runs the operations of RFC 7047 §5.2 on typed rows. At the end of a transaction
// it checks and corrects the same as ovsdb-server: references, unreferenced rows, weak references to deleted
// rows, indexes, sizes. It replaces libovsdb's database/inmemory, which accepts numbers outside the schema's
// range and panics on a division by zero. A rejected transaction also corrupts its reference counts, so that
// ACLs outlive their port groups (docs/libovsdb.md). DB gives the same answers as a real ovsdb-server to the
// same random transactions. Rows in it never change, a failed transaction leaves no trace, and no request
// makes it panic. It lacks locks, waiting (an unmet wait fails at once), conditions on monitors, and
// persistence.
//
// A zone on OVN has a Northbound and a Southbound database with OVN's own schemas. It runs ovn-northd,
// ovn-controller, and ovs-vswitchd on the dummy datapath. It has the node's switch, router, join and transit
// switch. Packets are sent at a logical port and observed at others. FindTools finds the programs and Lab makes
// the zones. Zone.WaitSynced waits until rows have become flows, Zone.Send sends packets, and
// Zone.WaitLogged waits for their log lines. Rows come from the sandbox's keeper and Rung's reconciler, as on
// a cluster, or from Zone.Transact. Every logical switch port without a type has a port on br-int while its
// row exists. Packets are identified by a number they carry, never by their order. The machine's own Open
// vSwitch, network and kernel are not touched, and root rights are not needed. RemoveLeftover removes only
// files with names of the lab's.
package sandbox
