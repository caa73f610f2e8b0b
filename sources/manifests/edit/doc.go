// Package edit writes changes of policies back into the text they were read from.
//
// RewritePolicyText changes the text of one policy, EditedText that of a file: an Edit sets,
// replaces, takes out or adds an object. The difference of what an object means and what it
// is to mean becomes splices of the text, at the nodes that differ. MergeTexts puts two
// changes of one text together.
//
// Invariants: no byte changes that an edit is not about; comments, order and style stay;
// the new text is read back and held against what was meant before it is given out, and
// a change that cannot be made so is an *EditError and nothing else; a file that is not the
// one that was read is not written.
//
// It imports sources/manifests, whose reading it relies on, its yamltree, and
// sources/safefile. The engine imports it.
package edit
