// Package widget holds the building blocks of views: styled lines, a table, a document of lines with links, a
// text viewer, a line editor, a spinner, bars, boxes. Widgets know no policy and no engine; they get their
// content and actions, and return text of an exact size.
//
// Invariants: Render returns exactly h lines of at most w cells, for every w and h; a widget draws only
// visible lines, so that 100,000 lines cost as much as 40; a selection is kept by identity across new
// contents, filters, sorting and resizes.
//
// It may import themes, model/words and ui/action; ui and its views import it.
package widget
