// Package prepare hands the screen revisions whose expensive parts are made, so that the
// screen's own goroutine finds them made. Findings are paced: while pods come and go they
// are worked out now and then, and in the end they are those of the last revision.
// A Pacer belongs to one goroutine; the work it starts ends with its context.
package prepare
