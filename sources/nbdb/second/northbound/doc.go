// Package northbound has libovsdb's models of the tables and columns of OVN_Northbound
// that Rung reads, as libovsdb's generator writes them: the program gen gives it the
// sandbox's schema, cut down to what model/ovn/nb knows.
//
// Invariants: it is generated but for this file and models.go; a column that model/ovn/nb
// gains is there after the next make generate, and TestModels says so when it is not.
//
// sources/nbdb/second and tests import it.
package northbound

//go:generate go run ./gen -schema ../../../sandbox/ovn-nb.ovsschema
