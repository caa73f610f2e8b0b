package kube_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
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

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	wire "k8s.io/apimachinery/pkg/util/remotecommand"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"

	"rung/sources/nbdb/remote"
	"rung/test/kube/cluster"
)

// kubelet serves what the API server fetches from nodes: the logs of containers,
// and commands in them (SPDY, protocol v4). A pod's name is "ovnkube-node-" and
// its node's; its log is what write was given, and its commands really run, on
// the socket of the node's database.
type kubelet struct {
	server *httptest.Server
	port   int32
	bin    string
	socket map[string]string // of each node's database

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

// startKubelet serves the nodes of the zones.
func startKubelet(t *testing.T, z *cluster.Zones) *kubelet {
	t.Helper()
	k := &kubelet{bin: t.TempDir(), socket: map[string]string{}, lines: map[string][]logLine{}, more: make(chan struct{}), cut: make(chan struct{}),
		execs: map[io.Closer]struct{}{}, runs: map[*exec.Cmd]struct{}{}}
	for zone, at := range z.Endpoints() {
		k.socket[zone] = strings.TrimPrefix(at, "unix:")
	}
	for _, program := range []string{"sh", "ovsdb-client"} {
		path, err := exec.LookPath(program)
		must(t, err)
		must(t, os.Symlink(path, filepath.Join(k.bin, program)))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{ns}/{pod}/{container}", k.log)
	mux.HandleFunc("/exec/{ns}/{pod}/{container}", k.exec)
	k.server = httptest.NewTLSServer(mux)
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

// write appends a line to a node's log.
func (k *kubelet) write(node, text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lines[node] = append(k.lines[node], logLine{time.Now().UTC(), text})
	close(k.more)
	k.more = make(chan struct{})
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

func node(r *http.Request) string { return strings.TrimPrefix(r.PathValue("pod"), "ovnkube-node-") }

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

// exec runs a command for a client that upgrades to SPDY.
func (k *kubelet) exec(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if _, err := httpstream.Handshake(r, w, []string{wire.StreamProtocolV4Name}); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	opened := make(chan httpstream.Stream, 4)
	conn := spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(s httpstream.Stream, _ <-chan struct{}) error {
		opened <- s
		return nil
	})
	if conn == nil {
		return // the library has answered
	}
	k.mu.Lock()
	k.execs[conn] = struct{}{}
	k.mu.Unlock()
	defer func() {
		_ = conn.Close()
		k.mu.Lock()
		delete(k.execs, conn)
		k.mu.Unlock()
	}()
	want := 1
	for _, name := range []string{"input", "output", "error"} {
		if q.Get(name) == "1" {
			want++
		}
	}
	streams := map[string]httpstream.Stream{}
	for len(streams) < want {
		select {
		case s := <-opened:
			streams[s.Headers().Get("streamType")] = s
		case <-conn.CloseChan():
			return
		case <-time.After(10 * time.Second):
			return
		}
	}
	err := k.command(node(r), q["command"], streams)
	status := metav1.Status{Status: metav1.StatusSuccess}
	if err != nil {
		status = metav1.Status{Status: metav1.StatusFailure, Reason: wire.NonZeroExitCodeReason, Message: err.Error(),
			Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: wire.ExitCodeCauseType, Message: "1"}}}}
	}
	text, _ := json.Marshal(status)     // a Status always marshals
	_, _ = streams["error"].Write(text) // the client has gone if this fails
}

// command runs a command in a node's pod.
func (k *kubelet) command(node string, args []string, streams map[string]httpstream.Stream) error {
	cmd := exec.Command(filepath.Join(k.bin, filepath.Base(args[0])))
	for _, a := range args[1:] {
		cmd.Args = append(cmd.Args, strings.ReplaceAll(a, remote.DefaultSocket, k.socket[node]))
	}
	cmd.Env = []string{"PATH=" + k.bin, "LC_ALL=C"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if s := streams["stdout"]; s != nil {
		cmd.Stdout = s
	}
	if s := streams["stderr"]; s != nil {
		cmd.Stderr = s
	}
	var stdin io.WriteCloser
	if streams["stdin"] != nil {
		var err error
		if stdin, err = cmd.StdinPipe(); err != nil {
			return err
		}
	}
	k.mu.Lock()
	err := cmd.Start()
	if err == nil {
		k.runs[cmd] = struct{}{}
	}
	k.mu.Unlock()
	if err != nil {
		return err
	}
	if stdin != nil {
		go func() {
			_, _ = io.Copy(stdin, streams["stdin"]) // either end may go
			_ = stdin.Close()
		}()
	}
	err = cmd.Wait()
	k.mu.Lock()
	delete(k.runs, cmd)
	k.mu.Unlock()
	return err
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
