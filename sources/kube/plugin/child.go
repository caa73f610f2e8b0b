package plugin

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"rung/model/clean"
)

const (
	// grace is how long a plugin that is told to end may take.
	grace = 500 * time.Millisecond
	// lingers is how long what a plugin has left behind may hold its output.
	lingers = time.Second
	// outMost bounds what is read of its output: credentials are some kilobytes.
	outMost = 4 << 20
)

// Exit codes of a child, besides the plugin's own.
const (
	exitUsage   = 2
	exitTooMuch = 1
	exitEnded   = 124 // as timeout(1)
	exitNoStart = 127 // as a shell
)

// RunChild runs a plugin for the process that the arguments, those behind Command, name, and
// returns the exit code. The output is all there at the plugin's end.
func RunChild(args []string, in *os.File, out, errs io.Writer) int {
	if len(args) < argOwn {
		fmt.Fprintln(errs, "rung: "+Command+" is for Rung itself")
		return exitUsage
	}
	parent, err := strconv.Atoi(args[argParent])
	within, err2 := time.ParseDuration(args[argWithin])
	if err := errors.Join(err, err2); err != nil {
		fmt.Fprintln(errs, "rung: "+clean.Text(err.Error()))
		return exitUsage
	}
	told, pipes := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(told, ends...)
	for _, s := range broken {
		signal.Notify(pipes, s) // a write that fails ends nothing
	}
	over := make(chan struct{})
	if within > 0 {
		time.AfterFunc(within, func() { close(over) })
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		waitForParent(parent)
	}()

	cmd := exec.Command(args[argPath], args[argOwn:]...)
	cmd.Args[0] = args[argName]
	printed, said := &boundedBuffer{}, &stderrLines{output: errs}
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = in, printed, said, lingers
	wait, err := startPlugin(cmd)
	if err != nil {
		fmt.Fprintln(errs, "rung: "+clean.Text(err.Error()))
		return exitNoStart
	}
	ended := make(chan error, 1)
	go func() {
		err := wait()
		said.flush()
		ended <- err
	}()
	select {
	case err := <-ended:
		return printed.passOn(out, errs, args[argName], err)
	case <-told:
	case <-over:
	case <-gone:
	}
	// Nobody waits for an answer any more.
	endProcess(cmd.Process, false)
	select {
	case <-ended:
	case <-time.After(grace):
	}
	endProcess(cmd.Process, true)
	return exitEnded
}

// boundedBuffer keeps the beginning of what a plugin prints.
type boundedBuffer struct {
	bytes.Buffer
	cutOff bool
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	b.cutOff = b.cutOff || b.Len()+len(p) > outMost
	if !b.cutOff {
		b.Buffer.Write(p)
	}
	return len(p), nil
}

// passOn passes on what a plugin that has ended printed, and how it ended.
func (b *boundedBuffer) passOn(out, errs io.Writer, name string, ended error) int {
	var exit *exec.ExitError
	switch {
	case errors.As(ended, &exit):
		if code := exit.ExitCode(); code > 0 {
			return code
		}
		fmt.Fprintf(errs, "rung: %s: %s\n", clean.Text(name), exit.ProcessState)
		return 1
	case ended != nil && !errors.Is(ended, exec.ErrWaitDelay):
		fmt.Fprintf(errs, "rung: %s: %s\n", clean.Text(name), clean.Text(ended.Error()))
		return 1
	case b.cutOff:
		fmt.Fprintf(errs, "rung: %s printed more than %d MB, which is no credential\n", clean.Text(name), outMost>>20)
		return exitTooMuch
	}
	if _, err := out.Write(b.Bytes()); err != nil {
		return 1
	}
	return 0
}

// ends are the signals that end a plugin.
var ends = append([]os.Signal{os.Interrupt, syscall.SIGTERM}, moreEnds...)

const (
	// lineMost is how long a line can be.
	lineMost = 4 << 10
	// saidAfter is how long the end of a line is waited for: a plugin that asks for
	// something in a browser may not write one.
	saidAfter = 200 * time.Millisecond
)

// stderrLines hands on what a plugin says on stderr, by lines, clean.
type stderrLines struct {
	output io.Writer

	mu       sync.Mutex
	openLine []byte // of a line that has not ended
	timer    *time.Timer
}

func (s *stderrLines) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(p)
	for len(p) > 0 {
		take := min(len(p), lineMost-len(s.openLine))
		i := bytes.IndexByte(p[:take], '\n')
		if i >= 0 {
			take = i + 1
		}
		s.openLine = append(s.openLine, p[:take]...)
		p = p[take:]
		if i >= 0 || len(s.openLine) == lineMost {
			s.putLine(i >= 0)
		}
	}
	if s.timer == nil {
		s.timer = time.AfterFunc(saidAfter, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.putLine(false)
		})
	} else {
		s.timer.Reset(saidAfter)
	}
	return n, nil
}

// putLine prints what there is as a line, so that what Rung says begins one, but for the
// beginning of a character whose rest may come.
func (s *stderrLines) putLine(all bool) {
	n := len(s.openLine)
	for i := 1; !all && i < utf8.UTFMax && i <= n; i++ {
		if b := s.openLine[n-i:]; utf8.RuneStart(b[0]) {
			if !utf8.FullRune(b) {
				n -= i
			}
			break
		}
	}
	if n == 0 {
		return
	}
	line := bytes.TrimSuffix(bytes.TrimSuffix(s.openLine[:n], []byte("\n")), []byte("\r"))
	_, _ = io.WriteString(s.output, clean.Block(string(line))+"\n") // where nobody hears it, nobody does
	s.openLine = append(s.openLine[:0], s.openLine[n:]...)
}

func (s *stderrLines) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.putLine(true)
}
