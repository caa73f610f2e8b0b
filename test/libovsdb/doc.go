// Package libovsdb is what tests need of libovsdb, the Go library that
// OVN-Kubernetes reads and writes its databases with: models of the tables that
// Rung reads or writes, and a client that follows them.
//
// Its tests are two things. In judge_test.go libovsdb's client is the judge: what
// Rung wrote, on either server, is read back through it and has to be what the
// compiler wants. The other files reproduce defects of libovsdb, which
// docs/libovsdb.md describes: each passes as long as the defect is there, and
// fails on the day it is fixed, so that Rung's reasons stay true.
//
// Only tests and benchmarks import it.
package libovsdb
