package acllog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"rung/model/clean"
	"rung/model/logline"
)

// MaxLine is the most bytes a line may have.
const MaxLine = 64 << 10

// ErrNotACL marks a line that is neither from ovn-controller's module acl_log nor one
// of Antrea's np.log.
var ErrNotACL = errors.New("not an acl_log line")

// unnamed is the name that ovn-controller writes for an ACL without one.
const unnamed = "<unnamed>"

// module is how the name of the module that writes ACL lines stands in a line.
const module = "|acl_log"

// MayBeACLLine says whether a line may be one that Parse reads. Of a log whose other lines are
// many, it spares these a copy.
func MayBeACLLine(line []byte) bool {
	return bytes.Contains(line, []byte(module)) || bytes.Contains(line, []byte(antreaMark))
}

// Parse reads one line as ovn-controller writes it to a file, to its console or to
// syslog, or as Antrea's agent writes it to np.log, with or without what programs that
// collect and print logs put in front of it (prefix.go). The error is ErrNotACL for
// lines of other modules and programs. A flow field that is missing or odd leaves its
// part of the LogLine zero: such a line is worth showing still. Zone is set only where
// the line itself names its node.
func Parse(line string) (logline.Line, error) {
	line = strings.TrimRight(line, "\r\n")
	if len(line) > MaxLine {
		return logline.Line{}, fmt.Errorf("acl_log line: %d bytes, at most %d are read", len(line), MaxLine)
	}
	h, ok := cutHeader(line)
	if !ok {
		return parseAntrea(line)
	}
	if !clean.IsClean(line) {
		line = clean.Text(line)
		h, ok = cutHeader(line)
		if !ok {
			return logline.Line{}, ErrNotACL
		}
	}
	l := logline.Line{Raw: line}
	if err := h.readInto(&l); err != nil {
		return logline.Line{}, err
	}
	flow, err := parseMessage(&l, h.message)
	if err != nil {
		return logline.Line{}, err
	}
	parseFlow(&l, flow)
	return l, nil
}

// lineHeader holds the fields before the message of a line that OVS's programs write:
// prefix, time|sequence|module|level|.
type lineHeader struct {
	prefix, time, seq, message string
}

// cutHeader cuts a line of the module acl_log: "acl_log(ovn_pinctrl0)" or, as the main
// thread would write it, "acl_log". "|" occurs in names and in TCP flags, so only the
// first four are looked for.
func cutHeader(line string) (h lineHeader, ok bool) {
	front, rest, ok := strings.Cut(line, "|")
	if !ok {
		return h, false
	}
	h.seq, rest, ok = strings.Cut(rest, "|")
	if !ok || !strings.HasPrefix(rest, module[1:]) {
		return h, false
	}
	thread, rest, ok := strings.Cut(rest[len(module)-1:], "|")
	if !ok || thread != "" && (thread[0] != '(' || thread[len(thread)-1] != ')') {
		return h, false
	}
	_, h.message, ok = strings.Cut(rest, "|")
	if !ok {
		return h, false
	}
	h.time = front
	if at := strings.LastIndexByte(front, ' '); at >= 0 {
		h.prefix, h.time = front[:at+1], front[at+1:]
	}
	return h, true
}

// toSyslog is the word that OVS's programs write to syslog in place of the time, which
// syslog puts in front itself.
const toSyslog = "ovs"

// readInto reads the header into a line.
func (h *lineHeader) readInto(l *logline.Line) error {
	const longest = 40 // of a time or number; keeps errors short
	if len(h.time) > longest || len(h.seq) > longest {
		return errors.New("acl_log line: it does not begin with time and sequence number")
	}
	var p linePrefix
	if h.prefix != "" {
		var ok bool
		p, ok = readPrefix(h.prefix)
		if !ok {
			return errors.New("acl_log line: what stands before its time is in no known form")
		}
		l.Zone, l.Pod = p.node, p.pod
	}
	if h.time == toSyslog && !p.writtenAt.IsZero() {
		l.At = p.writtenAt
	} else {
		at, err := parseTime(h.time)
		if err != nil {
			return fmt.Errorf("acl_log line: time: %w", err)
		}
		l.At = at
	}
	var err error
	if l.Seq, err = strconv.ParseUint(h.seq, 10, 64); err != nil {
		return fmt.Errorf("acl_log line: sequence number: %w", err)
	}
	return nil
}

var errNoFlow = errors.New("acl_log line: it ends before the flow")

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
		if !ok {
			return "", errNoFlow
		}
		end, is := 0, -1
		for ; end < len(rest) && rest[end] != ',' && rest[end] != ':'; end++ {
			if rest[end] == '=' && is < 0 {
				is = end
			}
		}
		if end == len(rest) {
			return "", errNoFlow
		}
		if is >= 0 {
			switch value := rest[is+1 : end]; rest[:is] {
			case "verdict":
				l.Verdict = value
			case "severity":
				l.Severity = value
			case "direction":
				l.Direction = value
			}
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

// cutString takes a JSON string off the front of a clean text; the value is clean.
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
				value = clean.Text(value)
			}
			return value, rest, nil
		}
	}
	return "", "", errors.New("acl_log line: the name does not end")
}

// parseFlow reads OVS's flow text: a protocol keyword and fields, joined by
// commas.
func parseFlow(l *logline.Line, flow string) {
	for field := range strings.SplitSeq(flow, ",") {
		if key, value, is := strings.Cut(field, "="); is {
			parseField(l, key, value)
		} else if l.Proto == "" {
			l.Proto = field
			if field == "tcp6" || field == "udp6" || field == "sctp6" {
				l.Proto = field[:len(field)-1] // without the family; icmp6 is a protocol of its own
			}
		}
	}
}

func parseField(l *logline.Line, key, value string) {
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
		setNumber(&l.SrcPort, value, 16)
	case "tp_dst":
		setNumber(&l.DstPort, value, 16)
	case "tcp_flags":
		if value != "0" {
			l.TCPFlags = value
		}
	case "icmp_type":
		setNumber(&l.ICMPType, value, 8)
	case "icmp_code":
		setNumber(&l.ICMPCode, value, 8)
	}
}

func setAddr(to *netip.Addr, s string, family func(netip.Addr) bool) {
	if a, err := netip.ParseAddr(s); err == nil && family(a) && a.Zone() == "" {
		*to = a
	}
}

func setNumber[T int | uint16](to *T, s string, bits int) {
	if n, err := strconv.ParseUint(s, 10, bits); err == nil {
		*to = T(n)
	}
}
