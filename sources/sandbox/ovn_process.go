package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"sync"
	"time"

	"rung/model/words"
	"rung/sources/nbdb"
	"rung/sources/retry"
)

const (
	// RestartAfter and RestartMost limit the wait before a dead process is restarted.
	RestartAfter = 200 * time.Millisecond
	RestartMost  = 5 * time.Second
	// ReadyWithin limits the start of a process that nothing waits for. No fault is shown until it has passed.
	ReadyWithin = 10 * time.Second
	// StartWithin limits the start that the whole sandbox waits for. A low-priority server may be slow on a
	// busy machine.
	StartWithin = time.Minute
)

// State is the state of a process.
type State string

// The states. A dead process is restarted until Close.
const (
	Running State = "running"
	Died    State = "died"
	// Silent means that the process runs but does not answer, as reported by NoteAnswer.
	Silent State = "does not answer"
)

// ChildConfig configures a Process.
type ChildConfig struct {
	// Zone and Name identify it in errors, such as "zone worker: ovsdb-server".
	Zone, Name string
	// Command returns a new command for every start. Its output explains the process's end.
	Command func() *exec.Cmd
	// Socket is the unix socket that answers once the process is ready.
	Socket string
	// Within is how long Start waits for the socket (default ReadyWithin).
	Within time.Duration
	Guard  Guard
	// Report is called for every change of state, in order, with the reason if the process died. It must
	// neither block nor call the process.
	Report func(State, error)
}

// Process is a program that is kept running until Close.
type Process struct {
	cfg      ChildConfig
	messages nbdb.OutputTail

	mu     sync.Mutex
	cmd    *exec.Cmd // nil if none runs
	state  State     // as last reported
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// Guard makes children end with this process.
type Guard interface {
	// Start starts the command so that it cannot outlive this process. wait waits for its end.
	Start(cmd *exec.Cmd) (wait func() error, err error)
	Close()
}

// NewProcess prepares a process; Start starts it.
func NewProcess(cfg ChildConfig) *Process {
	cfg.Within = cmp.Or(cfg.Within, ReadyWithin)
	p := &Process{cfg: cfg, messages: nbdb.OutputTail{MaxBytes: 2 << 10}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

// Start runs the program until Close. It returns when the socket answers, the first process ends, or
// ChildConfig.Within is over. Report announces a later start. A failed Start needs a Close too.
func (p *Process) Start(ctx context.Context) error {
	l, err := p.launchProcess()
	if err != nil {
		return err
	}
	// The process is supervised from now on.
	p.wg.Go(func() { p.superviseProcess(l) })
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Within)
	defer cancel()
	select {
	case <-l.up:
		return nil
	case <-l.ended:
	case <-ctx.Done():
	}
	select { // it may just have answered or ended
	case <-l.up:
		return nil
	case <-l.ended:
		return fmt.Errorf("zone %s: %s ended: %w", p.cfg.Zone, p.cfg.Name, l.err)
	default:
		return fmt.Errorf("zone %s: %s does not listen: %w", p.cfg.Zone, p.cfg.Name, ctx.Err())
	}
}

// processLife is one run of the program.
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
	// A grandchild that holds the output must not delay the wait.
	cmd.WaitDelay = time.Second
	wait, err := p.cfg.Guard.Start(cmd)
	if err != nil {
		return nil, fmt.Errorf("starting %s for zone %s: %w", p.cfg.Name, p.cfg.Zone, err)
	}
	p.cmd = cmd
	return &processLife{cmd: cmd, wait: wait, up: make(chan struct{}), ended: make(chan struct{})}, nil
}

// noteRunning reports a started process, unless it has ended.
func (p *Process) noteRunning(l *processLife) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != l.cmd {
		return
	}
	lowerPriority(l.cmd.Process.Pid)
	p.state = Running
	p.cfg.Report(Running, nil)
}

// NoteAnswer records whether the process with that id answered.
func (p *Process) NoteAnswer(pid int, yes bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := words.Choose(yes, Running, Silent)
	if p.cmd == nil || p.cmd.Process.Pid != pid || p.state == next || p.state == Died {
		return
	}
	p.state = next
	p.cfg.Report(next, nil)
}

// waitReady waits until the socket answers or the process ends. On a busy machine that may take long.
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
		select {
		case <-l.ended:
			return
		case <-p.ctx.Done():
			return
		case <-time.After(again.Step()):
		}
	}
}

// superviseProcess waits for the process's end and restarts it, until Close.
func (p *Process) superviseProcess(l *processLife) {
	again := retry.Backoff(RestartAfter, RestartMost)
	for {
		began := time.Now()
		life := l // l may change before waitReady reads it
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

// noteDeath reports that the process died, and why. It returns an error if no restart follows.
func (p *Process) noteDeath(why error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cmd, p.state = nil, Died
	if p.ctx.Err() == nil {
		p.cfg.Report(Died, why)
	}
	return p.ctx.Err()
}

// endReason returns an error that explains a process's end.
func (p *Process) endReason(err error) error {
	err = cmp.Or(err, errors.New("exited"))
	lines := strings.Split(p.messages.TakeText(), "\n")
	if m := words.CleanText(strings.TrimSpace(lines[len(lines)-1])); m != "" {
		return fmt.Errorf("%w: %s", err, m)
	}
	return err
}

// Pid returns the process's id, 0 if none runs.
func (p *Process) Pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// Close kills the process and its children, whose data nobody needs any more, and waits for their end.
func (p *Process) Close() {
	p.cancel()
	p.mu.Lock()
	cmd := p.cmd
	p.mu.Unlock()
	if cmd != nil {
		_ = killAll(cmd.Process) // fails if it has ended
	}
	p.wg.Wait()
}
