// Package logline says what a line of a node's log of ACLs tells, which rule the name of an ACL
// stands for, and how the stream of such lines from a node is doing.
//
// Invariants: the text of a Line was cleaned by the source that read it; a name that was cut is
// never taken for a whole one (RuleRef.Exact).
//
// It imports model; sources read lines, and whoever shows or counts them imports it.
//
// It also switches the logging of policies whose rules log one by one, each by a field of
// its own, and gives it back: what a logging session set, rule by rule, and what was there before.
//
// Invariants: a tree that is given is never changed; what a session did not set, or somebody else set
// since, is never given back.
//
// change/rewrite makes policies of its trees; everything that tells of logging asks it.
//
// It also keeps the holders of addresses over time: a pod's address is given to
// another pod soon after it went, and a log line must not be blamed on the one that has
// it now.
//
// Invariants: pure; the tenures that ended and are kept are bounded, forgotten ones are
// counted and answers say when they may matter; no answer names an object for a time
// before it was created.
//
// It imports only packages of model and may be imported by all that may import those.
//
// It is also the filter of ACL log lines: an expression of terms that must all
// hold, such as
//
//	verdict:deny policy:web ns:blue->red port:53 not node:w2 since:5m "text" /regex/
//
// read, matched against lines, and completed while it is typed. The console's log and
// `rung logs --filter` use it alike, so that an expression means the same in both.
//
// Invariants: it is pure, and the time is handed in; reading never fails altogether: the
// terms that can be read hold, and the first that cannot is named by an Error; matching
// a line has no memory of other lines.
//
// It imports model; engine, ui and cli may import it.
//
// It also proposes the rules that would let through, or deny, some connections and
// no others: peers by the labels that their pods share and others lack, ports as ranges.
//
// Invariants: connections that a proposal was asked for and does not cover are in its Left,
// with the reason. A peer is every pod of a namespace that has the labels of one that was
// asked for, and no other. Labels that a new revision of a workload changes select nothing.
// Other connections that the rules let through or deny are not told here: that takes
// verdicts (diff.WantedVerdict).
//
// It is pure; engine/propose, which writes the rules as text, imports it. It imports model,
// model/overlap and model/verdict.
package logline
