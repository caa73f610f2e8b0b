// Package widget holds what views are built from: styled lines, a table, a
// document of lines with links, a text viewer, a line editor, a spinner, bars,
// boxes. Widgets know no policy and no engine; they are told what to show and
// which action to do, and give back text of an exact size. The parts taken from
// bubbles are listed in docs/architecture.md.
//
// Invariants: what Render returns has exactly h lines of at most w cells, for
// every w and h; a widget draws only what is visible, so that 100,000 lines
// cost what 40 cost; a selection is kept by identity across new contents,
// filters, sorting and resizes.
//
// It may import themes, model/words and ui/action; ui and its views import it.
package widget
