// Package logs is the live tail of ACL log lines over all nodes: each line a
// sentence with pods and the rule that decided, with a filter (model/logline), lines
// around its matches, a search, marks, aggregation of equal lines, groups with rates, and
// counts per rule. The text of a line for a number of cells is made in forms.go and shape.go,
// or, where columns were chosen, in columns.go.
//
// Invariants: the engine's ring holds the lines, this package only the numbers
// of those that match; what arrives is looked at once, and a new filter looks
// at what is held from the newest line back, a few milliseconds at a time, so
// that a key never waits for 20,000 lines; counts by rule and equal lines change with each
// line that comes or goes, what lines are grouped by is counted beside the screen; a paused
// page stands still; what was
// lost, and why nothing is seen, is said; a file is never replaced without asking.
//
// It also writes lines of the log in the cells there are: as sentences, whose parts give
// way to each other, or in chosen columns. All lines of a screen have one shape, made from
// what was seen of them, so that columns do not dance. It knows entries and looks, and no page.
package logs
