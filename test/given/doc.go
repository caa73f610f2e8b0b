// Package given writes what tests begin with: a cluster of some namespaces, pods and
// nodes, and policies in a word or two.
//
// Only tests import it.
package given
