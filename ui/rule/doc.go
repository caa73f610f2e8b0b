// Package rule shows one rule of a policy: what it says, the ACLs it compiles to
// beside the live rows of one zone with every difference marked, the match
// explained term by term, and what all that means in words.
//
// It may import what any view may; ui imports it.
package rule
