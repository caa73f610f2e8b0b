package acllog

import (
	"cmp"
	"strings"
	"time"
)

// linePrefix holds the time, node and pod in front of a line, added by a program that collected or printed it:
//
//	2024-06-09T19:00:10.5Z                              kubectl logs --timestamps, must-gather
//	2024-06-09T19:00:10.5Z stdout F                     a container runtime, in the node's files
//	[pod/ovnkube-node-x/ovn-controller]                 kubectl logs --prefix
//	ovnkube-node-x ovn-controller                       stern, with the namespace before it for -A
//	worker-0.example.com                                oc adm node-logs of several nodes
//	Jun  9 19:00:10 worker-0 ovn-controller[7]:         syslog and journald
//	2024-06-09T19:00:10.5+00:00 worker-0 ovn-controller: the same by newer ones
//	<134>1 2024-06-09T19:00:10.5Z worker-0 ovn-controller 7 - -   syslog on the wire
//	<134>1 2024-06-09T19:00:10.5Z worker-0 ovn-controller 7 acl_log -   the same, written by OVS itself
//	<134>Jun  9 19:00:10 worker-0                       before "ovs|", sent by OVS without a program
//
// If syslog has the time, "ovs|" may be missing before the sequence number.
//
// Some of these forms come together.
type linePrefix struct {
	writtenAt time.Time // zero if the prefix has no time
	node, pod string
	partial   bool // a container runtime split the line: the rest is in the next line
}

// readPrefix reads the text before a line, with the space behind it. toSyslog reports whether OVS left the
// time to syslog. ok is false for an unknown form: such a line is a quotation.
func readPrefix(s string, toSyslog bool) (p linePrefix, ok bool) {
	if rest, is := strings.CutPrefix(s, "[pod/"); is {
		where, rest, is := strings.Cut(rest, "] ")
		if !is {
			return p, false
		}
		p.pod, _, _ = strings.Cut(where, "/")
		s = rest
	}
	if strings.HasPrefix(s, "<") { // priority, version
		number, rest, is := strings.Cut(s[1:], ">")
		if !is || number == "" || strings.Trim(number, "0123456789") != "" {
			return p, false
		}
		s = strings.TrimPrefix(rest, "1 ")
	}
	var names [3]string // before the time: a node, or stern's words
	n := 0
	for s != "" && p.writtenAt.IsZero() {
		if len(s) > 15 && s[3] == ' ' && s[9] == ':' {
			if at, is := parseYearless(s[:15], time.Now()); is && s[15] == ' ' {
				p.writtenAt, s = at, s[16:]
				break
			}
		}
		var word string
		word, s, _ = strings.Cut(s, " ")
		// Most words are not a time, as their first character shows.
		if len(word) >= len("2006-01-02T15:04:05Z") && word[0] >= '0' && word[0] <= '9' {
			if at, err := parseTime(word); err == nil {
				p.writtenAt = at
				break
			}
		}
		if n == len(names) || !isName(word) {
			return p, false
		}
		names[n] = word
		n++
	}
	switch {
	case n == 1:
		p.node = names[0]
	case n == 2 && IsWriter(names[1]):
		p.pod = names[0]
	case n == 3 && IsWriter(names[2]):
		p.pod = names[0] + "/" + names[1]
	case n > 0:
		return p, false
	}
	if s == "" {
		return p, true
	}
	switch s {
	case "stdout F ", "stderr F ":
		return p, true
	case "stdout P ", "stderr P ":
		p.partial = true
		return p, true
	}
	return p, p.readSyslog(s, toSyslog)
}

// readSyslog reads syslog's words behind the time: node, program (which OVS may omit), and more in the newer form.
func (p *linePrefix) readSyslog(s string, toSyslog bool) bool {
	node, rest, ok := strings.Cut(s, " ")
	if !ok || !isName(node) {
		return false
	}
	p.node = cmp.Or(p.node, node)
	program, rest, ok := strings.Cut(rest, " ")
	if !ok {
		return toSyslog && program == ""
	}
	if strings.HasSuffix(program, ":") {
		return rest == ""
	}
	// process, message, structured data
	return isName(program) && strings.Count(rest, " ") >= 3
}

// IsWriter reports whether a pod or container of this name may write ACL lines.
func IsWriter(name string) bool {
	return strings.HasPrefix(name, "ovn") || strings.HasPrefix(name, "antrea")
}

// isName reports whether a word may be the name of a node, pod, container or program.
func isName(s string) bool {
	const chars = "-._0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	return s != "" && len(s) <= 253 && !strings.ContainsRune("-._", rune(s[0])) && strings.Trim(s, chars) == ""
}

// parseTime reads a time in RFC 3339, with or without fractions. Package time has a fast path for this layout.
func parseTime(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	return t.UTC(), err
}

// parseYearless reads the time of BSD's syslog, "Jan _2 15:04:05", without year and zone. It assumes UTC, and
// the last year that puts the time at most a day after now: clocks may differ.
func parseYearless(s string, now time.Time) (t time.Time, ok bool) {
	t, err := time.Parse("Jan _2 15:04:05", s)
	if err != nil {
		return t, false
	}
	now = now.UTC()
	for year := now.Year() + 1; year > now.Year()-9; year-- { // not every year has 29 February
		at := time.Date(year, t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
		if at.Day() == t.Day() && !at.After(now.Add(24*time.Hour)) {
			return at, true
		}
	}
	return t, false
}
