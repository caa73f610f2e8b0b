// Package difference compares two inputs that Rung reads (folders, revisions of a repository, a cluster) and shows
// their differences: policies rule by rule, connections by workload, findings and guard rails. Equal inputs have
// no difference, and swapping the inputs mirrors it. The omissions of either side are part of the answer.
//
// It also previews a change: its effect on its objects, on all and on logged connections, and on the rows of
// every zone. NewConsequences is the JSON; PreviewText has the sentences of the preview on the screen and in
// commands.
package difference
