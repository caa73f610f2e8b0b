// Package logs keeps the newest ACL log lines, each with the rule and the pods behind
// it as they were when it arrived: the streams of a cluster's nodes, merged by time,
// attributed, counted by rule. A line with what is known of it is entries.Entry; why none is
// seen says package why.
//
// Invariants: lines may be dropped under load and are counted then; an entry is never
// changed; no name in a line is believed without asking the revision.
//
// engine, ui and cli may import it; it imports revision, model and the sources that
// lines come from.
//
// It also counts what rules decided by the log lines they wrote: hits of each rule,
// and of each pair of ends, since the counting began and over the last minutes.
//
// Invariants: memory is bounded, and what finds no room is counted all the same; the
// order in which lines come changes no number, so counts of parts add up to the count of
// the whole; what is read back from a file is checked before it counts.
//
// engine, ui and cli may import it; it imports model.
//
// It is also one line of the ACL log and what is known about it: the rule that decided,
// the pods at its ends (AddressBook knows who had an address when), as a sentence, and as a filter
// sees it.
//
// Invariants: an Entry is never changed once it is stored; its text was cleaned.
//
// It imports revision and model. engine/logs, ui and cli import it.
//
// Walks the way from a policy to a line of the ACL log that is seen, and says how each
// step of it stands and what to do where one is wrong (CheckSteps), and which rules never get a
// connection to log (OverruledChecks).
//
// Invariants: it changes nothing; what is not known is said to be so, never guessed.
//
// It imports engine/logs, revision and model. ui and cli import it.
//
// It also finds what the ovnkube-controller of a zone wrote lately about a policy.
//
// Invariants: it reads when it is called, and keeps nothing; its text is clean.
//
// It imports sources/kube and model. engine, ui and cli import it.
package logs
