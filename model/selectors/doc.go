// Package selectors is the one index of selectors and label classes: every distinct
// selector once, every distinct label set once, and who matches whom, found out once.
// The compiler follows pods and namespaces with it, event by event; findings, ladder
// and guards ask it through model/overlap, which adds what needs a whole cluster: sets
// of pods, networks, ports.
//
// Which pods a pair of selectors means is for its users, as they need it differently:
// the compiler keeps pods by (namespace, label class) and tells what an event changes;
// model/overlap keeps a set of pods per selector, so that two sets meet at the price of
// a few words of bits.
//
// Invariants: equal selectors are one Selector, and equal label sets one Class while it is
// acquired; answers never change. AcquireClass, ReleaseClass and HeldClass belong to the one goroutine
// that follows a cluster; everything else may be called from any goroutine, meanwhile too.
//
// It imports model; whatever may import model may import it.
package selectors
