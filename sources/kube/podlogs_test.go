package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"rung/model/logline"
	"rung/test/wait"
)

// logServer is an API server with one ovnkube-node pod whose log a test writes.
// It serves pods/log as the kubelet does: only the file there is now, from a
// second on, and the answer begins with the first line.
type logServer struct {
	t *testing.T
	*httptest.Server

	mu       sync.Mutex
	pod      corev1.Pod
	lines    []string // of the file there is, with times
	previous []string
	cut      chan struct{} // closed: streams break
	half     string        // a line without an end, sent before a cut
	short    bool          // what it wrote before it restarted breaks off
	hang     bool          // and so it does, without an end
	refuse   int           // status for pods/log
	asked    []string      // queries of pods/log
	late     *corev1.Pod   // pod, as it is told of once the log was asked for
	changed  chan struct{}
}

func newLogServer(t *testing.T) *logServer {
	t.Helper()
	leaks := goleak.IgnoreCurrent()
	t.Cleanup(func() { wait.NoLeaks(t, leaks) })
	s := &logServer{t: t, cut: make(chan struct{}), changed: make(chan struct{}), pod: aPod("ovnkube-node-a", "u1", "c1", 0)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/namespaces/{ns}/pods", s.list)
	mux.HandleFunc("GET /api/v1/namespaces/{ns}/pods/{pod}", s.get)
	mux.HandleFunc("GET /api/v1/namespaces/{ns}/pods/{pod}/log", s.log)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func aPod(name, uid, container string, restarts int32) corev1.Pod {
	return corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "ovn-kubernetes", Name: name, UID: types.UID(uid), Labels: map[string]string{"app": "ovnkube-node"}},
		Spec:       corev1.PodSpec{NodeName: "w", Containers: []corev1.Container{{Name: "nb-ovsdb"}, {Name: "ovn-controller"}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning,
			ContainerStatuses: []corev1.ContainerStatus{{Name: "ovn-controller", ContainerID: container, RestartCount: restarts}}},
	}
}

func reply(w http.ResponseWriter, code int, x any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(x)
}

func refusal403(w http.ResponseWriter, code int, reason metav1.StatusReason) {
	reply(w, code, metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Code: int32(code),
		Reason: reason, Message: "pods \"ovnkube-node-a\" is forbidden"})
}

func (s *logServer) list(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}}
	if r.PathValue("ns") == s.pod.Namespace {
		l.Items = append(l.Items, s.pod)
	}
	reply(w, 200, l)
}

func (s *logServer) get(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.PathValue("pod") != s.pod.Name {
		refusal403(w, 404, metav1.StatusReasonNotFound)
		return
	}
	reply(w, 200, s.pod)
}

func (s *logServer) log(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	s.mu.Lock()
	s.asked = append(s.asked, r.URL.RawQuery)
	lines, cut, code := s.lines, s.cut, s.refuse
	if q.Get("previous") == "true" {
		lines = s.previous
	}
	lines = slices.Clone(lines)
	gone := r.PathValue("pod") != s.pod.Name
	short, hang := s.short, s.hang
	if s.late != nil {
		s.pod, s.late = *s.late, nil
	}
	s.mu.Unlock()
	switch {
	case gone:
		refusal403(w, 404, metav1.StatusReasonNotFound)
		return
	case code == 403:
		refusal403(w, 403, metav1.StatusReasonForbidden)
		return
	case q.Get("previous") == "true" && lines == nil:
		refusal403(w, 400, metav1.StatusReasonBadRequest)
		return
	}
	if n, err := strconv.Atoi(q.Get("tailLines")); err == nil {
		lines = lines[max(0, len(lines)-n):]
	}
	since, _ := time.Parse(time.RFC3339, q.Get("sinceTime"))
	sent := 0
	send := func(lines []string) {
		for _, l := range lines {
			if at, _, ok := cutTime([]byte(l)); ok && at.Before(since) {
				continue
			}
			_, _ = w.Write([]byte(l + "\n"))
		}
		w.(http.Flusher).Flush()
	}
	send(lines)
	if q.Get("previous") == "true" && short {
		panic(http.ErrAbortHandler)
	}
	if q.Get("previous") == "true" && hang {
		<-r.Context().Done()
		return
	}
	if untimed := len(lines) > 0 && strings.HasPrefix(lines[0], "unable"); untimed || q.Get("follow") != "true" {
		return
	}
	s.mu.Lock()
	sent = len(s.lines)
	s.mu.Unlock()
	for {
		s.mu.Lock()
		changed, half := s.changed, s.half
		if len(s.lines) < sent {
			sent = 0
		}
		fresh := slices.Clone(s.lines[sent:])
		sent = len(s.lines)
		s.mu.Unlock()
		if len(fresh) > 0 {
			send(fresh)
		}
		select {
		case <-cut:
			if half != "" {
				_, _ = w.Write([]byte(half))
				w.(http.Flusher).Flush()
			}
			panic(http.ErrAbortHandler)
		case <-r.Context().Done():
			return
		case <-changed:
		}
	}
}

// do changes the server under its lock and wakes the streams.
func (s *logServer) do(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *logServer) write(lines ...string) {
	s.do(func() { s.lines = append(slices.Clone(s.lines), lines...) })
}

// breakWith cuts the streams, as f leaves the server.
func (s *logServer) breakWith(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f != nil {
		f()
	}
	close(s.cut)
	s.cut = make(chan struct{})
}

func (s *logServer) cluster() *Cluster {
	path := filepath.Join(s.t.TempDir(), "kubeconfig")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: lab\nclusters: [{name: c, cluster: {server: %q}}]\nusers: [{name: u, user: {token: t}}]\n"+
		"contexts: [{name: lab, context: {cluster: c, user: u}}]\n", s.URL)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	c, err := Open(Options{Kubeconfig: path})
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// followed is what a follower handed on.
type followed struct {
	t  *testing.T
	mu sync.Mutex
	// got are lines, and gaps as "gap: why".
	got   []string
	gaps  []logline.LogGap
	state StreamStatus
}

// follow starts a follower that ends with the test.
func (s *logServer) follow(since time.Time) *followed {
	s.t.Helper()
	p, err := New(s.cluster())
	if err != nil {
		s.t.Fatal(err)
	}
	p.pause = followPauses{firstRetry: 10 * time.Millisecond, longest: 40 * time.Millisecond, denied: 20 * time.Millisecond,
		quiet: 50 * time.Millisecond, idle: 150 * time.Millisecond, steady: time.Second, recheck: 30 * time.Millisecond,
		previousRead: time.Second}
	p.lists.Keep = 0 // pods change faster here than a list serves
	f := &followed{t: s.t}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Follow(ctx, FollowRequest{
			Find: func(ctx context.Context) (LogTarget, error) {
				return p.ACLLog(ctx, "w", nil)
			},
			Since: since,
			Line:  func(_ time.Time, text []byte) { f.add(string(text), nil) },
			Gap:   func(g logline.LogGap) { f.add("gap: "+g.Why, &g) },
			State: func(st StreamStatus) { f.mu.Lock(); f.state = st; f.mu.Unlock() },
		})
	}()
	s.t.Cleanup(func() {
		cancel()
		<-done
	})
	return f
}

// Whoever waits while the server does not answer another's question leaves when its
// own context ends.
func TestListHangs(t *testing.T) {
	asked, let := make(chan struct{}, 1), make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
		select {
		case <-let:
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer hanging.Close()
	s := newLogServer(t)
	s.URL = hanging.URL
	p, err := New(s.cluster())
	if err != nil {
		t.Fatal(err)
	}
	first := make(chan error, 1)
	go func() {
		_, err := p.ACLLog(t.Context(), "w", []string{"ovn-kubernetes"})
		first <- err
	}()
	<-asked
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	second := make(chan error, 1)
	go func() {
		_, err := p.ACLLog(ctx, "w", []string{"ovn-kubernetes"})
		second <- err
	}()
	select {
	case err := <-second:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(wait.Patience / 4):
		t.Error("it waits for the answer to somebody else")
	}
	close(let)
	<-first
}

func (f *followed) add(s string, g *logline.LogGap) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.got = append(f.got, s)
	if g != nil {
		f.gaps = append(f.gaps, *g)
	}
}

func (f *followed) lines() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.got)
}

func (f *followed) until(what string, ok func() bool) {
	f.t.Helper()
	for deadline := time.Now().Add(wait.Patience); ; time.Sleep(2 * time.Millisecond) {
		f.mu.Lock()
		yes := ok()
		f.mu.Unlock()
		if yes {
			return
		}
		if time.Now().After(deadline) {
			f.t.Fatalf("%s: never; state %+v, %d lines, the last %q", what, f.state, len(f.got), f.got[max(0, len(f.got)-20):])
		}
	}
}

func (f *followed) want(lines ...string) {
	f.t.Helper()
	f.until("the lines", func() bool { return len(f.got) >= len(lines) })
	time.Sleep(20 * time.Millisecond) // a line too many would come by now
	if got := f.lines(); !slices.Equal(lines, got) {
		f.t.Fatalf("lines (-want +got):\n%s", cmp.Diff(lines[max(0, len(lines)-20):], got[max(0, len(got)-20):]))
	}
}

func (f *followed) stands() {
	f.t.Helper()
	f.until("the stream stands", func() bool { return f.state.State == logline.StreamOpen })
}

var day = time.Date(2026, 11, 3, 14, 0, 0, 0, time.UTC)

// at is a line with the kubelet's time, ms after the day's beginning.
func at(ms int, text string) string {
	return day.Add(time.Duration(ms)*time.Millisecond).Format(time.RFC3339Nano) + " " + text
}

func TestFollowResumes(t *testing.T) {
	alone := func(*logServer) {}
	tests := map[string]struct {
		before []string
		// change is what happens while the stream is cut.
		change func(*logServer)
		after  []string
		want   []string
	}{
		"several lines at one time, equal ones too": {
			before: []string{at(0, "a"), at(100, "b"), at(100, "b"), at(100, "c")},
			change: alone, after: []string{at(100, "b"), at(100, "d"), at(200, "e")},
			want: []string{"a", "b", "b", "c", "b", "d", "e"},
		},
		"cut in the middle of a line": {
			before: []string{at(0, "a")},
			change: func(s *logServer) { s.half = at(50, "hal") },
			after:  []string{at(50, "half of it"), at(60, "b")},
			want:   []string{"a", "half of it", "b"},
		},
		"times out of order": {
			before: []string{at(1500, "a"), at(1100, "b")},
			change: alone, after: []string{at(1050, "c"), at(1700, "d")},
			want: []string{"a", "b", "c", "d"},
		},
		"rotated": {
			before: []string{at(0, "a"), at(10, "b")},
			change: func(s *logServer) { s.lines = []string{at(5000, "later")} },
			after:  []string{at(6000, "c")},
			want:   []string{"a", "b", "gap: the log was rotated meanwhile", "later", "c"},
		},
		"container restarted, what it wrote is kept": {
			before: []string{at(0, "a"), at(10, "b")},
			change: func(s *logServer) {
				s.previous = append(slices.Clone(s.lines), at(20, "last words"))
				s.lines, s.pod = []string{at(900, "new")}, aPod("ovnkube-node-a", "u1", "c2", 1)
			},
			after: []string{at(1000, "c")},
			want:  []string{"a", "b", "last words", "new", "c"},
		},
		"container restarted, nothing kept": {
			before: []string{at(0, "a")},
			change: func(s *logServer) {
				s.lines, s.pod = []string{at(900, "new")}, aPod("ovnkube-node-a", "u1", "c2", 1)
			},
			want: []string{"a", "gap: container ovn-controller restarted", "new"},
		},
		"container restarted, what it wrote breaks off": {
			before: []string{at(0, "a"), at(10, "b")},
			change: func(s *logServer) {
				s.previous, s.short = append(slices.Clone(s.lines), at(20, "last words")), true
				s.lines, s.pod = []string{at(900, "new")}, aPod("ovnkube-node-a", "u1", "c2", 1)
			},
			want: []string{"a", "b", "last words", "gap: container ovn-controller restarted", "new"},
		},
		"container restarted, the kubelet stands still over what it wrote": {
			before: []string{at(0, "a"), at(10, "b")},
			change: func(s *logServer) {
				s.previous, s.hang = append(slices.Clone(s.lines), at(20, "last words")), true
				s.lines, s.pod = []string{at(900, "new")}, aPod("ovnkube-node-a", "u1", "c2", 1)
			},
			want: []string{"a", "b", "last words", "gap: container ovn-controller restarted", "new"},
		},
		"the node's clock is set back": {
			before: []string{at(3_600_000, "a"), at(0, "b")},
			change: alone, after: []string{at(10, "c")},
			want: []string{"a", "b", "c"},
		},
		"container restarted twice": {
			before: []string{at(0, "a")},
			change: func(s *logServer) {
				s.previous = []string{at(500, "between")}
				s.lines, s.pod = []string{at(900, "new")}, aPod("ovnkube-node-a", "u1", "c3", 2)
			},
			want: []string{"a", "gap: container ovn-controller restarted 2 times", "between", "new"},
		},
		"pod replaced": {
			before: []string{at(0, "a")},
			change: func(s *logServer) {
				s.lines, s.pod = []string{at(900, "new")}, aPod("ovnkube-node-b", "u2", "c9", 0)
			},
			after: []string{at(950, "c")},
			want:  []string{"a", "gap: pod ovnkube-node-a was replaced by ovnkube-node-b", "new", "c"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newLogServer(t)
			s.write(tt.before...)
			f := s.follow(day)
			f.until("the first lines", func() bool { return len(f.got) == len(tt.before) })
			s.breakWith(func() { tt.change(s) })
			s.write(tt.after...)
			f.want(tt.want...)
			f.stands()
		})
	}
}

// A follower that begins now shows nothing from before, and a line that was there
// proves the log whole after a cut.
func TestFollowFromNow(t *testing.T) {
	s := newLogServer(t)
	s.write(at(0, "old"), at(10, "older than the start"))
	f := s.follow(time.Time{})
	f.stands()
	s.breakWith(nil)
	s.write(at(20, "while it was cut"))
	f.want("while it was cut")
	s.mu.Lock()
	defer s.mu.Unlock()
	if !strings.Contains(s.asked[0], "tailLines=1") || strings.Contains(s.asked[0], "sinceTime") {
		t.Errorf("the first request was %s", s.asked[0])
	}
	if last := s.asked[len(s.asked)-1]; !strings.Contains(last, "sinceTime=2026-11-03T14%3A00%3A00Z") {
		t.Errorf("the last request was %s", last)
	}
}

// The log of a container that wrote nothing yet has no answer until it does: it
// stands all the same, and loses nothing when it is cut.
func TestFollowQuiet(t *testing.T) {
	s := newLogServer(t)
	f := s.follow(time.Time{})
	f.stands()
	s.breakWith(nil)
	s.write(time.Now().Add(time.Second).UTC().Format(time.RFC3339Nano) + " first")
	f.want("first")
}

// A restart that the API server tells of only later: what the container wrote
// before it is read first.
func TestFollowLateNews(t *testing.T) {
	s := newLogServer(t)
	s.write(at(0, "a"))
	f := s.follow(day)
	f.want("a")
	s.breakWith(func() {
		s.previous = append(slices.Clone(s.lines), at(20, "last words"))
		s.lines = []string{at(900, "new")}
		restarted := aPod("ovnkube-node-a", "u1", "c2", 1)
		s.late = &restarted
	})
	f.want("a", "last words", "new")
}

// A stream to a node that died says nothing: the pod that came instead is found.
func TestFollowIdle(t *testing.T) {
	s := newLogServer(t)
	s.write(at(0, "a"))
	f := s.follow(day)
	f.want("a")
	s.mu.Lock() // no wake: the old stream hangs
	s.pod, s.lines = aPod("ovnkube-node-b", "u2", "c9", 0), []string{at(900, "new")}
	s.mu.Unlock()
	f.want("a", "gap: pod ovnkube-node-a was replaced by ovnkube-node-b", "new")
	if g := f.gaps[0]; g.Missing <= 0 || g.Missing > 10*time.Second || !g.From.Equal(day) {
		t.Errorf("%+v", g)
	}
}

func TestFollowRefused(t *testing.T) {
	tests := map[string]struct {
		change func(*logServer)
		state  logline.StreamState
		text   string
	}{
		"no permission": {func(s *logServer) { s.refuse = 403 }, logline.StreamDenied,
			"no permission to get pods/log in ovn-kubernetes; to check: kubectl auth can-i get pods --subresource=log -n ovn-kubernetes --context=lab --kubeconfig="},
		"no pod": {func(s *logServer) { s.pod.Spec.NodeName = "other" }, logline.StreamNoPod,
			"node w: no ovnkube-node pod on the node: looked for pods with app=ovnkube-node in ovn-kubernetes and openshift-ovn-kubernetes; for another namespace give --ovn-namespace"},
		"no container": {func(s *logServer) { s.pod.Spec.Containers = s.pod.Spec.Containers[:1] }, logline.StreamNoContainer,
			"pod ovn-kubernetes/ovnkube-node-a of node w: no container with that log: it has nb-ovsdb, want ovn-acl-logging or ovn-controller"},
		"the kubelet's own words": {func(s *logServer) { s.lines = []string{"unable to retrieve container logs for \x1b[31mc1"} }, logline.StreamLost,
			"read the log of ovn-kubernetes/ovnkube-node-a/ovn-controller: the kubelet says: unable to retrieve container logs for \uFFFD[31mc1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newLogServer(t)
			s.do(func() { tt.change(s) })
			f := s.follow(day)
			f.until("the state", func() bool { return f.state.State == tt.state && strings.HasPrefix(f.state.Error, tt.text) })
			s.do(func() { s.refuse, s.pod, s.lines = 0, aPod("ovnkube-node-a", "u1", "c1", 0), []string{at(0, "a")} })
			f.want("a")
		})
	}
}

// Whoever looks for a log waits no longer than its context, also when the server does
// not answer somebody else who asks the same.
func TestFindEndsWithItsContext(t *testing.T) {
	hang := make(chan struct{})
	asked := make(chan struct{}, 2)
	s := &logServer{t: t}
	s.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	}))
	defer s.Close()
	p, err := New(s.cluster())
	if err != nil {
		t.Fatal(err)
	}
	first := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := p.ACLLog(ctx, "w", nil)
		first <- err
	}()
	<-asked
	short, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	second := make(chan error, 1)
	go func() {
		_, err := p.ACLLog(short, "w", nil)
		second <- err
	}()
	select {
	case err := <-second:
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(wait.Patience):
		t.Error("waits for somebody else's answer, longer than its context")
	}
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the first ended with %v", err)
	}
	close(hang)
}

// On OpenShift ovn-controller's console has no ACL lines: the container beside it
// has them.
func TestACLLogContainer(t *testing.T) {
	s := newLogServer(t)
	s.pod.Spec.Containers = append(s.pod.Spec.Containers, corev1.Container{Name: "ovn-acl-logging"})
	p, err := New(s.cluster())
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.ACLLog(context.Background(), "w", nil)
	if want := (LogTarget{"ovn-kubernetes", "ovnkube-node-a", "ovn-acl-logging"}); err != nil || got != want {
		t.Errorf("%v, %v", got, err)
	}
}

// Long lines are counted and skipped; the memory of what was seen stays bounded
// and no line comes twice however many there are in one second.
func TestFollowManyLines(t *testing.T) {
	s := newLogServer(t)
	const n = 3 * seenMost
	var lines, want []string
	for i := range n {
		text := "line " + strconv.Itoa(i)
		lines = append(lines, day.Add(time.Duration(i/4)*time.Microsecond).Format(time.RFC3339Nano)+" "+text)
		want = append(want, text)
	}
	lines[7] = at(0, strings.Repeat("x", maxLine))
	want = slices.Delete(want, 7, 8)
	s.write(lines...)
	f := s.follow(day)
	f.until("all lines", func() bool { return len(f.got) == n-1 })
	s.breakWith(nil)
	s.write(at(100, "after"))
	f.want(append(want, "after")...)
	if f.state.TooLong != 1 {
		t.Errorf("%d long lines were counted", f.state.TooLong)
	}
}

func TestTail(t *testing.T) {
	s := newLogServer(t)
	s.write(at(0, "a"), at(1, "b"), at(2, "c"))
	p, err := New(s.cluster())
	if err != nil {
		t.Fatal(err)
	}
	find := func(ctx context.Context) (LogTarget, error) { return p.ACLLog(ctx, "w", nil) }
	_, got, err := p.Tail(context.Background(), find, 2)
	want := []LogLine{{day.Add(time.Millisecond), "b"}, {day.Add(2 * time.Millisecond), "c"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	s.do(func() { s.refuse = 403 })
	_, _, err = p.Tail(context.Background(), find, 2)
	var refused *LogError
	if !errors.As(err, &refused) || refused.State != logline.StreamDenied || !strings.Contains(refused.Text, "can-i get pods --subresource=log") {
		t.Errorf("%v", err)
	}
}

func TestParseKlog(t *testing.T) {
	tests := map[string]struct {
		want Klog
		ok   bool
	}{
		"E1103 14:05:01.123456    4711 admin_network_policy.go:123] Failed to add \x1b[1mpolicy": {Klog{'E', "admin_network_policy.go:123", "Failed to add \uFFFD[1mpolicy"}, true},
		"I1103 14:05:01.123456 1 a.go:1] ":                 {Klog{'I', "a.go:1", ""}, true},
		"goroutine 1 [running]:":                           {},
		"I1103 14:05:01.123456 1 a.go:1 no bracket":        {},
		"X1103 14:05:01.123456 1 a.go:1] text":             {},
		"Ignored, see [1] E1103 14:05:01.1 1 a.go:1] text": {},
		"": {},
	}
	for line, tt := range tests {
		if got, ok := ParseKlog(line); got != tt.want || ok != tt.ok {
			t.Errorf("%q: %+v, %v", line, got, ok)
		}
	}
}
