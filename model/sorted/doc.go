// Package sorted is a sorted map whose versions share the parts that did not change:
// below model.Cluster, nb.DB and the compiler's results. A Map never changes and is
// read without a lock; a Txn makes the next one.
//
// The tree is tidwall/btree's. This package adds that a version once committed is never
// written to: the library's own Copy writes to the map that it copies, so that two
// goroutines must not copy one map at once. Values must have no method Copy or IsoCopy
// that returns their own type: the library would call it on values it moves.
//
// It knows nothing of the values it holds and imports nothing of Rung; model,
// model/ovn/nb and compiler use it.
package sorted
