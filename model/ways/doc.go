// Package ways holds the objects that lead from outside the cluster to Services, whatever their API:
// Ingresses, HTTPRoutes, Routes.
//
// Invariants: it is plain data; text is clean.
//
// It imports model; the sources that read such objects and the questions about reach import it.
package ways
