// Package index makes of a cluster's policies what verdicts are worked out from: terms, each with
// a condition for the source, one for the destination and ports, in the order in which they
// decide; and it settles what the terms that match decide together.
//
// How a network plugin asks them is its Precedence, chosen with the view: Stages is what
// OVN-Kubernetes makes of policies, its known defects included, and names the defect where one
// makes the difference; Antrea follows its documentation (antrea.md#verdicts), and stands in the
// files antrea*.go.
//
// Invariants: an Index belongs to one cluster and never changes, and may be asked from any
// goroutine. Its terms, rules, conditions and ends are for the packages beside it, which only
// read them; all others ask those packages.
package index
