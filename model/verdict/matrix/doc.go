// Package matrix says what becomes of all connections there can be: between classes of ends, which
// meet the same conditions of every rule. The addresses outside are parted by the networks that
// rules name. Compare groups the ends of two indexes alike and visits what may differ.
//
// Invariants: what is said of two classes is so of each of their connections. Classes and all that
// is made of them are for one goroutine at a time.
package matrix
