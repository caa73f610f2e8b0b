// Package difference tells what differs between two of anything that Rung reads: policies rule by
// rule, connections by workload, findings and guard rails.
//
// Tells what a change does before it is made: to its objects, to
// connections and those of the log, and to the rows of every zone. FactsOf is its JSON, TellPreview what
// it says in sentences, for the preview on the screen and the one that a command prints.
package difference
