// Package trace shows what becomes of one connection: whether it is let through and who
// decides, stage by stage and tier by tier, with the answer of the zones' rows beside it.
// While it is on the screen it is asked again whenever policies, pods or rows change, and
// says what it was before.
//
// It may import what any view may; ui imports it.
package trace
