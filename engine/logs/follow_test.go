package logs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/logline"
	"rung/revision"
	"rung/sources/kube"
	"rung/test/wait"
)

// fakePods is a cluster whose pods' logs a test writes.
type fakePods struct {
	mu      sync.Mutex
	follows map[string]kube.FollowRequest // by node
	since   []time.Time
}

func (f *fakePods) ACLLog(_ context.Context, node string, _ []string) (kube.LogTarget, error) {
	return kube.LogTarget{Namespace: "ovn-kubernetes", Pod: "ovnkube-" + node, Container: "ovn-controller"}, nil
}

func (f *fakePods) Follow(ctx context.Context, x kube.FollowRequest) {
	t, err := x.Find(ctx)
	if err != nil {
		return
	}
	x.State(kube.StreamStatus{Target: t, State: logline.StreamOpen})
	node := strings.TrimPrefix(t.Pod, "ovnkube-")
	f.mu.Lock()
	f.follows[node] = x
	f.since = append(f.since, x.Since)
	f.mu.Unlock()
	<-ctx.Done()
	f.mu.Lock()
	delete(f.follows, node)
	f.mu.Unlock()
}

func (f *fakePods) of(t *testing.T, node string) kube.FollowRequest {
	t.Helper()
	var x kube.FollowRequest
	wait.Within(t, wait.Patience, "node "+node+" is followed", func() (ok bool) {
		f.mu.Lock()
		defer f.mu.Unlock()
		x, ok = f.follows[node]
		return ok
	})
	return x
}

func newFakePods(t *testing.T, cfg FollowScope) (*fakePods, *Follower) {
	t.Helper()
	f := &fakePods{follows: map[string]kube.FollowRequest{}}
	rev := revision.New(revision.Facts{}, nil)
	logs := New(func() *revision.Revision { return rev }, time.Now, 0)
	p := NewFollower(logs, f, cfg, kube.OVNNamespaces())
	logs.ListStreamsWith(p.nodeStreams)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); logs.Run(ctx) }()
	t.Cleanup(func() { cancel(); p.wg.Wait(); <-done })
	if cfg.Since > 0 {
		p.askSince = time.Now().Add(-cfg.Since)
	}
	p.followNodes(ctx, clusterOf(&model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: "a"}}},
		&model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: "b"}}}))
	return f, p
}

func clusterOf(objects ...model.Object) *model.Cluster {
	c, _ := (*model.Cluster)(nil).Upsert(objects, nil)
	return c
}

func aclLine(at time.Time, seq int) []byte {
	return fmt.Appendf(nil, `%s|%05d|acl_log(ovn_pinctrl0)|INFO|name="ANP:one:Egress:0", verdict=drop, severity=alert, direction=from-lport: tcp,nw_src=10.0.0.1,nw_dst=10.0.0.2,tp_src=1,tp_dst=80,tcp_flags=syn`,
		at.UTC().Format("2006-01-02T15:04:05.000Z"), seq)
}

func takenIn(t *testing.T, l *Store, n uint64) []*Entry {
	t.Helper()
	for deadline := time.Now().Add(wait.Patience); l.LastNumber() < n; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d entries", l.LastNumber(), n)
		}
	}
	return l.EntriesAfter(0, 0)
}

// Two nodes' lines come in the order of their times with their zones; what a
// container repeats after a restart comes once; a gap stands where it was.
func TestPodLogs(t *testing.T) {
	f, p := newFakePods(t, FollowScope{})
	a, b := f.of(t, "a"), f.of(t, "b")
	now := time.Now().Truncate(time.Millisecond)
	ms := func(n int) time.Time { return now.Add(time.Duration(n) * time.Millisecond) }
	a.Line(now, aclLine(ms(-10), 7))
	b.Line(now, aclLine(ms(-30), 1))
	b.Line(now, []byte("2026-11-03T14:00:00.000Z|00002|binding|INFO|Claiming lport"))
	b.Line(now, []byte("2026-11-03T14:00:00.000Z|00003|acl_log(ovn_pinctrl0)|INFO|name=odd"))
	a.Gap(logline.LogGap{From: ms(-25), To: ms(-20), Missing: 5 * time.Second, Why: "pod a was replaced by b"})
	a.Line(now, aclLine(ms(-10), 7)) // tail begins with the last lines
	a.Line(now, aclLine(ms(-5), 8))
	var got []string
	for _, e := range takenIn(t, p.logs, 4) {
		s := e.Sentence()
		if e.Gap == nil {
			s = fmt.Sprint(e.Line.Zone, " ", e.Line.Seq, " ", e.Attributed)
		}
		got = append(got, s)
	}
	want := []string{"b 1 true", "a: reconnected, 5 s missing: pod a was replaced by b", "a 7 true", "a 8 true"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	streams := p.logs.Streams()
	for i := range streams {
		streams[i].Since, streams[i].Last = time.Time{}, time.Time{}
	}
	if diff := cmp.Diff([]logline.Stream{
		{Zone: "a", Namespace: "ovn-kubernetes", Pod: "ovnkube-a", Container: "ovn-controller", State: logline.StreamOpen, Lines: 3, ACLs: 2, Gaps: 1},
		{Zone: "b", Namespace: "ovn-kubernetes", Pod: "ovnkube-b", Container: "ovn-controller", State: logline.StreamOpen, Lines: 3, ACLs: 1, Unparsed: 1, Unseen: 1}, // number 2 of its thread
	}, streams); diff != "" {
		t.Errorf("streams (-want +got):\n%s", diff)
	}
	if st := p.logs.Stats(); st.Received != 3 || st.Unparsed != 1 || st.Dropped != 0 {
		t.Errorf("%+v", st)
	}
}

// Nodes come and go, and only those that were chosen are followed.
func TestPodLogsNodes(t *testing.T) {
	f, p := newFakePods(t, FollowScope{Since: time.Hour, Nodes: []string{"b", "c"}})
	f.of(t, "b")
	node := func(name string) model.Object {
		return &model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: name}}}
	}
	p.followNodes(t.Context(), clusterOf(node("a"), node("c")))
	f.of(t, "c")
	for deadline := time.Now().Add(wait.Patience); ; time.Sleep(time.Millisecond) {
		f.mu.Lock()
		n := len(f.follows)
		f.mu.Unlock()
		if n == 1 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d nodes are followed", n)
		}
	}
	if zones := p.logs.Streams(); len(zones) != 1 || zones[0].Zone != "c" {
		t.Errorf("%+v", zones)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.ContainsFunc(f.since, func(at time.Time) bool { return time.Since(at) < 59*time.Minute }) {
		t.Errorf("followed since %v", f.since)
	}
}

// A node that went and came back, as when its kubelet registers anew, has its log
// go on where it was left: no line twice, and none of meanwhile lost.
func TestPodLogsNodeBack(t *testing.T) {
	f, p := newFakePods(t, FollowScope{Since: time.Hour})
	node := func(name string) model.Object {
		return &model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: name}}}
	}
	now := time.Now().Truncate(time.Millisecond)
	f.of(t, "a").Line(now, aclLine(now, 1))
	takenIn(t, p.logs, 1)
	p.followNodes(t.Context(), clusterOf(node("b")))
	p.followNodes(t.Context(), clusterOf(node("a"), node("b")))
	var back kube.FollowRequest
	for deadline := time.Now().Add(wait.Patience); !back.Since.Equal(now); back = f.of(t, "a") {
		if time.Now().After(deadline) {
			t.Fatalf("it is followed since %v, its last line was of %v", back.Since, now)
		}
		time.Sleep(time.Millisecond)
	}
	back.Line(now, aclLine(now, 1)) // the kubelet knows seconds only
	back.Line(now, aclLine(now.Add(time.Millisecond), 2))
	entries := takenIn(t, p.logs, 2)
	if entries[1].Line.Seq != 2 || len(entries) != 2 {
		t.Errorf("%d entries, the second has number %d", len(entries), entries[1].Line.Seq)
	}
}

// At 10,000 lines a second each line is taken in or counted as lost.
func TestPodLogsLoad(t *testing.T) {
	f, p := newFakePods(t, FollowScope{})
	const seconds, rate = 2, 10000
	var wg sync.WaitGroup
	for _, node := range []string{"a", "b"} {
		x := f.of(t, node)
		wg.Go(func() {
			tick := time.NewTicker(10 * time.Millisecond)
			defer tick.Stop()
			for n := 0; n < seconds*rate/2; {
				<-tick.C
				for range rate / 2 / 100 {
					n++
					x.Line(time.Now(), aclLine(time.Now(), n))
				}
			}
		})
	}
	wg.Wait()
	var lost, acls uint64
	deadline := time.Now().Add(wait.Patience)
	for {
		lost, acls = 0, 0
		for _, s := range p.logs.Streams() {
			lost, acls = lost+s.Lost, acls+s.ACLs
		}
		if p.logs.LastNumber() == acls {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d taken in", p.logs.LastNumber(), acls)
		}
		time.Sleep(5 * time.Millisecond)
	}
	st := p.logs.Stats()
	t.Logf("%d lines in %d s: %d taken in, %d lost", seconds*rate, seconds, acls, lost)
	if lost+acls != seconds*rate || st.Dropped != lost || st.Received != seconds*rate {
		t.Errorf("%d taken in, %d lost of %d; %+v", acls, lost, seconds*rate, st)
	}
}

// A node that went before it had its log goes on, the next time, where the log was
// left before that.
func TestPodLogsNodeFlaps(t *testing.T) {
	_, p := newFakePods(t, FollowScope{})
	left := time.Now().Add(-time.Minute)
	n := newNodeLog(p, "x")
	line := logline.Line{At: left, Seq: 1}
	n.lately.isRepeated(&line)
	n.stream.Last = left
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	n.followLog(gone)
	if since := n.resumePoint(); !since.Equal(left) {
		t.Errorf("goes on at %v, want %v", since, left)
	}
	if !n.lately.isRepeated(&line) {
		t.Error("the last line that was taken in is not known any more")
	}
}
