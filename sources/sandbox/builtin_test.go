package sandbox

import (
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"rung/sources/nbdb"
)

// full is a listener that for some time can take nobody in, as one of a process that
// has too many files open.
type full struct {
	net.Listener
	mu    sync.Mutex
	times int
}

func (l *full) Accept() (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.times > 0 {
		l.times--
		return nil, &net.OpError{Op: "accept", Net: "unix", Err: syscall.EMFILE}
	}
	return l.Listener.Accept()
}

// That a client cannot be taken in for a moment is said, once, and ends nothing.
func TestAcceptGoesOn(t *testing.T) {
	var mu sync.Mutex
	var said []error
	dir := shortDir(t)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "z.sock")
	cfg := Config{StallTimeout: time.Second, Listen: func(path string) (net.Listener, error) {
		ln, err := net.Listen("unix", path)
		return &full{Listener: ln, times: 3}, err
	}}
	b, err := newBuiltin("z", path, &cfg, func(_ State, err error) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, err)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if _, err := nbdb.Dial(nbdb.Config{Name: "z", AnyName: true, Addr: "unix:" + path}).Read(t.Context()); err != nil {
		t.Errorf("read after the listener could take nobody in: %v", err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(said) != 2 || said[0] != nil || said[1] == nil {
		t.Errorf("reported %v, want that it runs and, once, that nobody can be taken in", said)
	}
}
