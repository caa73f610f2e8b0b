package kube

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"time"

	corev1 "k8s.io/api/core/v1"

	"rung/model/logline"
	"rung/model/words"
)

const (
	// tailBytes bounds the bytes read. With the API's LimitBytes the kubelet omits the newest lines.
	tailBytes = 8 << 20
	// tailWithin bounds the time of one read.
	tailWithin = 30 * time.Second
)

// LogError means a log could not be read. State is the reason, Text one clean line with the remedy if known.
type LogError struct {
	State logline.StreamState
	Text  string
	err   error
}

func (e *LogError) Error() string { return e.Text }
func (e *LogError) Unwrap() error { return e.err }

// LogLine is one line of a log with the kubelet's time.
type LogLine struct {
	At   time.Time
	Text string // as written: not clean
}

// Tail reads the newest lines of an existing log, oldest first. Errors are of type *LogError, except ctx's.
func (p *Reader) Tail(ctx context.Context, find func(context.Context) (LogTarget, error), lines int) (LogTarget, []LogLine,
	error) {
	ask, cancel := context.WithTimeout(ctx, tailWithin)
	defer cancel()
	t, err := find(ask)
	var out []LogLine
	if err == nil {
		out, err = p.tailOnce(ask, t, lines)
	}
	switch {
	case err == nil:
		return t, out, nil
	case ctx.Err() != nil:
		return t, nil, ctx.Err()
	}
	state, text := p.explainError(t, err)
	return t, nil, &LogError{state, text, err}
}

func (p *Reader) tailOnce(ctx context.Context, t LogTarget, lines int) ([]LogLine, error) {
	n := int64(lines)
	body, err := p.currentClient().Log(ctx, t.Namespace, t.Pod,
		&corev1.PodLogOptions{Container: t.Container, Timestamps: true, TailLines: &n})
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	var out []LogLine
	told := ""
	err = eachLine(io.LimitReader(body, tailBytes), true, func(line []byte, long bool) error {
		if at, rest, ok := cutTime(line); ok && !long {
			out = append(out, LogLine{at, string(rest)})
		} else if len(line) > 0 && !long {
			told = string(line)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the log of %s: %w", t, err)
	case len(out) == 0 && told != "":
		return nil, fmt.Errorf("read the log of %s: the kubelet says: %s", t, SingleLine(told))
	}
	return out[max(0, len(out)-lines):], nil
}

// Klog is one line in klog's form, as written by ovnkube-controller:
//
//	E1103 14:05:01.123456    4711 admin_network_policy.go:123] text
type Klog struct {
	Severity byte   // I, W, E or F
	Place    string // file:line, clean
	Text     string // clean
}

var klogLine = regexp.MustCompile(`(?s)^\s*([IWEF])[0-9]{4}\s+..:..:\S{2,}\s+[0-9]+\s+(\S+)\](?: (.*))?$`)

// ParseKlog reads a line; false for another form, such as the second line of a message.
func ParseKlog(line string) (k Klog, ok bool) {
	m := klogLine.FindStringSubmatch(line)
	if m == nil {
		return Klog{}, false
	}
	return Klog{Severity: m[1][0], Place: words.CleanText(m[2]), Text: words.CleanText(m[3])}, true
}
