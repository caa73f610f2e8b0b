package logs

import (
	"context"
	"fmt"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/test/changing"
	"rung/test/given"
	"rung/test/wait"
)

// logWorld is a store of log lines that follows a world with a clock by hand.
func logWorld(t testing.TB, w *changing.World, limit int) *Store {
	t.Helper()
	l := New(w.Current, w.Clock, limit)
	var changes []model.Change
	for o := range w.Current().Cluster.Objects() {
		changes = append(changes, model.Change{New: o})
	}
	l.Observe(changes)
	return l
}

// newest is the entry that came last.
func newest(l *Store) *Entry { return l.EntriesAfter(l.LastNumber()-1, 0)[0] }

func line(w *changing.World, name, verdict, direction, proto, src, dst string, port uint16) logline.Line {
	l := logline.Line{At: w.Clock(), Zone: "worker", Name: name, Verdict: verdict, Direction: direction, Proto: proto, DstPort: port}
	l.Src, _ = netip.ParseAddr(src)
	l.Dst, _ = netip.ParseAddr(dst)
	return l
}

func TestSentences(t *testing.T) {
	named := strings.Replace(given.ANP("control", 34, "", "out deny 0.0.0.0/0"), "- action: Deny", "- name: default-deny\n    action: Deny", 1)
	w := changing.New(t, named, given.BANP("", "in deny *"))
	l := logWorld(t, w, 100)
	gone := w.Current().Cluster.Pod("red", "web-0")
	l.Observe([]model.Change{{Old: gone}})
	completed := *w.Current().Cluster.Pod("red", "db-1")
	completed.Phase = "Succeeded"
	l.Observe([]model.Change{{Old: w.Current().Cluster.Pod("red", "db-1"), New: &completed}})
	for _, c := range []struct {
		line logline.Line
		want string
	}{
		{line(w, "ANP:control:Egress:0", "drop", nb.FromLport, "icmp", "10.244.0.4", "10.244.0.3", 0),
			`blue/web-0 → monitoring/prom-0 icmp dropped by control egress 0 "default-deny"`},
		{line(w, "ANP:control:Egress:0", "drop", nb.FromLport, "tcp", "10.244.0.4", "8.8.8.8", 443),
			`blue/web-0 → 8.8.8.8 (outside) tcp 443 dropped by control egress 0 "default-deny"`},
		{line(w, "BANP:default:Ingress:0", "drop", nb.ToLport, "tcp", "172.18.0.2", "10.244.0.4", 80),
			`node worker → blue/web-0 tcp 80 dropped by BANP default ingress 0`},
		{line(w, "ANP:control:Egress:0", "drop", nb.FromLport, "udp", "10.244.0.8", "10.244.0.2", 53),
			`10.244.0.8 (gone 12:00:00: red/web-0) → kube-system/dns-0 udp 53 dropped by control egress 0 "default-deny"`},
		{line(w, "ANP:control:Egress:0", "drop", nb.FromLport, "udp", "10.244.0.9", "10.244.0.2", 53),
			`red/db-1 (completed) → kube-system/dns-0 udp 53 dropped by control egress 0 "default-deny"`},
		{line(w, "ANP:deleted:Ingress:3", "allow", nb.ToLport, "tcp", "10.244.0.4", "10.244.0.2", 53),
			`blue/web-0 → kube-system/dns-0 tcp 53 allowed by deleted ingress 3 (this policy does not exist now)`},
		{line(w, "NP:blue:allow-web:Ingress:1", "allow", nb.ToLport, "tcp", "10.244.0.3", "10.244.0.4", 80),
			`monitoring/prom-0 → blue/web-0 tcp 80 allowed by NP blue/allow-web ingress 1 (this policy does not exist now)`},
		{line(w, "NP:blue:Ingress", "drop", nb.ToLport, "tcp", "10.244.0.3", "10.244.0.4", 80),
			`monitoring/prom-0 → blue/web-0 tcp 80 dropped by the default deny of blue, ingress: no NetworkPolicy allows it`},
		{line(w, "my-acl", "pass", nb.ToLport, "tcp", "10.244.0.3", "10.244.0.4", 80),
			`monitoring/prom-0 → blue/web-0 tcp 80 passed by an unknown rule, ACL "my-acl"`},
		{line(w, "", "reject", nb.ToLport, "arp", "", "", 0), `? → ? arp rejected by an ACL without a name`},
	} {
		l.takeArrival(arrival{line: c.line})
		e := newest(l)
		if got := e.Sentence(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	if s := l.Stats(); s.Unattributed != 2 || len(s.PerRule) != 5 {
		t.Errorf("%+v", s)
	}
	// The address is given to another pod: it is that one's from then on.
	again := *gone
	again.Name = "web-9"
	l.Observe([]model.Change{{New: &again}})
	if got := l.book.EndAt(netip.MustParseAddr("10.244.0.8"), w.Clock()); got.Key.Name != "web-9" || got.Note != "" {
		t.Errorf("%+v", got)
	}
}

// Names of 63 characters and more do not tell the rule: the packet does.
func TestAttributionOfCutNames(t *testing.T) {
	long := strings.Repeat("x", 60)
	w := changing.New(t,
		given.ANP(long, 10, "tenant=blue", "in allow team=ops tcp:80", "in deny tenant=red", "in allow team=ops tcp:443", "in deny team=ops", "out deny tenant=red"),
		given.ANP(long+"y", 20, "tenant=green", "in deny tenant=red"))
	if n := len(logline.ACLName(given.ANPKey(long), model.Ingress, 0)); n != logline.MaxACLName {
		t.Fatalf("the name is not cut: %d", n)
	}
	l := logWorld(t, w, 100)
	name := logline.ACLName(given.ANPKey(long), model.Ingress, 0)
	for _, c := range []struct {
		what string
		line logline.Line
		want string
	}{
		{"by port", line(w, name, "allow", nb.ToLport, "tcp", "10.244.0.3", "10.244.0.4", 443), long + " ingress 2"},
		{"by port, the other", line(w, name, "allow", nb.ToLport, "tcp", "10.244.0.3", "10.244.0.4", 80), long + " ingress 0"},
		{"by peer", line(w, name, "drop", nb.ToLport, "icmp", "10.244.0.3", "10.244.0.4", 0), long + " ingress 3"},
		{"by subject", line(w, name, "drop", nb.ToLport, "tcp", "10.244.0.8", "10.244.0.6", 80), long + "y ingress 0"},
		{"by direction", line(w, name, "drop", nb.FromLport, "tcp", "10.244.0.4", "10.244.0.8", 80), long + " egress 0"},
		{"an older line without direction", line(w, name, "drop", "", "tcp", "10.244.0.4", "10.244.0.8", 80), long + " egress 0"},
		{"nothing matches", line(w, name, "allow", nb.ToLport, "tcp", "10.244.0.8", "10.244.0.4", 80), ""},
		{"another verdict", line(w, name, "pass", nb.ToLport, "tcp", "10.244.0.8", "10.244.0.4", 80), ""},
	} {
		l.takeArrival(arrival{line: c.line})
		e := newest(l)
		if e.Attributed != (c.want != "") || e.Attributed && e.RuleText() != c.want {
			t.Errorf("%s: %v %s, want %s", c.what, e.Attributed, e.RuleText(), c.want)
		}
	}
}

func TestRates(t *testing.T) {
	w := changing.New(t, given.ANP("control", 34, "", "in deny *", "in deny team=ops tcp:80"))
	meter := &nb.Meter{UUID: "m", Name: nb.LoggingMeter, Bands: []string{"b"}}
	band := &nb.MeterBand{UUID: "b", Rate: 5}
	w.Zones = []*model.ZoneState{{Name: "worker", DB: (*nb.DB)(nil).Apply([]nb.RowChange{{New: meter}, {New: band}})}}
	w.Publish()
	l := logWorld(t, w, 100)
	ref := logline.RuleRef{Policy: given.ANPKey("control"), Direction: model.Ingress, Rule: 0, Exact: true}
	send := func(n int, zone, proto string) {
		for range n {
			x := line(w, "ANP:control:Ingress:0", "drop", nb.ToLport, proto, "10.244.0.3", "10.244.0.4", 80)
			x.Zone = zone
			l.takeArrival(arrival{line: x})
		}
	}
	tick := func(d time.Duration) {
		w.Mu.Lock()
		defer w.Mu.Unlock()
		w.Now = w.Now.Add(d)
	}
	send(4, "worker", "tcp")
	send(4, "control", "tcp") // another zone, another meter of 20
	if s := l.Stats().PerRule[ref]; s.AtCap || s.Count != 8 || s.Seconds[rateSeconds-1] != 8 {
		t.Errorf("%+v", s)
	}
	tick(time.Second)
	send(2, "worker", "tcp")
	if s := l.Stats().PerRule[ref]; s.AtCap || s.Seconds.Rate() != 8 || s.Seconds[rateSeconds-1] != 2 {
		t.Errorf("%+v", s)
	}
	send(3, "worker", "udp") // a rule without ports has one ACL for all protocols
	if s := l.Stats().PerRule[ref]; !s.AtCap {
		t.Errorf("%+v", s)
	}
	if x := l.Losses()[0]; x.Zone != "worker" || x.Rate != 5 {
		t.Errorf("%+v", x)
	}
	tick(9 * time.Second)
	if s := l.Stats().PerRule[ref]; !s.AtCap || s.Seconds != [rateSeconds]int{5} {
		t.Errorf("%+v", s)
	}
	tick(time.Second)
	if s := l.Stats().PerRule[ref]; s.AtCap || s.Seconds != [rateSeconds]int{} || s.Count != 13 {
		t.Errorf("%+v", s)
	}
	tick(-time.Hour) // a clock that goes back breaks nothing
	send(1, "worker", "tcp")
	tick(24 * time.Hour)
	send(1, "worker", "tcp")
	if s := l.Stats().PerRule[ref]; s.Count != 15 || s.Seconds[rateSeconds-1] != 1 {
		t.Errorf("%+v", s)
	}
}

func TestSince(t *testing.T) {
	w := changing.New(t)
	l := logWorld(t, w, 10)
	seqs := func(after uint64, most int) (out []uint64) {
		for _, e := range l.EntriesAfter(after, most) {
			out = append(out, e.Seq)
		}
		return out
	}
	if l.FirstNumber() != 1 || l.LastNumber() != 0 || seqs(0, 0) != nil {
		t.Errorf("empty: %d %d %v", l.FirstNumber(), l.LastNumber(), seqs(0, 0))
	}
	for i := range 25 {
		l.takeArrival(arrival{line: line(w, fmt.Sprint("acl", i), "drop", "", "tcp", "10.244.0.3", "10.244.0.4", 80)})
	}
	got := [][]uint64{{l.FirstNumber(), l.LastNumber()}, seqs(0, 0), seqs(20, 0), seqs(0, 3), seqs(16, 2), seqs(25, 0), seqs(99, 0)}
	want := [][]uint64{{16, 25}, {16, 17, 18, 19, 20, 21, 22, 23, 24, 25}, {21, 22, 23, 24, 25}, {16, 17, 18}, {17, 18}, nil, nil}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if e := l.EntriesAfter(19, 1); len(e) != 1 || e[0].Seq != 20 || e[0].Line.Name != "acl19" {
		t.Error("entries by number")
	}
}

// Many readers and writers at once; what cannot be taken in is counted, nothing
// waits, and everything ends.
func TestLogsUnderLoad(t *testing.T) {
	defer wait.NoLeaks(t)
	w := changing.New(t, given.ANP("control", 34, "", "in deny *"))
	l := logWorld(t, w, 1000)
	l.now = time.Now
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	const writers, each = 4, 20000
	for range writers {
		wg.Go(func() {
			for range each {
				l.Offer(line(w, "ANP:control:Ingress:0", "drop", nb.ToLport, "tcp", "10.244.0.3", "10.244.0.4", 80))
			}
		})
	}
	wg.Wait() // nobody takes in: the queue is full, the rest is dropped
	if s := l.Stats(); s.Received != writers*each || s.Dropped != writers*each-logQueue {
		t.Fatalf("%+v", s)
	}
	done := make(chan struct{})
	go func() { defer close(done); l.Run(ctx) }()
	for range 3 {
		wg.Go(func() {
			var at uint64
			for l.LastNumber() < logQueue {
				for _, e := range l.EntriesAfter(at, 100) {
					if e.Seq <= at {
						t.Errorf("%d after %d", e.Seq, at)
					}
					at = e.Seq
				}
				_ = l.Stats()
				l.Observe([]model.Change{{Old: w.Current().Cluster.Pod("red", "web-0"), New: w.Current().Cluster.Pod("red", "web-0")}})
				runtime.Gosched()
			}
		})
	}
	wg.Wait()
	l.CountLost(7, 3)
	if s := l.Stats(); s.Received != writers*each+7 || s.Dropped != writers*each-logQueue+7 || s.Unparsed != 3 || s.Unattributed != 0 {
		t.Errorf("%+v", s)
	}
	cancel()
	<-done
}

// However many lines, rules and addresses come, what is kept does not grow.
func TestLogsAreBounded(t *testing.T) {
	w := changing.New(t)
	l := logWorld(t, w, 2000)
	l.book = NewAddressBook(2000)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	fill := func(from, to int) {
		for i := from; i < to; i++ {
			x := line(w, fmt.Sprintf("ANP:p%d:Ingress:%d", i, i%100), "drop", nb.ToLport, "tcp", "10.244.0.3", "10.244.0.4", 80)
			x.Zone = fmt.Sprint("zone", i)
			x.Raw = strings.Repeat("r", 300)
			l.takeArrival(arrival{line: x})
			pod := &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: "n", Name: fmt.Sprint(i)}},
				IPs: []string{fmt.Sprintf("10.%d.%d.%d", i>>16&255, i>>8&255, i&255)}}
			l.Observe([]model.Change{{New: pod}})
			l.Observe([]model.Change{{Old: pod}})
		}
	}
	fill(0, 12000)
	before := heap()
	fill(12000, 30000)
	after := heap()
	if after > before+2<<20 {
		t.Errorf("%d KiB became %d KiB", before>>10, after>>10)
	}
	if s, b := l.Stats(), l.book.Stats(); len(s.PerRule) > mostRules || b.Past > 2000 || b.Addresses > 4100 || s.Forgotten == 0 || len(l.names.names) > namesKept {
		t.Errorf("%d rules, %d names, %+v", len(s.PerRule), len(l.names.names), b)
	}
}

func BenchmarkLogLine(b *testing.B) {
	w := changing.New(b, given.ANP("control", 34, "", "in deny *"))
	l := logWorld(b, w, DefaultLines)
	x := line(w, "ANP:control:Ingress:0", "drop", nb.ToLport, "tcp", "10.244.0.3", "10.244.0.4", 80)
	b.ReportAllocs()
	for b.Loop() {
		l.takeArrival(arrival{line: x})
	}
}

// What is kept is bounded in bytes, however long lines are, and numbered without a gap.
func TestLogsAreBoundedInBytes(t *testing.T) {
	w := changing.New(t, given.ANP("control", 34, "", "in deny *"))
	l := logWorld(t, w, 0)
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	for _, length := range []int{200, 4000, 60000, 200} {
		for i := range 2 * maxLineBytes / (length + 500) {
			raw := strings.Repeat("r", length)
			x := line(w, "ANP:control:Ingress:0", raw[:4], nb.ToLport, raw[4:8], fmt.Sprintf("10.1.%d.%d", i>>8&255, i&255), "10.244.0.4", uint16(i))
			x.Raw = raw
			l.takeArrival(arrival{line: x})
		}
		if grown := heap() - before; grown > maxLineBytes+8<<20 { // with the counts of rules and pairs
			t.Errorf("lines of %d bytes: %d MB are kept", length, grown>>20)
		}
		kept := l.EntriesAfter(0, 0)
		if n := len(kept); n < 100 || kept[0].Seq != l.FirstNumber() || kept[n-1].Seq != l.LastNumber() || l.LastNumber()-l.FirstNumber()+1 != uint64(n) {
			t.Errorf("lines of %d bytes: %d kept, %d to %d", length, n, l.FirstNumber(), l.LastNumber())
		}
		for i, e := range kept {
			if e == nil || e.Seq != l.FirstNumber()+uint64(i) {
				t.Fatalf("lines of %d bytes: the %d. line kept is %v", length, i, e)
			}
		}
	}
	runtime.KeepAlive(l)
}
