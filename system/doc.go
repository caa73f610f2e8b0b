// Package system holds the differences between network plugins: the order of precedence, how a
// rule becomes a verdict, what findings are of, which features, pages and actions exist or why
// not, and the words. Each plugin is one System, in a file of its own: OVN, Antrea. Larger code
// of a plugin stands in packages that its System names: the compiler and model/ovn for
// OVN-Kubernetes, model/antrea for Antrea.
//
// Invariants: a System is data and pure functions, and never changes. It is chosen once, where
// objects are read (ChooseSystem), and is in every revision. Callers ask whether a feature exists,
// never which plugin it is.
//
// It imports model and the built-in clusters. The revision and whatever stands above import it.
package system
