package kube_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rung/sources/nbdb"
	"rung/test/kube/cluster"
)

// kubelet serves what the API server fetches from nodes: the logs of containers,
// and commands in them (SPDY, protocol v4). A pod's name is "ovnkube-node-" and
// its node's; its log is what write was given, or the lines of a file (tail), and its
// commands really run, on the sockets of the node's databases.
type kubelet struct {
	server *httptest.Server
	port   int32
	bin    string            // the pods' PATH
	rundir map[string]string // by node: what stands for remote's folder of sockets

	mu    sync.Mutex
	lines map[string][]logLine   // by node
	more  chan struct{}          // closed when lines grow
	cut   chan struct{}          // closed: log streams break
	execs map[io.Closer]struct{} // connections of commands
	runs  map[*exec.Cmd]struct{}
	logs  int // streams of logs that stand
}

type logLine struct {
	at   time.Time
	text string
}

// startKubelet serves nodes whose pods have these sockets, by node and name, and these
// programs on PATH, by name and path.
func startKubelet(t *testing.T, sockets map[string]map[string]string, programs map[string]string) *kubelet {
	t.Helper()
	k := &kubelet{bin: t.TempDir(), rundir: map[string]string{}, lines: map[string][]logLine{}, more: make(chan struct{}), cut: make(chan struct{}),
		execs: map[io.Closer]struct{}{}, runs: map[*exec.Cmd]struct{}{}}
	for node, named := range sockets {
		k.rundir[node] = shortDir(t)
		for name, socket := range named {
			must(t, os.Symlink(socket, filepath.Join(k.rundir[node], name)))
		}
	}
	for name, path := range programs {
		must(t, os.Symlink(path, filepath.Join(k.bin, name)))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{ns}/{pod}/{container}", k.log)
	mux.HandleFunc("/exec/{ns}/{pod}/{container}", k.exec)
	k.server = httptest.NewUnstartedServer(mux)
	k.server.Config.ErrorLog = log.New(io.Discard, "", 0) // the API server hangs up in the middle of handshakes
	k.server.StartTLS()
	at, err := strconv.Atoi(k.server.URL[strings.LastIndexByte(k.server.URL, ':')+1:])
	must(t, err)
	k.port = int32(at)
	t.Cleanup(func() {
		k.cutExecs()
		k.mu.Lock()
		for c := range k.runs {
			_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // gone already if this fails
		}
		k.mu.Unlock()
		k.cutLogs()
		k.server.CloseClientConnections()
		k.server.Close()
	})
	return k
}

// shortDir is a folder with a name that leaves a socket's path room.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "k")
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	return dir
}

// zoneKubelet serves the nodes of zones that are a Northbound database alone.
func zoneKubelet(t *testing.T, z *cluster.Zones) *kubelet {
	t.Helper()
	sockets, programs := map[string]map[string]string{}, map[string]string{}
	for zone, at := range z.Endpoints() {
		sockets[zone] = map[string]string{filepath.Base(nbdb.DefaultSocket): strings.TrimPrefix(at, "unix:")}
	}
	for _, name := range []string{"sh", "ovsdb-client"} {
		path, err := exec.LookPath(name)
		must(t, err)
		programs[name] = path
	}
	return startKubelet(t, sockets, programs)
}

// write appends a line to a node's log.
func (k *kubelet) write(node, text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lines[node] = append(k.lines[node], logLine{time.Now().UTC(), text})
	close(k.more)
	k.more = make(chan struct{})
}

// tail has a node's log be the lines of a file, as they come.
func (k *kubelet) tail(t *testing.T, node, file string) {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	t.Cleanup(func() { stop(); <-ended })
	go func() {
		defer close(ended)
		var at int64
		var part []byte
		for ctx.Err() == nil {
			if text, err := readFrom(file, at); err == nil && len(text) > 0 {
				at += int64(len(text))
				part = append(part, text...)
				for {
					line, rest, whole := bytes.Cut(part, []byte("\n"))
					if !whole {
						break
					}
					k.write(node, string(line))
					part = rest
				}
			}
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
}

// readFrom reads a file on from an offset.
func readFrom(file string, at int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.NewSectionReader(f, at, 1<<20))
}

// cutLogs breaks the streams of logs and says how many there were.
func (k *kubelet) cutLogs() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.cut)
	k.cut = make(chan struct{})
	return k.logs
}

// cutExecs breaks the connections of commands and says how many there were. The
// commands are not killed, as a kubelet does not.
func (k *kubelet) cutExecs() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := len(k.execs)
	for c := range k.execs {
		_ = c.Close()
	}
	clear(k.execs)
	return n
}

// written are the texts of a node's log.
func (k *kubelet) written(node string) (out []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, l := range k.lines[node] {
		out = append(out, l.text)
	}
	return out
}

func node(r *http.Request) string { return strings.TrimPrefix(r.PathValue("pod"), ovnPod("")) }

// log is the kubelet's: lines from a second on, or the last ones, and what comes.
func (k *kubelet) log(w http.ResponseWriter, r *http.Request) {
	q, n := r.URL.Query(), node(r)
	if q.Get("previous") == "true" {
		http.Error(w, "previous terminated container not found", http.StatusBadRequest)
		return
	}
	since, _ := time.Parse(time.RFC3339, q.Get("sinceTime")) // none is the beginning
	k.mu.Lock()
	k.logs++
	cut, next := k.cut, 0
	for next < len(k.lines[n]) && k.lines[n][next].at.Before(since) {
		next++
	}
	if tail, err := strconv.Atoi(q.Get("tailLines")); err == nil {
		next = max(next, len(k.lines[n])-tail)
	}
	k.mu.Unlock()
	defer func() {
		k.mu.Lock()
		k.logs--
		k.mu.Unlock()
	}()
	flush := http.NewResponseController(w).Flush
	for {
		k.mu.Lock()
		news, more := k.lines[n][next:], k.more
		k.mu.Unlock()
		for _, l := range news {
			fmt.Fprintf(w, "%s %s\n", l.at.Format(time.RFC3339Nano), l.text)
		}
		next += len(news)
		if flush() != nil || q.Get("follow") != "true" {
			return
		}
		select {
		case <-more:
		case <-cut:
			panic(http.ErrAbortHandler) // the connection breaks in the middle
		case <-r.Context().Done():
			return
		}
	}
}

// chatter writes lines into the nodes' logs as ovn-controller does, one every
// pause for each node, numbered from 1, until ctx ends.
func (k *kubelet) chatter(ctx context.Context, pause time.Duration, nodes ...string) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for n := 1; ; n++ {
		for _, node := range nodes {
			k.write(node, fmt.Sprintf(`%s|%05d|acl_log(ovn_pinctrl0)|INFO|name="ANP:guard-blue:Ingress:0", verdict=drop, severity=alert, direction=to-lport: `+
				`tcp,vlan_tci=0x0000,dl_src=0a:58:0a:f4:01:04,dl_dst=0a:58:0a:f4:01:02,nw_src=10.244.1.6,nw_dst=10.244.1.2,nw_tos=0,nw_ecn=0,nw_ttl=64,nw_frag=no,tp_src=40000,tp_dst=8080,tcp_flags=syn`,
				time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), n))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
