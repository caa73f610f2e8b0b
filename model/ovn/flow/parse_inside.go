package flow

import (
	"slices"
	"strings"
)

// readInside reads a line of a trace; false says that nothing is made of it.
func (p *parser) readInside(indent int, text string) bool {
	if reDashes().MatchString(text) {
		return true
	}
	if s, ok := readStep(text); ok {
		p.endPasses(indent)
		if p.trace.Form == "" {
			p.trace.Form = Detailed
		}
		s.Line = p.lineIndex + 1
		pass := p.currentPass()
		pass.Steps = append(pass.Steps, s)
		p.step = s
		return true
	}
	if reTable().MatchString(text) {
		return false
	}
	if reEnd().MatchString(text) {
		p.endPasses(indent - 1)
		p.step = nil
		return true
	}
	if p.readTurn(indent, text) {
		return true
	}
	return p.readAction(text)
}

// answers are the transformations that make a packet of OVN's own.
var answers = []string{"tcp_reset", "icmp4", "icmp6", "sctp_abort", "reject", "arp", "nd_na", "nd_ns"}

// readTurn reads a line that says how the packet goes on: through connection tracking, as a
// copy, or as an answer of OVN's own. In the detailed form dashes stand below it.
func (p *parser) readTurn(indent int, text string) bool {
	m := reTurn().FindStringSubmatch(text)
	if m == nil || strings.HasSuffix(text, ";") {
		return false
	}
	if m[4] == "" && !p.isUnderlined() {
		return false
	}
	p.endPasses(indent)
	if slices.Contains(answers, m[1]) {
		p.answerIndent = indent
	}
	if strings.HasPrefix(m[1], "ct_") {
		state := "est|trk" // what ovn-trace takes where it is not told
		if s := reState().FindStringSubmatch(text); s != nil {
			state = s[1]
		}
		p.currentPass().Connection = state
	}
	if m[4] == "" {
		p.step = nil
	}
	return true
}

// isUnderlined says whether the next line is one of dashes.
func (p *parser) isUnderlined() bool {
	return p.lineIndex+1 < len(p.lines) && len(p.lines[p.lineIndex+1]) <= MaxLine &&
		reDashes().MatchString(strings.TrimSpace(mendedLine(p.lines[p.lineIndex+1])))
}

// readAction reads what a flow does.
func (p *parser) readAction(text string) bool {
	if l, ok := readTraceLog(text); ok {
		s := p.currentStep()
		s.Logs = append(s.Logs, l)
		return true
	}
	if m := reOutput().FindStringSubmatch(text); m != nil {
		p.addOutput(Output{unescapeText(m[1]), m[2]})
		return true
	}
	if m := reMinOut().FindStringSubmatch(text); m != nil {
		p.addOutput(Output{Port: unescapeText(m[1])})
		return true
	}
	if !strings.HasSuffix(text, ";") && !strings.HasSuffix(text, "*/") {
		return false
	}
	s := p.currentStep()
	s.Actions = append(s.Actions, text)
	return true
}

func (p *parser) addOutput(o Output) {
	if p.answerIndent < 0 && !p.currentPass().Answer {
		p.trace.Outputs = append(p.trace.Outputs, o)
	}
}

// currentStep is the flow that actions belong to; where flows are not shown, all of a pass.
func (p *parser) currentStep() *Step {
	if p.step == nil {
		pass := p.currentPass()
		if n := len(pass.Steps); n > 0 && pass.Steps[n-1].Stage == "" && pass.Steps[n-1].Match == "" {
			p.step = pass.Steps[n-1]
		} else {
			p.step = &Step{Line: p.lineIndex + 1, Table: -1}
			pass.Steps = append(pass.Steps, p.step)
		}
	}
	return p.step
}

// dropPoorerForms drops the forms that say less where one text has the same trace in several.
func (p *parser) dropPoorerForms() {
	var keep []*Trace
	for _, t := range p.report.Traces {
		if n := len(keep); n > 0 && keep[n-1].Form != t.Form && keep[n-1].Packet == t.Packet && keep[n-1].Form == Detailed &&
			t.Form != Detailed && t.Title == keep[n-1].Title {
			continue
		}
		keep = append(keep, t)
	}
	p.report.Traces = keep
}
