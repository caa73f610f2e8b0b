package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// process is a server that is killed, stalled and started again with the same
// arguments. It ends with the test's own process.
type process struct {
	path string
	args []string
	log  string // file; appended to

	mu   sync.Mutex
	cmd  *exec.Cmd
	done chan struct{} // closed when cmd has ended
}

// start starts the program; it must not be running.
func (p *process) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("starting %s: %w", p.path, err)
	}
	defer log.Close() // the child has its own
	cmd := exec.Command(p.path, p.args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", p.path, err)
	}
	done := make(chan struct{})
	p.cmd, p.done = cmd, done
	go func() {
		_ = cmd.Wait()
		close(done)
	}()
	return nil
}

// signal sends a signal to the program.
func (p *process) signal(s os.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return fmt.Errorf("signalling %s: not running", p.path)
	}
	if err := p.cmd.Process.Signal(s); err != nil {
		return fmt.Errorf("signalling %s: %w", p.path, err)
	}
	return nil
}

// kill ends the program with SIGKILL and waits for its end.
func (p *process) kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return nil
	}
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("killing %s: %w", p.path, err)
	}
	<-p.done
	p.cmd = nil
	return nil
}

// ended says whether the program ended by itself.
func (p *process) ended() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return true
	}
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// await polls until the program is ready, at most for the time.
func (p *process) await(limit time.Duration, ready func() error) error {
	end := time.Now().Add(limit)
	for {
		err := ready()
		if err == nil {
			return nil
		}
		if p.ended() {
			return fmt.Errorf("%s ended: %s", p.path, p.tail())
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s is not ready after %v: %w\n%s", p.path, limit, err, p.tail())
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// tail is the end of the log.
func (p *process) tail() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-12):], []byte("\n")))
}
