//go:build unix

package journey_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rung/test/install"
	"rung/test/term"
	"rung/test/wait"
)

// command is Rung without a screen.
type command struct {
	t     *testing.T
	cmd   *exec.Cmd
	db    string
	out   *bufio.Reader
	pipe  io.Closer // standard output's end that is read
	in    io.WriteCloser
	errs  buffer
	ended chan struct{}
}

// buffer is what was printed so far.
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

// start runs a command with pipes for its streams.
func start(t *testing.T, args ...string) *command {
	t.Helper()
	dir := short(t)
	c := &command{t: t, db: filepath.Join(dir, "db"), ended: make(chan struct{})}
	c.cmd = exec.Command(install.Binary(t), append(args, "--sandbox-dir", c.db, "--sandbox-ovsdb", "builtin")...)
	c.cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"), "KUBECONFIG=")
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.cmd.Stderr = &c.errs
	c.cmd.WaitDelay = patience // nobody may hold the pipes for good
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	c.out, c.pipe = bufio.NewReader(out), out
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(c.ended)
		_ = c.cmd.Wait() // its error repeats the exit code
	}()
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		<-c.ended
		_ = c.pipe.Close()
		_ = c.in.Close()
	})
	return c
}

// ends waits for the end and looks for what is left.
func (c *command) ends(what string, codes ...int) {
	c.t.Helper()
	wait.Within(c.t, patience, what+" to end", func() bool {
		select {
		case <-c.ended:
			return true
		default:
			return false
		}
	})
	state := c.cmd.ProcessState
	if !slices.Contains(codes, state.ExitCode()) {
		c.t.Errorf("%s: %v, want one of the codes %v\n%s", what, state, codes, c.errs.String())
	}
	gone := func() bool {
		_, err := os.Lstat(c.db)
		return errors.Is(err, fs.ErrNotExist) && len(started(c.t, c.db)) == 0
	}
	if !wait.Poll(patience, gone) {
		c.t.Errorf("%s left something behind: processes %v", what, started(c.t, c.db))
	}
}

// stops stops a command as a shell does and lets it go on.
func (c *command) stops() {
	c.t.Helper()
	pid := c.cmd.Process.Pid
	signal(c.t, pid, syscall.SIGTSTP)
	wait.Within(c.t, patience, "the command to be stopped", func() bool {
		return strings.HasPrefix(strings.TrimSpace(run(c.t, "ps", "-o", "state=", "-p", strconv.Itoa(pid))), "T")
	})
	signal(c.t, pid, syscall.SIGCONT)
}

// signals are those that end a command.
var signals = []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT}

// told stops a command, lets it go on and tells it to end.
func (c *command) told(what string, sig syscall.Signal, codes ...int) {
	c.t.Helper()
	c.stops()
	signal(c.t, c.cmd.Process.Pid, sig)
	c.ends(fmt.Sprintf("%s at %v", what, sig), codes...)
	if dump := strings.Contains(c.errs.String(), "goroutine "); dump != (sig == syscall.SIGQUIT) {
		c.t.Errorf("%s at %v: goroutines printed: %v", what, sig, dump)
	}
}

// each runs f for every name; in make soak with every signal, else with one.
func each(t *testing.T, names []string, f func(t *testing.T, name string, sig syscall.Signal)) {
	t.Helper()
	hearHangUp(t)
	for i, name := range names {
		for j, sig := range signals {
			if i%len(signals) != j && os.Getenv(install.SoakVar) != "1" {
				continue
			}
			t.Run(fmt.Sprintf("%s %v", name, sig), func(t *testing.T) {
				t.Parallel()
				f(t, name, sig)
			})
		}
	}
}

// TestSignalsWhileReading: every command that reads manifests ends at the first
// signal while a FIFO, standard input, or a file it was given does not answer.
func TestSignalsWhileReading(t *testing.T) {
	t.Parallel()
	each(t, []string{
		"ladder", "policy p", "pod ns/p", "compile", "rows p", "drift", "zones", "lint", "activity", "logs", "plan", "plan --step 5 --run --yes",
		"delete p --yes", "move p 5 --yes", "undo --yes --write-back", "log-level p --off --yes", "logs --follow", "ladder -w",
		"ladder --dns-addresses", "ladder --config", "ladder --kubeconfig", "apply --yes --change", "verify", "trace --cases", "logs --log",
	}, func(t *testing.T, name string, sig syscall.Signal) {
		pipe := filepath.Join(short(t), "pipe")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		args := strings.Fields(name)
		switch args[len(args)-1] {
		case "--dns-addresses", "--change", "verify", "--cases", "--log":
			args = append(args, pipe, "-f", examples(t))
		case "--config", "--kubeconfig":
			args = append(args, pipe)
			if args[1] == "--config" {
				args = append(args, "--kubeconfig", kubeconfig(t))
			}
		default:
			args = append(args, "-f", pipe)
		}
		c := start(t, args...)
		// Succeeds once somebody waits for a writer; one that says nothing.
		opened := make(chan *os.File, 1)
		go func() {
			w, _ := os.OpenFile(pipe, os.O_WRONLY, 0)
			opened <- w
		}()
		select {
		case w := <-opened:
			defer w.Close()
		case <-c.ended:
			c.t.Fatalf("%s ended before it was told to: %v\n%s", name, c.cmd.ProcessState, c.errs.String())
		}
		if name == "logs --follow" {
			c.told(name, sig, 0) // how following ends
			return
		}
		c.told(name, sig, 2)
	})
	each(t, []string{"ladder -f -", "lint -f -", "apply --yes --change -", "compile -f -"}, func(t *testing.T, name string, sig syscall.Signal) {
		args := strings.Fields(name)
		if args[0] == "apply" {
			args = append(args, "-f", examples(t))
		}
		c := start(t, args...)
		// A kilobyte more than a pipe holds is taken only by a reader.
		if _, err := c.in.Write(bytes.Repeat([]byte("# nothing\n"), 6656)); err != nil {
			t.Fatal(err)
		}
		c.told(name, sig, 2)
	})
}

// TestSignalsInTheKernel: a read that hangs in the kernel holds up no end, whether it is of a database or of a file in a
// folder.
func TestSignalsInTheKernel(t *testing.T) {
	t.Parallel()
	const stuck = "/proc/kmsg" // a regular file whose read waits
	fd, err := syscall.Open(stuck, syscall.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Skipf("the kernel log cannot be read: this test did not run: %v", err)
	}
	for n := 1; n > 0 && err == nil; { // what it holds now is read at once
		n, err = syscall.Read(fd, make([]byte, 1<<16))
	}
	_ = syscall.Close(fd)
	each(t, []string{"drift --nb", "rows --nb", "zones --watch --nb", "ladder"}, func(t *testing.T, name string, sig syscall.Signal) {
		args := strings.Fields(name)
		if slices.Contains(args, "--nb") {
			args = append(args, "w=file:"+stuck, "-f", examples(t))
		} else {
			dir := t.TempDir()
			if err := os.Symlink(stuck, filepath.Join(dir, "stuck.yaml")); err != nil {
				t.Fatal(err)
			}
			args = append(args, "-f", dir)
		}
		c := start(t, args...)
		fds := fmt.Sprintf("/proc/%d/fd/", c.cmd.Process.Pid)
		wait.Within(t, wait.Patience, "the file to be open", func() bool {
			select {
			case <-c.ended:
				t.Fatalf("it ended before it was told to: %v\n%s", c.cmd.ProcessState, c.errs.String())
			default:
			}
			entries, _ := os.ReadDir(fds)
			return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
				to, _ := os.Readlink(fds + e.Name())
				return to == stuck
			})
		})
		c.told(name, sig, 0, 2)
	})
}

// TestSignalsWhileAPluginHangs: a login plugin that never answers holds up no end, and
// ends as well.
func TestSignalsWhileAPluginHangs(t *testing.T) {
	t.Parallel()
	each(t, []string{"ladder", "zones", "logs --follow", "lint"}, func(t *testing.T, name string, sig syscall.Signal) {
		plugin := script(t, `echo >"$0.here"; while [ -e "$0.here" ]; do sleep 0.1; done`)
		config := withPlugin(t, "https://127.0.0.1:1", plugin)
		c := start(t, append(strings.Fields(name), "--kubeconfig", config)...)
		exists(t, plugin+".here")
		if name == "lint" {
			wait.Within(t, wait.Patience, "what is waited for is said", func() bool {
				return strings.Contains(c.errs.String(), "rung: waiting for the API server https://127.0.0.1:1, or the login plugin "+plugin+"\n")
			})
		}
		c.told(name, sig, 0, 2)
		if !wait.Poll(patience, func() bool { return len(started(t, plugin)) == 0 }) {
			t.Errorf("the plugin is left: %v", started(t, plugin))
		}
	})
}

// kubeconfig is one of a server that is not there.
func kubeconfig(t *testing.T) string {
	t.Helper()
	path := filepath.Join(short(t), "kubeconfig")
	write(t, path, `apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {}}]
`)
	return path
}

// lasting are the commands that go on until they are told to end.
var lasting = []string{"ladder -w", "policy cluster-control -w", "pod blue/web-g0 -w", "compile -w", "rows cluster-control -w", "drift -w", "zones -w", "activity -w", "logs --follow"}

// TestSignalsOnTheWay: commands that go on end at the first signal, stopped before
// or not, with the sandbox gone.
func TestSignalsOnTheWay(t *testing.T) {
	t.Parallel()
	each(t, lasting, func(t *testing.T, name string, sig syscall.Signal) {
		c := start(t, append(strings.Fields(name), "-f", examples(t), "--traffic", "50")...)
		c.printed(name)
		c.told(name, sig, 0, 1, 2)
	})
}

// printed waits for the first line.
func (c *command) printed(what string) {
	c.t.Helper()
	line := make(chan error, 1)
	go func() {
		_, err := c.out.ReadString('\n')
		line <- err
	}()
	select {
	case err := <-line:
		if err != nil {
			c.t.Fatalf("%s printed nothing: %v\n%s", what, err, c.errs.String())
		}
	case <-time.After(patience):
		c.t.Fatalf("%s prints nothing\n%s", what, c.errs.String())
	}
}

// TestPipeCloses: when nobody reads any more, a command ends with 141, quietly and
// with its sandbox gone: one that goes on also while it has nothing to print.
func TestPipeCloses(t *testing.T) {
	t.Parallel()
	for _, name := range append([]string{"compile", "lint", "ladder"}, lasting...) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append(strings.Fields(name), "-f", examples(t))
			if slices.Contains(lasting, name) {
				c := start(t, append(args, "--traffic", "50")...)
				c.printed(name)
				signal(t, c.cmd.Process.Pid, syscall.SIGPIPE) // by itself it means nothing
				_ = c.pipe.Close()
				c.ends(name, 141)
				c.quiet()
				return
			}
			c := start(t, args...)
			_ = c.pipe.Close()
			c.ends(name, 141)
			c.quiet()
		})
	}
}

// quiet looks that nothing is said about the pipe.
func (c *command) quiet() {
	c.t.Helper()
	if said := c.errs.String(); strings.Contains(said, "pipe") || strings.Contains(said, "interrupted") {
		c.t.Errorf("it says\n%s", said)
	}
}

// TestSignalsAtAQuestion: a command that waits for an answer ends at the first
// signal and has changed nothing.
func TestSignalsAtAQuestion(t *testing.T) {
	t.Parallel()
	each(t, []string{"move multi-tenant-isolation 44", "delete blue-tenant", "plan --step 5 --run", "log-level cluster-control --off"}, func(t *testing.T, name string, sig syscall.Signal) {
		dir, db := examples(t), filepath.Join(short(t), "db")
		before := texts(t, dir)
		d := term.Start(t, term.Options{Path: install.Binary(t), Args: append(strings.Fields(name), "-f", dir, "--write-back", "--sandbox-dir", db, "--sandbox-ovsdb", "builtin"), Height: 200})
		c := &console{Driver: d, t: t, db: db}
		c.until("asks", func(f *frame) bool {
			return strings.Contains(f.Text(), "Apply? [y/N]") || strings.Contains(f.Text(), "to confirm:")
		})
		signal(t, c.Pid(), sig)
		c.closed(2)
		if texts(t, dir) != before {
			t.Error("the files were changed")
		}
	})
}

// texts are all files of a folder.
func texts(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, name := range names {
		b.WriteString(name + "\n" + read(t, name))
	}
	return b.String()
}

// TestSignalsOfReconcile: the reconciler without a screen ends at the first signal
// and leaves the database alone that is not its own.
func TestSignalsOfReconcile(t *testing.T) {
	t.Parallel()
	server := install.Server(t, "ovsdb-server")
	hearHangUp(t)
	for _, sig := range signals {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			path, _ := crowd(t)
			zones := open(t, setup{files: []string{path}, args: []string{"--traffic", "0", "--sandbox-ovsdb", server}}).ready()
			args := []string{"reconcile", "-f", path, "--metrics-address", "127.0.0.1:0"}
			for zone, socket := range zones.sockets() {
				args = append(args, "--nb", zone+"=unix:"+socket)
			}
			c := start(t, args...)
			if !wait.Poll(patience, func() bool { return strings.Contains(c.errs.String(), "started") }) {
				t.Fatalf("the reconciler does not start:\n%s", c.errs.String())
			}
			c.told("reconcile", sig, 0, 2)
			if len(started(t, zones.db)) == 0 {
				t.Error("the databases are gone as well")
			}
		})
	}
}
