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

// Lines is how many of the newest lines of an ovnkube-controller are searched.
const Lines = 2000

// ErrNotOnCluster means that Rung reads no cluster whose controllers it could ask.
var ErrNotOnCluster = errors.New("controller logs are read only on a cluster")

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
	// Source is namespace/pod/container; Command reads the same log by hand.
	Source, Command string
	// Read is the number of lines searched; First is the oldest one's time.
	Read  int
	First time.Time
	Lines []Line // lines that name the policy, oldest first
}

// tailReader is the part of kube.Reader that ReadLines needs.
type tailReader interface {
	FindController(ctx context.Context, node string, namespaces []string) (kube.LogTarget, error)
	Tail(ctx context.Context, find func(context.Context) (kube.LogTarget, error), lines int) (
		kube.LogTarget, []kube.LogLine, error)
}

// ReadLines reads the newest lines of a zone's ovnkube-controller and keeps the lines naming the policy. The
// error is one line with a remedy.
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
	mentions := newMentionFinder(policy)
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

// newMentionFinder finds lines about the policy: they have its name as a word, and its namespace if any. The
// baseline's name, default, says nothing by itself.
func newMentionFinder(k model.PolicyKey) func(text string) bool {
	hasName, also := wordFinder(k.Name), func(string) bool { return true }
	switch {
	case k.Namespace != "":
		also = wordFinder(k.Namespace)
	case k.Kind == model.KindBANP:
		also = regexp.MustCompile("(?i)baseline|banp").MatchString
	}
	return func(text string) bool { return hasName(text) && also(text) }
}

// wordFinder finds a name that is not part of a longer one. A dot belongs to a name only if more of the name
// follows.
func wordFinder(name string) func(string) bool {
	if name == "" {
		return func(string) bool { return false }
	}
	const other, dot = `[^-.a-zA-Z0-9]`, `\.`
	before := `(?:^|` + other + `|(?:^|[^-a-zA-Z0-9])` + dot + `)`
	after := `(?:$|` + other + `|` + dot + `(?:$|[^-a-zA-Z0-9]))`
	return regexp.MustCompile(before + regexp.QuoteMeta(strings.ToValidUTF8(name, "\uFFFD")) + after).MatchString
}
