// Package logs is the live tail of ACL log lines over all nodes: each line a sentence with pods and the
// deciding rule. It has a filter (model/logline), lines around matches, search, marks, aggregation of equal
// lines, groups with rates, and counts per rule. forms.go and write.go fit a line into a number of cells,
// columns.go does so for chosen columns.
//
// Invariants: the engine's ring holds the lines, this package only the numbers of matching ones. New lines are
// checked at once. A new filter scans the held lines from the newest back, a few milliseconds at a time, so
// that a key never waits for 20,000 lines. Counts by rule and equal lines change with each line added or
// evicted; groups are counted in a goroutine. A paused page does not change. Lost lines are counted, and an
// empty page says why. A file is never replaced without asking.
//
// Sentences fit into a width by shortening their parts. All lines of a screen share one shape, made from the
// lines seen so far, so that columns do not jump. The line writer knows entries and styles, but no page.
package logs
