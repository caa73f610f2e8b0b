package logs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/sources/kube"
)

// Lines is how many of the newest lines of an ovnkube-controller are
// looked through.
const Lines = 2000

// ErrNotOnCluster says that there is no cluster whose controllers could be asked.
var ErrNotOnCluster = errors.New("the controllers' logs are read on a cluster only")

// Line is one line of an ovnkube-controller. Text is clean.
type Line struct {
	At       time.Time
	Severity string // "info", "warning", "error", "fatal"; empty for a line in another form
	Place    string // file:line
	Text     string
}

// Log holds the recent lines of a zone's ovnkube-controller about a policy.
type Log struct {
	Zone   string
	Policy model.PolicyKey
	// Source is namespace/pod/container; Command reads the same by hand.
	Source, Command string
	// Read counts the lines looked through, the oldest from First.
	Read  int
	First time.Time
	Lines []Line // those that name the policy, oldest first
}

// tailReader is the part of podlogs.Reader that ReadLines needs.
type tailReader interface {
	FindController(ctx context.Context, node string, namespaces []string) (kube.LogTarget, error)
	Tail(ctx context.Context, find func(context.Context) (kube.LogTarget, error), lines int) (
		kube.LogTarget, []kube.LogLine, error)
}

// ReadLines reads the newest lines of the ovnkube-controller of a zone and
// keeps those that name the policy. The error is one line with what to do.
func ReadLines(ctx context.Context, read tailReader, k model.Kubectl, namespaces []string,
	zone string, policy model.PolicyKey,
) (*Log, error) {
	t, lines, err := read.Tail(ctx, func(ctx context.Context) (kube.LogTarget, error) {
		return read.FindController(ctx, zone, namespaces)
	}, Lines)
	if err != nil {
		return nil, fmt.Errorf("read the log of zone %s's ovnkube-controller: %w", zone, err)
	}
	command := k.CommandLine("-n", t.Namespace, "logs", t.Pod, "-c", t.Container, fmt.Sprintf("--tail=%d", Lines))
	out := &Log{Zone: zone, Policy: policy, Source: words.CleanText(t.String()), Command: command,
		Read: len(lines)}
	for i, l := range lines {
		if i == 0 {
			out.First = l.At
		}
		if !namesPolicy(l.Text, policy) {
			continue
		}
		line := Line{At: l.At, Text: words.CleanText(l.Text)}
		if k, ok := kube.ParseKlog(l.Text); ok {
			line.Severity, line.Place, line.Text = severities[k.Severity], k.Place, k.Text
		}
		out.Lines = append(out.Lines, line)
	}
	return out, nil
}

var severities = map[byte]string{'I': "info", 'W': "warning", 'E': "error", 'F': "fatal"}

// namesPolicy says whether a line is about the policy: it has its name as a word,
// for a policy with a namespace that too. The baseline's name, default, says
// nothing by itself.
func namesPolicy(text string, k model.PolicyKey) bool {
	switch {
	case k.Namespace != "":
		return hasName(text, k.Namespace) && hasName(text, k.Name)
	case k.Kind == model.KindBANP:
		low := strings.ToLower(text)
		return hasName(text, k.Name) && (strings.Contains(low, "baseline") || strings.Contains(low, "banp"))
	}
	return hasName(text, k.Name)
}

// hasName finds a name that is not a part of a longer one. A dot belongs to a
// name only where more of it follows.
func hasName(text, name string) bool {
	if name == "" {
		return false
	}
	part := func(i int) bool {
		if i < 0 || i >= len(text) {
			return false
		}
		c := text[i]
		return c == '-' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	}
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(name)
		before := part(i-1) || i > 0 && text[i-1] == '.' && part(i-2)
		after := part(end) || end < len(text) && text[end] == '.' && part(end+1)
		if !before && !after {
			return true
		}
		from = i + 1
	}
}
