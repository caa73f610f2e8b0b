// Package detail holds what the pages that go into depth have in common: a
// scrolling pane of lines that lead somewhere, what stands behind an address or
// a port, a match taken apart term by term, desired beside live columns, states
// and reasons in the words of the product, and the equivalent commands.
//
// Invariants: it reads one revision and keeps nothing of it; lists are cut to
// their first members with a line that leads to all of them, so that a page
// costs what it shows; lines of a pane have identities that stay the same over
// revisions.
//
// It may import engine, model, themes and the other packages of ui but ui
// itself and its views; the views policy, rule, rows, row and pod import it.
package detail
