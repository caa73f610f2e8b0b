//go:build unix

package sandbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const childEnv = "RUNG_SANDBOX_CHILD"

func init() {
	if os.Getenv(childEnv) != "" {
		asChild = child
	}
}

// child is what TestDeath kills: a sandbox that says its servers' process ids
// and then sleeps.
func child() {
	cfg := Config{Zones: []string{"a", "b"}, Server: ServerAuto}
	if os.Getenv(childEnv) == "watchdog" {
		cfg.guard = func() (guard, error) { return newWatchdog() }
	}
	s, err := Start(context.Background(), cfg)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := s.Kill("b"); err != nil { // the guard has to keep up with new ones
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	time.Sleep(2 * restartAfter)
	fmt.Print(s.Dir())
	for _, zone := range s.Zones() {
		p := s.zones[zone].server.(*process)
		for p.running() == nil {
			time.Sleep(time.Millisecond)
		}
		fmt.Print(" ", p.running().Pid)
	}
	fmt.Println()
	select {}
}

// alive says whether a process exists and is not a zombie.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// SIGKILL leaves no server behind, and what it leaves of files goes at the next
// start.
func TestDeath(t *testing.T) {
	realServer(t)
	for _, how := range []string{"kernel", "watchdog"} {
		t.Run(how, func(t *testing.T) {
			base := shortDir(t)
			if err := os.Mkdir(base, 0o700); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childEnv+"="+how, "XDG_RUNTIME_DIR="+base)
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			words := strings.Fields(line)
			if err != nil || len(words) != 3 {
				t.Fatalf("%q, %v", line, err)
			}
			for _, w := range words[1:] {
				pid, err := strconv.Atoi(w)
				if err != nil {
					t.Fatal(err)
				}
				soon(t, "dead", func() bool { return !alive(pid) })
			}
			dir := words[0]
			if dir != filepath.Join(base, "rung", strconv.Itoa(cmd.Process.Pid)) {
				t.Error(dir)
			}
			if _, err := os.Stat(filepath.Join(dir, "a.db")); err != nil {
				t.Error(err)
			}
			t.Setenv("XDG_RUNTIME_DIR", base)
			f, err := openFolder("")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the dead instance's folder is still there: %v", err)
			}
			// A second instance leaves the living alone.
			g, err := openFolder("")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(f.path); err != nil || f.path == g.path {
				t.Error(err, f.path, g.path)
			}
			f.close()
			g.close()
			if rest, err := os.ReadDir(filepath.Join(base, "rung")); err != nil || len(rest) != 1 || rest[0].Name() != lockName {
				t.Errorf("left: %v, %v", rest, err)
			}
		})
	}
}

func TestFolders(t *testing.T) {
	parent := filepath.Dir(shortDir(t))
	mine := filepath.Join(parent, "mine")
	if err := os.Mkdir(mine, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"notes.txt", "old.sock", "old.db", ".old.db.~lock~"} {
		if err := os.WriteFile(filepath.Join(mine, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := openFolder(mine)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openFolder(mine); err == nil || !strings.Contains(err.Error(), "in use by another Rung") {
		t.Error(err)
	}
	f.close()
	if rest, _ := os.ReadDir(mine); len(rest) != 1 || rest[0].Name() != "notes.txt" {
		t.Errorf("somebody's own file went, or ours stayed: %v", rest)
	}

	made := filepath.Join(parent, "made")
	if f, err = openFolder(made); err != nil {
		t.Fatal(err)
	}
	if fi, _ := os.Stat(made); fi.Mode().Perm() != 0o700 {
		t.Error(fi.Mode())
	}
	for zone, want := range map[string]string{
		"ovn-worker": "", "": "file name", "../up": "file name", ".hidden": "file name", "a\x1bb": "file name", "c:x": "file name",
		strings.Repeat("n", 100): "choose a shorter --sandbox-dir",
	} {
		path, err := f.socket(zone)
		if (err == nil) != (want == "") || (err != nil && !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %q, %v", zone, path, err)
		}
	}
	f.close()
	if _, err := os.Stat(made); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}

	open := filepath.Join(parent, "open")
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := openFolder(open); err == nil || !strings.Contains(err.Error(), "0700") {
		t.Error(err)
	}
	link := filepath.Join(parent, "link")
	if err := os.Symlink(mine, link); err != nil {
		t.Fatal(err)
	}
	if _, err := openFolder(link); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Error(err)
	}
	if _, err := Start(t.Context(), Config{Zones: []string{"a", "a"}, Dir: filepath.Join(parent, "twice"), Server: ServerBuiltin}); err == nil ||
		!strings.Contains(err.Error(), "named twice") {
		t.Error(err)
	}
}
