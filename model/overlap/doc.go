// Package overlap says which pods and networks selectors, peers and rules mean in a
// cluster, and where two rules could meet: the one index of selectors for ladder,
// findings and whoever judges connections.
//
// Invariants: an index belongs to one cluster and answers each selector once, however
// many ask and from however many goroutines; what "may meet" is judged for pods that
// are not there yet, what "meets" for those that are.
//
// It imports model; whatever may import model may import it.
package overlap
