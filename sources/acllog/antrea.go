package acllog

import (
	"errors"
	"net/netip"
	"strings"
	"time"

	"rung/model"
	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/model/words"
)

// antreaMark occurs in every line of np.log, since all kinds of policies end in it.
const antreaMark = "NetworkPolicy"

// antreaWords bounds the words of a line; a line with more is not from np.log.
const antreaWords = 64

// none is np.log's word for a missing value.
const none = "<nil>"

// antreaKinds maps np.log's words to kinds.
var antreaKinds = map[string]model.Kind{
	"AntreaNetworkPolicy":        model.KindANNP,
	"AntreaClusterNetworkPolicy": model.KindACNP,
	"K8sNetworkPolicy":           model.KindNP,
	"AdminNetworkPolicy":         model.KindANP,
	"BaselineAdminNetworkPolicy": model.KindBANP,
}

// antreaVerdicts maps np.log's actions to OVN's words, which lack Redirect: to the layer 7 engine.
var antreaVerdicts = map[string]string{"Allow": "allow", "Drop": "drop", "Reject": "reject", "Pass": "pass", "Redirect": "redirect"}

var errAntrea = errors.New("np.log line: unknown layout")

// parseAntrea reads a line of Antrea's np.log:
//
//	date time table policy [rule] [direction] action priority [appliedTo]
//	source port destination port protocol length [label] [[n packets in d]]
//
// Older layouts lack rule, direction, appliedTo and label. The times have no zone. They are read as UTC, since
// the agent's container runs in UTC.
func parseAntrea(line string) (logline.Line, error) {
	if !strings.Contains(line, antreaMark) {
		return logline.Line{}, ErrNotACL
	}
	front, at, rest, ok := cutAntrea(line)
	if !ok {
		return logline.Line{}, ErrNotACL
	}
	if !words.IsClean(line) {
		line = words.CleanText(line)
		front, at, rest, ok = cutAntrea(line)
		if !ok {
			return logline.Line{}, ErrNotACL
		}
	}
	l := logline.Line{Raw: line, At: at}
	fields := strings.SplitN(strings.TrimSuffix(rest, " "), " ", antreaWords+1)
	if len(fields) < 2 {
		return logline.Line{}, ErrNotACL
	}
	if kind, _, _ := strings.Cut(fields[1], ":"); antreaKinds[kind] == "" {
		return logline.Line{}, ErrNotACL // another program's line
	}
	if front != "" {
		p, ok := readPrefix(front, false)
		if !ok {
			return logline.Line{}, errors.New("np.log line: unknown prefix before the time")
		}
		l.Zone, l.Pod = p.node, p.pod
	}
	if len(fields) > antreaWords || !readAntrea(&l, fields) {
		return logline.Line{}, errAntrea
	}
	return l, nil
}

// cutAntrea finds "2006/01/02 15:04:05.000000 ", at the front or behind a prefix, and cuts the line around it.
func cutAntrea(line string) (front string, at time.Time, rest string, ok bool) {
	const long = len("2006/01/02 15:04:05.000000 ")
	for i := 0; ; {
		s := line[i:]
		if len(s) < long {
			return "", at, "", false
		}
		if s[4] == '/' && s[7] == '/' && s[10] == ' ' && s[19] == '.' && s[long-1] == ' ' {
			at, err := parseTime(s[:4] + "-" + s[5:7] + "-" + s[8:10] + "T" + s[11:long-1] + "Z")
			return line[:i], at, s[long:], err == nil
		}
		next := strings.IndexByte(s, ' ')
		if next < 0 {
			return "", at, "", false
		}
		i += next + 1
	}
}

// readAntrea reads the words behind the time. It looks for the packet first, since rule names have several words.
func readAntrea(l *logline.Line, words []string) bool {
	a := &logline.NamedLine{Table: words[0], Packets: 1}
	l.Named, l.Name = a, words[1]
	kind, name, _ := strings.Cut(words[1], ":")
	a.Policy.Kind = antreaKinds[kind]
	if namespace, own, ok := strings.Cut(name, "/"); ok {
		a.Policy.Namespace, a.Policy.Name = namespace, own
	} else {
		a.Policy.Name = name
	}
	for i := 3; i+6 <= len(words); i++ {
		if readPacket(l, words[i:i+6]) {
			return readRule(l, a, words[2:i]) && readTail(a, words[i+6:])
		}
	}
	return false
}

// readPacket reads source, port, destination, port, protocol, length.
func readPacket(l *logline.Line, w []string) bool {
	src, err := netip.ParseAddr(w[0])
	dst, err2 := netip.ParseAddr(w[2])
	length := 0
	if err != nil || err2 != nil || src.Zone() != "" || dst.Zone() != "" || !setNumber(&length, w[5], 31) ||
		w[1] != none && !setNumber(&l.SrcPort, w[1], 16) || w[3] != none && !setNumber(&l.DstPort, w[3], 16) {
		return false
	}
	l.Src, l.Dst, l.Named.Length = src, dst, length
	switch l.Proto = strings.ToLower(w[4]); { // in Open vSwitch's words
	case l.Proto == "icmp" && src.Is6(), l.Proto == "icmpv6", l.Proto == "ipv6-icmp":
		l.Proto = "icmp6"
	}
	return true
}

// readRule reads the words between policy and packet: rule, direction, action, priority, appliedTo.
func readRule(l *logline.Line, a *logline.NamedLine, w []string) bool {
	isAction := func(i int) bool { return i >= 0 && antreaVerdicts[w[i]] != "" }
	act := len(w) - 2
	switch {
	case isAction(act - 1):
		act--
		a.AppliedTo = textOrNone(w[act+2])
	case !isAction(act):
		return false
	}
	l.Verdict = antreaVerdicts[w[act]]
	if p := textOrNone(w[act+1]); p != "" && !setNumber(&a.Priority, p, 16) {
		return false
	}
	name := w[:act]
	if n := len(name); n > 0 && (name[n-1] == string(model.Ingress) || name[n-1] == string(model.Egress)) {
		a.Direction, name = model.Direction(name[n-1]), name[:n-1]
	} else if strings.Contains(a.Table, string(model.Ingress)) { // the Open vSwitch table names the direction
		a.Direction = model.Ingress
	} else if strings.Contains(a.Table, string(model.Egress)) {
		a.Direction = model.Egress
	}
	switch a.Direction {
	case model.Ingress:
		l.Direction = nb.ToLport
	case model.Egress:
		l.Direction = nb.FromLport
	}
	if len(name) > 0 {
		a.Rule = textOrNone(strings.Join(name, " "))
	}
	if a.Policy.Name == "" { // the default drop of the pod's namespace
		a.Policy.Namespace, _, _ = strings.Cut(a.AppliedTo, "/")
	}
	return true
}

// readTail reads the words behind the packet: a label, and the number of packets counted as one.
func readTail(a *logline.NamedLine, w []string) bool {
	if len(w) > 0 && !strings.HasPrefix(w[0], "[") {
		a.Label, w = textOrNone(w[0]), w[1:]
	}
	if len(w) == 0 {
		return true
	}
	if len(w) != 4 || w[1] != "packets" || w[2] != "in" || !strings.HasSuffix(w[3], "]") {
		return false
	}
	var err error
	a.Over, err = time.ParseDuration(strings.TrimSuffix(w[3], "]"))
	return err == nil && a.Over >= 0 && setNumber(&a.Packets, strings.TrimPrefix(w[0], "["), 31) && a.Packets > 0
}

// textOrNone returns the word, or "" for np.log's missing value.
func textOrNone(word string) string {
	return words.Choose(word == none, "", word)
}
