package logline

import (
	"cmp"
	"iter"
	"net/netip"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/words"
)

// queryField is a field of log lines that a term can test.
type queryField struct {
	name     string
	helpText string // for the table of fields
	// read makes the test of one value; why describes an invalid value.
	read func(value string, now time.Time) (t lineTest, why string)
	// words are fixed values to offer; nil if none are known.
	words []string
	// values returns a line's values of the field.
	values func(*QueryLine) []string
	// end makes the test of one end, in place of read. The field then tests both ends, and accepts a->b: a at
	// the source, b at the destination.
	end func(value string) (endTest, string)
}

// endTest tests one end; addr is its address.
type endTest func(d *LineEnd, addr netip.Addr) bool

// fields has all fields in the order of completion.
var fields []queryField

// Not a literal: the table names functions that use it.
func init() {
	fields = []queryField{
		{name: "verdict", helpText: "allow, deny, drop, reject or pass", words: []string{"allow", "deny", "drop", "reject", "pass"},
			read: readVerdict},
		{name: "policy", helpText: "part of the policy's name; =web: all of it", read: anyTextTest(policyNames, nameTest), values: policyNames},
		{name: "rule", helpText: `its number, such as 5 or egress:5, or part of its name`, read: readRule, values: ruleValues},
		{name: "ns", helpText: "part of the namespace at either end, =blue: all of it; a->b: from a to b", end: endTextTest(endNamespace),
			values: textsOfEnds(endNamespace)},
		{name: "pod", helpText: "part of NAMESPACE/NAME at either end, =blue/api: all of it; a->b: from a to b", end: endTextTest(endPod),
			values: textsOfEnds(endPod)},
		{name: "src", helpText: "the source: part of its name or address, or a network", read: endSideTest(sourceEnd),
			values: func(l *QueryLine) []string { return l.Src.searchTexts() }},
		{name: "dst", helpText: "the destination: part of its name or address, or a network", read: endSideTest(destinationEnd),
			values: func(l *QueryLine) []string { return l.Dst.searchTexts() }},
		{name: "ip", helpText: "an address or a network such as 10.0.0.0/8 at either end; a->b: from a to b", end: readIP,
			values: func(l *QueryLine) []string { return []string{l.Src.Addr, l.Dst.Addr} }},
		{name: "port", helpText: "the destination port: 53, 8000-8080 or udp/53", read: readPort, values: portValues},
		{name: "proto", helpText: "tcp, udp, sctp, icmp, …", read: anyTextTest(lineProto, beginsWith), values: lineProto},
		{name: "node", helpText: "part of the node's name; =n1: all of it", read: anyTextTest(lineNode, nameTest), values: lineNode},
		{name: "dir", helpText: "ingress or egress", words: []string{"ingress", "egress"},
			read: wordTest("ingress or egress", []string{"ingress", "egress"}, func(l *QueryLine) string { return l.Rule.Direction.Lower() })},
		{name: "severity", helpText: "alert, warning, notice, info or debug", words: model.LogSeverities,
			read: wordTest("alert, warning, notice, info or debug", model.LogSeverities, func(l *QueryLine) string { return l.Severity })},
		{name: "since", helpText: "from then on: 5m back, or 14:05, or 2026-01-31T14:05:00Z", words: []string{"5m", "15m", "1h"},
			read: timeTest(func(at, since time.Time) bool { return !at.Before(since) })},
		{name: "until", helpText: "up to then", words: []string{"5m", "15m", "1h"},
			read: timeTest(func(at, until time.Time) bool { return !at.After(until) })},
	}
}

// aliases maps other names to fields.
var aliases = map[string]string{"zone": "node", "namespace": "ns", "from": "src", "to": "dst"}

// findField finds a field by its name, in either case.
func findField(name string) *queryField {
	name = strings.ToLower(name)
	name = cmp.Or(aliases[name], name)
	if i := slices.IndexFunc(fields, func(f queryField) bool { return f.name == name }); i >= 0 {
		return &fields[i]
	}
	return nil
}

// FieldHelp returns the fields with their help texts.
func FieldHelp() (out [][2]string) {
	for _, f := range fields {
		out = append(out, [2]string{f.name, f.helpText})
	}
	return out
}

// parseTerm reads the values of a term.
func (f *queryField) parseTerm(word, value string, open bool, now time.Time) (*queryTerm, *Error) {
	t := &queryTerm{field: f.name}
	err := words.Choose(open, &Error{Term: word, Why: `the closing " is missing`, Open: true}, nil)
	for _, v := range splitValue(value, ",") {
		if v == "" || v == `"` {
			continue // still being typed
		}
		one, why := f.readValue(v, now)
		switch {
		case why != "" && err == nil:
			err = &Error{Term: word, Why: why}
		case one != nil:
			t.tests = append(t.tests, one)
		}
	}
	if len(t.tests) == 0 {
		if err == nil {
			err = &Error{Term: word, Why: "a value is missing: " + f.helpText, Open: true}
		}
		return nil, err
	}
	return t, err
}

// readValue parses one value, or two with an arrow between.
func (f *queryField) readValue(v string, now time.Time) (lineTest, string) {
	if f.end == nil {
		return f.read(unquoteValue(v), now)
	}
	sides := splitValue(strings.ReplaceAll(v, "→", "->"), "->")
	var tests [2]endTest
	for i, s := range sides {
		switch {
		case i > 1:
			return nil, "one arrow only: " + f.name + ":a->b"
		case s == "":
			tests[i] = func(*LineEnd, netip.Addr) bool { return true }
			continue
		}
		t, why := f.end(unquoteValue(s))
		if why != "" {
			return nil, why
		}
		tests[i] = t
	}
	if len(sides) == 1 {
		return func(l *QueryLine) bool { return tests[0](sourceEnd(l)) || tests[0](destinationEnd(l)) }, ""
	}
	return func(l *QueryLine) bool { return tests[0](sourceEnd(l)) && tests[1](destinationEnd(l)) }, ""
}

func sourceEnd(l *QueryLine) (*LineEnd, netip.Addr)      { return &l.Src, l.Line.Src }
func destinationEnd(l *QueryLine) (*LineEnd, netip.Addr) { return &l.Dst, l.Line.Dst }

// suggestField names the closest field, else all fields.
func suggestField(name string) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	if best := words.Closest(name, names); best != "" {
		return "did you mean " + best + ":?"
	}
	return "fields: " + strings.Join(names, ", ")
}

// CompleteWord completes the last word of an expression: with a field, a known value, or a value of the lines.
// It returns the whole expression; empty if nothing fits.
func CompleteWord(text string, lines iter.Seq[*QueryLine]) string {
	all := Completions(text, 1, lines)
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// Completions returns up to most completions of the last word of an expression, each as the whole expression.
func Completions(text string, most int, lines iter.Seq[*QueryLine]) (out []string) {
	toks := splitWords(text)
	if len(toks) == 0 || toks[len(toks)-1].isUnfinished || toks[len(toks)-1].offset+len(toks[len(toks)-1].text) != len(text) {
		return nil
	}
	word := strings.TrimPrefix(toks[len(toks)-1].text, "!")
	add := func(begin, whole string) bool { // false: enough
		if len(whole) > len(begin) && strings.HasPrefix(whole, begin) && !strings.ContainsFunc(whole, isSpecial) {
			if s := text + whole[len(begin):]; !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
		return len(out) < most
	}
	name, value, ok := splitField(word)
	if !ok {
		for _, f := range fields {
			if word != "" && !add(word, f.name+":") {
				break
			}
		}
		return out
	}
	f := findField(name)
	if f == nil {
		return nil
	}
	begin := value[strings.LastIndexByte(value, ',')+1:]
	if f.end != nil {
		for _, arrow := range []string{"->", "→"} {
			if i := strings.LastIndex(begin, arrow); i >= 0 {
				begin = begin[i+len(arrow):]
			}
		}
	}
	begin = strings.TrimPrefix(begin, "=")
	for _, w := range f.words {
		if !add(begin, w) {
			return out
		}
	}
	if f.values == nil || lines == nil {
		return out
	}
	for l := range lines {
		for _, v := range f.values(l) {
			if !add(begin, v) {
				return out
			}
		}
	}
	return out
}

// isSpecial reports whether a character of a value needs quotes.
func isSpecial(r rune) bool { return strings.ContainsRune(` ,"→`, r) }
