//go:build unix

package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"

	"rung/cli/command"
	"rung/engine"
)

// withoutCluster is a terminal, and how it is set, where no cluster is configured.
func withoutCluster(t *testing.T) (keyboard, terminal *os.File, before *term.State) {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	keyboard, terminal, err := pty.Open()
	if err == nil {
		before, err = term.GetState(terminal.Fd())
	}
	if err != nil {
		t.Fatal(err)
	}
	return keyboard, terminal, before
}

// Without a cluster and without files, one key opens the demo and another leaves; what
// was looked for is said, in order, and the terminal is as it was.
func TestFirstScreen(t *testing.T) {
	noLeaks(t)
	for name, c := range map[string]struct {
		keys, shown string
		code        int
	}{
		"d":               {"d", "demo", command.ExitOK},
		"q":               {"q", "", command.ExitFailed},
		"ctrl+c":          {"\x03", "", command.ExitFailed},
		"ctrl+d":          {"\x04", "", command.ExitFailed},
		"other keys, d":   {"x\r\x1b[D\x1b[Ad", "demo", command.ExitOK},
		"enter, then q":   {"\rq", "", command.ExitFailed},
		"the right arrow": {"\x1b[Cq", "", command.ExitFailed},
	} {
		t.Run(name, func(t *testing.T) {
			keyboard, terminal, before := withoutCluster(t)
			defer keyboard.Close()
			defer terminal.Close()
			shown := ""
			r := startShown(t, terminal, func(_ context.Context, e *engine.Engine, _ ScreenOptions) error {
				shown = e.Revision().Mode.Name
				return nil
			})
			r.until(&r.errs, "d opens the demo · q quits")
			if _, err := keyboard.WriteString(c.keys); err != nil {
				t.Fatal(err)
			}
			code, said := r.wait(), r.errs.String()
			if code != c.code || shown != c.shown {
				t.Errorf("exit %d, shown %q: want %d, %q\n%s", code, shown, c.code, c.shown, said)
			}
			at := 0
			for _, place := range []string{"-f PATH", "--kubeconfig FILE", "KUBECONFIG=", "does not exist",
				"the service account of a pod", "rung demo", "rung -f FOLDER", "d opens the demo"} {
				i := strings.Index(said[at:], place)
				if i < 0 {
					t.Fatalf("%q is not said, or not in order:\n%s", place, said)
				}
				at += i
			}
			for _, line := range strings.Split(said, "\n") {
				if !strings.Contains(line, "KUBECONFIG=") && len([]rune(line)) > 80 {
					t.Errorf("wider than a terminal: %q", line)
				}
			}
			if after, err := term.GetState(terminal.Fd()); err != nil || *after != *before {
				t.Errorf("the terminal is left otherwise (%v)", err)
			}
		})
	}
}

// What ends the program while it waits for the key gives the terminal back.
func TestFirstScreenInterrupted(t *testing.T) {
	noLeaks(t)
	keyboard, terminal, before := withoutCluster(t)
	defer keyboard.Close()
	r := startShown(t, terminal, func(context.Context, *engine.Engine, ScreenOptions) error { return nil })
	r.until(&r.errs, "q quits")
	if code := r.end(); code != command.ExitFailed || !strings.Contains(r.errs.String(), "rung: interrupted") {
		t.Errorf("exit %d\n%s", code, r.errs.String())
	}
	if after, err := term.GetState(terminal.Fd()); err != nil || *after != *before {
		t.Errorf("the terminal is left otherwise (%v)", err)
	}
	if _, err := keyboard.WriteString("\n"); err != nil { // for the read that was left behind
		t.Fatal(err)
	}
	terminal.Close()
}
