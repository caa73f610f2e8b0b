// Package radix is a sorted map whose versions share what did not change: the
// tree below model.Cluster, nb.DB and the compiler's results. A Tree never
// changes and is read without a lock; a Txn makes the next one.
//
// It knows nothing of what it holds and imports nothing of Rung; model, model/nb
// and compiler use it. It replaces go-immutable-radix, which keeps two channels
// for every entry, whether anybody waits for changes or not: with them a database
// in memory was three times as large.
package radix
