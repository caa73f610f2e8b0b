// Package system says in what network plugins differ: whose order of precedence holds, how a
// rule becomes a verdict, what findings are of, which features, pages and actions there are
// and why not, and the words. Each plugin is one System, in a file of its own: OVN, Antrea.
// What a plugin needs more code for stands in packages that its System names: the compiler and
// model/ovn for OVN-Kubernetes, model/antrea for Antrea.
//
// Invariants: a System is data and pure functions, and never changes. It is chosen once, where
// objects are read (Decide), and is in every revision. Whoever asks asks for what there is,
// never which plugin it is.
//
// It imports model and the built-in clusters. The revision and whatever stands above import it.
package system
