// Package matrix works out the verdicts of all connections there can be, between classes of
// ends, which meet the same conditions of every rule. The addresses outside are parted by the
// networks that rules name. NewComparison groups the ends of two indexes alike, and Each visits
// the classes whose connections may differ.
//
// Invariants: a verdict about two classes holds for each of their connections. Classes and all
// that is made of them are for one goroutine at a time.
package matrix
