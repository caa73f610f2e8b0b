//go:build unix

package streaming_test

import (
	"context"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"rung/engine/zones"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/sources/kube"
	"rung/sources/nbdb"
	"rung/sources/nbdb/second"
	"rung/sources/sandbox"
	"rung/test/install"
	"rung/test/ovsdb"
	"rung/test/streaming"
	"rung/test/wait"
)

const (
	namespace = "openshift-ovn-kubernetes"
	within    = wait.Patience
)

// all are the programs an image may have for us; the rest is for what a shell
// needs.
var all = []string{"sh", "bash", "ovsdb-client", "python3"}

// world is a zone with a real ovsdb-server behind pods/exec.
type world struct {
	t      *testing.T
	server *streaming.Server
	kube   *kube.Cluster
	addr   string // of the database, for looking directly
}

func newWorld(t *testing.T, zone string, tools ...string) *world {
	t.Helper()
	program := install.Server(t, "ovsdb-server")
	install.Server(t, "ovsdb-client")
	base := ""
	if fi, err := os.Stat("/dev/shm"); err == nil && fi.IsDir() {
		base = "/dev/shm"
	}
	dir, err := os.MkdirTemp(base, "rung-exec-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	sb, err := sandbox.Start(t.Context(), sandbox.Config{Zones: []string{zone}, Dir: filepath.Join(dir, "s"), Server: program, ForeignRows: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sb.Close)
	s, err := streaming.Start(streaming.Options{TLS: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	w := &world{t: t, server: s, addr: sb.Endpoints()[zone]}
	w.kube = openKube(t, dir, s, soon)
	s.SetDaemonSet(&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "ovnkube-node", UID: "set-1"}})
	s.Set(zonePod("ovnkube-node-a", "n1", "set-1"), w.image(tools...))
	return w
}

// soon is how long a list of pods serves where a test changes them.
const soon = 500 * time.Millisecond

func openKube(t *testing.T, dir string, s *streaming.Server, keep time.Duration) *kube.Cluster {
	t.Helper()
	file := filepath.Join(dir, "kubeconfig")
	ca := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: %q, certificate-authority-data: %q}}]\n"+
		"users: [{name: u, user: {token: abc}}]\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n", s.URL, ca)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := kube.Open(kube.Options{Kubeconfig: file, ZonePodsFor: keep})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// image is an image with these programs, in which the database's socket is where
// it is in OVN's.
func (w *world) image(tools ...string) streaming.Image {
	w.t.Helper()
	bin := w.t.TempDir()
	if slices.Contains(tools, "socat") {
		standIn(w.t, bin)
		tools = slices.DeleteFunc(slices.Clone(tools), func(s string) bool { return s == "socat" })
	}
	missing, err := streaming.MakeBin(bin, tools...)
	if err != nil {
		w.t.Fatal(err)
	}
	if len(missing) > 0 {
		w.t.Skipf("not installed: %s", strings.Join(missing, ", "))
	}
	return streaming.Image{Bin: bin, Replace: map[string]string{nbdb.DefaultSocket: strings.TrimPrefix(w.addr, "unix:")}}
}

// standIn puts socat into an image: the real one where it is installed, else a
// program that does with these arguments what socat does.
func standIn(t *testing.T, bin string) {
	t.Helper()
	if missing, err := streaming.MakeBin(bin, "socat"); err == nil && len(missing) == 0 {
		return
	}
	python, err := exec.Command("python3", "-c", "import sys; print(sys.executable, end='')").Output()
	if err != nil {
		t.Skip("neither socat nor python3 is installed: this test did not run")
	}
	text := "#!" + string(python) + ` -I
import os,select,socket,sys
assert sys.argv[1]=="-" and sys.argv[2].startswith("UNIX-CONNECT:")
s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[2][len("UNIX-CONNECT:"):])
while True:
    for r in select.select([0,s],[],[])[0]:
        b=os.read(0,65536) if r==0 else s.recv(65536)
        if not b: sys.exit(0)
        if r==0: s.sendall(b)
        else: sys.stdout.buffer.write(b); sys.stdout.buffer.flush()
`
	if err := os.WriteFile(filepath.Join(bin, "socat"), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

func zonePod(name, node, set string) *corev1.Pod {
	yes := true
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, UID: types.UID("uid-" + name), Labels: map[string]string{"app": "ovnkube-node"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "ovnkube-node", UID: types.UID(set), Controller: &yes}},
		},
		Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "northd"}, {Name: "nbdb"}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{
			{Name: "nbdb", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}},
		}},
	}
}

// zone is the zone as the engine wires it.
func (w *world) zone(name string, change func(*nbdb.RemoteConfig)) *nbdb.RemoteConn {
	cfg := nbdb.RemoteConfig{
		Name: name, BackoffMin: 20 * time.Millisecond, BackoffMax: 200 * time.Millisecond, Refresh: 50 * time.Millisecond,
		Open: (&zones.Pods{Cluster: w.kube}).OpenRunner(name),
	}
	if change != nil {
		change(&cfg)
	}
	return nbdb.DialRemote(cfg)
}

// follower gathers what a zone tells.
type follower struct {
	t    *testing.T
	stop func()

	mu  sync.Mutex
	all []model.ZoneUpdate
}

func follow(t *testing.T, c *nbdb.RemoteConn) *follower {
	ctx, cancel := context.WithCancel(t.Context())
	f := &follower{t: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Run(ctx, func(u model.ZoneUpdate) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.all = append(f.all, u)
		})
	}()
	f.stop = func() { cancel(); <-done }
	t.Cleanup(f.stop)
	return f
}

// until waits for an update after the first skip and returns it with its place.
func (f *follower) until(what string, skip int, ok func(model.ZoneUpdate) bool) (model.ZoneUpdate, int) {
	f.t.Helper()
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		f.mu.Lock()
		for i, u := range f.all {
			if i >= skip && ok(u) {
				f.mu.Unlock()
				return u, i
			}
		}
		f.mu.Unlock()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, u := range f.all[max(0, len(f.all)-6):] {
		f.t.Logf("%s attempts %d error %q, %d changes", u.Conn, u.Attempts, u.Error, len(u.Changes))
	}
	f.t.Fatalf("did not happen within %v: %s", within, what)
	return model.ZoneUpdate{}, 0
}

func synced(u model.ZoneUpdate) bool { return u.Conn == model.ConnSynced }

func failed(text string) func(model.ZoneUpdate) bool {
	return func(u model.ZoneUpdate) bool { return u.Conn != model.ConnSynced && strings.Contains(u.Error, text) }
}

// same fails unless the rows are those that are read directly.
func (w *world) same(db *nb.DB) {
	w.t.Helper()
	direct, err := nbdb.Dial(nbdb.Config{Addr: w.addr, AnyName: true}).Read(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	if len(ovsdb.Rows(direct)) < 15 {
		w.t.Fatalf("only %d rows to compare", len(ovsdb.Rows(direct)))
	}
	if diff := cmp.Diff(ovsdb.Rows(direct), ovsdb.Rows(db)); diff != "" {
		w.t.Errorf("rows differ from those read directly (-direct +exec):\n%s", diff)
	}
}

// transact changes the database directly.
func (w *world) transact(ops string) {
	w.t.Helper()
	out, err := exec.Command("ovsdb-client", "--timeout=10", "transact", w.addr, `["OVN_Northbound",`+ops+`]`).CombinedOutput()
	if err != nil || strings.Contains(string(out), `"error"`) {
		w.t.Fatalf("transact: %v\n%s", err, out)
	}
}

// nothingLingers fails if commands outlive those who wanted them.
func (w *world) nothingLingers() {
	w.t.Helper()
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if len(w.server.Running()) == 0 {
			return
		}
	}
	w.t.Errorf("still run in the pod: %q", w.server.Running())
}

// What is not ours to end: the kubelet's part waits for the streams of a client
// that was cut off, and client-go 0.36 forgets its stream readers when a context
// ends between the making of the streams and the first read, and their heartbeat
// with them (readDemuxLoop returns
// without closing them when the connection is closed by then). An SPDY connection
// waits for its streams for ever when it is shut down.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == secondName {
		if err := second.RunChild(context.Background(), os.Stdin, os.Args[2], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		os.Exit(0)
	}
	const client = "k8s.io/client-go/tools/remotecommand."
	code := m.Run()
	if code == 0 {
		code = leaks(goleak.IgnoreAnyFunction("k8s.io/cri-streaming/pkg/streaming/remotecommand.(*v4ProtocolHandler).waitForStreams"),
			goleak.IgnoreAnyFunction("github.com/moby/spdystream.(*Connection).shutdown"),
			goleak.IgnoreAnyFunction("github.com/moby/spdystream.(*Connection).shutdown.func1"),
			goleak.IgnoreAnyFunction(client+"(*heartbeat).start"),
			goleak.IgnoreAnyFunction(client+"(*streamProtocolV4).stream"),
			goleak.IgnoreAnyFunction(client+"watchErrorStream.func1"),
			goleak.IgnoreAnyFunction(client+"(*streamProtocolV2).copyStdin.func2"),
			goleak.IgnoreAnyFunction(client+"(*streamProtocolV2).copyStdout.func1"),
			goleak.IgnoreAnyFunction(client+"(*streamProtocolV2).copyStderr.func1"))
	}
	os.Exit(code)
}

// leaks gives what was cut some seconds to end, as it has on a busy machine, and
// fails for what does not.
func leaks(known ...goleak.Option) int {
	var err error
	for range 20 {
		if err = goleak.Find(known...); err == nil {
			return 0
		}
		time.Sleep(500 * time.Millisecond)
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}
