// Package selectors says which pods, namespaces and networks a selector, a peer or a rule means.
// Every distinct selector and every distinct label set exists once, and each pair is matched once.
//
// The compiler follows pods and namespaces by (namespace, label class), event by event. Ladder,
// findings and guards ask a PodIndex, which keeps a set of pods per selector: the pods that two
// selectors share are the And of their sets, and FirstPod shows the labels.
//
// Invariants: equal selectors are one Selector, and equal label sets one Class while it is acquired;
// answers never change. AcquireClass, ReleaseClass and HeldClass belong to the one goroutine that
// follows a cluster; everything else may be called from any goroutine. A PodIndex belongs to one
// cluster. "May meet" is judged also for future pods, "meets" for existing ones.
//
// It imports model; whatever may import model may import it.
package selectors
