package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"rung/model/words"
	"rung/sources/retry"
)

const (
	// RestartAfter and RestartMost bound the wait before a dead process is
	// started again.
	RestartAfter = 200 * time.Millisecond
	RestartMost  = 5 * time.Second
	// ReadyWithin bounds the start of a process that others do not wait for: until it is
	// over nothing is said to be wrong.
	ReadyWithin = 10 * time.Second
	// StartWithin bounds what the whole sandbox waits for. A server that has been given a
	// low priority may take long to do its first work where others keep the machine busy.
	StartWithin = time.Minute
)

// State is the state of a process.
type State string

// The states. A dead process is started again until it is closed.
const (
	Running State = "running"
	Stopped State = "stopped" // by Stop
	Died    State = "died"
	// Silent is the state of a process that runs and does not answer. The caller that
	// asks it reports so, with NoteAnswer.
	Silent State = "does not answer"
)

// Config says what to run.
type ChildConfig struct {
	// Zone and Name say in errors what it is, "zone worker: ovsdb-server".
	Zone, Name string
	// Command makes the command anew for every start. Its output is the process's
	// last words.
	Command func() *exec.Cmd
	// Socket is the unix socket that answers when the process is ready.
	Socket string
	// Within bounds how long Start waits for the socket (default ReadyWithin).
	Within time.Duration
	Guard  Guard
	// Report is told of every change of the state, in order, with the reason where the
	// process died. It must neither block nor call the process.
	Report func(State, error)
}

// Process is a program that is kept running until Close.
type Process struct {
	cfg      ChildConfig
	messages outputTail

	mu     sync.Mutex
	cmd    *exec.Cmd // nil while none runs
	state  State     // as it was reported
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// Guard makes children end with this process.
type Guard interface {
	// Start starts the command so that it cannot outlive this process and
	// returns a function that waits for its end.
	Start(cmd *exec.Cmd) (wait func() error, err error)
	Close()
}

// NewProcess prepares a process; Start starts it.
func NewProcess(cfg ChildConfig) *Process {
	if cfg.Within <= 0 {
		cfg.Within = ReadyWithin
	}
	p := &Process{cfg: cfg}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

// Start runs the program until Close; it returns when the socket answers, or the
// first process ended, or Config.Within is over. A program that comes up later is told
// by Report. A start that fails ends with Close, too.
func (p *Process) Start(ctx context.Context) error {
	l, err := p.launchProcess()
	if err != nil {
		return err
	}
	// The process is looked after from now on.
	p.wg.Go(func() { p.superviseProcess(l) })
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Within)
	defer cancel()
	select {
	case <-l.up:
		return nil
	case <-l.ended:
	case <-ctx.Done():
	}
	select { // it may have answered, and ended, just now
	case <-l.up:
		return nil
	case <-l.ended:
		return fmt.Errorf("zone %s: %s ended: %w", p.cfg.Zone, p.cfg.Name, l.err)
	default:
		return fmt.Errorf("zone %s: %s does not listen: %w", p.cfg.Zone, p.cfg.Name, ctx.Err())
	}
}

// processLife is one process of those that follow one another.
type processLife struct {
	cmd   *exec.Cmd
	wait  func() error
	up    chan struct{} // closed when its socket has answered
	ended chan struct{} // closed at its end
	err   error         // why it ended; read after ended
}

func (p *Process) launchProcess() (*processLife, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() != nil {
		return nil, p.ctx.Err()
	}
	cmd := p.cfg.Command()
	cmd.Stdout, cmd.Stderr = &p.messages, &p.messages
	// A child that keeps the output open must not hold the wait.
	cmd.WaitDelay = time.Second
	wait, err := p.cfg.Guard.Start(cmd)
	if err != nil {
		return nil, fmt.Errorf("starting %s for zone %s: %w", p.cfg.Name, p.cfg.Zone, err)
	}
	p.cmd = cmd
	return &processLife{cmd: cmd, wait: wait, up: make(chan struct{}), ended: make(chan struct{})}, nil
}

// noteRunning tells that a process has come up, unless it was stopped or is over.
func (p *Process) noteRunning(l *processLife) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != l.cmd {
		return
	}
	lowerPriority(l.cmd.Process.Pid)
	if p.state != Stopped {
		p.state = Running
		p.cfg.Report(Running, nil)
	}
}

// NoteAnswer says of the process with that id whether it answers, where somebody asked
// it. A stopped one that answers was let go on by another hand.
func (p *Process) NoteAnswer(pid int, yes bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := Silent
	if yes {
		next = Running
	}
	if p.cmd == nil || p.cmd.Process.Pid != pid || p.state == next || p.state == Died || p.state == Stopped && !yes {
		return
	}
	p.state = next
	p.cfg.Report(next, nil)
}

// waitReady waits until the socket answers, for as long as the process runs: on a machine
// that is busy it may take its time.
func (p *Process) waitReady(l *processLife) {
	again := retry.Backoff(2*time.Millisecond, 50*time.Millisecond)
	for {
		var d net.Dialer
		c, err := d.DialContext(p.ctx, "unix", p.cfg.Socket)
		if err == nil {
			_ = c.Close()
			p.noteRunning(l)
			close(l.up)
			return
		}
		t := time.NewTimer(again.Step())
		select {
		case <-l.ended:
		case <-p.ctx.Done():
		case <-t.C:
			continue
		}
		t.Stop()
		return
	}
}

// superviseProcess waits for the process's end and starts the next, until Close.
func (p *Process) superviseProcess(l *processLife) {
	again := retry.Backoff(RestartAfter, RestartMost)
	for {
		began := time.Now()
		life := l // the loop goes on to the next one, maybe before this is looked at
		p.wg.Go(func() { p.waitReady(life) })
		l.err = p.endReason(l.wait())
		close(l.ended)
		if p.noteDeath(l.err) != nil {
			return
		}
		if time.Since(began) > RestartMost {
			again = retry.Backoff(RestartAfter, RestartMost)
		}
		for {
			if !retry.Sleep(p.ctx, again.Step()) {
				return
			}
			var err error
			if l, err = p.launchProcess(); err == nil {
				break
			}
			if p.noteDeath(err) != nil {
				return
			}
		}
	}
}

// noteDeath tells that none runs now, and why; the error says that none will.
func (p *Process) noteDeath(why error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cmd, p.state = nil, Died
	if p.ctx.Err() == nil {
		p.cfg.Report(Died, why)
	}
	return p.ctx.Err()
}

// endReason makes an error of how a process ended.
func (p *Process) endReason(err error) error {
	if err == nil {
		err = errors.New("exited")
	}
	if m := p.messages.takeLastLine(); m != "" {
		return fmt.Errorf("%w: %s", err, m)
	}
	return err
}

// Pid is the process's id, 0 while none runs.
func (p *Process) Pid() int {
	if pr := p.currentProcess(); pr != nil {
		return pr.Pid
	}
	return 0
}

func (p *Process) currentProcess() *os.Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return nil
	}
	return p.cmd.Process
}

// Kill kills the process, and what it has started, as SIGKILL does; the next one starts
// by itself.
func (p *Process) Kill() error {
	if pr := p.currentProcess(); pr != nil {
		if err := killAll(pr); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("killing %s of zone %s: %w", p.cfg.Name, p.cfg.Zone, err)
		}
	}
	return nil
}

// Stop makes the process stand still as SIGSTOP does, until Cont.
func (p *Process) Stop() error { return p.sendSignal(stopSignal, Stopped) }

// Cont lets a stopped process go on.
func (p *Process) Cont() error { return p.sendSignal(contSignal, Running) }

func (p *Process) sendSignal(s os.Signal, state State) error {
	p.mu.Lock()
	defer p.mu.Unlock() // what becomes of it meanwhile is told after this
	if p.cmd == nil {
		return fmt.Errorf("zone %s: no %s is running", p.cfg.Zone, p.cfg.Name)
	}
	if err := p.cmd.Process.Signal(s); err != nil {
		return fmt.Errorf("sending %v to %s of zone %s: %w", s, p.cfg.Name, p.cfg.Zone, err)
	}
	p.state = state
	p.cfg.Report(state, nil)
	return nil
}

// Close kills the process and waits for its end: what it kept is not needed any
// more.
func (p *Process) Close() {
	p.cancel()
	_ = p.Kill()
	p.wg.Wait()
}

// outputTail keeps the last words of a program.
type outputTail struct {
	mu sync.Mutex
	b  []byte
}

func (t *outputTail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, b...)
	if n := len(t.b) - 2048; n > 0 {
		t.b = append(t.b[:0], t.b[n:]...)
	}
	return len(b), nil
}

// takeLastLine returns the last line and forgets everything.
func (t *outputTail) takeLastLine() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := bytes.Split(bytes.TrimSpace(t.b), []byte{'\n'})
	t.b = nil
	return words.CleanText(strings.TrimSpace(string(lines[len(lines)-1])))
}
