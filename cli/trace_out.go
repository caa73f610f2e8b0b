package cli

import (
	"fmt"
	"strings"

	"rung/cli/command"
	"rung/engine/trace"
	"rung/model/verdict"
	pages "rung/pages/trace"
	"rung/revision"
)

// verdictOut is the answer to a question about a connection, with the trace behind it.
type verdictOut struct {
	*pages.VerdictFacts
	// Omissions that could change the answer; set only in a list of answers.
	NotConsidered []command.OmissionOut `json:"not_considered,omitempty"`

	trace *trace.Trace // nil if the question cannot be asked
}

func verdictOf(q trace.Question, t *trace.Trace) *verdictOut {
	return &verdictOut{VerdictFacts: pages.FactsOfTrace(q, t), trace: t}
}

// trimTrace keeps the parts of a trace needed for a single line.
func trimTrace(t *trace.Trace) *trace.Trace {
	out := &trace.Trace{Connection: t.Connection, Verdict: t.Verdict, Reason: t.Reason, Disagree: t.Disagree, NotConsidered: t.NotConsidered}
	if t.Rows != nil {
		out.Rows = &verdict.Answer{Verdict: t.Rows.Verdict, Reason: t.Rows.Reason}
	}
	for _, f := range t.Families {
		out.Families = append(out.Families, trimTrace(f))
	}
	return out
}

// hasDisagreement reports an unexplained disagreement between policies, rows and OVN.
func (o *verdictOut) hasDisagreement() bool {
	return o.OVN.HasDisagreement() || o.trace.HasDisagreement()
}

// askOVN asks ovn-trace about a connection; a nil function asks nothing.
type askOVN func(verdict.Connection) (*revision.OVNTrace, error)

// whyOVNFailed returns the error of ovn-trace, nil if it answered.
func whyOVNFailed(o *pages.OVNFacts) error {
	if o == nil {
		return nil
	}
	for i := range o.Paths {
		for _, z := range o.Paths[i].Zones {
			if z.Error != "" {
				return fmt.Errorf("--ovn: zone %s: %s", z.Zone, z.Error)
			}
		}
	}
	return nil
}

// writeOVN prints OVN's answer stage by stage, next to the rows.
func writeOVN(b *strings.Builder, o *pages.OVNFacts) {
	if o == nil {
		return
	}
	fmt.Fprintf(b, "\novn-trace: %s\n", o.Words.Headline)
	for i := range o.Words.Paths {
		w := &o.Words.Paths[i]
		if w.To != "" {
			fmt.Fprintf(b, "\nto %s:\n", w.To)
		}
		if len(w.Lines) > 0 {
			b.WriteString("\n" + command.TableText(pages.OVN, w.Lines, true, 0))
		}
		for _, n := range w.Notes {
			b.WriteString(n + "\n")
		}
	}
}
