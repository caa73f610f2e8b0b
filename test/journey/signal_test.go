//go:build unix

package journey_test

import (
	"fmt"
	"os"
	"os/exec"
	ossignal "os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rung/test/install"
	"rung/test/wait"
)

// mode is something the console can be in the middle of.
type mode struct {
	name string
	set  setup
	at   func(*console) // nil is while it loads
	stop string         // a text that is there, and again after a stop
}

// waitingEditor is an editor that holds the terminal until its file .go is there,
// and saves what it holds when it is told to end.
const waitingEditor = `trap 'echo "# saved in time" >>"$1"; exit 1' TERM HUP
echo >"$1.here"
while [ ! -e "$1.go" ]; do sleep 0.05; done`

func modes(t *testing.T) []mode {
	t.Helper()
	quiet := setup{args: []string{"--traffic", "0", "--sandbox-ovsdb", "builtin"}}
	with := func(f func(*setup)) setup { s := quiet; f(&s); return s }
	crowded, _ := crowd(t)
	all := []mode{
		{name: "loading", set: quiet},
		{"ladder", setup{args: []string{"--traffic", "0"}}, func(*console) {}, "cluster-control"},
		{"filter", quiet, func(c *console) { c.press("/"); c.Type("quar"); c.sees("/quar") }, "/quar"},
		{"palette", quiet, func(c *console) { c.press(":"); c.Type("quarant"); c.sees("anp quarantine") }, "anp quarantine"},
		{"help", quiet, func(c *console) { c.does("?", "unfold") }, "unfold"},
		{"preview", quiet, func(c *console) { c.does("D", "Delete") }, "Delete"},
		{"editor", with(func(s *setup) { s.editor = waitingEditor }),
			func(c *console) { c.pick("cluster-contr").press("e"); c.draft() }, ""},
		{"edit preview", with(func(s *setup) { s.editor = `sed -i.old 's/priority: 34/priority: 35/' "$1"` }),
			func(c *console) { c.pick("cluster-contr").does("e", "34 → 35", "nothing is written yet") }, "nothing is written yet"},
		{"dialog", quiet, func(c *console) { c.press("D").sees("Delete").does("a", "Type ") }, "Type "},
		{"logs", setup{args: []string{"--traffic", "150", "--sandbox-ovsdb", "builtin"}}, func(c *console) { c.press("4").sees("● follow") }, "follow"},
	}
	if server, err := exec.LookPath("ovsdb-server"); err == nil { // TestPlan says when there is none
		all = append(all, mode{"plan running", setup{files: []string{crowded}, args: []string{"--traffic", "0", "--sandbox-ovsdb", server}}, func(c *console) {
			c.planned("5 5", 24).does("a", "[ n no ]")
			signal(c.t, serverOf(c.t, c.sockets()["node1"]), syscall.SIGSTOP) // so that it goes on running
			c.answers("[ n no ]", "y").sees("waiting for node1 (")
		}, " of 24 done"})
	}
	return all
}

// isForEditor reports whether a signal is the editor's: typed while an editor is open, it
// ends nothing of Rung.
func (m *mode) isForEditor(sig syscall.Signal) bool {
	return strings.Contains(m.name, "editor") && (sig == syscall.SIGINT || sig == syscall.SIGQUIT)
}

// draft waits until the editor has its text.
func (c *console) draft() {
	c.t.Helper()
	wait.Within(c.t, patience, "the editor to have its text", func() bool {
		names, _ := filepath.Glob(filepath.Join(c.Home(), "state", "rung", "edit", "*.yaml.here"))
		return len(names) == 1
	})
}

// hearHangUp lets programs hear SIGHUP: where it is ignored (nohup) so it would be
// in them.
func hearHangUp(t *testing.T) {
	hup := make(chan os.Signal, 1)
	ossignal.Notify(hup, syscall.SIGHUP)
	t.Cleanup(func() { ossignal.Stop(hup) })
}

// begin brings a console into a mode.
func begin(t *testing.T, m mode) *console {
	t.Helper()
	c := open(t, m.set)
	if m.at == nil {
		c.until("has the screen", func(f *frame) bool { return f.AltScreen })
	} else {
		m.at(c.ready())
	}
	return c
}

// ways are what ends a console, each with the code it ends with.
var ways = []struct {
	name string
	sig  syscall.Signal // 0 is a terminal that is gone
	code int
}{{"INT", syscall.SIGINT, 0}, {"TERM", syscall.SIGTERM, 0}, {"HUP", syscall.SIGHUP, 0}, {"QUIT", syscall.SIGQUIT, 2}, {"hang-up", 0, 0}}

// TestSignals: in every mode of the console, SIGPIPE changes nothing, a stop gives
// the terminal to the shell and comes back to the same screen, and what tells the
// console to end ends it, with the terminal as it was and nothing left behind.
// Each mode has one way to end here (the editor's is SIGTERM) and all of them in make soak.
func TestSignals(t *testing.T) {
	t.Parallel()
	hearHangUp(t)
	for i, m := range modes(t) {
		for j, way := range ways {
			if i%len(ways) != j && os.Getenv(install.SoakVar) != "1" || m.isForEditor(way.sig) {
				continue
			}
			t.Run(m.name+" "+way.name, func(t *testing.T) {
				t.Parallel()
				m := m // each way sets its own shell
				m.set.shell = way.sig != 0
				c := begin(t, m)
				if way.sig == 0 {
					if err := c.HangUp(); err != nil {
						t.Fatal(err)
					}
					c.dies()
					return
				}
				signal(t, c.rung(), syscall.SIGPIPE)
				c.stopsAndGoesOn(m)
				signal(t, c.rung(), way.sig)
				c.endsUnderShell(m, way.sig, way.code)
			})
		}
	}
}

// stopsAndGoesOn stops the console from outside and has the shell bring it back.
func (c *console) stopsAndGoesOn(m mode) {
	c.t.Helper()
	signal(c.t, c.rung(), syscall.SIGTSTP)
	c.sees("the shell: stopped")
	c.restored(c.Frame())
	c.press("enter")
	if m.name == "editor" {
		return // it has the terminal again and shows nothing
	}
	c.until("is back", func(f *frame) bool {
		return f.AltScreen && strings.Contains(f.Text(), m.stop)
	})
	if raw, err := c.Raw(); err != nil || !raw {
		c.t.Errorf("after the stop the terminal is in raw mode: %v, %v", raw, err)
	}
}

// endsUnderShell waits for the end as the shell saw it.
func (c *console) endsUnderShell(m mode, sig syscall.Signal, code int) {
	c.t.Helper()
	if m.set.editor != "" {
		code = 2 // the text was not applied
	}
	c.sees(fmt.Sprintf("the shell: ended with %d", code))
	f := c.closed(0)                                   // the shell's own
	text := strings.Join(strings.Fields(f.Text()), "") // lines are broken anywhere
	if m.set.editor != "" {
		paths, _ := filepath.Glob(filepath.Join(c.Home(), "state", "rung", "edit", "*.yaml"))
		if len(paths) != 1 || !strings.Contains(text, paths[0]) {
			c.t.Fatalf("it does not say where the text is, %v:\n%s", paths, f.Boxed())
		}
		if saved := read(c.t, paths[0]); !strings.Contains(saved, "kind: AdminNetworkPolicy") || m.name == "editor" && !strings.Contains(saved, "# saved in time") {
			c.t.Errorf("the editor was not told, or its text is lost:\n%s", saved)
		}
	}
	if sig == syscall.SIGQUIT {
		reports, _ := filepath.Glob(filepath.Join(c.Home(), "state", "rung", "goroutines-*.txt"))
		if len(reports) != 1 || !strings.Contains(read(c.t, reports[0]), "goroutine ") || !strings.Contains(text, "endedbySIGQUIT") {
			c.t.Errorf("what the goroutines did is in %v\n%s", reports, f.Boxed())
		}
	}
}

// dies waits for the end of a console whose terminal is gone.
func (c *console) dies() {
	c.t.Helper()
	wait.Within(c.t, patience, "the console to end", c.Ended)
	c.nothingLeft()
}

// TestStopInEditor: ctrl+z in the editor stops Rung with it; the shell brings both
// back, and the editor has the terminal.
func TestStopInEditor(t *testing.T) {
	t.Parallel()
	c := open(t, setup{shell: true, args: []string{"--traffic", "0", "--sandbox-ovsdb", "builtin"}, editor: `
echo "the editor: here"
kill -TSTP 0
read -r line
sed -i.old "s/priority: 34/priority: $line/" "$1"`}).ready()
	c.pick("cluster-contr").press("e").sees("the editor: here", "the shell: stopped")
	c.press("enter")
	c.Type("36")
	c.press("enter").sees("34 → 36", "nothing is written yet")
	signal(t, c.rung(), syscall.SIGTERM)
	c.endsUnderShell(mode{name: "edit preview", set: setup{editor: "one"}}, syscall.SIGTERM, 2)
}

// TestSuspend: ctrl+z gives the terminal to the shell; without one Rung says so and
// stays.
func TestSuspend(t *testing.T) {
	t.Parallel()
	for _, shell := range []bool{true, false} {
		t.Run(fmt.Sprintf("shell %v", shell), func(t *testing.T) {
			t.Parallel()
			c := open(t, setup{shell: shell, args: []string{"--traffic", "0", "--sandbox-ovsdb", "builtin"}}).ready()
			c.press("ctrl+z")
			if shell {
				c.sees("the shell: stopped")
				c.restored(c.Frame())
				c.press("enter").sees("cluster-control").press("q").sees("the shell: ended with 0")
				c.closed(0)
				return
			}
			c.sees("no shell is waiting", "cluster-control").quits()
		})
	}
}

// TestDeafEditor: an editor that does not listen is ended in the end; the text stays. What
// is typed to interrupt it is not for Rung.
func TestDeafEditor(t *testing.T) {
	t.Parallel()
	m := mode{name: "deaf", set: setup{shell: true, args: []string{"--traffic", "0", "--sandbox-ovsdb", "builtin"},
		editor: `trap '' TERM HUP INT QUIT; echo >"$1.here"; while :; do sleep 0.05; done`}}
	c := open(t, m.set).ready()
	c.pick("cluster-contr").press("e")
	c.draft()
	c.press("ctrl+c", "ctrl+\\")
	signal(t, c.rung(), syscall.SIGTERM)
	signal(t, c.rung(), syscall.SIGHUP) // as whoever ends a session does
	c.endsUnderShell(m, syscall.SIGTERM, 2)
}

// TestTextBecomesFIFO: a text that the editor replaced by something that never ends
// is said and not read, and can be edited anew.
func TestTextBecomesFIFO(t *testing.T) {
	t.Parallel()
	c := open(t, setup{args: []string{"--traffic", "0", "--sandbox-ovsdb", "builtin"}, editor: `rm "$1"; mkfifo "$1"`}).ready()
	c.pick("cluster-contr").press("e").sees("The text could not be read back", "is a named pipe")
	c.quits()
}

// TestTimingSignals: what tells the console or a command to end has done so within
// 2 s, the sandbox and a deaf editor gone.
func TestTimingSignals(t *testing.T) {
	slack := time.Duration(install.Timing(t))
	hearHangUp(t)
	all := append(modes(t), mode{name: "deaf editor", set: setup{args: []string{"--traffic", "0"}, editor: `trap '' TERM HUP INT; echo >"$1.here"; while :; do sleep 0.05; done`},
		at: func(c *console) { c.pick("cluster-contr").press("e"); c.draft() }})
	for _, m := range all {
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
			if m.isForEditor(sig) {
				continue
			}
			c := begin(t, m)
			since := time.Now()
			signal(t, c.rung(), sig)
			wait.Within(t, patience, "the console to end", c.Ended)
			took := time.Since(since)
			c.nothingLeft()
			t.Logf("%s, %v: %s", m.name, sig, took.Round(time.Millisecond))
			if took > 2*time.Second*slack {
				t.Errorf("%s, %v: ended after %s, want 2 s", m.name, sig, took)
			}
		}
	}
}
