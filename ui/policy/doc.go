// Package policy shows one policy: what it is and how it stands, and in parts
// that a key leads to its rules, its subject pods, its YAML, its state in every
// zone with what differs there, and its findings.
//
// It may import what any view may; ui imports it.
package policy
