// Package selectors resolves selectors, peers and rules to pods, namespaces and networks. Every distinct
// selector and label set exists once, and each pair is matched once.
//
// The compiler tracks pods and namespaces by (namespace, label class), event by event. Ladder, findings and
// guards ask a PodIndex, which keeps a set of pods per selector: And of two sets finds the pods that two
// selectors share, and FirstPod shows the labels.
//
// Invariants: equal selectors are one Selector, and equal label sets one Class while it is acquired; answers
// never change. Only the goroutine that follows a cluster calls AcquireClass, ReleaseClass and HeldClass;
// everything else is safe for concurrent use. A PodIndex belongs to one cluster. "May meet" includes future
// pods, "meets" only existing ones.
//
// It imports model; every package that may import model may import it.
package selectors
