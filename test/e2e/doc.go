// Package e2e holds tests of the whole way, from manifests to rows and back, on
// real ovsdb-servers: what Rung writes is read by OVS's own tools, and what they
// change Rung has to notice. The same on the built-in server is tested in
// package engine, where its connections can be dropped.
//
// Nothing imports it.
package e2e
