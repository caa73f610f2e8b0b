package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"rung/model/clean"
	"rung/sources/retry"
)

const (
	// restartAfter and restartMost bound the wait before a dead server is
	// started again.
	restartAfter = 200 * time.Millisecond
	restartMost  = 5 * time.Second
	// readyWithin bounds the start of a server.
	readyWithin = 10 * time.Second
)

// process is a zone's real ovsdb-server. Its database file outlives it, so that
// the next one goes on with the same rows.
type process struct {
	zone     string
	program  string
	dir      string // of socket, database and log
	name     string // of the files there
	path     string // of the socket
	guard    guard
	report   func(ServerState, error)
	messages tail

	mu     sync.Mutex
	cmd    *exec.Cmd // nil while none runs
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// guard makes children end with this process.
type guard interface {
	// start starts the command so that it cannot outlive this process and
	// returns a function that waits for its end.
	start(cmd *exec.Cmd) (wait func() error, err error)
	close()
}

func newProcess(zone, program, dir, name string, g guard, report func(ServerState, error)) *process {
	p := &process{zone: zone, program: program, dir: dir, name: name, path: filepath.Join(dir, name+".sock"), guard: g,
		report: report}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

func (p *process) file(ext string) string { return filepath.Join(p.dir, p.name+ext) }

// start writes an empty database and runs a server on it until close.
func (p *process) start(ctx context.Context) error {
	db, err := emptyDatabase()
	if err == nil {
		err = os.WriteFile(p.file(".db"), db, 0o600)
	}
	if err != nil {
		return fmt.Errorf("creating the database of zone %s: %w", p.zone, err)
	}
	wait, err := p.launch()
	if err != nil {
		return err
	}
	// The server is looked after from now on; a start that fails ends with
	// close.
	ended := make(chan error, 1)
	p.wg.Go(func() { p.supervise(wait, ended) })
	if err := p.ready(ctx, ended); err != nil {
		return err
	}
	p.runs()
	return nil
}

func (p *process) launch() (func() error, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() != nil {
		return nil, p.ctx.Err()
	}
	cmd := exec.Command(p.program, "-vconsole:warn", "-vsyslog:off", "-vfile:off", "--no-chdir",
		"--unixctl="+p.file(".ctl"), "--remote=punix:"+p.path, p.file(".db"))
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "OVS_RUNDIR="+p.dir, "OVS_LOGDIR="+p.dir, "OVS_DBDIR="+p.dir)
	cmd.Stdout, cmd.Stderr = &p.messages, &p.messages
	// A child that keeps the output open must not hold the wait.
	cmd.WaitDelay = time.Second
	wait, err := p.guard.start(cmd)
	if err != nil {
		return nil, fmt.Errorf("starting %s for zone %s: %w", p.program, p.zone, err)
	}
	p.cmd = cmd
	return wait, nil
}

// runs is what happens when a server has come up.
func (p *process) runs() {
	if pr := p.running(); pr != nil {
		giveWay(pr.Pid)
	}
	p.report(ServerRunning, nil)
}

// ready waits until the socket answers.
func (p *process) ready(ctx context.Context, ended <-chan error) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	again := retry.Backoff(2*time.Millisecond, 50*time.Millisecond)
	for {
		var d net.Dialer
		c, err := d.DialContext(ctx, "unix", p.path)
		if err == nil {
			return c.Close()
		}
		t := time.NewTimer(again.Step())
		select {
		case err := <-ended:
			t.Stop()
			return fmt.Errorf("zone %s: %s ended: %w", p.zone, filepath.Base(p.program), err)
		case <-ctx.Done():
			t.Stop()
			return fmt.Errorf("zone %s: %s does not listen: %w", p.zone, filepath.Base(p.program), ctx.Err())
		case <-t.C:
		}
	}
}

// supervise waits for the server's end and starts the next, until close. The
// end of the first goes to ended, too.
func (p *process) supervise(wait func() error, ended chan<- error) {
	again := retry.Backoff(restartAfter, restartMost)
	for {
		began := time.Now()
		err := p.why(wait())
		select {
		case ended <- err:
		default:
		}
		p.mu.Lock()
		p.cmd = nil
		p.mu.Unlock()
		if p.ctx.Err() != nil {
			return
		}
		p.report(ServerDied, err)
		if time.Since(began) > restartMost {
			again = retry.Backoff(restartAfter, restartMost)
		}
		for {
			if !retry.Sleep(p.ctx, again.Step()) {
				return
			}
			if wait, err = p.launch(); err == nil {
				break
			}
			p.report(ServerDied, err)
		}
		gone := make(chan error, 1)
		ended = gone
		p.wg.Go(func() {
			if p.ready(p.ctx, gone) == nil {
				p.runs()
			}
		})
	}
}

// why makes an error of how a server ended.
func (p *process) why(err error) error {
	if err == nil {
		err = errors.New("exited")
	}
	if m := p.messages.take(); m != "" {
		return fmt.Errorf("%w: %s", err, m)
	}
	return err
}

func (p *process) running() *os.Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return nil
	}
	return p.cmd.Process
}

func (p *process) kill() error {
	if pr := p.running(); pr != nil {
		if err := pr.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("killing the server of zone %s: %w", p.zone, err)
		}
	}
	return nil
}

func (p *process) stop() error { return p.signal(stopSignal, ServerStopped) }
func (p *process) cont() error { return p.signal(contSignal, ServerRunning) }

func (p *process) signal(s os.Signal, state ServerState) error {
	pr := p.running()
	if pr == nil {
		return fmt.Errorf("zone %s: no server is running", p.zone)
	}
	if err := pr.Signal(s); err != nil {
		return fmt.Errorf("sending %v to the server of zone %s: %w", s, p.zone, err)
	}
	p.report(state, nil)
	return nil
}

// close ends the server: the database is not needed any more, so that there is
// nothing to wait for.
func (p *process) close() {
	p.cancel()
	_ = p.kill()
	p.wg.Wait()
}

// tail keeps the last words of a program.
type tail struct {
	mu sync.Mutex
	b  []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, b...)
	if n := len(t.b) - 2048; n > 0 {
		t.b = append(t.b[:0], t.b[n:]...)
	}
	return len(b), nil
}

// take returns the last line and forgets everything.
func (t *tail) take() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := bytes.Split(bytes.TrimSpace(t.b), []byte{'\n'})
	t.b = nil
	return clean.Text(strings.TrimSpace(string(lines[len(lines)-1])))
}
