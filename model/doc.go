// Package model says what things are: the cluster's objects, policies of every
// kind in one normal form, findings, the precedence ladder, the state of a
// policy in a zone. It is pure: no I/O, no clock, no goroutine, no screen.
//
// Invariants: every object is immutable once it is in a Cluster; a Cluster is
// immutable and the next one shares what did not change. Text in the objects
// was cleaned (model/words) by the source that brought it in.
//
// It may import the other model packages and Kubernetes API types; every other
// package of Rung may import it.
//
// It also holds the objects that lead from outside the cluster to Services, whatever their API:
// Ingresses, HTTPRoutes, Routes.
//
// Invariants: it is plain data; text is clean.
//
// It imports model; the sources that read such objects and the questions about reach import it.
package model
