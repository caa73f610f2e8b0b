//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"rung/cli/command"
)

// A file that is edited while the question stands is not changed by a yes to what
// was shown before: the change is shown once more, and asked about once more.
func TestChangedWhileAsked(t *testing.T) {
	noLeaks(t)
	for _, c := range []struct {
		name, question, answer string
		args                   []string
		wait                   time.Duration // until the edit was read
	}{
		{"y", "Apply? [y/N] ", "y\n", []string{"move", "guard-db", "31"}, 3 * time.Second},
		{"y at once", "Apply? [y/N] ", "y\n", []string{"move", "guard-db", "31"}, 0},
		{"a name", "Type guard-db to confirm: ", "guard-db\n", []string{"delete", "guard-db"}, 0},
		{"a plan", "Apply? [y/N] ", "y\n", []string{"plan", "--step", "5", "--run"}, 3 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := clusterCopy(t)
			path := filepath.Join(dir, "policies.yaml")
			keyboard, terminal, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer keyboard.Close()
			defer terminal.Close()
			r := startWith(t, terminal, append(c.args, "-f", dir, "--write-back")...)
			r.until(&r.errs, c.question)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			mine := strings.ReplaceAll(string(before), "action: Deny", "action: Allow")
			if mine == string(before) {
				t.Fatal("the policies of the test have another text")
			}
			if err := os.WriteFile(path, []byte(mine), 0o600); err != nil {
				t.Fatal(err)
			}
			// However far the edit was noticed by then: at the gate, or where the file is
			// written.
			answer := func(text string) {
				if _, err := keyboard.WriteString(text); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(c.wait)
			answer(c.answer)
			if c.wait > 0 {
				r.until(&r.errs, "changed since the preview: ")
				r.untilCount(&r.errs, c.question, 2)
				answer("n\n")
			}
			if code := r.wait(); code == command.ExitOK {
				t.Errorf("exit %d\n%s", code, r.errs.String())
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != mine {
				t.Errorf("the edit is gone: %v\n%s", err, after)
			}
		})
	}
}

// untilCount waits until a text was printed n times.
func (r *running) untilCount(b *buffer, text string, n int) {
	r.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for ; strings.Count(b.String(), text) < n; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("not %d times %q in\n%s", n, text, b.String())
		}
	}
}
