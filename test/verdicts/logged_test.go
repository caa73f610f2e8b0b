package verdicts

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/diff"
)

// TestLoggedOtherwise: of random logged connections, those that go otherwise are the ones
// whose single verdicts differ, whatever kind of policy came or went, each in a group of its
// namespaces, port and verdicts.
func TestLoggedOtherwise(t *testing.T) {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	others, lost, contrary := 0, 0, 0
	for seed := range 60 {
		w := newWorld(uint64(seed) + 77000)
		c, o := w.cluster()
		o.Defaults, o.Multicast = compiler.On, compiler.Off
		next, _ := c.Upsert([]model.Object{w.admin("new"), w.netpol("new"), w.firewall("b")}, nil)
		before, _ := indexOf(t, c, o)
		after, _ := indexOf(t, next, o)
		log := &diff.LogConnections{IsNewest: true}
		want, wantLost, wantContrary := map[logKey]int{}, 0, 0
		for i := range 200 {
			from, to := logEnd(w, before), logEnd(w, before)
			s := diff.LoggedConnection{Connection: verdict.Connection{From: from, To: to, Protocol: verdict.TCP, Port: uint16(79 + w.r.IntN(4))}, Lines: 1 + w.r.IntN(3),
				Stage: model.Stage(w.pick("", string(model.StageToLport), string(model.StageAfterLB))), LoggedVerdict: verdict.Verdict(w.pick("", "allow", "deny")),
				First: start, Last: start.Add(time.Duration(i) * time.Second)}
			gone := w.odds(10)
			if gone {
				s.Connection.From.Key = model.Key{Kind: model.KindPod, Namespace: "a", Name: "gone"}
			}
			log.Connections, log.Lines = append(log.Connections, s), log.Lines+s.Lines
			plain := verdict.Connection{From: verdict.AddrEnd(from.Addr), To: verdict.AddrEnd(to.Addr), Protocol: verdict.TCP, Port: s.Connection.Port}
			was, err := verdict.FromPolicies(before, plain)
			is, err2 := verdict.FromPolicies(after, plain)
			if gone || err != nil || err2 != nil {
				wantLost += s.Lines
				continue
			}
			if now := stagesOf(&was, s.Stage); s.LoggedVerdict != "" && (now == verdict.Allow || now == verdict.Deny) && now != s.LoggedVerdict {
				wantContrary += s.Lines
			}
			if was.Verdict != is.Verdict {
				want[logKey{was.Verdict, is.Verdict, from.Key.Namespace, to.Key.Namespace, verdict.TCP, plain.Port}] += s.Lines
			}
		}
		got, err := log.DiffLines(context.Background(), before, after)
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		for _, g := range got.Groups {
			e := g.Example.Connection
			k := logKey{g.Before, g.After, e.From.Key.Namespace, e.To.Key.Namespace, g.Protocol, g.Port}
			if want[k] != g.Lines || g.Allowed+g.Denied+g.Passed != g.Lines || g.Last != g.Example.Last {
				t.Errorf("seed %d: %+v: want %d lines", seed, g, want[k])
			}
			lines += g.Lines
		}
		if len(got.Groups) != len(want) || lines != got.Lines || got.Unattributed != wantLost || got.Contrary != wantContrary || got.Judged+got.Unattributed != log.Lines {
			t.Fatalf("seed %d: %+v\nwant %v, %d lost, %d contrary", seed, got, want, wantLost, wantContrary)
		}
		others, lost, contrary = others+lines, lost+got.Unattributed, contrary+got.Contrary
	}
	t.Logf("%d lines of others, %d lost, %d contrary", others, lost, contrary)
	if others < 200 || lost < 200 || contrary < 200 {
		t.Error("too few to prove anything")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x, _ := indexOf(t, (*model.Cluster)(nil), compiler.Options{IPv4: true})
	if _, err := (&diff.LogConnections{Connections: make([]diff.LoggedConnection, 1)}).DiffLines(ctx, x, x); err == nil {
		t.Error("it goes on after the context has ended")
	}
}

// stagesOf is the verdict of the walks that may have written a line.
func stagesOf(a *verdict.Answer, stage model.Stage) verdict.Verdict {
	out, any := verdict.Allow, false
	for _, s := range a.Paths[0].Stages {
		if stage == "" || (s.Stage == model.StageToLport) == (stage == model.StageToLport) {
			out, any = verdict.JoinVerdicts(out, s.Verdict), true
		}
	}
	if !any {
		return ""
	}
	return out
}

// logEnd is a pod with its address, or an address outside.
func logEnd(w *world, x *verdict.Index) verdict.Endpoint {
	if w.odds(4) || len(x.Ends) == 0 {
		return verdict.AddrEnd(netip.AddrFrom4([4]byte{8, 8, 8, byte(w.r.IntN(4))}))
	}
	for range 20 {
		e := x.Ends[w.r.IntN(len(x.Ends))]
		if e.Addr.Is4() && len(x.EndsAt(e.Addr)) == 1 {
			return verdict.Endpoint{Key: x.Pods.PodAt(int(e.Pod)).Key, Addr: e.Addr}
		}
	}
	return verdict.AddrEnd(netip.AddrFrom4([4]byte{9, 9, 9, 9}))
}

// A line that goes to a Service without endpoints has no way through the policies: nothing is
// said of it.
func TestLoggedToNowhere(t *testing.T) {
	w := newWorld(1)
	c, o := w.cluster()
	c, _ = c.Upsert([]model.Object{&model.Service{Meta: model.Meta{Key: model.Key{Kind: model.KindService, Namespace: "a", Name: "nowhere"}},
		ClusterIPs: []string{"10.96.7.7"}, Selector: model.NewLabels(map[string]string{"app": "nobody"}), Ports: []model.ServicePort{{Protocol: "TCP", Port: 80}}}}, nil)
	x, _ := indexOf(t, c, o)
	from := logEnd(w, x)
	s := diff.LoggedConnection{Connection: verdict.Connection{From: from, To: verdict.AddrEnd(netip.MustParseAddr("10.96.7.7")), Protocol: verdict.TCP, Port: 80}, Lines: 1, LoggedVerdict: verdict.Deny}
	if a, err := verdict.FromPolicies(x, s.Connection); err != nil || len(a.Paths) > 0 {
		t.Fatalf("%+v, %v", a, err)
	}
	log := &diff.LogConnections{Connections: []diff.LoggedConnection{s}, Lines: 1}
	if got, err := log.DiffLines(context.Background(), x, x); err != nil || len(got.Groups) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// logKey is what a group of logged connections has in common.
type logKey struct {
	before, after verdict.Verdict
	from, to      string
	proto         verdict.Protocol
	port          uint16
}
