package logline

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"rung/model"
	"rung/model/words"
)

// verdicts maps OVN's verdicts to the words that people use.
var verdicts = map[string][]string{
	"allow": {"allow", "allowed"}, "pass": {"pass", "passed"},
	"drop": {"deny", "drop", "dropped"}, "reject": {"deny", "reject", "rejected"},
}

// beginsWith returns a test for words that begin with typed.
func beginsWith(typed string) func(string) bool {
	typed = strings.ToLower(typed)
	return func(word string) bool { return strings.HasPrefix(word, typed) }
}

func readVerdict(v string, _ time.Time) (lineTest, string) {
	is := beginsWith(v)
	known := false
	for _, words := range verdicts {
		known = known || slices.ContainsFunc(words, is)
	}
	if !known {
		return nil, "want allow, deny, drop, reject or pass"
	}
	return func(l *QueryLine) bool { return slices.ContainsFunc(verdicts[l.Verdict], is) }, ""
}

// wordTest finds lines by a field of fixed words: the term is a word or its beginning. want names the words.
func wordTest(want string, words []string, of func(*QueryLine) string) func(string, time.Time) (lineTest, string) {
	return func(v string, _ time.Time) (lineTest, string) {
		is := beginsWith(v)
		if !slices.ContainsFunc(words, is) {
			return nil, "want " + want
		}
		return func(l *QueryLine) bool { word := of(l); return word != "" && is(word) }, ""
	}
}

// nameTest returns a test for names that contain a text; with = before the text, for names equal to it.
func nameTest(v string) func(string) bool {
	v = strings.ToLower(v)
	if exact, ok := strings.CutPrefix(v, "="); ok {
		return func(s string) bool { return strings.ToLower(s) == exact }
	}
	return func(s string) bool { return s != "" && strings.Contains(strings.ToLower(s), v) }
}

// anyTextTest finds lines with any matching text of several; by is nameTest or beginsWith.
func anyTextTest(of func(*QueryLine) []string, by func(string) func(string) bool) func(string, time.Time) (lineTest, string) {
	return func(v string, _ time.Time) (lineTest, string) {
		is := by(v)
		return func(l *QueryLine) bool { return slices.ContainsFunc(of(l), is) }, ""
	}
}

func endTextTest(of func(*LineEnd) string) func(string) (endTest, string) {
	return func(v string) (endTest, string) {
		is := nameTest(v)
		return func(d *LineEnd, _ netip.Addr) bool { return is(of(d)) }, ""
	}
}

func textsOfEnds(of func(*LineEnd) string) func(*QueryLine) []string {
	return func(l *QueryLine) []string { return []string{of(&l.Src), of(&l.Dst)} }
}

func lineNode(l *QueryLine) []string { return []string{l.Zone} }

func lineProto(l *QueryLine) []string { return []string{l.Proto} }

func endNamespace(d *LineEnd) string { return d.Key.Namespace }

func endPod(d *LineEnd) string {
	if d.Key.Kind != model.KindPod {
		return ""
	}
	return d.objectName()
}

// policyNames returns texts that identify policies of all kinds: "web", "NP blue/web" and blue/web.
func policyNames(l *QueryLine) []string {
	k := l.Rule.Policy
	switch {
	case l.Unit != "":
		return []string{l.Unit}
	case k.Namespace != "":
		return []string{k.Namespace + "/" + k.Name, k.ShortLabel()}
	}
	return []string{k.ShortLabel()}
}

// searchTexts returns the texts by which an end is found, its name first.
func (d *LineEnd) searchTexts() []string {
	if n := d.objectName(); n != "" {
		return []string{n, d.Addr}
	}
	return []string{d.Addr}
}

// endSideTest tests one end by name, address or note.
func endSideTest(at func(*QueryLine) (*LineEnd, netip.Addr)) func(string, time.Time) (lineTest, string) {
	return func(v string, _ time.Time) (lineTest, string) {
		is := nameTest(v)
		if strings.HasPrefix(v, "=") { // the end's name; its address if no object has it
			return func(l *QueryLine) bool { d, _ := at(l); return is(d.searchTexts()[0]) }, ""
		}
		if in := networkTest(v); in != nil {
			return func(l *QueryLine) bool { _, a := at(l); return in(a) }, ""
		}
		return func(l *QueryLine) bool {
			d, _ := at(l)
			return is(d.objectName()) || is(d.Addr) || is(d.Note)
		}, ""
	}
}

// networkTest returns a test for an address or network; nil if the text is neither.
func networkTest(v string) func(netip.Addr) bool {
	if p, err := netip.ParsePrefix(v); err == nil {
		return func(a netip.Addr) bool { return p.Contains(a.Unmap()) }
	}
	if one, err := netip.ParseAddr(v); err == nil {
		one = one.Unmap()
		return func(a netip.Addr) bool { return a.Unmap() == one }
	}
	return nil
}

func readIP(v string) (endTest, string) {
	if in := networkTest(v); in != nil {
		return func(_ *LineEnd, a netip.Addr) bool { return in(a) }, ""
	}
	if strings.Trim(strings.ToLower(v), "=0123456789abcdef.:") != "" {
		return nil, "want an address or a network, such as 10.0.0.0/8"
	}
	is := nameTest(v)
	return func(d *LineEnd, _ netip.Addr) bool { return is(d.Addr) }, ""
}

const wantPort = "want a port (53), a range (8000-8080) or udp/53"

// readPort parses a destination port; packets without ports have port 0.
func readPort(v string, _ time.Time) (lineTest, string) {
	proto, ports, ok := strings.Cut(v, "/")
	if !ok {
		proto, ports = "", v
	}
	low, high, isRange := strings.Cut(ports, "-")
	if !isRange {
		high = low
	}
	from, err1 := strconv.ParseUint(low, 10, 16)
	to, err2 := strconv.ParseUint(high, 10, 16)
	switch {
	case err1 != nil || err2 != nil:
		return nil, wantPort
	case to < from:
		return nil, "the range is reversed"
	}
	proto = strings.ToLower(proto)
	if ok && (proto == "" || strings.Trim(proto, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "") {
		return nil, wantPort
	}
	return func(l *QueryLine) bool {
		return uint64(l.DstPort) >= from && uint64(l.DstPort) <= to && (proto == "" || l.Proto == proto)
	}, ""
}

func portValues(l *QueryLine) []string {
	if l.DstPort == 0 {
		return nil
	}
	return []string{strconv.Itoa(int(l.DstPort)), l.Proto + "/" + strconv.Itoa(int(l.DstPort))}
}

// readRule parses 5, egress:5, "egress 5", egress, or part of the rule's name.
func readRule(v string, _ time.Time) (lineTest, string) {
	dir, number := strings.ToLower(v), ""
	if i := strings.IndexAny(dir, "0123456789"); i >= 0 {
		dir, number = strings.TrimRight(dir[:i], ": "), dir[i:]
	}
	n, err := strconv.Atoi(number)
	isDir := dir != "" && (strings.HasPrefix("ingress", dir) || strings.HasPrefix("egress", dir))
	if number != "" && err == nil && (dir == "" || isDir) {
		return func(l *QueryLine) bool {
			return l.Rule.Rule == n && l.Rule.Policy.Kind != "" && strings.HasPrefix(l.Rule.Direction.Lower(), dir)
		}, ""
	}
	is := nameTest(v)
	return func(l *QueryLine) bool {
		return is(l.RuleName) || isDir && number == "" && l.Rule.Direction != "" && strings.HasPrefix(l.Rule.Direction.Lower(), dir)
	}, ""
}

func ruleValues(l *QueryLine) []string {
	if l.Rule.Rule < 0 || l.Rule.Direction == "" {
		return []string{l.RuleName}
	}
	return []string{l.RuleName, l.Rule.Direction.Lower() + ":" + strconv.Itoa(l.Rule.Rule)}
}

// timeTest compares the time of a line with the typed one.
func timeTest(holds func(at, typed time.Time) bool) func(string, time.Time) (lineTest, string) {
	return func(v string, now time.Time) (lineTest, string) {
		typed, err := words.ParseMoment(v, now, now)
		if err != nil {
			return nil, err.Error()
		}
		return func(l *QueryLine) bool { return holds(l.At, typed) }, ""
	}
}
