package flow

import (
	"slices"
	"strings"
)

// readInside parses a line of a trace; false if it is unknown.
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
	if p.readTransformation(indent, text) {
		return true
	}
	return p.readAction(text)
}

// answers has the transformations that make a packet of OVN's own.
var answers = []string{"tcp_reset", "icmp4", "icmp6", "sctp_abort", "reject", "arp", "nd_na", "nd_ns"}

// readTransformation parses a line about how the packet goes on: through connection tracking, as a copy, or as OVN's own
// answer. In the detailed form it is underlined with dashes.
func (p *parser) readTransformation(indent int, text string) bool {
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
		state := "est|trk" // ovn-trace's default
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

// isUnderlined reports whether the next line is of dashes.
func (p *parser) isUnderlined() bool {
	return p.lineIndex+1 < len(p.lines) && len(p.lines[p.lineIndex+1]) <= MaxLine &&
		reDashes().MatchString(strings.TrimSpace(cleanLine(p.lines[p.lineIndex+1])))
}

// readAction parses an action of a flow.
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

// currentStep returns the flow of the current actions. In forms without flows one step has all of a pass.
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

// dropShorterForms drops a summary or minimal form of a trace if its detailed form comes before.
func (p *parser) dropShorterForms() {
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
