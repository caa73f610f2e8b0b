package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rung/cli/command"
	"rung/engine"
	"rung/revision"
	"rung/test/wait"
)

// buffer collects what a running command prints.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// running is a command line that goes on until it is interrupted.
type running struct {
	t         *testing.T
	out, errs buffer
	interrupt context.CancelFunc
	ended     chan struct{}
	code      int // once ended
}

// noLeaks says what still runs when the test has ended everything.
func noLeaks(t *testing.T) { t.Cleanup(func() { wait.NoLeaks(t) }) }

func start(t *testing.T, args ...string) *running {
	t.Helper()
	return startWith(t, strings.NewReader(""), args...)
}

func startWith(t *testing.T, in io.Reader, args ...string) *running {
	t.Helper()
	return startShown(t, in, nil, args...)
}

// startShown is startWith with a screen.
func startShown(t *testing.T, in io.Reader, screen ShowScreen, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{t: t, interrupt: cancel, ended: make(chan struct{})}
	args = append([]string{"--state-dir", t.TempDir(), "--sandbox-ovsdb", "builtin", "--sandbox-dir", shortDir(t)},
		args...)
	go func() {
		defer close(r.ended)
		r.code = runUntil(ctx, args, in, &r.out, &r.errs, screen)
	}()
	t.Cleanup(func() {
		cancel()
		<-r.ended
	})
	return r
}

// shortDir is a folder whose name is short enough for a socket in it.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rung")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// until waits for a text in what is printed.
func (r *running) until(b *buffer, text string) {
	r.t.Helper()
	for deadline := time.Now().Add(wait.Patience); !strings.Contains(b.String(), text); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("no %q in\n%s[stderr]\n%s", text, r.out.String(), r.errs.String())
		}
	}
}

// end interrupts the command and returns its exit code.
func (r *running) end() int {
	r.t.Helper()
	r.interrupt()
	return r.wait()
}

// wait waits for the end of the command and returns its exit code.
func (r *running) wait() int {
	r.t.Helper()
	select {
	case <-r.ended:
		return r.code
	case <-time.After(wait.Patience):
		r.t.Fatal("it does not end")
		return -1
	}
}

// clusterCopy is a copy of the test cluster that may be changed.
func clusterCopy(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "cluster")
	if err := os.CopyFS(dir, os.DirFS("testdata/cluster")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func rewriteFile(t *testing.T, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("no %q in %s", old, path)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A watched ladder is printed again when a file changes, keeps what it had when
// a file becomes unreadable or vanishes, and says so; answers stand apart.
func TestWatchLadder(t *testing.T) {
	noLeaks(t)
	dir := clusterCopy(t)
	policies := filepath.Join(dir, "policies.yaml")
	r := start(t, "ladder", "-w", "-f", dir)
	r.until(&r.out, "20    allow-web")
	rewriteFile(t, policies, "priority: 20", "priority: 7")
	r.until(&r.out, "7     allow-web")
	if got := r.out.String(); strings.Count(got, "TIER  PRIO") != 2 || !strings.Contains(got, "\n\nTIER  PRIO") {
		t.Errorf("two ladders with a line between are wanted:\n%s", got)
	}
	rewriteFile(t, policies, "priority: 7", "priority: 2000")
	r.until(&r.errs, "spec.priority: 2000 should be less than or equal to 1000")
	if err := os.Remove(filepath.Join(dir, "baseline.yaml")); err != nil {
		t.Fatal(err)
	}
	r.until(&r.errs, "baseline.yaml")
	if code := r.end(); code != command.ExitFailed { // a policy was refused
		t.Errorf("exit %d: %s", code, r.errs.String())
	}
	ladders := strings.Split(r.out.String(), "\nTIER ")
	if last := ladders[len(ladders)-1]; !strings.Contains(last, "7     allow-web") ||
		strings.Contains(last, "3           default") || !strings.Contains(last, "\nAdminNetworkPolicy allow-web ") {
		t.Errorf("the last ladder: %s", last)
	}
	for line := range strings.Lines(r.errs.String()) {
		if !strings.HasPrefix(line, "rung: ") {
			t.Errorf("stderr: %q", line)
		}
	}
}

// JSON that is watched has one answer a line, YAML one a document.
func TestWatchForms(t *testing.T) {
	noLeaks(t)
	dir := clusterCopy(t)
	asJSON := start(t, "ladder", "-w", "-f", dir, "-o", "json")
	asYAML := start(t, "policy", "allow-web", "-w", "-f", dir, "-o", "yaml")
	asJSON.until(&asJSON.out, `"max_priority":99`)
	asYAML.until(&asYAML.out, "priority: 20")
	rewriteFile(t, filepath.Join(dir, "policies.yaml"), "priority: 20", "priority: 7")
	asJSON.until(&asJSON.out, `"priority":7,`)
	asYAML.until(&asYAML.out, "priority: 7")
	if a, b := asJSON.end(), asYAML.end(); a != command.ExitOK || b != command.ExitOK {
		t.Errorf("exit %d and %d", a, b)
	}
	if lines := strings.Split(strings.TrimSpace(asJSON.out.String()), "\n"); len(lines) != 2 ||
		!strings.HasPrefix(lines[1], `{"tiers":[`) {
		t.Errorf("JSON: %q", lines)
	}
	if n := strings.Count(asYAML.out.String(), "\n---\n"); n != 1 {
		t.Errorf("%d separators in\n%s", n, asYAML.out.String())
	}
}

// Watched rows and activity follow a change; the exit code of a watch is that of
// its last answer.
func TestWatchZones(t *testing.T) {
	noLeaks(t)
	dir := clusterCopy(t)
	rows := start(t, "rows", "allow-web", "-w", "-f", dir, "--zone", "beta")
	activity := start(t, "activity", "-w", "-f", dir, "-o", "json")
	zones := start(t, "zones", "-w", "-f", dir)
	lint := start(t, "lint", "-w", "-f", dir)
	rows.until(&rows.out, "28000")
	activity.until(&activity.out, "allow-web: 1 port group added")
	zones.until(&zones.out, "5/5")
	lint.until(&lint.out, "priority-unsupported")
	rewriteFile(t, filepath.Join(dir, "policies.yaml"), "priority: 20", "priority: 7")
	rows.until(&rows.out, "29300")
	activity.until(&activity.out, "29300")
	rewriteFile(t, filepath.Join(dir, "policies.yaml"), "priority: 150", "priority: 15")
	zones.until(&zones.out, "6/6")
	for _, c := range []struct {
		of   *running
		want int
	}{{rows, command.ExitOK}, {activity, command.ExitOK}, {zones, command.ExitOK}} {
		if code := c.of.end(); code != c.want {
			t.Errorf("exit %d, want %d: %s", code, c.want, c.of.errs.String())
		}
	}
	for line := range strings.Lines(activity.out.String()) {
		if !strings.HasPrefix(line, `{"at":"`) {
			t.Errorf("activity: %q", line)
		}
	}
	if code := lint.end(); code == command.ExitFailed {
		t.Errorf("lint: exit %d: %s", code, lint.errs.String())
	}
}

// A policy that goes while it is watched is said on stderr, and watched on.
func TestWatchPolicyGone(t *testing.T) {
	noLeaks(t)
	dir := clusterCopy(t)
	r := start(t, "policy", "pass-green", "-w", "-f", dir)
	r.until(&r.out, "pass-green  tier 1  priority 30")
	rewriteFile(t, filepath.Join(dir, "policies.yaml"), "{name: pass-green}", "{name: green-passes}")
	r.until(&r.errs, `rung: no policy "pass-green"; policies:`)
	rewriteFile(t, filepath.Join(dir, "policies.yaml"), "{name: green-passes}", "{name: pass-green}\n  # back")
	time.Sleep(time.Second / 2)
	rewriteFile(t, filepath.Join(dir, "policies.yaml"), "priority: 30\n  subject:\n    namespaces: {matchLabels",
		"priority: 44\n  subject:\n    namespaces: {matchLabels")
	r.until(&r.out, "pass-green  tier 1  priority 44")
	if code := r.end(); code != command.ExitOK {
		t.Errorf("exit %d", code)
	}
}

// A watch is told: it looks again when its answer's time is over, and not by itself.
func TestWatchIsTold(t *testing.T) {
	noLeaks(t)
	a := &command.App{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Raw: io.Discard, Printed: map[string]bool{}}
	rootCommand(a, nil) // gives the flags what they are when none is given
	a.Flags.Files, a.Flags.StateDir = []string{clusterCopy(t)}, t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var looks atomic.Int32
	looked, ended := make(chan struct{}, 100), make(chan error)
	go func() {
		ended <- a.AnswerQuery(ctx, true, command.Query{Answer: func(_ context.Context, e *engine.Engine, _ *revision.Revision) (*command.Answer, error) {
			ans := &command.Answer{Text: func(bool) string { return "as before\n" }}
			if looks.Add(1) < 3 {
				ans.Until = e.Now().Add(20 * time.Millisecond)
			}
			looked <- struct{}{}
			return ans, nil
		}})
	}()
	for range 3 {
		select {
		case <-looked:
		case <-time.After(wait.Patience):
			t.Fatal("the answer's time is over, and nobody looks")
		}
	}
	before := looks.Load()
	time.Sleep(1200 * time.Millisecond)
	if n := looks.Load() - before; n > 0 {
		t.Errorf("%d looks although nothing happened", n)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
