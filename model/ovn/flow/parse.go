package flow

import (
	"strings"

	"rung/model/words"
)

// Parse parses one trace or several, with or without the output of ovnkube-trace, a shell and Open vSwitch's
// tools around them.
func Parse(text string) *Report {
	p := &parser{report: &Report{}}
	if len(text) > MaxInput {
		text = text[:MaxInput]
	}
	raw := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if text == "" {
		raw = nil
	}
	p.report.Lines = len(raw)
	p.lines = raw
	for p.lineIndex = range raw {
		if len(raw[p.lineIndex]) > MaxLine {
			p.countUnknown(raw[p.lineIndex][:maxKept])
			continue
		}
		p.readLine(cleanLine(raw[p.lineIndex]))
	}
	p.dropShorterForms()
	return p.report
}

// parser parses a text line by line. Its fields are the state between lines.
type parser struct {
	report    *Report
	lines     []string
	lineIndex int

	trace *Trace
	form  Form
	// title is ovnkube-trace's name for the next trace.
	title string
	// isOtherProgram is true for lines of another program.
	isOtherProgram bool
	openPasses     []*Pass // passes around the line, the innermost last
	step           *Step
	// answerIndent is the indent of the transformation that makes OVN's own answer, -1 outside of one.
	answerIndent int
}

// countUnknown counts an unparsed line.
func (p *parser) countUnknown(text string) {
	p.report.Unknown++
	if len(p.report.UnparsedLines) < maxUnparsedLines {
		text = words.CleanText(text)
		if r := []rune(text); len(r) > maxKept {
			text = string(r[:maxKept])
		}
		p.report.UnparsedLines = append(p.report.UnparsedLines, Line{p.lineIndex + 1, text})
	}
}

func (p *parser) readLine(line string) {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	switch {
	case text == "":
		return
	case p.readBetweenTraces(text):
		return
	case rePacket().MatchString(line) && (strings.Contains(line, ",") || strings.Contains(line, "=")):
		p.beginTrace(parsePacket(line))
		return
	}
	if pass := readPass(text); pass != nil {
		p.beginPass(pass, indent)
		return
	}
	if p.isOtherProgram || strings.HasPrefix(text, "cookie=0x") { // of ovn-trace --ovs
		p.report.Other++
		return
	}
	if reOther().MatchString(text) {
		p.isOtherProgram = true
		p.report.Other++
		return
	}
	if p.trace == nil || !p.readInside(indent, text) {
		p.countUnknown(line)
	}
}

// readBetweenTraces parses lines between traces.
func (p *parser) readBetweenTraces(text string) bool {
	if m := reBanner().FindStringSubmatch(text); m != nil {
		p.form, p.openPasses, p.step, p.isOtherProgram, p.answerIndent = Form(strings.ToLower(m[1])), nil, nil, false, -1
		if p.trace != nil && len(p.trace.Passes) > 0 {
			next := &Trace{Title: p.trace.Title, Line: p.lineIndex + 1, Form: p.form, Packet: p.trace.Packet}
			p.trace = next
			p.report.Traces = append(p.report.Traces, next)
		} else if p.trace != nil {
			p.trace.Form = p.form
		}
		return true
	}
	if m := reResult().FindStringSubmatch(text); m != nil {
		p.report.Results = append(p.report.Results, Result{What: m[1], Success: m[2] == "success", From: m[3], To: m[4]})
		p.endTrace()
		return true
	}
	if m := reKlog().FindStringSubmatch(text); m != nil {
		p.endTrace()
		p.report.Other++
		if what, ok := strings.CutSuffix(m[1], " Output:"); ok {
			p.title, p.isOtherProgram = what, !strings.HasPrefix(what, "ovn-trace")
		} else if strings.HasPrefix(m[1], "Search string") {
			p.isOtherProgram = true // the string follows
		}
		return true
	}
	if m := reVlog().FindStringSubmatch(text); m != nil {
		p.addProblem(m[1] + ": " + m[2])
		return true
	}
	if rePrompt().MatchString(text) {
		p.endTrace()
		p.report.Other++
		return true
	}
	if reError().MatchString(text) && !p.isOtherProgram {
		p.addProblem(text)
		return true
	}
	return false
}

// endTrace ends the current trace.
func (p *parser) endTrace() {
	p.trace, p.openPasses, p.step, p.isOtherProgram, p.title, p.form, p.answerIndent = nil, nil, nil, false, "", "", -1
}

func (p *parser) addProblem(text string) {
	const most = 50
	to := &p.report.Problems
	if p.trace != nil {
		to = &p.trace.Problems
	}
	if len(*to) < most {
		*to = append(*to, text)
	} else {
		p.report.Other++
	}
}

func (p *parser) beginTrace(packet Packet) {
	title := p.title
	p.endTrace()
	p.trace = &Trace{Title: title, Line: p.lineIndex + 1, Packet: packet}
	p.report.Traces = append(p.report.Traces, p.trace)
}

// beginPass begins a pass, and a trace if the text begins in the middle of one.
func (p *parser) beginPass(pass *Pass, indent int) {
	if p.trace == nil || p.isOtherProgram {
		p.beginTrace(Packet{})
	}
	braces := strings.HasSuffix(cleanLine(p.lines[p.lineIndex]), "{")
	if p.trace.Form == "" {
		p.trace.Form = Detailed
		if braces {
			p.trace.Form = Summary
		}
	}
	p.endPasses(indent)
	pass.indent = indent
	if n := len(p.openPasses); n > 0 {
		pass.Answer = p.openPasses[n-1].Answer
	}
	pass.Answer = pass.Answer || p.answerIndent >= 0 && indent >= p.answerIndent
	p.trace.Passes = append(p.trace.Passes, pass)
	p.openPasses = append(p.openPasses, pass)
	p.step = nil
}

// endPasses ends the passes with a deeper indent. In the detailed form a pass continues at its own indent, and
// a new pass there ends it.
func (p *parser) endPasses(indent int) {
	for len(p.openPasses) > 0 && p.openPasses[len(p.openPasses)-1].indent > indent {
		p.openPasses = p.openPasses[:len(p.openPasses)-1]
	}
	if indent < p.answerIndent {
		p.answerIndent = -1
	}
}

func (p *parser) currentPass() *Pass {
	if len(p.openPasses) == 0 {
		// The minimal form has no heads of passes, and some texts begin after one.
		pass := &Pass{}
		p.trace.Passes = append(p.trace.Passes, pass)
		p.openPasses = []*Pass{pass}
		if p.trace.Form == "" {
			p.trace.Form = Minimal
		}
	}
	return p.openPasses[len(p.openPasses)-1]
}
