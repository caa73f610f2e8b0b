package kube_test

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"rung/test/kube/cluster"
)

// proxy stands between a client and the API server, so that the client's
// connections can be cut while the server lives. It passes bytes on; TLS is
// between the two.
type proxy struct {
	l      net.Listener
	server string

	mu      sync.Mutex
	blocked bool
	closed  bool
	conns   map[net.Conn]struct{}
	wg      sync.WaitGroup
}

// startProxy returns a proxy and the file of a kubeconfig that goes through it.
func startProxy(t *testing.T, c *cluster.Cluster) (p *proxy, kubeconfig string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	p = &proxy{l: l, server: strings.TrimPrefix(c.Server, "https://"), conns: map[net.Conn]struct{}{}}
	p.wg.Add(1)
	go p.accept()
	t.Cleanup(func() {
		p.mu.Lock()
		p.closed = true
		p.mu.Unlock()
		_ = l.Close()
		p.cut()
		p.wg.Wait()
	})
	text, err := os.ReadFile(c.Kubeconfig(cluster.Admin))
	must(t, err)
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	must(t, os.WriteFile(kubeconfig, []byte(strings.ReplaceAll(string(text), p.server, l.Addr().String())), 0o600))
	return p, kubeconfig
}

func (p *proxy) accept() {
	defer p.wg.Done()
	for {
		in, err := p.l.Accept()
		if err != nil {
			return
		}
		p.wg.Add(1)
		go p.serve(in)
	}
}

func (p *proxy) serve(in net.Conn) {
	defer p.wg.Done()
	defer in.Close()
	out, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer out.Close()
	p.mu.Lock()
	ok := !p.blocked && !p.closed
	if ok {
		p.conns[in], p.conns[out] = struct{}{}, struct{}{}
	}
	p.mu.Unlock()
	if !ok {
		return
	}
	done := make(chan struct{}, 2)
	for _, pair := range [][2]net.Conn{{in, out}, {out, in}} {
		go func() {
			_, _ = io.Copy(pair[0], pair[1]) // either end may go
			done <- struct{}{}
		}()
	}
	<-done
	_, _ = in.Close(), out.Close()
	<-done
	p.mu.Lock()
	delete(p.conns, in)
	delete(p.conns, out)
	p.mu.Unlock()
}

// cut breaks every connection and says how many there were.
func (p *proxy) cut() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
	return len(p.conns) / 2
}

// block lets nobody through until it is called with false.
func (p *proxy) block(on bool) {
	p.mu.Lock()
	p.blocked = on
	p.mu.Unlock()
	if on {
		p.cut()
	}
}
