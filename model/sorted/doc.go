// Package sorted is an immutable sorted map whose versions share unchanged parts. It is the base of
// model.Cluster, nb.DB and the compiler's results. A Map is read without a lock; a Txn makes the next version.
//
// The tree is tidwall/btree's. This package guarantees that a committed version is never written to. The
// library's own Copy writes to the copied map, so two goroutines must not copy one map concurrently. Values
// must have no method Copy or IsoCopy that returns their own type: the library would call it on values it
// moves.
//
// It knows nothing of its values and imports nothing of Rung; model, model/ovn/nb and compiler use it.
package sorted
