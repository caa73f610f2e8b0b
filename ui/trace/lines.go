package trace

import (
	"fmt"
	"strings"

	"rung/engine/trace"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/model/words"
	"rung/pages/page"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// pageLines returns the lines of the result: the three answers, where they disagree, the deciders, and every packet.
func (v *View) pageLines(env *view.Env) []detail.Line {
	s := &detail.Sheet{St: env.Styles, W: env.W}
	v.rev = env.Rev
	v.addState(env, s)
	if v.result == nil {
		return s.Lines
	}
	r := v.result
	for i := range r.Packets.Paths {
		v.addAnswers(s, i)
		v.addFindings(s, i)
		v.addStages(s, i)
		v.addPackets(s, i)
	}
	if len(r.Packets.Paths) == 0 {
		s.AddHead("not sent")
		s.AddNote("why", 2, words.Noted, s.St.Dim, s.St.Text, r.Packets.Reason)
	}
	return s.Lines
}

// addState shows the progress, or why there is no result.
func (v *View) addState(env *view.Env, s *detail.Sheet) {
	st := env.Styles
	switch {
	case v.sends.IsUnderWay():
		text := string(v.phase.Load().(trace.ProbePhase))
		s.Add("state", widget.JoinLines(env.BusyLine(v.sends.BeganAt(), text), widget.StyledLine(" · esc cancels", st.Dim)), nav.Page{})
	case v.cancelled:
		s.AddNote("state", 0, words.Warned, st.Warn, st.Text, "Cancelled: no answer.")
	case v.err != nil:
		s.AddNote("state", 0, words.Failed, st.Error, st.Text, v.err.Error())
	default:
		r := v.result
		s.Add("state", widget.StyledLine("sent at "+words.Clock(r.At, env.Now)+" · OVN "+r.OVN, st.Dim), nav.Page{})
		return
	}
	if v.result != nil {
		s.AddNote("old", 0, words.Noted, st.Dim, st.Dim, "The results below are from the probe at "+words.Clock(v.result.At, env.Now)+".")
	}
}

// nameWidth is the width of the column of names.
const nameWidth = 12

// addAnswers adds the three answers about a path, the packets' first.
func (v *View) addAnswers(s *detail.Sheet, i int) {
	r := v.result
	p := &r.Packets.Paths[i]
	s.AddHead(trace.EndsText(p) + " " + r.ServiceText(i))
	for _, by := range []struct {
		name string
		path *verdict.Path
		word string
	}{{"packets", p, trace.VerdictWord(p.Verdict)}, {"rows", &r.Rows.Paths[i], string(r.Rows.Paths[i].Verdict)},
		{"policies", &r.Policies.Paths[i], string(r.Policies.Paths[i].Verdict)}} {
		sign := page.VerdictSign(by.path.Verdict)
		l := widget.Line{{Text: "  "}, {Text: by.name, Style: s.St.Dim}, {Text: strings.Repeat(" ", max(1, nameWidth-2-len(by.name)))},
			{Text: fmt.Sprintf("%s %-9s", sign.Text, by.word), Style: s.St.TokenStyle(sign.Role)}}
		to, why := nav.Page{}, by.path.Reason
		if c := trace.DecidingStage(by.path); c != nil && why == "" {
			why, to = "by "+trace.RuleName(c.Decided), detail.DeciderPage(v.rev, c.Decided, c.Zone)
		} else if why == "" && by.path.Verdict == verdict.Allow {
			why = "by default: nothing matched"
		}
		if text := l.Add("  "+why, s.St.Text); text.LineWidth() <= s.TextWidth() || why == "" {
			s.Add("by."+by.name+fmt.Sprint(i), text, to)
			continue
		}
		s.Add("by."+by.name+fmt.Sprint(i), l, to)
		for _, part := range widget.FlowText(why, max(12, s.TextWidth()-nameWidth-2)) {
			s.AddUnder(nameWidth+2, part, s.St.Text)
		}
	}
}

// addFindings adds the disagreements, or the agreement.
func (v *View) addFindings(s *detail.Sheet, i int) {
	if i > 0 {
		return // findings name their path
	}
	r := v.result
	for n := range r.Findings {
		f := &r.Findings[n]
		sign, look := detail.SeveritySign(f.Severity, s.St)
		to := detail.DeciderPage(v.rev, &verdict.Decider{Policy: f.Policy, Direction: f.Direction, Rule: f.Rule}, f.Zone)
		s.AddParagraph(fmt.Sprintf("finding.%d", n), 2, sign, look, s.St.Text, f.Message+" "+words.Remedy+" "+f.Remedy, to)
	}
	switch {
	case len(r.Findings) > 0:
	case r.Changed:
		s.AddNote("agree", 2, words.Warned, s.St.Warn, s.St.Text, "The rows changed during the probe, so nothing is compared: "+
			"probe again.")
	case r.Packets.Verdict == verdict.NotApplicable:
	default:
		s.AddNote("agree", 2, words.Yes, s.St.OK, s.St.Text, r.Agreement())
	}
}

// addStages adds the deciders of the first packet, stage by stage: the rule and its row.
func (v *View) addStages(s *detail.Sheet, i int) {
	r := v.result
	p := &r.Packets.Paths[i]
	if len(r.Sent[i]) == 0 {
		return
	}
	s.AddHead("what decided about the " + r.Sent[i][0].Packet)
	for j := range p.Stages {
		st := &p.Stages[j]
		rows, policies := &r.Rows.Paths[i].Stages[j], &r.Policies.Paths[i].Stages[j]
		if !r.IsDecided(i, j) {
			continue
		}
		id := fmt.Sprintf("stage.%d.%d", i, j)
		s.Add(id, widget.Line{{Text: "  " + st.Name(), Style: s.St.Title}, {Text: " on " + st.Zone, Style: s.St.Dim}},
			nav.Page{Kind: nav.Rows, Zone: st.Zone})
		for n := range st.Passed {
			v.addDecider(s, fmt.Sprintf("%s.pass.%d", id, n), "packets", &st.Passed[n], st.Zone, i)
		}
		if st.Decided != nil {
			v.addDecider(s, id+".packets", "packets", st.Decided, st.Zone, i)
		} else {
			s.Add(id+".none", widget.Line{{Text: "    packets   ", Style: s.St.Dim}, {Text: "nothing matched: allowed"}}, nav.Page{})
		}
		if !trace.SameRule(st.Decided, rows.Decided) {
			v.addOther(s, id+".rows", "rows", rows)
		}
		if !trace.SameRule(st.Decided, policies.Decided) {
			v.addOther(s, id+".policies", "policies", policies)
		}
	}
	if p.Verdict == verdict.Allow && trace.DecidingStage(p) == nil {
		s.AddNote(fmt.Sprintf("stage.%d.default", i), 2, words.Noted, s.St.Dim, s.St.Text, "No ACL decided: allowed by default.")
	}
}

// addDecider adds the deciding rule with its row below.
func (v *View) addDecider(s *detail.Sheet, id, by string, d *verdict.Decider, zone string, path int) {
	s.Add(id, widget.Line{{Text: "    " + by + "   ", Style: s.St.Dim}, {Text: string(d.Action), Style: view.ActionStyle(d.Action, s.St)},
		{Text: "  " + trace.RuleName(d)}}, detail.DeciderPage(v.rev, d, zone))
	if a := v.packetRow(d, zone, path); a != nil {
		text := fmt.Sprintf("tier %d · priority %d · row %s", a.Tier, a.Priority, a.UUID[:min(8, len(a.UUID))])
		if a.Log {
			text += " · logged as " + a.Severity
		}
		s.Add(id+".row", widget.Line{{Text: "              " + text, Style: s.St.Dim}}, nav.ToRow(zone, nb.TableACL, a.UUID))
	}
}

// packetRow returns the row that a packet matched in a zone, by its decider; nil if unknown.
func (v *View) packetRow(d *verdict.Decider, zone string, path int) *nb.ACL {
	for _, step := range v.result.Sent[path] {
		for _, m := range step.Met {
			if step.Zone == zone && m.Row != nil && m.Decider.ACL == d.ACL {
				return m.Row
			}
		}
	}
	return nil
}

// addOther adds the decision of rows or policies at a stage where packets got another.
func (v *View) addOther(s *detail.Sheet, id, by string, st *verdict.StageVerdict) {
	text, to := "nothing matches: allow", nav.Page{}
	switch {
	case st.Verdict == verdict.Unknown:
		text = "unknown: " + st.Reason
	case st.Decided != nil:
		text, to = string(st.Decided.Action)+"  "+trace.RuleName(st.Decided), detail.DeciderPage(v.rev, st.Decided, st.Zone)
	}
	s.AddParagraph(id, 4, fmt.Sprintf("%-9s", by), s.St.Dim, s.St.Warn, text, to)
}

// addPackets adds all packets sent on a path, there and back.
func (v *View) addPackets(s *detail.Sheet, i int) {
	r := v.result
	steps := r.Sent[i]
	if len(steps) == 0 {
		if why := r.Packets.Paths[i].Reason; why != "" {
			s.AddHead("not sent")
			s.AddNote(fmt.Sprintf("unsent.%d", i), 2, words.Noted, s.St.Dim, s.St.Text, why)
		}
		return
	}
	s.AddHead("packets")
	p := &r.Packets.Paths[i]
	for n := range steps {
		st := &steps[n]
		from, to := &p.From, &p.To
		if st.Reply {
			from, to = to, from
		}
		sign, style, word := words.Yes, s.St.Allow, trace.Delivered
		if !st.Delivered {
			sign, style, word = words.No, s.St.Deny, trace.Dropped
		}
		name := st.Packet
		if n > 0 && steps[n-1].Packet == name {
			name = "" // the same packet in the next zone
		}
		l := widget.Line{{Text: fmt.Sprintf("  %-13s", name)}, {Text: sign + " " + word, Style: style},
			{Text: " on " + st.Zone, Style: s.St.Text}}
		l = l.Add("  "+from.Endpoint.String()+" → "+to.Endpoint.String(), s.St.Dim)
		s.Add(fmt.Sprintf("packet.%d.%d", i, n), l, podPage(to.Key))
		if st.Packet == steps[0].Packet {
			continue // its matches are shown above
		}
		if len(st.Met) == 0 {
			s.AddUnder(15, "met no ACL: part of the connection", s.St.Dim)
		}
		for k := range st.Met {
			m := &st.Met[k]
			d := m.Decider
			s.Add(fmt.Sprintf("packet.%d.%d.%d", i, n, k), widget.Line{{Text: "               met ", Style: s.St.Dim}, {Text: trace.RuleName(&d)}},
				detail.DeciderPage(v.rev, &d, st.Zone))
		}
	}
}
