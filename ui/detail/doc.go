// Package detail holds what the detailed pages share: a scrolling pane of lines with links, owners of
// addresses and ports, a match explained term by term, desired beside live columns, states and reasons in the
// product's words, and equivalent commands.
//
// Invariants: it reads one revision and keeps no part of that revision; lists show their first members and a link to all,
// so that a page costs what it shows; lines of a pane have identities that stay the same over revisions.
//
// It may import engine, model, themes and the other packages of ui but ui itself and its views; the views
// policy, rule, rows, row and pod import it.
package detail
