//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"rung/cli/command"
)

// askAtTerminal runs a change with a terminal to ask on, types an answer when a question
// comes, and returns the exit code and what was printed.
func askAtTerminal(t *testing.T, question, answer string, args ...string) (code int, out, errs string) {
	t.Helper()
	keyboard, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer keyboard.Close()
	defer terminal.Close()
	r := startWith(t, terminal, args...)
	r.until(&r.errs, question)
	if _, err := keyboard.WriteString(answer); err != nil {
		t.Fatal(err)
	}
	return r.wait(), r.out.String(), r.errs.String()
}

// On a terminal a change is asked about; the answer is no unless it is yes.
func TestAsk(t *testing.T) {
	noLeaks(t)
	for _, c := range []struct {
		name, question, answer string
		args                   []string
		code                   int
		said                   string
		changed                bool
	}{
		{"yes", "Apply? [y/N] ", "y\n", []string{"move", "guard-db", "31"}, command.ExitOK, "done in", true},
		{"yes in full", "Apply? [y/N] ", "Yes\n", []string{"log-level", "guard-db", "--off"}, command.ExitOK, "done in", true},
		{"no", "Apply? [y/N] ", "n\n", []string{"move", "guard-db", "31"}, command.ExitNo, "rung: not confirmed: nothing was changed",
			false},
		{"nothing", "Apply? [y/N] ", "\n", []string{"move", "guard-db", "31"}, command.ExitNo,
			"rung: not confirmed: nothing was changed", false},
		{"the name", "Type guard-db to confirm: ", "guard-db\n", []string{"delete", "guard-db"}, command.ExitOK, "done in", true},
		{"another name", "Type guard-db to confirm: ", "y\n", []string{"delete", "guard-db"}, command.ExitNo,
			"rung: not confirmed: a guard rail needs the name guard-db: nothing was changed", false},
		{"a plan", "Apply? [y/N] ", "y\n", []string{"plan", "--step", "5", "--run"}, command.ExitOK, "3 of 3 done", true},
		{"no plan", "Apply? [y/N] ", "no\n", []string{"plan", "--step", "5", "--run"}, command.ExitNo,
			"rung: not confirmed: nothing was changed", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := clusterCopy(t)
			policies := filepath.Join(dir, "policies.yaml")
			before, err := os.ReadFile(policies)
			if err != nil {
				t.Fatal(err)
			}
			code, out, errs := askAtTerminal(t, c.question, c.answer, append(c.args, "-f", dir, "--write-back")...)
			if code != c.code || !strings.Contains(errs, c.said) {
				t.Errorf("exit %d, want %d\n%s[stderr]\n%s", code, c.code, out, errs)
			}
			after, err := os.ReadFile(policies)
			if err != nil {
				t.Fatal(err)
			}
			if changed := string(before) != string(after); changed != c.changed {
				t.Errorf("files changed: %t", changed)
			}
		})
	}
}
