// Package northbound has libovsdb's models of the tables and columns of OVN_Northbound
// that Rung reads, and connects libovsdb's client with them. libovsdb's generator made
// them of the schema; they lack its accessors.
//
// Invariants: a model has the columns that model/ovn/nb reads, which TestModels of
// sources/nbdb/second holds; their types are checked by libovsdb against the schema of
// the server when it connects.
//
// sources/nbdb/second and tests import it.
package northbound
