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
package logs
