package second

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"rung/model/words"
)

// Defaults of a Config.
const (
	// DefaultWithin limits one read. The largest measured zones take some seconds, more on a busy machine.
	// Rung's own client notices a stalled server sooner.
	DefaultWithin = 3 * time.Minute
	// DefaultMost is more than five times the bytes of such a zone.
	DefaultMost = 256 << 20
)

// Config configures how a zone is read through libovsdb. Zero values mean the defaults.
type Config struct {
	// Connect opens a connection to the database.
	Connect func(context.Context) (net.Conn, error)
	// Command returns the child, which runs RunChild with this socket.
	Command  func(ctx context.Context, socket string) (*exec.Cmd, error)
	Within   time.Duration // of one read
	MaxBytes int64         // bytes that the server may send
}

// maxStderrBytes is how many bytes of the child's stderr are kept.
const maxStderrBytes = 16 << 10

// readOnce lets libovsdb read the database once, in a child, and passes its rows to take.
func (c Config) readOnce(ctx context.Context, take func(ReadRow)) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	timer := time.AfterFunc(c.Within, func() { fail(fmt.Errorf("libovsdb did not read the database within %v", c.Within)) })
	defer timer.Stop()
	ln, dir, err := listenPrivately()
	if err != nil {
		return fmt.Errorf("listening for libovsdb: %w", err)
	}
	defer os.RemoveAll(dir)
	b := &socketBridge{cfg: &c, bytesLeft: c.MaxBytes, fail: fail}
	var wg sync.WaitGroup
	wg.Go(func() { b.serveChild(ctx, ln) })
	err = c.runChild(ctx, ln.Addr().String(), take)
	if why := context.Cause(ctx); why != nil {
		err = why // why the child was ended
	}
	fail(nil)
	wg.Wait()
	return err
}

// listenPrivately listens on a socket in a folder that only this user can enter. If the path of the temporary
// folder is too long for sockets, it uses /tmp.
func listenPrivately() (ln net.Listener, dir string, err error) {
	for _, in := range []string{"", "/tmp"} {
		made, failed := os.MkdirTemp(in, "rung-")
		if failed == nil {
			ln, failed = net.Listen("unix", filepath.Join(made, "s"))
			if failed == nil {
				return ln, made, nil
			}
			_ = os.RemoveAll(made)
		}
		err = cmp.Or(err, failed)
	}
	return nil, "", err
}

// runChild runs the child and reads its output.
func (c Config) runChild(ctx context.Context, socket string, take func(ReadRow)) error {
	cmd, err := c.Command(ctx, socket)
	if err != nil {
		return fmt.Errorf("starting libovsdb: %w", err)
	}
	said := &outputHead{}
	cmd.Stderr, cmd.WaitDelay = said, time.Second
	// Of a panic only the message is needed, not the stacks of all goroutines.
	cmd.Env = append(cmd.Environ(), "GOTRACEBACK=none")
	in, err := cmd.StdinPipe() // ends with the parent
	if err != nil {
		return fmt.Errorf("starting libovsdb: %w", err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("starting libovsdb: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting libovsdb: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = out.Close() }) // for a child that does not die at once
	defer stop()
	rows := json.NewDecoder(bufio.NewReaderSize(out, 64<<10))
	var failed error
	for failed == nil {
		var r ReadRow
		failed = rows.Decode(&r)
		if failed == nil {
			take(r)
		}
	}
	if failed != io.EOF {
		_ = cmd.Process.Kill()
	}
	switch ended := cmd.Wait(); {
	case ended != nil:
		return said.explainEnd(ended)
	case failed != io.EOF:
		return fmt.Errorf("reading libovsdb's rows: %w", failed)
	}
	return nil
}

// outputHead keeps the beginning of a child's output.
type outputHead struct {
	mu sync.Mutex
	b  []byte
}

func (h *outputHead) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.b = append(h.b, p[:min(len(p), maxStderrBytes-len(h.b))]...)
	return len(p), nil
}

// explainEnd returns why a child ended: its panic, or its first line.
func (h *outputHead) explainEnd(ended error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	first := ""
	for line := range bytes.Lines(h.b) {
		s := words.CleanText(strings.TrimSpace(string(line)))
		if why, ok := strings.CutPrefix(s, "panic: "); ok {
			return fmt.Errorf("libovsdb panicked: %s", why)
		}
		if why, ok := strings.CutPrefix(s, "fatal error: "); ok {
			return fmt.Errorf("libovsdb: %s", why)
		}
		first = cmp.Or(first, strings.TrimPrefix(s, "rung: "))
	}
	if first == "" {
		return fmt.Errorf("libovsdb: %w", ended)
	}
	return errors.New(first)
}

// SelfCommand returns a Command that runs this program, with the arguments and then the socket.
func SelfCommand(args ...string) func(context.Context, string) (*exec.Cmd, error) {
	return func(ctx context.Context, socket string) (*exec.Cmd, error) {
		program, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("finding this program: %w", err)
		}
		return exec.CommandContext(ctx, program, append(slices.Clone(args), socket)...), nil
	}
}

// readers are the methods of a client that only reads; "" is a reply.
var readers = map[string]bool{"list_dbs": true, "get_schema": true, "monitor_cond_since": true, "monitor_cond": true, "echo": true,
	"": true}

// socketBridge passes bytes between the child and the zone's database.
type socketBridge struct {
	cfg  *Config
	fail context.CancelCauseFunc

	mu        sync.Mutex
	bytesLeft int64 // bytes that the server may still send
}

// serveChild accepts the child's connections until ctx ends. The child connects twice to a server with an
// older schema.
func (b *socketBridge) serveChild(ctx context.Context, ln net.Listener) {
	var wg sync.WaitGroup
	defer wg.Wait()
	stop := context.AfterFunc(ctx, func() { _ = ln.Close() })
	defer stop()
	for {
		child, err := ln.Accept()
		if err != nil {
			return // closed
		}
		wg.Go(func() { b.joinConnections(ctx, child) })
	}
}

// joinConnections connects a child's connection with a new one to the database.
func (b *socketBridge) joinConnections(ctx context.Context, child net.Conn) {
	defer child.Close()
	server, err := b.cfg.Connect(ctx)
	if err != nil {
		b.fail(fmt.Errorf("connecting libovsdb: %w", err))
		return
	}
	defer server.Close()
	// Both ends close when either does, or ctx ends.
	ctx, end := context.WithCancel(ctx)
	stop := context.AfterFunc(ctx, func() { _, _ = child.Close(), server.Close() })
	defer stop()
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { defer end(); b.passRequests(server, child) })
	defer end()
	_, _ = io.Copy(child, countedConn{b, server})
}

// passRequests passes the child's requests, but none that writes.
func (b *socketBridge) passRequests(server io.Writer, child io.Reader) {
	for messages := json.NewDecoder(child); ; {
		var raw json.RawMessage
		var m struct{ Method string }
		if messages.Decode(&raw) != nil || json.Unmarshal(raw, &m) != nil {
			return // it has hung up
		}
		if !readers[m.Method] {
			b.fail(fmt.Errorf("libovsdb sent %q, which is not a read request", m.Method))
			return
		}
		if _, err := server.Write(raw); err != nil {
			return
		}
	}
}

// countedConn reads from the server up to the limit.
type countedConn struct {
	b *socketBridge
	r io.Reader
}

func (c countedConn) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	c.b.bytesLeft -= int64(n)
	if c.b.bytesLeft < 0 {
		err = fmt.Errorf("the server sent libovsdb more than %d MB", c.b.cfg.MaxBytes>>20)
		c.b.fail(err)
		return 0, err
	}
	return n, err
}
