// Package overlap says which pods and networks selectors, peers and rules mean in a
// cluster, and where two rules could meet: for ladder, findings and the code that
// judges connections. Selectors are matched by model/selectors, as in the compiler; the
// pods that two selectors have in common are the And of their sets, and its FirstPod a pod
// that shows the labels.
//
// Invariants: a PodIndex belongs to one cluster and answers each selector once, however
// many ask and from however many goroutines; "may meet" is judged for pods that are not
// there yet, "meets" for pods that are.
//
// It imports model and model/selectors; whatever may import model may import it.
package overlap
