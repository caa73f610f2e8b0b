package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"rung/cli/command"
)

// TestPreviewListens: with --listen a preview says which lines of the log would have gone
// the other way, for people, scripts and reviews.
func TestPreviewListens(t *testing.T) {
	ask := func(d time.Duration, form string) (string, string) {
		var out, errw bytes.Buffer
		args := []string{"preview", "--delete", "cluster-control", "-f", "../test/given/troubled", "--listen", d.String(), "--traffic", "200", "-o", form,
			"--sandbox-ovn", "off", "--sandbox-ovsdb", "builtin", "--state-dir", t.TempDir(), "--allow-unjudged"}
		if code := runUntil(t.Context(), args, strings.NewReader(""), &out, &errw, nil); code != command.ExitNo {
			t.Fatalf("exit %d\n%s%s", code, &out, &errw)
		}
		return out.String(), errw.String()
	}
	for form, want := range map[string][]string{
		"table":    {"\n  log: ", " log lines of the last 15 min would be decided differently", "logged as denied; for example "},
		"json":     {`"log": {`, `"logged_as": {`, `"at": "`},
		"markdown": {"### Log lines\n", "| verdict | connections | lines | logged as | example |", "| deny → allow | "},
	} {
		// How many lines come in a time depends on the machine: it is given more until there are some.
		for d := time.Second; ; d *= 2 {
			out, errw := ask(d, form)
			missing := ""
			for _, w := range want {
				if !strings.Contains(out, w) {
					missing = w
				}
			}
			if missing == "" && strings.Contains(errw, "simulated traffic") {
				break
			}
			if d > 30*time.Second {
				t.Fatalf("%s: no %q in:\n%s%s", form, missing, out, errw)
			}
		}
	}
}
