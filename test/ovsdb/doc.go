// Package ovsdb looks at a Northbound database from outside, for tests: with
// OVS's own client (Dump, Transact) and not through Rung's, so that a mistake in
// Rung's reading cannot hide one in its writing. A dump taken apart (Parse) shows
// the rows of policies (Policies) in the form in which Compiled puts what `rung
// compile -o json` printed: two maps that go-cmp can hold against each other.
//
// Rows is for tests of Rung's own readers: everything they read, by UUID.
//
// Only tests and test/kube import it.
package ovsdb
