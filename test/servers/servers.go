package servers

import (
	"errors"
	"io/fs"
	"net"
	"strings"
	"sync"
	"syscall"
	"time"
)

// errReal means that only a built-in server can do that.
var errReal = errors.New("it is a real ovsdb-server: kill it instead")

// downFor is how long a killed built-in server does not listen.
const downFor = 200 * time.Millisecond

// builtin has the listeners of built-in servers by their sockets' paths.
var builtin sync.Map

// Listen is for sandbox.Config.Listen.
func Listen(path string) (net.Listener, error) {
	ln, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	l := &listener{path: path, ln: ln, conns: map[*conn]bool{}, goOn: make(chan struct{})}
	close(l.goOn)
	builtin.Store(path, l)
	return l, nil
}

// Kill kills the server at an address, "unix:PATH", as SIGKILL does; it is started again with the same rows. One that
// is dead already stays so.
func Kill(addr string) error {
	err := fail(addr, (*listener).kill, KillProcess)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Stop makes a server stand still until Cont.
func Stop(addr string) error { return fail(addr, (*listener).stop, StopProcess) }

// Cont lets a server go on.
func Cont(addr string) error { return fail(addr, (*listener).cont, ContProcess) }

// Drop closes all connections to a built-in server.
func Drop(addr string) error {
	return fail(addr, (*listener).drop, func(int) error { return errReal })
}

func fail(addr string, inProcess func(*listener), process func(pid int) error) error {
	path := strings.TrimPrefix(addr, "unix:")
	if l, ok := builtin.Load(path); ok {
		inProcess(l.(*listener))
		return nil
	}
	c, err := net.Dial("unix", path)
	if err != nil {
		return err
	}
	defer c.Close()
	pid, err := peer(c.(*net.UnixConn))
	if err != nil {
		return err
	}
	return process(pid)
}

// listener accepts the clients of a built-in server, and can fail as the server of a killed process does.
type listener struct {
	path string

	mu     sync.Mutex
	ln     net.Listener // closed while the server is dead
	conns  map[*conn]bool
	goOn   chan struct{} // closed unless the server stands still
	closed bool
}

func (l *listener) Addr() net.Addr { return l.ln.Addr() }

func (l *listener) Accept() (net.Conn, error) {
	for {
		l.mu.Lock()
		ln := l.ln
		l.mu.Unlock()
		got, err := ln.Accept()
		if err == nil {
			c := &conn{Conn: got, l: l, over: make(chan struct{})}
			l.mu.Lock()
			l.conns[c] = true
			l.mu.Unlock()
			return c, nil
		}
		if !l.revive() {
			return nil, err
		}
	}
}

// revive listens again after a kill; false if the server closed the listener.
func (l *listener) revive() bool {
	time.Sleep(downFor)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	ln, err := net.Listen("unix", l.path)
	if err != nil {
		return false
	}
	l.ln = ln
	return true
}

func (l *listener) Close() error {
	builtin.Delete(l.path)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return l.ln.Close()
}

func (l *listener) kill() {
	l.mu.Lock()
	_ = l.ln.Close()
	l.mu.Unlock()
	l.drop()
	l.cont()
}

func (l *listener) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		c.end()
	}
}

func (l *listener) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.goOn:
		l.goOn = make(chan struct{})
	default:
	}
}

func (l *listener) cont() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.goOn:
	default:
		close(l.goOn)
	}
}

// conn is a connection on which nothing moves while the server stands still.
type conn struct {
	net.Conn
	l    *listener
	once sync.Once
	over chan struct{}
}

// wait waits while the server stands still, and says whether it did.
func (c *conn) wait() (stood bool) {
	c.l.mu.Lock()
	goOn := c.l.goOn
	c.l.mu.Unlock()
	select {
	case <-goOn:
		return false
	default:
	}
	select {
	case <-goOn:
	case <-c.over:
	}
	return true
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.wait()
	return n, err
}

func (c *conn) Write(b []byte) (int, error) {
	if c.wait() {
		_ = c.SetWriteDeadline(time.Time{}) // it was set before the server stood still
	}
	return c.Conn.Write(b)
}

func (c *conn) end() {
	c.once.Do(func() {
		close(c.over)
		_ = c.Conn.Close()
	})
}

func (c *conn) Close() error {
	c.end()
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	delete(c.l.conns, c)
	return nil
}
