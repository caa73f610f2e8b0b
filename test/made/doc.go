// Package made makes the objects of pure tests in a word or two: selectors, pods,
// peers, rules, policies and whole clusters, drawn at random too.
//
// Only tests import it.
package made
