//go:build unix

package journey_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"rung/test/wait"
)

// shellScript runs its arguments as a job and says when the job is stopped, with
// what code it ended, and brings it back at a line of input.
const shellScript = `set -m
sh -c 'echo $$ >"$0"; exec "$@"' "$@"; code=$?
while [ "$code" -ge 145 ] && [ "$code" -le 150 ]; do
	echo "the shell: stopped"
	read -r line
	fg >/dev/null; code=$?
done
echo "the shell: ended with $code"
`

// underShell makes the command of a program under a shell with job control. The
// program's process id goes into a file beside its sandbox.
func underShell(t *testing.T, path string, args []string) (string, []string) {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	return sh, append([]string{"-c", shellScript, "sh", filepath.Join(short(t), "pid"), path}, args...)
}

// rung is the process id of Rung itself.
func (c *console) rung() int {
	c.t.Helper()
	if c.pidFile == "" {
		return c.Pid()
	}
	exists(c.t, c.pidFile)
	var pid int
	wait.Within(c.t, patience, "Rung's process id to be known", func() bool {
		var err error
		pid, err = strconv.Atoi(strings.TrimSpace(read(c.t, c.pidFile)))
		return err == nil
	})
	return pid
}

// restored looks whether the terminal is the user's again.
func (c *console) restored(f *frame) {
	c.t.Helper()
	if f.AltScreen || !f.CursorShown || f.Taken {
		c.t.Errorf("the terminal is not as it was: alternate screen %v, cursor shown %v, mouse or paste taken %v\n%s", f.AltScreen, f.CursorShown, f.Taken, f.Boxed())
	}
	if raw, err := c.Raw(); err != nil || raw {
		c.t.Errorf("the terminal is in raw mode: %v, %v", raw, err)
	}
}

// nothingLeft looks for the sandbox's folder and for processes that were started
// for this console.
func (c *console) nothingLeft() {
	c.t.Helper()
	gone := func() bool {
		_, err := os.Lstat(c.db)
		return os.IsNotExist(err) && len(started(c.t, c.db, c.Home())) == 0
	}
	if wait.Poll(patience, gone) {
		return
	}
	_, err := os.Lstat(c.db)
	c.t.Errorf("left behind: the folder of the sandbox %v, processes %v", err == nil, started(c.t, c.db, c.Home()))
	c.killAll()
}

// killAll ends every process that was started for this console.
func (c *console) killAll() {
	for pid := range started(c.t, c.db, c.Home()) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// started are the processes that name one of the folders in their arguments, as
// the sandbox's servers and editors do. Whoever asks may end them, so that a folder without
// a name, which every process has, is no question.
func started(t *testing.T, folders ...string) map[int]string {
	t.Helper()
	if slices.Contains(folders, "") {
		t.Fatal("a folder without a name: every process of the machine would be meant")
	}
	out := map[int]string{}
	for line := range strings.Lines(run(t, "ps", "-A", "-o", "pid=,args=")) {
		var pid int
		if _, err := fmt.Sscan(line, &pid); err != nil {
			t.Fatalf("a process without a number: %q", line)
		}
		if slices.ContainsFunc(folders, func(f string) bool { return strings.Contains(line, f) }) {
			out[pid] = line
		}
	}
	return out
}
