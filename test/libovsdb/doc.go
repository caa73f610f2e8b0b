// Package libovsdb holds Rung against libovsdb, the Go library that OVN-Kubernetes
// reads and writes its databases with.
//
// It has nothing but tests, which are two things. In judge_test.go and second_test.go
// libovsdb's client is the judge: what Rung wrote, on either server, is read back
// through it and has to be what the compiler wants, and what Rung reads. The other
// files reproduce defects of libovsdb, which docs/libovsdb.md describes: each passes as
// long as the defect is there, and fails on the day it is fixed, so that Rung's reasons
// stay true.
package libovsdb
