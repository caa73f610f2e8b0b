// Package reach says what may connect to what, by workload: at which ports, and who decides; and
// what becomes of that from one revision to another. Ends are the workloads of the pods that
// policies are asked about, and blocks of addresses outside that policies tell apart.
//
// Invariants: what is said of two workloads holds for each pair of their pods, or is marked as
// holding for some. Pods on the network of their node are no ends: connections to them are
// those to the node's addresses, which are outside.
//
// engine, pages and what stands above them may import it; it imports revision,
// revision/connections and the model packages.
package reach
