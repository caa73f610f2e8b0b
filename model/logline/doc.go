// Package logline holds what an ACL log line says, the rule behind an ACL's name, and the state
// of a node's stream of lines. Beside it are the filter of log lines (Query), which the console
// and `rung logs --filter` share, such as
//
//	verdict:deny policy:web ns:blue->red port:53 not node:w2 since:5m "text" /regex/
//
// the pods that had an address over time, the logging of policies whose rules log one by one,
// and the proposal of rules that let through, or deny, some connections and no others.
//
// Invariants: the text of a Line was cleaned by the source that read it; a shortened name is
// never taken for a whole one (RuleRef.Exact). A filter keeps the terms that can be read and
// names the first that cannot. An address is never given to an object that did not exist yet;
// what was forgotten is counted. A logging session gives back only what it set itself. A
// proposal lists the connections it does not cover, with the reason (Left); its peers are all
// pods of a namespace with the chosen labels.
//
// The package is pure and imports the model; everything above the model may import it.
package logline
