//go:build unix

package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"rung/cli/command"
)

// onTerminal runs a command on a terminal of this size, and returns what is written to it.
func onTerminal(t *testing.T, columns, lines uint16, args ...string) (code int, screen, errs string) {
	t.Helper()
	keyboard, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer keyboard.Close()
	if err := pty.Setsize(terminal, &pty.Winsize{Rows: lines, Cols: columns}); err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		var b bytes.Buffer
		_, _ = b.ReadFrom(keyboard) // ends with an error when the terminal is closed
		read <- strings.ReplaceAll(b.String(), "\r\n", "\n")
	}()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var errw bytes.Buffer
	args = append(args, "--state-dir", t.TempDir(), "--sandbox-ovsdb", "builtin", "--sandbox-dir", shortDir(t))
	code = runUntil(ctx, args, strings.NewReader(""), command.NewOutlet(terminal, cancel, new(atomic.Bool)), &errw, nil)
	terminal.Close()
	return code, <-read, errw.String()
}

// plainEnvironment takes everything out of the environment that decides about looks.
func plainEnvironment(t *testing.T) {
	t.Helper()
	for _, name := range []string{"NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "TMUX", "RUNG_PAGER", "PAGER"} {
		t.Setenv(name, "")
	}
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
}

// tableLines are command lines that print tables, each with words of a row that may not be cut.
var tableLines = map[string]string{
	"ladder":                                 "cluster-control",
	"lint":                                   "warning",
	"pod blue/api-d0":                        "Deny",
	"pod":                                    "api-d0",
	"policy cluster-control":                 "Allow",
	"rows cluster-control --zone ovn-worker": "allow-related",
	"compile cluster-control":                "allow-related",
	"zones":                                  "ovn-worker2",
	"matrix":                                 "monitoring",
	"trace red/canary-0 blue/api-d0 8080 --by both": "to-lport",
	"new":                  "tenant-isolation",
	"activity":             "ovn-worker",
	"log-level --sessions": "",
}

// Tables fit the terminal at every width, and nothing of them is cut: every word of what a pipe
// gets of the columns that are there is there. With -o wide, and in a pipe, each row is one line.
func TestTablesFit(t *testing.T) {
	noLeaks(t)
	plainEnvironment(t)
	demo := []string{"-f", filepath.Join("..", "test", "given", "troubled")}
	for line, word := range tableLines {
		t.Run(line, func(t *testing.T) {
			args := append(strings.Fields(line), demo...)
			for _, width := range []uint16{80, 120, 200} {
				_, screen, errs := onTerminal(t, width, 50, append(args, "--color", "never")...)
				if !strings.Contains(screen, word) {
					t.Errorf("%d columns: no %q\n%s%s", width, word, screen, errs)
				}
				table := screen
				if line != "matrix" { // whose sentences are as long as they are
					table, _, _ = strings.Cut(screen, "\n\nnot ")
				}
				for row := range strings.Lines(table) {
					if w := ansi.StringWidth(strings.TrimRight(row, "\n")); w > int(width) && strings.Contains(row, "   ") {
						t.Errorf("%d columns: %d wide: %s", width, w, row)
					}
				}
				if strings.Contains(screen, "\x1b") {
					t.Errorf("colours that were not asked for: %q", screen)
				}
			}
		})
	}
}

// A narrow terminal tells apart two findings of a policy that say the same, and breaks no name
// that a line has room for.
func TestNarrowFindings(t *testing.T) {
	noLeaks(t)
	for _, args := range [][]string{{"lint"}, {"policy", "blue-tenant"}} {
		_, out, _ := onTerminal(t, 80, 40, append(args, "-f", filepath.Join("..", "test", "given", "troubled"), "--color", "never")...)
		for _, want := range []string{`(?m)^ *warning +(blue-tenant +)?ingress 0 .*never applies: `, `(?m)^ *warning +(blue-tenant +)?egress 0 .*never applies: `} {
			if !regexp.MustCompile(want).MatchString(out) {
				t.Errorf("%v: no %s in\n%s", args, want, out)
			}
		}
		if half := regexp.MustCompile(`(?m)(kube|cluster)-\r?$`).FindString(out); half != "" {
			t.Errorf("%v: %q in\n%s", args, half, out)
		}
	}
}

var looks = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Colours go to a terminal unless somebody minds; without them the text is the same.
func TestColours(t *testing.T) {
	noLeaks(t)
	args := []string{"policy", "cluster-control", "-f", filepath.Join("..", "test", "given", "troubled")}
	for _, c := range []struct {
		name     string
		env      map[string]string
		args     []string
		pipe     bool
		coloured bool
	}{
		{"a terminal", nil, nil, false, true},
		{"a pipe", nil, nil, true, false},
		{"NO_COLOR", map[string]string{"NO_COLOR": "1"}, nil, false, false},
		{"NO_COLOR, always", map[string]string{"NO_COLOR": "1"}, []string{"--color", "always"}, false, true},
		{"dumb", map[string]string{"TERM": "dumb"}, nil, false, false},
		{"CLICOLOR=0", map[string]string{"CLICOLOR": "0"}, nil, false, false},
		{"CLICOLOR_FORCE in a pipe", map[string]string{"CLICOLOR_FORCE": "1"}, nil, true, true},
		{"CLICOLOR_FORCE and NO_COLOR", map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, nil, true, false},
		{"CLICOLOR_FORCE=0", map[string]string{"CLICOLOR_FORCE": "0"}, nil, true, false},
		{"always in a pipe", nil, []string{"--color", "always"}, true, true},
		{"never", nil, []string{"--color", "never"}, false, false},
		{"JSON", nil, []string{"-o", "json"}, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			plainEnvironment(t)
			for name, value := range c.env {
				t.Setenv(name, value)
			}
			var out string
			if c.pipe {
				var b, errs bytes.Buffer
				runUntil(t.Context(), append(args, c.args...), strings.NewReader(""), &b, &errs, nil)
				out = b.String()
			} else {
				_, out, _ = onTerminal(t, 300, 50, append(args, c.args...)...)
			}
			if strings.Contains(out, "\x1b") != c.coloured {
				t.Errorf("coloured: %v\n%q", !c.coloured, out)
			}
			if plain := looks.ReplaceAllString(out, ""); strings.Contains(plain, "\x1b") || !strings.Contains(plain, "cluster-control") {
				t.Errorf("%q", plain)
			}
		})
	}
	plainEnvironment(t)
	_, out, _ := onTerminal(t, 300, 50, append(args, "--color", "256")...)
	for _, want := range []string{"\x1b[32mAllow\x1b[m", "\x1b[31mDeny\x1b[m"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %q", want, out)
		}
	}
	if code, _, errs := onTerminal(t, 80, 24, append(args, "--color", "pink")...); code != 2 || !strings.Contains(errs, `colour mode "pink"`) {
		t.Errorf("--color pink: exit %d, %s", code, errs)
	}
}

// A pager is used where it is asked for and the screen is too short. What it does not show is
// printed.
func TestPager(t *testing.T) {
	noLeaks(t)
	plainEnvironment(t)
	dir := t.TempDir()
	program := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	show := program("show", `sed "s/^/$1/"`)
	broken := program("broken", "cat >/dev/null; exit 3")
	early := program("early", "head -1")
	args := []string{"lint", "-f", filepath.Join("..", "test", "given", "troubled"), "--color", "never"}
	for _, c := range []struct {
		name  string
		lines uint16
		env   string
		args  []string
		paged bool
		said  string
	}{
		{"not asked for", 10, "", nil, false, ""},
		{"RUNG_PAGER", 10, show + " |", nil, true, ""},
		{"the flag", 10, "", []string{"--pager=" + show + " |"}, true, ""},
		{"the flag alone", 10, show + " |", []string{"--pager"}, true, ""},
		{"never", 10, show + " |", []string{"--pager=never"}, false, ""},
		{"a screen that is long enough", 2000, show + " |", nil, false, ""},
		{"there is none", 10, filepath.Join(dir, "none"), nil, false, "printed without a pager: "},
		{"it fails", 10, broken, nil, false, "printed without a pager: " + broken + ": exit status 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("RUNG_PAGER", c.env)
			_, out, errs := onTerminal(t, 100, c.lines, append(args, c.args...)...)
			if paged := strings.HasPrefix(out, "|SEVERITY"); paged != c.paged || !strings.Contains(out, "SEVERITY") || !strings.Contains(out, " under their cause") {
				t.Errorf("paged: %v\n%s", paged, out)
			}
			if !strings.Contains(errs, c.said) {
				t.Errorf("said %s", errs)
			}
		})
	}
	t.Setenv("RUNG_PAGER", early)
	if _, out, errs := onTerminal(t, 100, 10, args...); strings.Count(out, "\n") != 1 || strings.Contains(errs, "pager") {
		t.Errorf("a pager that is left early: %s%s", out, errs)
	}
	var out, errs bytes.Buffer
	runUntil(t.Context(), args, strings.NewReader(""), &out, &errs, nil)
	if strings.HasPrefix(out.String(), "|") {
		t.Error("a pipe is paged")
	}
}
