// Package difference shows the differences between two inputs of any kind: policies rule by rule, connections
// by workload, findings and guard rails.
//
// It also previews a change: its effect on its objects, on all and on logged connections, and on the rows of
// every zone. NewConsequences is the JSON; PreviewText has the sentences of the preview on the screen and in
// commands.
package difference
