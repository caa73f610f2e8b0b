package acllog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"rung/model/logline"
	"rung/model/words"
)

// MaxLine bounds the bytes of a line; longer lines of files are skipped and counted.
const MaxLine = 64 << 10

// ErrNotACL marks a line from neither ovn-controller's module acl_log nor Antrea's np.log.
var ErrNotACL = errors.New("not an acl_log line")

// unnamed is ovn-controller's text for an ACL without a name.
const unnamed = "<unnamed>"

// module is the start of the module's name in an ACL line.
const module = "|acl_log"

// messageID replaces OVS's header in syslog's newer form.
const messageID = " acl_log - "

// MayBeACLLine reports whether Parse may read the line, to spare copying other programs' lines.
func MayBeACLLine(line []byte) bool {
	return bytes.Contains(line, []byte(module)) || bytes.Contains(line, []byte(antreaMark)) ||
		bytes.Contains(line, []byte(messageID))
}

// Parse reads one line as ovn-controller writes it to a file, its console or syslog, or Antrea's agent to
// np.log. It also reads prefixes added by programs that collect and print logs (prefix.go). It reads JSON
// objects of collectors with the line as "message", too. The error is ErrNotACL for lines of other modules and
// programs. A line whose flow lacks addresses, ports, flags or ICMP type counts as cut, and is an error. Zone
// is set only if the line itself names its node.
func Parse(line string) (logline.Line, error) {
	line = strings.TrimRight(line, "\r\n")
	if len(line) > MaxLine {
		return logline.Line{}, fmt.Errorf("acl_log line: %d bytes, limit %d", len(line), MaxLine)
	}
	if strings.HasPrefix(line, "{") {
		return parseCollected(line)
	}
	return parseText(line, time.Time{})
}

// ParseUnended reads a line without its end. It rejects one that ends in a port or ICMP code: digits may be missing.
func ParseUnended(line string) (logline.Line, error) {
	l, err := Parse(line)
	if err == nil && !strings.HasPrefix(line, "{") && endsInNumber(line) {
		return logline.Line{}, errCut
	}
	return l, err
}

// endsInNumber reports whether the last field of a flow is a port or an ICMP code, a number that the traffic's
// name needs.
func endsInNumber(line string) bool {
	last := line[strings.LastIndexByte(line, ',')+1:]
	return strings.HasPrefix(last, "tp_dst=") || strings.HasPrefix(last, "icmp_code=")
}

// collected is a line stored by a log collector.
type collected struct {
	Message  string `json:"message"`
	At       string `json:"@timestamp"`
	Hostname string `json:"hostname"`
}

// parseCollected reads a line wrapped in a collector's JSON. Its time counts only if the line has none.
func parseCollected(line string) (logline.Line, error) {
	var c collected
	if err := json.Unmarshal([]byte(line), &c); err != nil {
		return logline.Line{}, errors.New("acl_log line: cut or damaged JSON of a log collector")
	}
	at, _ := parseTime(c.At) // zero if it is no time
	l, err := parseText(strings.TrimRight(c.Message, "\r\n"), at)
	if err != nil {
		return l, err
	}
	l.Raw = words.CleanText(line)
	if l.Zone == "" && isName(c.Hostname) {
		l.Zone = c.Hostname
	}
	return l, nil
}

// parseText reads an unwrapped line. collectedAt is the collector's time; zero if unknown.
func parseText(line string, collectedAt time.Time) (logline.Line, error) {
	h, ok := cutHeader(line)
	if !ok {
		return parseAntrea(line)
	}
	if !words.IsClean(line) {
		line = words.CleanText(line)
		h, ok = cutHeader(line)
		if !ok {
			return logline.Line{}, ErrNotACL
		}
	}
	l := logline.Line{Raw: line}
	partial, err := h.readInto(&l, collectedAt)
	if err != nil {
		return logline.Line{}, err
	}
	flow, err := parseMessage(&l, h.message)
	if err != nil {
		return logline.Line{}, err
	}
	if !parseFlow(&l, flow) || partial && endsInNumber(flow) {
		return logline.Line{}, errCut
	}
	return l, nil
}

// lineHeader holds the fields before the message of an OVS line: prefix, time|sequence|module|level|.
type lineHeader struct {
	prefix, time, seq, message string
}

// cutHeader cuts a line of the module acl_log: "acl_log(ovn_pinctrl0)" or, from the main thread, "acl_log". It
// looks only for the first four "|", since names and TCP flags may have more.
func cutHeader(line string) (h lineHeader, ok bool) {
	if front, message, ok := strings.Cut(line, messageID); ok && strings.HasPrefix(front, "<") {
		// Cleaning replaces the byte order mark by U+FFFD.
		for _, mark := range []string{"\uFEFF", "\uFFFD"} {
			message = strings.TrimPrefix(message, mark)
		}
		return lineHeader{prefix: front + messageID, time: toSyslog, seq: "0", message: message}, true
	}
	front, rest, ok := strings.Cut(line, "|")
	if !ok {
		return h, false
	}
	at := strings.LastIndexByte(front, ' ') + 1
	h.prefix, h.time = front[:at], front[at:]
	if at > 0 && strings.HasPrefix(rest, module[1:]) { // syslog gave the time; the number comes first
		h.time, h.seq = toSyslog, h.time
	} else {
		h.seq, rest, ok = strings.Cut(rest, "|")
	}
	if !ok || !strings.HasPrefix(rest, module[1:]) {
		return h, false
	}
	thread, rest, ok := strings.Cut(rest[len(module)-1:], "|")
	if !ok || thread != "" && (thread[0] != '(' || thread[len(thread)-1] != ')') {
		return h, false
	}
	_, h.message, ok = strings.Cut(rest, "|")
	return h, ok
}

// toSyslog replaces the time in lines that OVS's programs send to syslog, which adds the time itself.
const toSyslog = "ovs"

// readInto reads the header into a line. partial reports whether a container runtime split the line.
func (h *lineHeader) readInto(l *logline.Line, collectedAt time.Time) (partial bool, err error) {
	const longest = 40 // of a time or number, in bytes; keeps errors short
	if len(h.time) > longest || len(h.seq) > longest {
		return false, errors.New("acl_log line: no time and sequence number at the start")
	}
	p := linePrefix{writtenAt: collectedAt}
	if h.prefix != "" {
		var ok bool
		p, ok = readPrefix(h.prefix, h.time == toSyslog)
		if !ok {
			return false, errors.New("acl_log line: unknown prefix before the time")
		}
		l.Zone, l.Pod = p.node, p.pod
	}
	if h.time == toSyslog && !p.writtenAt.IsZero() {
		l.At = p.writtenAt
	} else {
		at, err := parseTime(h.time)
		if err != nil {
			return false, fmt.Errorf("acl_log line: time: %w", err)
		}
		l.At = at
	}
	if l.Seq, err = strconv.ParseUint(h.seq, 10, 64); err != nil {
		return false, fmt.Errorf("acl_log line: sequence number: %w", err)
	}
	return p.partial, nil
}

// errCut marks a line cut inside its flow, or without a field that OVN always writes.
var errCut = errors.New("acl_log line: cut inside the flow: fields are missing")

var errNoFlow = errors.New("acl_log line: cut before the flow")

// parseMessage reads `name="…", verdict=…, severity=…, direction=…: ` and
// returns the flow behind it. Older builds have no direction, and no space
// after the colon. Keys of newer builds are skipped.
func parseMessage(l *logline.Line, msg string) (flow string, err error) {
	rest, ok := strings.CutPrefix(msg, "name=")
	if !ok {
		return "", errors.New("acl_log line: no name")
	}
	if l.Name, rest, err = cutString(rest); err != nil {
		return "", err
	}
	if l.Name == unnamed {
		l.Name, l.Unnamed = "", true
	}
	for {
		rest, ok = strings.CutPrefix(rest, ", ")
		end := strings.IndexAny(rest, ",:")
		if !ok || end < 0 {
			return "", errNoFlow
		}
		switch key, value, _ := strings.Cut(rest[:end], "="); key {
		case "verdict":
			l.Verdict = value
		case "severity":
			l.Severity = value
		case "direction":
			l.Direction = value
		}
		if rest[end] == ':' {
			flow = strings.TrimPrefix(rest[end+1:], " ")
			break
		}
		rest = rest[end:]
	}
	if l.Verdict == "" || l.Severity == "" {
		return "", errors.New("acl_log line: no verdict or no severity")
	}
	return flow, nil
}

// cutString cuts a JSON string off the front of a clean text; the value is clean.
func cutString(s string) (value, rest string, err error) {
	if !strings.HasPrefix(s, `"`) {
		return "", "", errors.New("acl_log line: the name is not quoted")
	}
	escaped := false
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			escaped = true
			i++
		case '"':
			value, rest = s[1:i], s[i+1:]
			if escaped {
				if err := json.Unmarshal([]byte(s[:i+1]), &value); err != nil {
					return "", "", fmt.Errorf("acl_log line: name: %w", err)
				}
				value = words.CleanText(value)
			}
			return value, rest, nil
		}
	}
	return "", "", errors.New("acl_log line: the name's closing quote is missing")
}

// parseFlow reads OVS's flow text: a protocol keyword and fields, joined by commas. It reports whether the
// flow has every field that OVN writes for the protocol.
func parseFlow(l *logline.Line, flow string) bool {
	var has flowFields
	for field := range strings.SplitSeq(flow, ",") {
		if key, value, is := strings.Cut(field, "="); is {
			has |= parseField(l, key, value)
		} else if l.Proto == "" {
			l.Proto = field
			if field == "tcp6" || field == "udp6" || field == "sctp6" {
				l.Proto = field[:len(field)-1] // without the family; icmp6 is a protocol of its own
			}
		}
	}
	return has.complete(l)
}

// flowFields is the set of completely read fields of a flow.
type flowFields uint16

const (
	hasSrcPort flowFields = 1 << iota
	hasDstPort
	hasFlags
	hasType
	hasCode
	hasARP
	hasTTL
	hasEthernet
	isFragment // a later fragment, which has neither ports nor an ICMP type
)

// complete reports whether no field is missing that OVN writes for the protocol.
func (has flowFields) complete(l *logline.Line) bool {
	if l.Proto == "" {
		return has&hasEthernet != 0 && !l.Src.IsValid() && !l.Dst.IsValid()
	}
	if !l.Src.IsValid() || !l.Dst.IsValid() || l.Src.Is4() != l.Dst.Is4() {
		return false
	}
	var need flowFields
	switch l.Proto {
	case "tcp":
		need = hasSrcPort | hasDstPort | hasFlags
	case "udp", "sctp":
		need = hasSrcPort | hasDstPort
	case "icmp", "icmp6":
		need = hasType | hasCode
	case "arp":
		return has&hasARP != 0 && l.Src.Is4()
	default:
		return has&(hasTTL|hasARP) != 0
	}
	return has&isFragment != 0 || has&need == need
}

// parseField reads one field into the line, and returns its flag if the value is whole.
func parseField(l *logline.Line, key, value string) flowFields {
	ok, is := false, flowFields(0)
	switch key {
	case "nw_src", "arp_spa":
		setAddr(&l.Src, value, netip.Addr.Is4)
	case "nw_dst", "arp_tpa":
		setAddr(&l.Dst, value, netip.Addr.Is4)
	case "ipv6_src":
		setAddr(&l.Src, value, netip.Addr.Is6)
	case "ipv6_dst":
		setAddr(&l.Dst, value, netip.Addr.Is6)
	case "tp_src":
		ok, is = setNumber(&l.SrcPort, value, 16), hasSrcPort
	case "tp_dst":
		ok, is = setNumber(&l.DstPort, value, 16), hasDstPort
	case "tcp_flags":
		ok, is = areFlags(value), hasFlags
		if ok && value != "0" {
			l.TCPFlags = value
		}
	case "icmp_type":
		ok, is = setNumber(&l.ICMPType, value, 8), hasType
	case "icmp_code":
		ok, is = setNumber(&l.ICMPCode, value, 8), hasCode
	case "arp_op":
		ok, is = value != "", hasARP
	case "nw_ttl":
		ok, is = value != "", hasTTL
	case "nw_frag":
		ok, is = value == "later", isFragment
	case "dl_type":
		ok, is = len(value) == len("0x88cc"), hasEthernet
	}
	return words.Choose(ok, is, 0)
}

// areFlags reports whether a text is uncut TCP flags as OVS writes them: "psh|ack", "0".
func areFlags(s string) bool {
	for f := range strings.SplitSeq(s, "|") {
		switch f {
		case "0", "fin", "syn", "rst", "psh", "ack", "urg", "ece", "cwr", "ns", "[200]", "[400]", "[800]":
		default:
			return false
		}
	}
	return true
}

func setAddr(to *netip.Addr, s string, family func(netip.Addr) bool) {
	if a, err := netip.ParseAddr(s); err == nil && family(a) && a.Zone() == "" {
		*to = a
	}
}

// setNumber reads a number; false if the text is not a number.
func setNumber[T int | uint16](to *T, s string, bits int) bool {
	n, err := strconv.ParseUint(s, 10, bits)
	if err != nil {
		return false
	}
	*to = T(n)
	return true
}
