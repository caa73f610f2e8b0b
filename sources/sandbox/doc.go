// Package sandbox stands in for a cluster's databases and traffic: one
// OVN_Northbound database per zone on a unix socket, with what Rung does not
// write itself (switches, pods' ports, the port groups of namespaces and of the
// cluster, the logging meter, some rows of others), and simulated connections
// between pods, decided by the live rows and written as ovn-controller would log
// them. Rows that were made up to be looked at carry the note rung=sandbox.
//
// Where there is an OVN, each zone runs on it (package ovn): connections are packets,
// the log is ovn-controller's.
//
// The databases are otherwise served by real ovsdb-servers where there is one, else by
// this process from memory; OVS's own tools work on both.
//
// Invariants: everything lies in one 0700 folder that an exclusive lock
// guards and a mark names as a sandbox's, with the names of the files that are
// made there: no other file is ever removed, and a folder that has others and no
// mark is not taken; child servers die with this process, however it ends; folders
// that dead instances left are removed at the next start; nothing here touches a
// database that it did not start. Whoever shows traffic says whether it is
// simulated or on OVN.
//
// It may import the model packages, sources/nbdb and sources/acllog; only
// engine imports it.
//
// The database in memory has the operations of RFC 7047 §5.2 on
// typed rows, with everything ovsdb-server checks and mends at the end of a
// transaction: references, rows that nobody refers to any more, weak references to rows
// that went, indexes, sizes.
//
// It stands in for libovsdb's database/inmemory, which was tried first: it takes
// numbers that the schema rules out, panics at a division by zero, and a transaction
// that is refused leaves its count of references wrong, so that ACLs outlive their port
// groups (docs/libovsdb.md). It gives the same answers as a real ovsdb-server
// to the same random transactions.
//
// Invariants: a row is never changed once it is in the database; a transaction that
// fails leaves no trace; nothing in a request can make it panic. It lacks: locks,
// waiting (a wait that does not hold now fails now), conditions on monitors,
// persistence.
//
// Runs zones on OVN itself: for each a Northbound and a Southbound
// database of OVN's own schemas, ovn-northd, ovn-controller and ovs-vswitchd on the
// dummy datapath, with the node's switch, router, join and transit switch. Packets
// are put in at a logical port and seen, or not, at others.
//
// FindTools looks for the programs, StartLab starts zones, Zone.WaitSynced waits until rows have
// become flows, Zone.Send puts packets in, Zone.WaitLogged waits for their log lines.
// Rows come from outside, as on a cluster: the sandbox's keeper and Rung's
// reconciler, or Zone.Transact. Every logical switch port of no special type gets a
// port on br-int as soon as its row is there, and loses it with the row.
//
// Invariants: everything lies in private folders that StartLab made, and RemoveLeftover
// removes only files with names of the lab's; every process dies with this one,
// however it ends; nothing touches the machine's own Open vSwitch, network or
// kernel, and no root rights are needed; a packet is recognised by a number it
// carries, never by its order.
//
// Beside the lab are the parts that every sandbox uses: the processes of its servers, which end
// with Rung however it ends and are started again when they die (NewProcess), and the rows of a
// zone that OVN-Kubernetes' other handlers would make, as operations.
//
// It may import the model packages, sources/nbdb, sources/acllog and the tools of sources; the
// sandbox and tests import it.
package sandbox
