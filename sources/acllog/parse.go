package acllog

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"rung/model"
	"rung/model/clean"
)

// MaxLine is the most bytes a line may have.
const MaxLine = 64 << 10

// ErrNotACL marks a line that is not from ovn-controller's module acl_log.
var ErrNotACL = errors.New("not an acl_log line")

// unnamed is what ovn-controller writes for an ACL without a name.
const unnamed = "<unnamed>"

// Parse reads one line as ovn-controller writes it to a file or to its
// console, with or without what a container runtime ("time stdout F ") or
// kubectl logs (--timestamps, --prefix) puts in front of it. The error is
// ErrNotACL for lines of other modules and programs. A flow field that is
// missing or odd leaves its part of the LogLine zero: such a line is worth
// showing still. Zone is left empty.
func Parse(line string) (model.LogLine, error) {
	if len(line) > MaxLine {
		return model.LogLine{}, fmt.Errorf("acl_log line: %d bytes, at most %d are read", len(line), MaxLine)
	}
	if !strings.Contains(line, "|acl_log") {
		return model.LogLine{}, ErrNotACL
	}
	l := model.LogLine{Raw: clean.Text(strings.TrimRight(line, "\r\n"))}
	// "|" occurs in names and in TCP flags, so only the header is split at it.
	head := strings.SplitN(withoutPrefix(l.Raw), "|", 5)
	if len(head) < 5 || !isModule(head[2]) {
		return model.LogLine{}, ErrNotACL
	}
	const longest = 40 // of a time or number; keeps errors short
	if len(head[0]) > longest || len(head[1]) > longest {
		return model.LogLine{}, errors.New("acl_log line: it does not begin with time and sequence number")
	}
	at, err := time.Parse(time.RFC3339Nano, head[0])
	if err != nil {
		return model.LogLine{}, fmt.Errorf("acl_log line: time: %w", err)
	}
	l.At = at.UTC()
	if l.Seq, err = strconv.ParseUint(head[1], 10, 64); err != nil {
		return model.LogLine{}, fmt.Errorf("acl_log line: sequence number: %w", err)
	}
	flow, err := parseMessage(&l, head[4])
	if err != nil {
		return model.LogLine{}, err
	}
	parseFlow(&l, flow)
	return l, nil
}

// isModule takes "acl_log(ovn_pinctrl0)" and, as the main thread would write
// it, "acl_log".
func isModule(s string) bool {
	rest, ok := strings.CutPrefix(s, "acl_log")
	return ok && (rest == "" || rest[0] == '(' && rest[len(rest)-1] == ')')
}

// withoutPrefix drops what kubectl logs and container runtimes put in front.
func withoutPrefix(s string) string {
	if strings.HasPrefix(s, "[pod/") {
		if _, rest, ok := strings.Cut(s, "] "); ok {
			s = rest
		}
	}
	word, rest, ok := strings.Cut(s, " ")
	if !ok || strings.IndexByte(word, '|') >= 0 {
		return s
	}
	if _, err := time.Parse(time.RFC3339Nano, word); err != nil {
		return s
	}
	for _, stream := range []string{"stdout F ", "stderr F ", "stdout P ", "stderr P "} {
		if r, ok := strings.CutPrefix(rest, stream); ok {
			return r
		}
	}
	return rest
}

// parseMessage reads `name="…", verdict=…, severity=…, direction=…: ` and
// returns the flow behind it. Older builds have no direction, and no space
// after the colon. Keys of newer builds are skipped.
func parseMessage(l *model.LogLine, msg string) (flow string, err error) {
	rest, ok := strings.CutPrefix(msg, "name=")
	if !ok {
		return "", errors.New("acl_log line: no name")
	}
	name, rest, err := cutString(rest)
	if err != nil {
		return "", err
	}
	if l.Name = clean.Text(name); name == unnamed {
		l.Name, l.Unnamed = "", true
	}
	for {
		if rest, ok = strings.CutPrefix(rest, ", "); !ok {
			return "", errors.New("acl_log line: it ends before the flow")
		}
		end := strings.IndexAny(rest, ",:")
		if end < 0 {
			return "", errors.New("acl_log line: it ends before the flow")
		}
		key, value, _ := strings.Cut(rest[:end], "=")
		switch key {
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

// cutString takes a JSON string off the front.
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
			}
			return value, rest, nil
		}
	}
	return "", "", errors.New("acl_log line: the name does not end")
}
