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

// dialogue runs a command with a terminal to ask on and answers one question after the
// other.
func dialogue(t *testing.T, talk [][2]string, args ...string) (code int, out, errs string) {
	t.Helper()
	keyboard, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer keyboard.Close()
	defer terminal.Close()
	r := startWith(t, terminal, args...)
	for _, q := range talk {
		r.until(&r.errs, q[0])
		if _, err := keyboard.WriteString(q[1] + "\n"); err != nil {
			t.Fatal(err)
		}
	}
	return r.wait(), r.out.String(), r.errs.String()
}

// On a terminal rung new asks what is not given, offers what the cluster has, asks again
// after what is no answer, and gives up in the end.
func TestNewAsks(t *testing.T) {
	noLeaks(t)
	demo := filepath.Join("..", "test", "given", "troubled")
	for _, c := range []struct {
		name string
		talk [][2]string
		args []string
		code int
		out  []string
		errs []string
	}{
		{"what is offered first, by enter", [][2]string{{"pods [quarantine=true]: ", ""}, {"except [", ""}, {"priority [32]: ", ""}}, []string{"quarantine"}, command.ExitOK,
			[]string{"name: quarantine-2", "priority: 32", "quarantine: 'true'"}, []string{"Which label puts a pod into quarantine?", " 1  quarantine=true"}},
		{"by its number, by itself, and again", [][2]string{{"namespaces [", "2"}, {"direction [both]: ", "up"}, {"want one of both, egress, ingress", "egress"}, {"priority [31,33,80]: ", "34,36,80"},
			{"34 is taken by cluster-control", "1,2,90"}}, []string{"default-deny"}, command.ExitOK,
			[]string{"env: prod", "priority: 1\n", "priority: 2\n", "priority: 90\n"}, []string{"rung: want one of", "rung: 34 is taken"}},
		{"what is given is not asked", [][2]string{{"tenants [", "blue,red"}}, []string{"tenant-isolation", "--answer", "label=tenant", "--answer", "priority=5,7"}, command.ExitOK,
			[]string{"name: tenant-isolation-blue", "name: tenant-isolation-red", "priority: 7"}, []string{"Which of its values are tenants to isolate?"}},
		{"no answer at all", [][2]string{{"pods [quarantine=true]: ", strings.Repeat("all\n", 4) + "all"}}, []string{"quarantine"}, command.ExitNo,
			nil, []string{"rung: want labels of pods, not every pod", "rung: no answer to pods"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := dialogue(t, c.talk, append([]string{"new", "-f", demo}, c.args...)...)
			if code != c.code {
				t.Errorf("exit %d, want %d", code, c.code)
			}
			for _, text := range c.out {
				if !strings.Contains(out, text) {
					t.Errorf("no %q on stdout", text)
				}
			}
			for _, text := range c.errs {
				if !strings.Contains(errs, text) {
					t.Errorf("no %q on stderr", text)
				}
			}
			if strings.Contains(errs, "label [") {
				t.Error("it asked what was given")
			}
			if t.Failed() {
				t.Logf("%s[stderr]\n%s", out, errs)
			}
		})
	}
}

// With --apply the questions come first, then the preview and its question; no leaves the
// files as they are, yes writes them.
func TestNewAsksAndApplies(t *testing.T) {
	noLeaks(t)
	for _, c := range []struct {
		answer string
		code   int
		wrote  bool
	}{{"n", command.ExitNo, false}, {"y", command.ExitOK, true}} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "test", "given", "troubled"))); err != nil {
			t.Fatal(err)
		}
		for _, gone := range []string{"deploy", "15-broken.yaml", "expectations.yaml"} {
			if err := os.RemoveAll(filepath.Join(dir, gone)); err != nil {
				t.Fatal(err)
			}
		}
		code, out, errs := dialogue(t, [][2]string{{"pods [break-glass=true]: ", "support=true"}, {"priority [13,16]: ", ""}, {"Apply? [y/N] ", c.answer}},
			"new", "break-glass", "--apply", "-f", dir, "--write-back")
		_, err := os.Stat(filepath.Join(dir, "anp-break-glass-2.yaml"))
		if code != c.code || (err == nil) != c.wrote || strings.Count(errs, "Which label opens the way") != 1 {
			t.Errorf("answer %q: exit %d, file %v\n%s[stderr]\n%s", c.answer, code, err, out, errs)
		}
	}
}
