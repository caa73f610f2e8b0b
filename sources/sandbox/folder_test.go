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

	"rung/sources/nbdb"
	"rung/test/servers"
)

const childEnv = "RUNG_SANDBOX_CHILD"

func init() {
	if os.Getenv(childEnv) != "" {
		asChild = mortal
	}
}

// mortal is what TestDeath kills: a sandbox that says its servers' process ids
// and then sleeps.
func mortal() {
	if os.Getenv(childEnv) == "ovn" {
		mortalOVN()
	}
	cfg := Config{Zones: []string{"a", "b"}, Server: ServerAuto}
	if os.Getenv(childEnv) == "watchdog" {
		cfg.guard = func() (Guard, error) { return NewWatchdog() }
	}
	s, err := Start(context.Background(), cfg)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := servers.Kill(s.Endpoints()["b"]); err != nil { // the guard has to keep up with new ones
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	time.Sleep(2 * RestartAfter)
	fmt.Print(s.Dir())
	for _, zone := range s.Zones() {
		p := s.zones[zone].server.(*ovsdbProcess)
		for p.Pid() == 0 {
			time.Sleep(time.Millisecond)
		}
		fmt.Print(" ", p.Pid())
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

// killed runs a sandbox in a process that is killed, and waits for the end of its
// children, of which there are as many as that. It returns the runtime folder and the
// sandbox's.
func killed(t *testing.T, how string, children int) (base, dir string) {
	t.Helper()
	base = shortDir(t)
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
	if err != nil || len(words) != 1+children {
		t.Fatalf("%q, %v", line, err)
	}
	for _, w := range words[1:] {
		pid, err := strconv.Atoi(w)
		if err != nil || pid == 0 {
			t.Fatal(w, err)
		}
		soon(t, "dead", func() bool { return !alive(pid) })
	}
	dir = words[0]
	if dir != filepath.Join(base, "rung", strconv.Itoa(cmd.Process.Pid)) {
		t.Error(dir)
	}
	return base, dir
}

// SIGKILL leaves no server behind, and what it leaves of files goes at the next
// start.
func TestDeath(t *testing.T) {
	realServer(t)
	for _, how := range []string{"kernel", "watchdog"} {
		t.Run(how, func(t *testing.T) {
			base, dir := killed(t, how, 2)
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
			f.removeFiles()
			g.removeFiles()
			if rest, err := os.ReadDir(filepath.Join(base, "rung")); err != nil || len(rest) != 1 || rest[0].Name() != lockName {
				t.Errorf("left: %v, %v", rest, err)
			}
		})
	}
}

// put writes files into a folder and returns what is in it after.
func put(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// A folder of the user's is refused, whatever the names of its files, and nothing
// in it is touched.
func TestFoldersOfOthersAreRefused(t *testing.T) {
	parent := filepath.Dir(shortDir(t))
	for _, files := range [][]string{{"customers.db"}, {"notes.txt"}, {"a.sock", "a.ctl", ".a.db.~lock~", "draft.tmp"}, {lockName, "x"}, {markName}} {
		mine := filepath.Join(parent, "mine-"+files[0])
		if err := os.Mkdir(mine, 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, mine, files...)
		before := listing(t, mine)
		f, err := openFolder(mine)
		if err == nil {
			f.removeFiles()
		}
		if err == nil || !strings.Contains(err.Error(), "give --sandbox-dir an empty or new folder") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v", files, err)
		}
		if after := listing(t, mine); after != before {
			t.Errorf("%v: left %s", files, after)
		}
	}
}

// A sandbox's folder is taken again, also after it died: of it the files go that
// its mark names, and no other; a link goes alone.
func TestMarkedFolders(t *testing.T) {
	parent := filepath.Dir(shortDir(t))
	mine := filepath.Join(parent, "mine")
	f, err := openFolder(mine)
	if err != nil {
		t.Fatal(err)
	}
	for _, zone := range []string{"a", "b"} {
		name, err := f.fileName(zone)
		if err == nil {
			err = f.mark.addFile(name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	// It dies here: its lock goes, its files stay, and the last line is torn.
	if _, err := f.mark.file.WriteString("customers"); err != nil {
		t.Fatal(err)
	}
	f.mark.file.Close()
	_ = f.lock.Close()
	put(t, parent, "precious.db")
	put(t, mine, "a.db", "a.sock", ".a.db.~lock~", "a.db.tmp", "customers.db", "b.ctl", "draft.tmp")
	if err := os.Symlink(filepath.Join(parent, "precious.db"), filepath.Join(mine, "b.db")); err != nil {
		t.Fatal(err)
	}
	if f, err = openFolder(mine); err != nil {
		t.Fatal(err)
	}
	if got := listing(t, mine); got != "customers.db draft.tmp lock rung-sandbox" {
		t.Errorf("left: %s", got)
	}
	if text, err := os.ReadFile(filepath.Join(parent, "precious.db")); err != nil || string(text) != "precious.db" {
		t.Errorf("what a link led to: %q, %v", text, err)
	}
	f.removeFiles()
	if got := listing(t, mine); got != "customers.db draft.tmp rung-sandbox" {
		t.Errorf("left after the end: %s", got)
	}
	// A link in place of the mark or the lock is none.
	if err := os.Rename(filepath.Join(mine, markName), filepath.Join(parent, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(parent, "elsewhere"), filepath.Join(mine, markName)); err != nil {
		t.Fatal(err)
	}
	if f, err := openFolder(mine); err == nil {
		f.removeFiles()
		t.Error("a link was taken for the mark")
	}
	linked := filepath.Join(parent, "linked")
	if err := os.Mkdir(linked, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(parent, "made-by-a-link"), filepath.Join(linked, lockName)); err != nil {
		t.Fatal(err)
	}
	if f, err := openFolder(linked); err == nil {
		f.removeFiles()
		t.Error("a link was taken for the lock")
	}
}

// Below the runtime directory only folders with the mark go, and of them only what
// Rung made.
func TestStaleFoldersWithoutMark(t *testing.T) {
	base := shortDir(t)
	run := filepath.Join(base, "rung")
	theirs, dead := filepath.Join(run, "1"), filepath.Join(run, "2")
	for _, dir := range []string{base, run, theirs, dead} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	put(t, theirs, "a.db", lockName)
	m, err := newMark(dead)
	if err == nil {
		err = m.addFile("a")
	}
	if err != nil {
		t.Fatal(err)
	}
	m.file.Close()
	put(t, dead, "a.db", "core")
	t.Setenv("XDG_RUNTIME_DIR", base)
	f, err := openFolder("")
	if err != nil {
		t.Fatal(err)
	}
	f.removeFiles()
	if got := listing(t, theirs); got != "a.db lock" {
		t.Errorf("without a mark: %s", got)
	}
	if got := listing(t, dead); got != "core rung-sandbox" {
		t.Errorf("with the mark: %s", got)
	}
}

func TestFolders(t *testing.T) {
	parent := filepath.Dir(shortDir(t))
	mine := filepath.Join(parent, "mine")
	if err := os.Mkdir(mine, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := openFolder(mine)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openFolder(mine); err == nil || !strings.Contains(err.Error(), "in use by another Rung") {
		t.Error(err)
	}
	f.removeFiles()
	if got := listing(t, mine); got != "" {
		t.Errorf("left: %s", got)
	}

	made := filepath.Join(parent, "made")
	if f, err = openFolder(made); err != nil {
		t.Fatal(err)
	}
	if fi, _ := os.Stat(made); fi.Mode().Perm() != 0o700 {
		t.Error(fi.Mode())
	}
	// A name that cannot be a file's gets files all the same, none of them outside
	// and each its own.
	names := map[string]string{}
	for _, zone := range []string{"ovn-worker", "../up", "..", ".hidden", "a\x1bb", "c:x", "A", "a", "a/b", lockName, markName, hashedName + "0011223344556677",
		strings.Repeat("n", 60), strings.Repeat("n", 1000), strings.Repeat("m", 1000)} {
		name, err := f.fileName(zone)
		if err != nil {
			t.Errorf("%q: %v", zone, err)
			continue
		}
		if !isOwnName(name) || filepath.Dir(f.socketPath(name)) != made || len(f.socketPath(name)) >= maxSocketPath {
			t.Errorf("%q: %q", zone, name)
		}
		if other, taken := names[name]; taken {
			t.Errorf("%q and %q share %s", zone, other, name)
		}
		names[name] = zone
	}
	if names["ovn-worker"] != "ovn-worker" {
		t.Error("a plain name is its file's")
	}
	if _, err := f.fileName(""); err == nil {
		t.Error("a zone without a name")
	}
	f.removeFiles()
	if _, err := os.Stat(made); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	deep := &labFolder{path: filepath.Join(parent, strings.Repeat("d", 90))}
	if _, err := deep.fileName("a"); err == nil || !strings.Contains(err.Error(), "choose a shorter --sandbox-dir") {
		t.Error(err)
	}

	open := filepath.Join(parent, "open")
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	tight, err := openFolder(open) // an empty one is made private
	if err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(open); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", fi.Mode(), err)
	}
	tight.removeFiles()
	if err := errors.Join(os.WriteFile(filepath.Join(open, "other"), nil, 0o600), os.Chmod(open, 0o755)); err != nil {
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

// A zone of any name has a database, on either server, and goes without a trace.
func TestZonesOfAnyName(t *testing.T) {
	for _, server := range []string{ServerBuiltin, ServerAuto} {
		dir := shortDir(t)
		zones := []string{"n1", "../n2", strings.Repeat("n", 1000)}
		s, err := Start(t.Context(), Config{Zones: zones, Dir: dir, Server: server})
		if err != nil {
			t.Fatal(err)
		}
		for _, zone := range zones {
			if _, err := nbdb.Dial(nbdb.Config{Addr: s.Endpoints()[zone], AnyName: true}).Read(t.Context()); err != nil {
				t.Errorf("%.10s: %v", zone, err)
			}
		}
		if err := s.RemoveZone("../n2"); err != nil {
			t.Error(err)
		}
		s.Close()
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("left: %s", listing(t, dir))
		}
	}
}
