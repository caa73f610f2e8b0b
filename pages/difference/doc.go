// Package difference tells what differs between two of anything that Rung reads: policies rule by
// rule, connections by workload, findings and guard rails.
//
// It tells the consequences of a change before it is made: for its objects, for connections and
// logged connections, and for the rows of every zone. ConsequencesOf is the JSON; TellPreview has
// the sentences for the preview on the screen and in a command.
package difference
