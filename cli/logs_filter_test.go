package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"rung/cli/command"
)

// rung logs takes the filter of the console: only lines for which every term holds are
// printed.
func TestLogsFilter(t *testing.T) {
	noLeaks(t)
	r := start(t, "logs", "-f", "testdata/cluster", "--sandbox-ovn", "off", "--traffic", "2000", "-o", "json", "--follow", "--lines", "5",
		"--filter", `policy:guard-db verdict:deny dir:ingress not src:outside since:1h "dropped by guard-db"`)
	if code := r.wait(); code != command.ExitOK {
		t.Fatalf("exit %d: %s", code, r.errs.String())
	}
	lines := strings.Split(strings.TrimSpace(r.out.String()), "\n")
	if len(lines) != 5 {
		t.Errorf("%d lines", len(lines))
	}
	for _, l := range lines {
		var got struct{ Policy, Verdict, Rule, From string }
		if err := json.Unmarshal([]byte(l), &got); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(got.Policy, "guard-db") || got.Verdict != "drop" || !strings.HasPrefix(got.Rule, "ingress") || strings.Contains(got.From, "outside") {
			t.Errorf("the filter lets through %s", l)
		}
	}
}

// A filter that cannot be read is an error in one line, which names the term, before
// anything is started.
func TestLogsFilterErrors(t *testing.T) {
	for filter, want := range map[string]string{
		"port:abc":     "rung: --filter: port:abc: want a port (53), a range (8000-8080) or udp/53\n",
		"polcy:x":      "rung: --filter: polcy: no such field; did you mean policy:?\n",
		"policy:x not": "rung: --filter: not: a term must follow\n",
		"/a(/":         "rung: --filter: /a(/: missing closing ): `(?i)a(`\n",
	} {
		var out, errs bytes.Buffer
		code := runUntil(context.Background(), []string{"logs", "-f", "testdata/cluster", "--filter", filter, "--state-dir", t.TempDir()}, strings.NewReader(""), &out, &errs, nil)
		if code != command.ExitFailed || errs.String() != want || out.Len() > 0 {
			t.Errorf("--filter %q: exit %d, %q, want %q", filter, code, errs.String(), want)
		}
	}
}

// The shell completes the last term of a filter.
func TestLogsFilterCompletes(t *testing.T) {
	for typed, want := range map[string]string{
		"":                     "verdict:",
		"verdict:deny ":        "verdict:deny policy:",
		"verdict:deny pol":     "verdict:deny policy:",
		"not policy:gu":        "not policy:guard-db",
		"node:al":              "node:alpha",
		"severity:al,verdict:": "",
	} {
		var out, errs bytes.Buffer
		runUntil(context.Background(), []string{"__complete", "logs", "--state-dir", t.TempDir(), "-f", "testdata/cluster", "--filter", typed}, strings.NewReader(""), &out, &errs, nil)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		found := slices.ContainsFunc(lines, func(l string) bool { text, _, _ := strings.Cut(l, "\t"); return text == want })
		if found != (want != "") {
			t.Errorf("%q is completed to %q, want %q among them", typed, lines, want)
		}
	}
}
