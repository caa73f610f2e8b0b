// Package system holds the differences between network plugins: the order of precedence, verdicts, findings,
// the existing features, pages and actions with reasons for missing ones, and the words. Each plugin has one
// System, in its own file: OVN, Antrea. Larger code stays in other packages: compiler and model/ovn for
// OVN-Kubernetes, model/antrea for Antrea.
//
// Invariants: a System consists of data and pure functions, and never changes. It is chosen once, after
// objects are read (ChooseSystem), and is in every revision. Callers ask whether a feature exists, never which
// plugin it is.
//
// It imports model and the built-in clusters. The revision and the packages above import it.
package system
