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
// Beside the lab are the parts that every sandbox uses: the processes of its servers, which end
// with Rung however it ends and are started again when they die (NewProcess), and the rows of a
// zone that OVN-Kubernetes' other handlers would make, as operations.
//
// It may import the model packages, sources/nbdb, sources/acllog and the tools of sources; the
// sandbox and tests import it.
package ovn
