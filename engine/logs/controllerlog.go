package logs

import (
	"context"
	"errors"
	"fmt"
	"regexp"
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
	mentions := mentionsOf(policy)
	for i, l := range lines {
		if i == 0 {
			out.First = l.At
		}
		if !mentions(l.Text) {
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

// mentionsOf finds lines about the policy: they have its name as a word, for a policy with a namespace
// that too. The baseline's name, default, says nothing by itself.
func mentionsOf(k model.PolicyKey) func(text string) bool {
	hasName, also := wordFinder(k.Name), func(string) bool { return true }
	switch {
	case k.Namespace != "":
		also = wordFinder(k.Namespace)
	case k.Kind == model.KindBANP:
		also = regexp.MustCompile("(?i)baseline|banp").MatchString
	}
	return func(text string) bool { return hasName(text) && also(text) }
}

// wordFinder finds a name that is not a part of a longer one. A dot belongs to a
// name only where more of it follows.
func wordFinder(name string) func(string) bool {
	if name == "" {
		return func(string) bool { return false }
	}
	const other, dot = `[^-.a-zA-Z0-9]`, `\.`
	before := `(?:^|` + other + `|(?:^|[^-a-zA-Z0-9])` + dot + `)`
	after := `(?:$|` + other + `|` + dot + `(?:$|[^-a-zA-Z0-9]))`
	return regexp.MustCompile(before + regexp.QuoteMeta(strings.ToValidUTF8(name, "\uFFFD")) + after).MatchString
}
