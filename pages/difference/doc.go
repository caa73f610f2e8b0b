// Package difference shows the differences between two inputs of any kind: policies rule by rule, connections
// by workload, findings and guard rails.
//
// It also shows the consequences of a change before it is made: for its objects, for connections and logged
// connections, and for the rows of every zone. ConsequencesOf is the JSON; TellPreview has the sentences of
// the preview on the screen and in commands.
package difference
