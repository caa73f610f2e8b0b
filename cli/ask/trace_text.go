package ask

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"rung/cli/command"
	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
)

// WriteText prints the answer: of many a line each, of one the path.
func (o *verdictOut) WriteText(b *strings.Builder, wide, brief bool) {
	t := o.trace
	if t == nil { // it cannot be asked
		to := o.To + " " + strings.ToLower(o.Protocol)
		if o.Port != 0 {
			to += " " + strconv.Itoa(o.Port)
		}
		fmt.Fprintf(b, "%s → %s: %s (%s)\n", o.From, to, o.Verdict, o.Reason)
		return
	}
	fmt.Fprintf(b, "%s: %s", t.Connection, command.PaintWord(string(o.Verdict)))
	if o.Reason != "" {
		fmt.Fprintf(b, " (%s)", o.Reason)
	}
	if o.Front != nil && brief {
		fmt.Fprintf(b, " · through service %s", o.Front.Service)
	}
	if o.Through != nil && brief {
		fmt.Fprintf(b, " · through service %s, which has the port: %s", o.Through.Service, o.Through.Verdict)
	}
	if len(o.Families) > 0 {
		o.writeFamilies(b, wide, brief)
		return
	}
	switch {
	case o.Rows == nil:
	case o.Verdict == verdict.Unknown && o.Rows.Verdict != verdict.Unknown:
		fmt.Fprintf(b, " · rows say %s", o.Rows.Verdict)
	case o.Rows.Verdict == verdict.Unknown && o.Verdict != verdict.Unknown:
		fmt.Fprintf(b, " · rows unknown: %s", o.Rows.Reason)
	case t.DiffersAsKnown():
		fmt.Fprintf(b, " · rows of today: %s", o.Rows.Verdict)
	case o.Rows.Verdict != o.Verdict:
		fmt.Fprintf(b, " · rows disagree: %s", o.Rows.Verdict)
	case len(t.Disagree) > 0:
		b.WriteString(" · rows disagree on the way")
	default:
		b.WriteString(" · rows agree")
	}
	if brief && o.OVN != nil {
		b.WriteString(o.OVN.briefText())
	}
	b.WriteString("\n")
	if brief {
		return
	}
	if o.Reason == "" {
		b.WriteString(t.Sentence() + "\n")
	}
	o.writeServices(b)
	if s := t.IdleOutcome(); s != "" {
		b.WriteString(s + "\n")
	}
	if f := t.Of2016; f != nil {
		fmt.Fprintf(b, "%s\n  → %s\n", f.Message, f.Remedy)
	}
	for _, d := range t.Disagree {
		fmt.Fprintf(b, "%s\n  → %s\n", d.Finding.Message, d.Finding.Remedy)
	}
	for i := range t.Paths {
		p := &t.Paths[i]
		if len(t.Paths) > 1 {
			fmt.Fprintf(b, "\nto %s: %s\n", p.To.Endpoint, strings.TrimSpace(string(p.Verdict)+" "+p.Reason))
		}
		for _, n := range []struct{ what, note string }{{"from", p.From.Note}, {"to", p.To.Note}, {"path", p.Note}} {
			if n.note != "" {
				fmt.Fprintf(b, "%s: %s\n", n.what, n.note)
			}
		}
		if len(p.Stages) > 0 {
			b.WriteString("\n" + stagesTable(p, o.Rows != nil))
			writeTried(b, p, wide)
		}
	}
	if o.OVN != nil {
		o.OVN.writeStages(b)
	}
}

// writeServices says which Service was asked, and which would have been meant.
func (o *verdictOut) writeServices(b *strings.Builder) {
	if o.Front != nil {
		b.WriteString(o.Front.Summary + "\n")
	}
	if o.Through != nil {
		b.WriteString(o.Through.Summary + "\n")
	}
}

// writeFamilies prints the rest of an answer that is another for IPv4 than for IPv6: in one
// line whether the rows agree, else each by itself.
func (o *verdictOut) writeFamilies(b *strings.Builder, wide, brief bool) {
	switch {
	case o.Rows == nil:
	case o.hasDisagreement():
		b.WriteString(" · rows disagree")
	default:
		b.WriteString(" · rows agree")
	}
	if o.OVN != nil && brief {
		b.WriteString(o.OVN.briefText())
	}
	b.WriteString("\n")
	if brief {
		return
	}
	o.writeServices(b)
	for _, f := range o.Families {
		fmt.Fprintf(b, "\n%s\n", f.trace.Connection.Family)
		f.WriteText(b, wide, false)
	}
	if o.OVN != nil {
		o.OVN.writeStages(b)
	}
}

// writeExample prints an answer that is an example: of a Service, one endpoint's, and what
// was tried only where it may be long.
func (o *verdictOut) writeExample(b *strings.Builder, wide bool) {
	if wide {
		o.WriteText(b, wide, false)
		return
	}
	t := o.trace
	o.WriteText(b, false, true)
	b.WriteString(t.Sentence() + "\n")
	for _, d := range t.Disagree {
		fmt.Fprintf(b, "%s\n  → %s\n", d.Finding.Message, d.Finding.Remedy)
	}
	for i := range t.Paths {
		if p := &t.Paths[i]; p.Verdict == t.Verdict && len(p.Stages) > 0 {
			b.WriteString("\n" + stagesTable(p, o.Rows != nil))
			return
		}
	}
}

// stagesTable is a path stage by stage, with what the rows say beside it.
func stagesTable(p *trace.Path, rows bool) string {
	t := &command.TextTable{Head: []string{"STAGE", "ZONE", "VERDICT", "DECIDED BY"}}
	if rows {
		t.Head = append(t.Head, "BY ROWS")
	}
	for i := range p.Stages {
		s := &p.Stages[i]
		if s.Idle {
			continue
		}
		cells := []string{string(s.Stage), s.Zone, string(s.Verdict), trace.DeciderTextOf(s.StageVerdict)}
		if rows && s.Rows != nil {
			cells = append(cells, strings.TrimSpace(string(s.Rows.Verdict)+" · "+trace.DeciderTextOf(s.Rows)))
		}
		t.AddRow(cells...)
	}
	return t.String()
}

// writeTried lists what was tried, stage by stage, with what became of it first: names may
// be long. Policies of other pods are left out where it is to be short.
func writeTried(b *strings.Builder, p *trace.Path, wide bool) {
	for i := range p.Stages {
		s := &p.Stages[i]
		t := &command.TextTable{Head: []string{"TRIED", "TIER", "RULE"}}
		for _, l := range s.Lines {
			if l.Kind == trace.Nothing || l.Kind == trace.Other && !wide {
				continue
			}
			result, rule := "matches", strings.TrimSuffix(trace.DeciderText(l.Rule), ": ")
			switch {
			case l.Why != "":
				result = "not its " + l.Why
			case l.Kind == trace.NotAsked:
				result = "not asked"
			}
			if l.Rule.Defect != "" {
				rule += " (known defect: " + l.Rule.Defect + ")"
			}
			tier := fmt.Sprint(l.Tier)
			if l.Band != "" {
				tier = l.Band
			}
			t.AddRow(result, tier, rule)
		}
		if len(t.Rows) > 0 {
			fmt.Fprintf(b, "\n%s on %s:\n%s", s.Stage, s.Zone, t)
		} else if len(s.Would) > 0 {
			fmt.Fprintf(b, "\n%s on %s:\n", s.Stage, s.Zone)
		}
		for j := range s.Would {
			b.WriteString(s.Would[j].Sentence() + "\n")
		}
	}
}

// verdictOmissions returns the omissions of the answer; one of them says that the verdict is unknown
// or that no policy applies, where that is so.
func (o *verdictOut) verdictOmissions() []model.Omission {
	out := slices.Clone(o.trace.NotConsidered)
	switch o.trace.Verdict {
	case verdict.Unknown:
		out = append(out, model.Omission{Code: model.OmittedPart, Why: "unknown: " + cmp.Or(o.trace.Reason, "the stages say why")})
	case verdict.NotApplicable:
		out = append(out, model.Omission{Code: model.OmittedAll, Why: "no policy is asked: " + o.trace.Reason})
	}
	return out
}

// omissionsBuilder collects the omissions of many answers; it may be filled from any goroutine.
type omissionsBuilder struct {
	mu    sync.Mutex
	seen  map[string]bool
	found []model.Omission
	none  int // answers that no policy was asked about
}

// addAnswer takes in those of an answer, and gives them back.
func (s *omissionsBuilder) addAnswer(o *verdictOut) []model.Omission {
	all := o.verdictOmissions()
	if len(all) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	for _, one := range all {
		if one.Code == model.OmittedAll {
			s.none++
		} else if text := one.String(); !s.seen[text] {
			s.seen[text] = true
			s.found = append(s.found, one)
		}
	}
	return all
}

// allOmissions returns the omissions of n answers. "No policy is asked" counts only where it holds for all.
func (s *omissionsBuilder) allOmissions(n int) []model.Omission {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortFunc(s.found, func(a, b model.Omission) int {
		return cmp.Or(cmp.Compare(slices.Index(model.OmissionCodes, a.Code), slices.Index(model.OmissionCodes, b.Code)),
			cmp.Compare(a.String(), b.String()))
	})
	if s.none == n {
		s.found = append(s.found, model.Omission{Code: model.OmittedAll, Why: "nothing was judged: " + words.OneOrMany(n, "no case is", "none of the cases is") + " about policies"})
	}
	return s.found
}
