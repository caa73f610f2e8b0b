package ovntrace

import (
	"slices"
	"strings"
)

// inside reads a line of a trace; false says that nothing is made of it.
func (p *parser) inside(indent int, text string) bool {
	if reDashes.MatchString(text) {
		return true
	}
	if s, ok := stepOf(text); ok {
		p.close(indent)
		if p.trace.Form == "" {
			p.trace.Form = Detailed
		}
		s.Line = p.at + 1
		pass := p.pass()
		pass.Steps = append(pass.Steps, s)
		p.step = s
		return true
	}
	if reTable.MatchString(text) {
		return false
	}
	if reEnd.MatchString(text) {
		p.close(indent - 1)
		p.step = nil
		return true
	}
	if p.turn(indent, text) {
		return true
	}
	return p.action(text)
}

// answers are the transformations that make a packet of OVN's own.
var answers = []string{"tcp_reset", "icmp4", "icmp6", "sctp_abort", "reject", "arp", "nd_na", "nd_ns"}

// turn reads a line that says how the packet goes on: through connection tracking, as a
// copy, or as an answer of OVN's own. In the detailed form dashes stand below it.
func (p *parser) turn(indent int, text string) bool {
	m := reTurn.FindStringSubmatch(text)
	if m == nil || strings.HasSuffix(text, ";") {
		return false
	}
	if m[4] == "" && !p.underlined() {
		return false
	}
	p.close(indent)
	if slices.Contains(answers, m[1]) {
		p.answer = indent
	}
	if strings.HasPrefix(m[1], "ct_") {
		state := "est|trk" // what ovn-trace takes where it is not told
		if s := reState.FindStringSubmatch(text); s != nil {
			state = s[1]
		}
		p.pass().Connection = state
	}
	if m[4] == "" {
		p.step = nil
	}
	return true
}

// underlined says whether the next line is one of dashes.
func (p *parser) underlined() bool {
	return p.at+1 < len(p.lines) && len(p.lines[p.at+1]) <= MaxLine &&
		reDashes.MatchString(strings.TrimSpace(mended(p.lines[p.at+1])))
}

// action reads what a flow does.
func (p *parser) action(text string) bool {
	if l, ok := logOf(text); ok {
		s := p.current()
		s.Logs = append(s.Logs, l)
		return true
	}
	if m := reOutput.FindStringSubmatch(text); m != nil {
		p.output(Output{unescape(m[1]), m[2]})
		return true
	}
	if m := reMinOut.FindStringSubmatch(text); m != nil {
		p.output(Output{Port: unescape(m[1])})
		return true
	}
	if !strings.HasSuffix(text, ";") && !strings.HasSuffix(text, "*/") {
		return false
	}
	s := p.current()
	s.Actions = append(s.Actions, text)
	return true
}

func (p *parser) output(o Output) {
	if p.answer < 0 && !p.pass().Answer {
		p.trace.Outputs = append(p.trace.Outputs, o)
	}
}

// current is the flow that actions belong to; where flows are not shown, all of a pass.
func (p *parser) current() *Step {
	if p.step == nil {
		pass := p.pass()
		if n := len(pass.Steps); n > 0 && pass.Steps[n-1].Stage == "" && pass.Steps[n-1].Match == "" {
			p.step = pass.Steps[n-1]
		} else {
			p.step = &Step{Line: p.at + 1, Table: -1}
			pass.Steps = append(pass.Steps, p.step)
		}
	}
	return p.step
}

// prune drops the forms that say less where one text has the same trace in several.
func (p *parser) prune() {
	var keep []*Trace
	for _, t := range p.out.Traces {
		if n := len(keep); n > 0 && keep[n-1].Form != t.Form && keep[n-1].Packet == t.Packet && keep[n-1].Form == Detailed &&
			t.Form != Detailed && t.Title == keep[n-1].Title {
			continue
		}
		keep = append(keep, t)
	}
	p.out.Traces = keep
}
