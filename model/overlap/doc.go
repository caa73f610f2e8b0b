// Package overlap says which pods and networks selectors, peers and rules mean in a
// cluster, and where two rules could meet: for ladder, findings and whoever judges
// connections. Who matches whom it asks model/selectors, as the compiler does; what two
// selectors have in common is the And of their sets, and its First a pod that shows the
// labels.
//
// Invariants: a PodIndex belongs to one cluster and answers each selector once, however
// many ask and from however many goroutines; what "may meet" is judged for pods that
// are not there yet, what "meets" for those that are.
//
// It imports model and model/selectors; whatever may import model may import it.
package overlap
