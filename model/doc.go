// Package model says what things are: the cluster's objects, policies of every kind in one normal
// form, findings, the precedence ladder, the state of a policy in a zone. It has the objects that
// lead from outside to Services (Ingresses, HTTPRoutes, Routes), and the network policies of 2016
// (docs/older-forms.md), which count only when somebody asks for them. It is pure: no I/O, no
// clock, no goroutine, no screen.
//
// Invariants: every object is immutable once it is in a Cluster. A Cluster is immutable, and the
// next one shares what did not change. Text in the objects was cleaned (model/words) by the source
// that brought it in.
//
// It may import the other model packages and Kubernetes API types; every other package of Rung may
// import it.
package model
