// Package logs keeps the newest ACL log lines: the streams of a cluster's nodes, merged by time,
// each line with its rule and pods as they were when it arrived (Entry). It counts what rules
// decided, by rule and pair of ends, and the lines that meters discard. CheckSteps explains why no
// line of a policy is seen. ReadLines finds what a zone's ovnkube-controller wrote about a policy.
// MakeProposal turns log lines into rules, written into the text of a policy or as a new policy, with
// their consequences taken from verdicts; it applies nothing.
//
// Invariants: lines may be dropped under load and are counted then. An Entry never changes, and
// its text is clean. No name in a line is believed without asking the revision. Memory is bounded,
// and what finds no room is counted. Counts do not depend on the order of lines; counts read from
// a file are checked first. Missing data is called unknown, never guessed.
//
// engine, ui and cli may import it; it imports revision, model, sources/manifests and the sources
// of lines.
package logs
