// Package probe shows what became of a connection that was put into the sandbox as
// packets: what OVN did, beside what the zones' rows and the policies say, packet by
// packet there and back.
//
// It may import what any view may; ui imports it.
package probe
