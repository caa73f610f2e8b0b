package podlogs

import (
	"strings"

	"rung/model/clean"
)

// Klog is one line in the form of klog, as ovnkube-controller writes it:
//
//	E1103 14:05:01.123456    4711 admin_network_policy.go:123] text
type Klog struct {
	Severity byte   // I, W, E or F
	Place    string // file:line, clean
	Text     string // clean
}

// ParseKlog reads a line; ok is false for one in another form, such as the second
// line of a message.
func ParseKlog(line string) (k Klog, ok bool) {
	head, text, found := strings.Cut(line, "] ")
	if !found {
		head, found = strings.CutSuffix(line, "]")
	}
	f := strings.Fields(head)
	if !found || len(f) != 4 || len(f[0]) != 5 || !strings.Contains("IWEF", f[0][:1]) || !digits(f[0][1:]) ||
		len(f[1]) < 8 || f[1][2] != ':' || f[1][5] != ':' || !digits(f[2]) {
		return Klog{}, false
	}
	return Klog{Severity: f[0][0], Place: clean.Text(f[3]), Text: clean.Text(text)}, true
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
