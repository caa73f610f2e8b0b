package nbdb

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"
)

// pythonRelay is a fixed program that copies bytes between its standard streams and the Unix socket of its
// argument. It ends when either side does.
const pythonRelay = `import os,socket,sys,threading
s=socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
def up():
    try:
        while True:
            b=os.read(0,65536)
            if not b: break
            s.sendall(b)
    finally:
        s.shutdown(socket.SHUT_RDWR)
threading.Thread(target=up,daemon=True).start()
while True:
    b=s.recv(65536)
    if not b: break
    sys.stdout.buffer.write(b)
    sys.stdout.buffer.flush()
os._exit(0)
`

// errNotPlain means that socat cannot open a socket, because of special characters in its path.
var errNotPlain = errors.New("the socket's path has characters that socat would interpret")

// isPlainPath reports whether a path has no special characters for socat.
func isPlainPath(path string) bool {
	return strings.Trim(path, "/._-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") == ""
}

// programPipe is our end of a connection to a program or to a serverPlayer.
type programPipe struct {
	net.Conn
	stop context.CancelFunc

	mu    sync.Mutex
	cause error // why the other end ended
}

// newPipe returns both ends of a pipe. When ctx ends, or ours is closed, theirs is closed and under is
// cancelled.
func newPipe(ctx context.Context) (ours *programPipe, theirs net.Conn, under context.Context) {
	a, b := net.Pipe()
	under, stop := context.WithCancel(ctx)
	// A write to our end waits for a reader; closing the other end frees it.
	context.AfterFunc(under, func() { _ = b.Close() })
	return &programPipe{Conn: a, stop: stop}, b, under
}

// startRelay starts a program and returns a connection to its standard streams.
func startRelay(ctx context.Context, programs *sync.WaitGroup, run Runner, cmd []string) *programPipe {
	ours, theirs, under := newPipe(ctx)
	programs.Go(func() {
		said := newStderr()
		ours.closeEnd(said.explainError(run.Run(under, cmd, theirs, theirs, said)))
	})
	return ours
}

// closeEnd closes the other end with a reason that Read returns; the first reason stays.
func (p *programPipe) closeEnd(why error) {
	p.mu.Lock()
	p.cause = cmp.Or(p.cause, why)
	p.mu.Unlock()
	p.stop()
}

func (p *programPipe) endReason(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cause != nil && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe)) {
		return p.cause
	}
	return err
}

// Read returns the other end's reason once it has ended.
func (p *programPipe) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	return n, p.endReason(err)
}

// Write returns the other end's reason once it has ended.
func (p *programPipe) Write(b []byte) (int, error) {
	n, err := p.Conn.Write(b)
	return n, p.endReason(err)
}

// Close also ends the program, without waiting for it.
func (p *programPipe) Close() error {
	p.stop()
	return p.Conn.Close()
}

// echoRequest requests an echo; the answer is about as long.
const echoRequest = `{"id":"rung","method":"echo","params":[]}`

// waitForAnswer waits until the database answers through the relay. It consumes the answer, since libovsdb
// ends a connection on an id that is a string.
func (p *programPipe) waitForAnswer(ctx context.Context, quiet time.Duration) error {
	until := time.Now().Add(quiet)
	if d, ok := ctx.Deadline(); ok && d.Before(until) {
		until = d
	}
	// Setting a pipe's deadline cannot fail.
	_ = p.SetDeadline(until)
	if _, err := p.Write([]byte(echoRequest)); err != nil {
		return err
	}
	for answer := make([]byte, 0, 4*len(echoRequest)); !json.Valid(answer); {
		if len(answer) == cap(answer) {
			return fmt.Errorf("%w: %q", ErrOutput, answer)
		}
		n, err := p.Read(answer[len(answer):cap(answer)])
		if err != nil {
			return err
		}
		answer = answer[:len(answer)+n]
	}
	return p.SetDeadline(time.Time{})
}
