//go:build unix

package sandbox

import (
	"fmt"
	"os"
	"sync"
	"syscall"
)

// bridgePort is the br-int port of a logical port, with the pipe for ovs-vswitchd's output.
type bridgePort struct {
	lport, iface, path string
	zone               *Zone

	file *os.File
	raw  syscall.RawConn
	done chan struct{}

	mu     sync.Mutex // held while the pipe is read
	unread []byte
	buf    []byte
}

// newPort makes the pipe. Being open for writing too, it does not end while ovs-vswitchd restarts.
func newPort(z *Zone, lport, iface string) (*bridgePort, error) {
	p := &bridgePort{lport: lport, iface: iface, path: z.filePath(iface + ".pcap"), zone: z, done: make(chan struct{}),
		buf: make([]byte, 16<<10)}
	_ = os.Remove(p.path) // of an earlier port
	if err := syscall.Mkfifo(p.path, 0o600); err != nil {
		return nil, fmt.Errorf("making the pipe of port %s: %w", lport, err)
	}
	fd, err := syscall.Open(p.path, syscall.O_RDWR|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		_ = os.Remove(p.path)
		return nil, fmt.Errorf("opening the pipe of port %s: %w", lport, err)
	}
	p.file = os.NewFile(uintptr(fd), p.path)
	if p.raw, err = p.file.SyscallConn(); err != nil {
		_ = p.file.Close()
		return nil, fmt.Errorf("reading the pipe of port %s: %w", lport, err)
	}
	go func() {
		defer close(p.done)
		// An error means that the file was closed.
		_ = p.raw.Read(func(fd uintptr) bool { p.readEmpty(fd); return false })
	}()
	return p, nil
}

// readEmpty reads until the pipe is empty.
func (p *bridgePort) readEmpty(fd uintptr) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		n, err := syscall.Read(int(fd), p.buf)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return
		}
		var ok bool
		p.unread, ok = readPcap(append(p.unread, p.buf[:n]...), func(frame []byte) { p.zone.packets.takeOutput(p.lport, frame) })
		if !ok {
			p.unread = nil
		}
		p.unread = append([]byte(nil), p.unread...)
	}
}

// drainPipe reads the pipe's current content.
func (p *bridgePort) drainPipe() { _ = p.raw.Control(p.readEmpty) }

func (p *bridgePort) closePipe() {
	_ = p.file.Close()
	<-p.done
}
