// Package watch follows all objects of a cluster that Rung reads: a feed for each resource, which
// lists in pages and watches from there (Follow).
//
// Invariants: nothing half-read is handed on; objects handed on are immutable, trimmed, and their
// text is clean, except Policy.YAML and Policy.Original; a resource that is not served, not
// permitted or not answered is a state with its reason (Resource), never a silence, and what was
// read of it before stays; every goroutine ends with its context.
//
// It imports model, sources/kube, sources/manifests for one reading of objects, the tools of
// sources, and client-go. The engine imports it.
package watch
