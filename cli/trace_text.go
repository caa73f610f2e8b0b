package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"rung/cli/command"
	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	pages "rung/pages/trace"
	"rung/revision"
)

// WriteText prints the answer: one line if brief, else with its path.
func (o *verdictOut) WriteText(b *strings.Builder, wide, brief bool) {
	t := o.trace
	if t == nil { // cannot be asked
		to := o.To + " " + strings.ToLower(o.Protocol)
		if o.Port != 0 {
			to += " " + strconv.Itoa(o.Port)
		}
		fmt.Fprintf(b, "%s → %s: %s (%s)\n", o.From, to, o.Verdict, o.Reason)
		return
	}
	if !brief {
		o.writeWhole(b, wide)
		return
	}
	b.WriteString(verdictText(t))
	if o.Front != nil {
		fmt.Fprintf(b, " · through service %s", o.Front.Service)
	}
	if o.Through != nil {
		fmt.Fprintf(b, " · through service %s, which has the port: %s", o.Through.Service, o.Through.Verdict)
	}
	switch v := o.OVN; {
	case v == nil:
	case v.Agreement == revision.Agree:
		b.WriteString(" · OVN agrees")
	case v.Agreement == revision.Disagree:
		fmt.Fprintf(b, " · OVN and the rows disagree: OVN %s", v.Verdict)
	default:
		b.WriteString(" · OVN: " + v.Words.Headline)
	}
	b.WriteString("\n")
}

// verdictText returns the connection and its verdict, and whether the rows agree.
func verdictText(t *trace.Trace) string {
	text := t.Connection.String() + ": " + command.PaintWord(string(t.Verdict))
	if t.Reason != "" {
		text += " (" + t.Reason + ")"
	}
	if rows := pages.RowsPoint(t, "").Text; rows != "" {
		text += " · " + rows
	}
	return text
}

// writeWhole prints the answer, separately for IPv4 and IPv6 if they differ.
func (o *verdictOut) writeWhole(b *strings.Builder, wide bool) {
	t := o.trace
	if len(t.Families) == 0 {
		writeFamily(b, t, pages.ServicePoints(t), wide)
	} else {
		b.WriteString(verdictText(t) + "\n")
		writePoints(b, pages.ServicePoints(t))
	}
	for _, f := range t.Families {
		fmt.Fprintf(b, "\n%s\n", f.Connection.Family)
		writeFamily(b, f, nil, wide)
	}
	writeOVN(b, o.OVN)
}

// writeFamily prints the answer for one address family, path by path.
func writeFamily(b *strings.Builder, t *trace.Trace, services []pages.Point, wide bool) {
	b.WriteString(verdictText(t) + "\n")
	if t.Reason == "" {
		b.WriteString(t.Sentence() + "\n")
	}
	writePoints(b, append(services, pages.DifferencePoints(t, "")...))
	groups := pages.AlikePaths(t)
	endpoints := pages.EndpointPoints(groups, "")
	for i, alike := range groups {
		p := alike[0]
		if len(endpoints) > 0 {
			b.WriteString("\nto " + endpoints[i].Text + "\n")
		}
		for _, e := range pages.EndPoints(t, alike, "") {
			b.WriteString(e.Sign.Text + " " + e.Text + "\n")
		}
		if len(p.Stages) > 0 {
			b.WriteString("\n" + stagesText(p))
			writeTried(b, p, wide)
		}
	}
}

// writePoints prints sentences, each followed by its remedy.
func writePoints(b *strings.Builder, all []pages.Point) {
	for _, p := range all {
		if p.Indent > 0 {
			b.WriteString("  → ")
		}
		b.WriteString(p.Text + "\n")
	}
}

// writeExample prints an example of an answer: for a Service only one endpoint, and the tried rules only if
// wide.
func (o *verdictOut) writeExample(b *strings.Builder, wide bool) {
	o.WriteText(b, wide, !wide)
	if wide {
		return
	}
	t := o.trace
	b.WriteString(t.Sentence() + "\n")
	writePoints(b, pages.DifferencePoints(t, ""))
	for i := range t.Paths {
		if p := &t.Paths[i]; p.Verdict == t.Verdict && len(p.Stages) > 0 {
			b.WriteString("\n" + stagesText(p))
			return
		}
	}
}

// stagesText returns a path stage by stage, next to the rows.
func stagesText(p *trace.Path) string {
	return command.TableText(pages.Stages, pages.VisibleStages(p), true, 0)
}

// writeTried lists the tried rules by stage, without policies of other pods unless wide.
func writeTried(b *strings.Builder, p *trace.Path, wide bool) {
	for i := range p.Stages {
		s := &p.Stages[i]
		tried, others := pages.TriedRules(s, wide)
		tried = slices.DeleteFunc(tried, func(l pages.TriedRule) bool { return l.Kind == trace.Nothing }) // the stage says so
		if len(tried)+len(s.Would) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n%s\n", pages.StageTitle(p, s, false))
		if len(tried) > 0 {
			b.WriteString(command.TableText(pages.Tried, tried, true, 0))
		}
		if others != "" {
			b.WriteString(others + "\n")
		}
		writePoints(b, pages.StagePoints(s, ""))
	}
}

// verdictOmissions returns the omissions of the answer, also one if the verdict is unknown or no policy
// applies.
func (o *verdictOut) verdictOmissions() []model.Omission {
	out := slices.Clone(o.trace.NotConsidered)
	switch o.trace.Verdict {
	case verdict.Unknown:
		out = append(out, model.Omission{Code: model.OmittedPart, Why: "unknown: " + cmp.Or(o.trace.Reason, "the stages say why")})
	case verdict.NotApplicable:
		out = append(out, model.Omission{Code: model.OmittedAll, Why: "no policy applies to this connection"})
	}
	return out
}

// omissionsBuilder collects the omissions of many answers. It is safe for concurrent use.
type omissionsBuilder struct {
	mu    sync.Mutex
	found map[string]model.Omission // by text
	none  int                       // number of answers without any policy
}

// addAnswer adds the omissions of an answer and returns them.
func (s *omissionsBuilder) addAnswer(o *verdictOut) []model.Omission {
	all := o.verdictOmissions()
	if len(all) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found == nil {
		s.found = map[string]model.Omission{}
	}
	for _, one := range all {
		if one.Code == model.OmittedAll {
			s.none++
		} else {
			s.found[one.String()] = one
		}
	}
	return all
}

// allOmissions returns the omissions of n answers, including "nothing was judged" if that is so for all.
func (s *omissionsBuilder) allOmissions(n int) []model.Omission {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := slices.SortedFunc(maps.Values(s.found), func(a, b model.Omission) int {
		return cmp.Or(cmp.Compare(slices.Index(model.OmissionCodes, a.Code), slices.Index(model.OmissionCodes, b.Code)),
			cmp.Compare(a.String(), b.String()))
	})
	if s.none == n {
		why := words.OneOrMany(n, "no policy applies to the case", "no policy applies to any of the cases")
		found = append(found, model.Omission{Code: model.OmittedAll, Why: "nothing was judged: " + why})
	}
	return found
}
