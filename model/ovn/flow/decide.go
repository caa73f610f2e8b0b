package flow

import (
	"cmp"
	"strings"

	"rung/model"
)

// Decision is the decision of the ACLs of one stage about the packet.
type Decision struct {
	Pass  *Pass
	Stage model.Stage // empty if the form does not show it
	// Met are the ACL flows that the packet met, in order: passing flows, then the deciding one. The summary
	// and minimal forms show only ACLs that log.
	Met []*MetFlow
	// Verdict is "allow", "drop" or "reject"; empty if no ACL decided, which lets the packet through.
	Verdict string
	// Own is the purpose of OVN's own flow that decided, or would have.
	Own string
}

// MetFlow is an ACL's flow that the packet met.
type MetFlow struct {
	Step *Step // nil if the form does not show flows
	Reading
	Priority int // of the ACL; 0 if the form does not show it
	Verdict  string
	Log      *TraceLog // nil if not logged
	// Unnamed is true if an ACL decided that the form does not identify.
	Unnamed bool
}

// Priorities of flows made for ACLs (ovn-kubernetes.md#priorities): northd's own are below and above.
const (
	lowestACL  = PriorityOffset
	highestACL = PriorityOffset + 32767
)

// Decisions returns a trace's decisions in order: one for each ACL stage of each switch that the packet
// passed.
func (t *Trace) Decisions() (out []*Decision) {
	for _, p := range t.Passes {
		if p.Answer {
			continue
		}
		if t.Form == Detailed {
			out = append(out, p.detailedDecisions()...)
		} else {
			out = append(out, p.summaryDecisions()...)
		}
	}
	return out
}

func (p *Pass) detailedDecisions() (out []*Decision) {
	var open *Decision
	end := func(verdict string) {
		if open == nil {
			return
		}
		open.Verdict = verdict
		if n := len(open.Met); n > 0 && open.Met[n-1].Verdict == verdict {
			open.Own = "" // the ACL decided
		}
		out = append(out, open)
		open = nil
	}
	for _, s := range p.Steps {
		r, ok := ReadFlow(s.Stage, s.Match, strings.Join(s.Actions, " "))
		if !ok || r.Part != PartEval && r.Part != PartAction {
			continue
		}
		if open != nil && open.Stage != r.Stage {
			end(open.verdictWithoutEnd())
		}
		if open == nil {
			open = &Decision{Pass: p, Stage: r.Stage}
		}
		switch {
		case r.Part == PartAction:
			if r.HasAction(ActTier) {
				continue
			}
			verdict := r.Verdict
			if verdict == "" && r.HasAction(ActDrop) {
				verdict, open.Own = ActDrop, r.PurposeText(s.Priority)
			}
			end(verdict)
		case s.Priority >= lowestACL && s.Priority <= highestACL:
			open.Met = append(open.Met, newMetFlow(s, r))
		default:
			open.Own = r.PurposeText(s.Priority)
			if r.Verdict != "" {
				open.Verdict = r.Verdict
			}
		}
	}
	if open != nil {
		end(open.verdictWithoutEnd())
	}
	return out
}

// verdictWithoutEnd returns the verdict of a stage whose end the text does not show.
func (d *Decision) verdictWithoutEnd() string {
	n := len(d.Met)
	switch {
	case n == 0:
		return d.Verdict
	case d.Met[n-1].Verdict == Passes:
		return ""
	}
	return d.Met[n-1].Verdict
}

// Passes is the verdict of an ACL that passes the packet to the next tier.
const Passes = "pass"

func newMetFlow(s *Step, r Reading) *MetFlow {
	m := &MetFlow{Step: s, Reading: r, Priority: s.Priority - PriorityOffset, Verdict: cmp.Or(r.Verdict, Passes)}
	if r.Log != nil {
		m.Log = &TraceLog{Log: *r.Log}
	}
	for _, l := range s.Logs {
		if m.Log != nil {
			l.Meter = m.Log.Meter // only the action has it
		}
		m.Log = &l
	}
	return m
}

// summaryDecisions returns the decisions shown by the actions of a pass: the ACLs that logged, and the
// verdict.
func (p *Pass) summaryDecisions() (out []*Decision) {
	var open *Decision
	stage := func() *Decision {
		if open == nil {
			open = &Decision{Pass: p}
			out = append(out, open)
		}
		return open
	}
	for _, s := range p.Steps {
		for i := range s.Logs {
			l := &s.Logs[i]
			d := stage()
			d.Met = append(d.Met, &MetFlow{Verdict: l.Verdict, Log: l})
			if l.Direction == "OUT" { // else unknown whether before or after load balancing
				d.Stage = model.StageToLport
			}
			if l.Verdict != Passes {
				d.Verdict, open = l.Verdict, nil
			}
		}
		for _, a := range ReadActions(strings.Join(s.Actions, " ")) {
			switch a.Code {
			case ActAllow, ActDrop, ActReject:
				if isLoggedVerdict(out, a.Code) {
					continue
				}
				d := stage()
				d.Verdict, open = a.Code, nil
				d.Met = append(d.Met, &MetFlow{Verdict: a.Code, Unnamed: true})
			}
		}
	}
	return out
}

// isLoggedVerdict reports whether the newest decision has that verdict, from an ACL that logged it.
func isLoggedVerdict(out []*Decision, verdict string) bool {
	if len(out) == 0 || out[len(out)-1].Verdict != verdict {
		return false
	}
	met := out[len(out)-1].Met
	return len(met) > 0 && met[len(met)-1].Log != nil
}

// Ending is how a trace ends.
type Ending string

// The endings.
const (
	EndDelivered Ending = "delivered" // out of a port that leads into no other datapath
	EndRemote    Ending = "remote"    // to another zone
	EndDropped   Ending = "dropped"   // by an ACL
	EndRejected  Ending = "rejected"  // by an ACL
	EndLost      Ending = "lost"      // dropped, but not by an ACL
	EndUnknown   Ending = "unknown"   // the text does not show it
)

// EndOfTrace returns how the trace ends, and where: the ports, or the last stage.
func (t *Trace) EndOfTrace() (end Ending, where []string) {
	remote := false
	for _, o := range t.Outputs {
		switch o.Type {
		case "patch", "l3gateway", "chassisredirect":
			continue
		case "remote":
			remote = true
		}
		where = append(where, o.Port)
	}
	switch {
	case remote:
		return EndRemote, where
	case len(where) > 0:
		return EndDelivered, where
	}
	for _, d := range t.Decisions() {
		switch d.Verdict {
		case ActDrop:
			return EndDropped, nil
		case ActReject:
			return EndRejected, nil
		}
	}
	if t.Form != Detailed {
		return EndUnknown, nil
	}
	var last *Step
	for _, p := range t.Passes {
		if n := len(p.Steps); n > 0 && !p.Answer {
			last = p.Steps[n-1]
		}
	}
	if last == nil || len(last.Actions) == 0 && !last.NoMatch {
		return EndUnknown, nil
	}
	return EndLost, []string{last.Stage}
}
