package kube_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"rung/test/install"
	"rung/test/wait"
)

// logFollower is `rung logs --follow`, which must neither lose a line silently
// nor print one twice, whatever happens to its streams.
type logFollower struct {
	cmd  *exec.Cmd
	out  string
	errs bytes.Buffer
	done chan struct{} // closed when it has ended, with err
	err  error
}

func followLogs(t *testing.T, kubeconfig string) *logFollower {
	t.Helper()
	home := t.TempDir()
	f := &logFollower{out: filepath.Join(home, "out"), done: make(chan struct{}),
		cmd: exec.Command(install.Binary(t), "logs", "--follow", "-o", "json", "--kubeconfig", kubeconfig)}
	out, err := os.Create(f.out)
	must(t, err)
	f.cmd.Stdout, f.cmd.Stderr = out, &f.errs
	f.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_STATE_HOME=" + home}
	f.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	must(t, f.cmd.Start())
	must(t, out.Close())
	go func() {
		f.err = f.cmd.Wait()
		close(f.done)
	}()
	t.Cleanup(func() {
		_ = f.cmd.Process.Kill()
		<-f.done
	})
	return f
}

// begun waits until lines of every node come.
func (f *logFollower) begun(t *testing.T) {
	t.Helper()
	wait.Within(t, patience, "the logs are followed", func() bool { return len(f.printed(t).times) == len(smallNodes) })
}

// printed is what came so far: how often each line of a zone, by the number
// ovn-controller gave it, and where lines may be missing.
type printed struct {
	times map[string]map[string]int
	gaps  []gapLine
}

type gapLine struct {
	Zone string
	Gap  *struct{ From, To, Why string }
	Raw  string
}

var lineNumber = regexp.MustCompile(`\|(\d+)\|acl_log`)

func (f *logFollower) printed(t testing.TB) printed {
	text, err := os.ReadFile(f.out)
	must(t, err)
	p := printed{times: map[string]map[string]int{}}
	for line := range bytes.Lines(text) {
		var g gapLine
		if !bytes.HasSuffix(line, []byte("\n")) || json.Unmarshal(line, &g) != nil {
			continue // half a line, at the end
		}
		if g.Gap != nil {
			p.gaps = append(p.gaps, g)
			continue
		}
		if m := lineNumber.FindStringSubmatch(g.Raw); m != nil {
			if p.times[g.Zone] == nil {
				p.times[g.Zone] = map[string]int{}
			}
			p.times[g.Zone][m[1]]++
		}
	}
	return p
}

// check holds what was printed against what was written and ends the follower.
func (f *logFollower) check(t *testing.T, k *kubelet) (lines int, gaps int) {
	t.Helper()
	select {
	case <-f.done:
		t.Errorf("rung logs ended by itself: %v: %s", f.err, f.errs.String())
		return 0, 0
	default:
	}
	var p printed
	for _, node := range smallNodes {
		written := k.written(node)
		last := lineNumber.FindStringSubmatch(written[len(written)-1])[1]
		if !wait.Poll(patience, func() bool { p = f.printed(t); return p.times[node][last] > 0 }) {
			t.Errorf("node %s: the last line of the log, %s, is not printed", node, last)
		}
		begun := false
		for _, text := range written {
			number := lineNumber.FindStringSubmatch(text)[1]
			switch n := p.times[node][number]; {
			case n == 1:
				begun = true
				lines++
			case n > 1:
				t.Errorf("node %s: line %s is printed %d times", node, number, n)
			case begun && !p.covered(node, text[:len("2006-01-02T15:04:05.000Z")]):
				t.Errorf("node %s: line %s is lost and nothing says so; gaps: %+v", node, number, p.gaps)
			}
		}
	}
	_ = f.cmd.Process.Signal(syscall.SIGINT) // one that has ended says why below
	select {
	case <-f.done:
		if f.err != nil {
			t.Errorf("rung logs ended with %v: %s", f.err, f.errs.String())
		}
	case <-time.After(20 * time.Second):
		t.Error("rung logs does not end")
	}
	return lines, len(p.gaps)
}

// covered says whether a gap was told of that holds a time.
func (p printed) covered(node, at string) bool {
	when, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		panic(fmt.Sprintf("a log of the test: %v", err))
	}
	for _, g := range p.gaps {
		from, err := time.Parse(time.RFC3339Nano, g.Gap.From)
		to, err2 := time.Parse(time.RFC3339Nano, g.Gap.To)
		if err == nil && err2 == nil && g.Zone == node && !when.Before(from.Add(-time.Second)) && !when.After(to.Add(time.Second)) {
			return true
		}
	}
	return false
}
