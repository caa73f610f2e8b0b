// Package ladder is the page of the precedence ladder: everything that decides, line by line in deciding
// order, with gaps, ties and conflicts, live rows of others and unreadable objects. LadderTable shows the
// lines, Facts is their JSON.
//
// The console adds the cursor, folding and the carrying of a policy; the command prints all lines. Neither
// computes an order or a number itself.
package ladder
