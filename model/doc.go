// Package model describes the cluster's objects, policies of every kind in one normal form, findings, and the
// state of a policy in a zone. It includes the objects that lead from outside to Services (Ingresses,
// HTTPRoutes, Routes), and the network policies of 2016 (docs/older-forms.md), which count only on request. It
// is pure: no I/O, no clock, no goroutine, no screen.
//
// Invariants: every object is immutable once it is in a Cluster. A Cluster is immutable, and the next one
// shares unchanged parts. The source of an object has cleaned its text (model/words).
//
// It may import the other model packages and Kubernetes API types. Every other package of Rung may import it.
package model
