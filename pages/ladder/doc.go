// Package ladder is the page of the precedence ladder: everything that decides, line by
// line in the order in which it decides, with gaps, ties and conflicts, live rows of others
// and what could not be read. Table is how the lines are told, Facts is their JSON.
//
// The console adds the cursor, what is folded and the carrying of a policy; the command
// prints all lines. Neither works out an order or a number of its own.
package ladder
