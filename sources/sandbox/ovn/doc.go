// Package ovn runs zones on OVN itself: for each a Northbound and a Southbound
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
// It may import the model packages, sources/nbdb, sources/acllog, the tools of
// sources, and child and rows beside it; the sandbox and tests import it.
//
// It also makes the rows of a zone that OVN-Kubernetes' other handlers would
// make: the first ones of a node, a pod's port, the ids of a namespace's port group,
// the switches, ports and groups of networks besides the default one, tier 0, the lab's routers.
// The sandbox's keeper writes them, and the OVN lab its first ones and its routers. It also
// makes the file of a database without rows.
//
// Invariant: it only makes operations and bytes; nothing is read or written here.
//
// It may import the model packages; only the sandbox's packages import it.
//
// It also runs the sandbox's servers and daemons as processes that end
// with this one, however it ends: by PDEATHSIG where the kernel has it, else by a
// watchdog that notices a broken pipe.
//
// Invariants: a child never outlives Rung, killed with SIGKILL or not; Close
// returns when the process is gone; a process that died is started again until
// Close, and each change of its state is reported.
//
// It may import model/words and the tools of sources; only the sandbox's packages
// import it.
package ovn
