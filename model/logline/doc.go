// Package logline parses what an ACL log line says, decodes the rule behind an ACL's name, and has the state
// of a node's stream of lines. The filter of log lines (Query) is shared by the console and `rung logs
// --filter`:
//
//	verdict:deny policy:web ns:blue->red port:53 not node:w2 since:5m "text" /regex/
//
// It also keeps which pods had an address over time, switches the logging of policies whose rules log one by
// one, and proposes rules that allow or deny given connections and no others.
//
// Invariants: the text of a Line was cleaned by the source that read it. A cut name is never taken for a whole
// one (RuleRef.Exact). A filter keeps the terms it can parse and reports the first it cannot. An address is
// never given to an object that did not exist yet; forgotten entries are counted. A logging session restores
// only what it set itself. A proposal lists the connections it does not cover, with the reason (Left); its
// peers are all pods of a namespace with the chosen labels.
//
// The package is pure and imports the model; everything above the model may import it.
package logline
