// Package zonedb makes the database of a zone of desired rows, as it would be if they were all written:
// for verdicts by rows without live ones, and for tests.
//
// Invariants: it is pure; what other handlers of OVN-Kubernetes keep (switches, ports, groups of
// namespaces and of the cluster) is there as far as rows hang on it.
//
// It imports compiler and model; revision, engine/trace and tests import it.
package zonedb
