// Package logs keeps the newest ACL log lines: the streams of a cluster's nodes, merged by time,
// each line with the rule and the pods behind it as they were when it arrived (Entry). It counts
// what rules decided, by rule and pair of ends, and the lines that meters discard. CheckSteps
// explains why no line of a policy is seen. ReadLines finds what a zone's ovnkube-controller
// wrote about a policy.
//
// Invariants: lines may be dropped under load and are counted then. An Entry never changes, and
// its text is clean. No name in a line is believed without asking the revision. Memory is
// bounded, and what finds no room is counted. Counts do not depend on the order of lines, and
// counts read from a file are checked first. Missing data is called unknown, never guessed.
//
// engine, ui and cli may import it; it imports revision, model and the sources of lines.
//
// Makes rules from log lines: what model/logline proposes, written into the
// text of a policy or as a new one, with what it covers more, what it leaves out and who
// decides against it, in sentences for console and command line alike.
//
// Invariants: nothing is applied here, the text goes through the edit flow and the gate; a
// policy that is there keeps its comments and its order; what is said of the outcome is said
// from verdicts.
//
// It imports revision, model and sources/manifests; ui and cli may import it.
package logs
