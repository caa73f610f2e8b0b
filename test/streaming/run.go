//go:build unix

package streaming

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

// Image is the root filesystem of a pod's containers.
type Image struct {
	// Bin is a folder with the programs that are there; MakeBin makes one.
	Bin string
	// Replace says what stands in for parts of arguments: the container's path of
	// a socket, for example, for the test's.
	Replace map[string]string
	// Delay passes before a command starts, and Stall says that it never does.
	Delay time.Duration
	Stall bool
	// Edit, where set, changes what a command writes to stdout.
	Edit func(cmd []string, stdout io.Writer) io.Writer
}

// MakeBin fills a folder with links to programs of this machine. One that is not
// installed is left out and returned.
func MakeBin(dir string, programs ...string) (missing []string, err error) {
	for _, name := range programs {
		path, err := exec.LookPath(name)
		if err == nil && name == "python3" {
			// The program on PATH may be a script that looks for another one.
			var out []byte
			out, err = exec.Command(path, "-c", "import sys; print(sys.executable, end='')").Output()
			path = string(out)
		}
		if err != nil {
			missing = append(missing, name)
			continue
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			return missing, fmt.Errorf("making an image: %w", err)
		}
	}
	return missing, nil
}

// process is a command that runs.
type process struct {
	cmd  *exec.Cmd
	name string
}

// Running are the commands that have not ended, each with its arguments.
func (s *Server) Running() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.running {
		out = append(out, p.name)
	}
	slices.Sort(out)
	return out
}

// Commands are the arguments of every command that was started, as they came.
func (s *Server) Commands() [][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.commands)
}

// kill ends what still runs, with all its children.
func (s *Server) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.running {
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // gone already if this fails
	}
}

// Exec runs a command for the kubelet; id is NAMESPACE/POD/CONTAINER.
func (s *Server) Exec(_ context.Context, id string, args []string, in io.Reader, out, errOut io.WriteCloser, _ bool, _ <-chan remotecommand.TerminalSize) error {
	s.mu.Lock()
	p := s.pods[id[:strings.LastIndexByte(id, '/')]]
	s.commands = append(s.commands, args)
	s.mu.Unlock()
	if p == nil {
		return errors.New("container not found")
	}
	if p.image.Stall {
		<-s.closed
		return errors.New("stalled until the end")
	}
	time.Sleep(p.image.Delay)
	path := filepath.Join(p.image.Bin, args[0])
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("exec failed: unable to start container process: exec: %q: executable file not found in $PATH", args[0])
	}
	cmd := exec.Command(path)
	for _, a := range args[1:] {
		for from, to := range p.image.Replace {
			a = strings.ReplaceAll(a, from, to)
		}
		cmd.Args = append(cmd.Args, a)
	}
	cmd.Env = []string{"PATH=" + p.image.Bin, "LC_ALL=C"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var stdout io.Writer = out
	if p.image.Edit != nil {
		stdout = p.image.Edit(args, stdout)
	}
	cmd.Stdout, cmd.Stderr = stdout, errOut
	return s.wait(cmd, in, strings.Join(args, " "))
}

// wait starts the command and waits for it, not for the end of its input.
func (s *Server) wait(cmd *exec.Cmd, in io.Reader, name string) error {
	var stdin io.WriteCloser
	var err error
	if in != nil {
		if stdin, err = cmd.StdinPipe(); err != nil {
			return fmt.Errorf("starting %s: %w", name, err)
		}
	}
	p := &process{cmd, name}
	s.mu.Lock()
	if err = cmd.Start(); err == nil {
		s.running[p] = struct{}{}
	}
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("starting %s: %w", name, err)
	}
	if in != nil {
		go func() {
			_, _ = io.Copy(stdin, in) // either end may go
			_ = stdin.Close()
		}()
	}
	err = cmd.Wait()
	s.mu.Lock()
	delete(s.running, p)
	s.mu.Unlock()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return utilexec.CodeExitError{Err: err, Code: max(exit.ExitCode(), 1)}
	}
	return err
}

// Attach is not served.
func (s *Server) Attach(context.Context, string, io.Reader, io.WriteCloser, io.WriteCloser, bool, <-chan remotecommand.TerminalSize) error {
	return errors.New("attach is not served")
}

// PortForward is not served.
func (s *Server) PortForward(context.Context, string, int32, io.ReadWriteCloser) error {
	return errors.New("port-forward is not served")
}

func code(n int) string { return strconv.Itoa(n) }
