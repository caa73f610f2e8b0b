package sandbox

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/sources/acllog"
)

// rowSet builds a zone's database: ports named, groups of ports with ACLs. Ports
// are those of the last switch; without any, of one of their own.
type rowSet struct {
	changes []nb.RowChange
	n       int
	sw      *nb.LogicalSwitch
}

func (r *rowSet) add(row nb.Row) { r.changes = append(r.changes, nb.RowChange{New: row}) }

func (r *rowSet) uuid() string {
	r.n++
	return fmt.Sprintf("00000000-0000-0000-0000-%012d", r.n)
}

// on begins a switch.
func (r *rowSet) on(name string, acls ...*nb.ACL) {
	r.sw = &nb.LogicalSwitch{UUID: r.uuid(), Name: name, ACLs: r.acls(acls)}
	r.add(r.sw)
}

func (r *rowSet) port(name string) string {
	if r.sw == nil {
		r.on("node")
	}
	p := &nb.LogicalSwitchPort{UUID: r.uuid(), Name: name}
	r.sw.Ports = append(r.sw.Ports, p.UUID)
	r.add(p)
	return p.UUID
}

func (r *rowSet) acls(acls []*nb.ACL) (ids []string) {
	for _, a := range acls {
		a.UUID = r.uuid()
		ids = append(ids, a.UUID)
		r.add(a)
	}
	return ids
}

func (r *rowSet) group(name string, ports []string, acls ...*nb.ACL) {
	r.add(&nb.PortGroup{UUID: r.uuid(), Name: name, Ports: ports, ACLs: r.acls(acls)})
}

func (r *rowSet) set(name string, addresses ...string) {
	r.add(&nb.AddressSet{UUID: r.uuid(), Name: name, Addresses: addresses})
}

func (r *rowSet) meter(rate int, fair bool) {
	b := &nb.MeterBand{UUID: r.uuid(), Action: "drop", Rate: rate}
	r.add(b)
	r.add(&nb.Meter{UUID: r.uuid(), Name: nb.LoggingMeter, Unit: "pktps", Fair: fair, Bands: []string{b.UUID}})
}

func (r *rowSet) db() *nb.DB { return (*nb.DB)(nil).Apply(r.changes) }

func acl(name, direction, action string, tier, priority int, expr string) *nb.ACL {
	a := &nb.ACL{Name: name, Direction: direction, Action: action, Tier: tier, Priority: priority, Match: expr, Meter: nb.LoggingMeter,
		Log: true, Severity: "alert"}
	if direction == nb.FromLport {
		a.Options = map[string]string{nb.OptAfterLB: "true"}
	}
	return a
}

func names(acls []*nb.ACL) (out []string) {
	for _, a := range acls {
		out = append(out, a.Name)
	}
	return out
}

// The walk: tiers in order, priorities falling, pass to the next tier, rows
// only where they are attached, or a port of their port group is.
func TestDecide(t *testing.T) {
	var r rowSet
	r.on("one", acl("on-the-switch", nb.ToLport, nb.ActionDrop, 0, 1, `udp.dst == 9`))
	one, two := r.port("ns_one"), r.port("ns_two")
	r.on("three")
	three := r.port("ns_three")
	r.set("a1", "10.244.0.5", "10.244.1.0/24")
	before := acl("before", nb.FromLport, nb.ActionAllow, 0, 1, `inport == @pg && tcp.dst == 7`)
	before.Options = nil
	r.group("pg", []string{one},
		acl("pass-db", nb.ToLport, nb.ActionPass, 1, 200, `outport == @pg && ((ip4.src == $a1)) && tcp && tcp.dst==5432`),
		acl("deny-db", nb.ToLport, nb.ActionDrop, 1, 100, `outport == @pg && ((ip4.src == $a1)) && tcp && tcp.dst==5432`),
		acl("allow-web", nb.ToLport, nb.ActionAllowRelated, 1, 150, `outport == @pg && ((ip4.src == $a1)) && tcp && tcp.dst=={80,443}`),
		acl("lower-web", nb.ToLport, nb.ActionDrop, 1, 149, `outport == @pg && ((ip4.src == $a1)) && tcp`),
		acl("baseline", nb.ToLport, nb.ActionDrop, 3, 1, `outport == @pg && ((ip4.src == $a1))`),
		acl("broken", nb.ToLport, nb.ActionDrop, 0, 1, `outport == @pg &&`),
		acl("no-set", nb.ToLport, nb.ActionDrop, 0, 1, `outport == @pg && ip4.src == $gone`),
		acl("whole-switch", nb.ToLport, nb.ActionDrop, 2, 5, `udp.dst == 53`),
		acl("either", nb.ToLport, nb.ActionDrop, 2, 4, `(outport == @pg || outport == @other) && udp.dst == 55`),
		acl("first-of-two", nb.ToLport, nb.ActionDrop, 2, 3, `outport == @pg && udp.dst == 56`),
		acl("second-of-two", nb.ToLport, nb.ActionAllow, 2, 3, `outport == @pg && udp.dst == 56`),
		before,
		acl("out", nb.FromLport, nb.ActionDrop, 1, 1, `inport == @pg && ip4`))
	r.group("empty", nil, acl("nowhere", nb.ToLport, nb.ActionDrop, 0, 99, `ip4`))
	r.group("other", []string{two}, acl("two-only", nb.ToLport, nb.ActionDrop, 2, 99, `outport == @other && tcp`))
	r.group("both", []string{two, three}, acl("on-both", nb.ToLport, nb.ActionDrop, 2, 1, `udp.dst == 57`))
	tr := NewTraffic(TrafficConfig{})
	z := verdict.NewZone("a", r.db(), &tr.matches, nil)
	packet := func(src string, out string, proto match.Proto, port uint16) walkStage {
		return walkStage{"a", out, nb.ToLport, match.Packet{InPort: "stor-a", OutPort: out, Src: netip.MustParseAddr(src), Dst: netip.MustParseAddr("10.244.0.9"),
			Proto: proto, SrcPort: 40000, DstPort: port}}
	}
	from := func(name model.Stage, in string, port uint16) walkStage {
		s := packet("10.244.0.5", "", match.TCP, port)
		s.logicalPort, s.name, s.packet.InPort = in, name, in
		return s
	}
	for what, c := range map[string]struct {
		s    walkStage
		want []string
	}{
		"allowed":                       {packet("10.244.0.5", "ns_one", match.TCP, 443), []string{"allow-web"}},
		"the lower one":                 {packet("10.244.1.7", "ns_one", match.TCP, 22), []string{"lower-web"}},
		"passed to baseline":            {packet("10.244.0.5", "ns_one", match.TCP, 5432), []string{"pass-db", "baseline"}},
		"not in the set":                {packet("10.244.0.6", "ns_one", match.TCP, 5432), nil},
		"another port group":            {packet("10.244.0.5", "ns_two", match.TCP, 80), []string{"two-only"}},
		"before load balancing":         {from(model.StageFromLport, "ns_one", 7), []string{"before"}},
		"after it":                      {from(model.StageAfterLB, "ns_one", 7), []string{"out"}},
		"another port's stage":          {from(model.StageAfterLB, "ns_two", 80), nil},
		"a row of the switch":           {packet("10.9.9.9", "ns_two", match.UDP, 9), []string{"on-the-switch"}},
		"not of another":                {packet("10.9.9.9", "ns_three", match.UDP, 9), nil},
		"a group's row for every port":  {packet("10.9.9.9", "ns_two", match.UDP, 53), []string{"whole-switch"}},
		"not on another switch":         {packet("10.9.9.9", "ns_three", match.UDP, 53), nil},
		"to one of two groups":          {packet("10.9.9.9", "ns_two", match.UDP, 55), []string{"either"}},
		"the lower of equals":           {packet("10.9.9.9", "ns_one", match.UDP, 56), []string{"first-of-two"}},
		"on the first switch of two":    {packet("10.9.9.9", "ns_one", match.UDP, 57), []string{"on-both"}},
		"on the second":                 {packet("10.9.9.9", "ns_three", match.UDP, 57), []string{"on-both"}},
		"a port that is on no switch":   {packet("10.9.9.9", "nowhere", match.UDP, 57), nil},
		"to the router, of this switch": {walkStage{"a", "ns_one", nb.ToLport, packet("10.9.9.9", "stor-a", match.UDP, 53).packet}, []string{"whole-switch"}},
	} {
		deciders, _ := z.WalkStage(c.s.name, c.s.logicalPort, c.s.packet)
		if d := cmp.Diff(c.want, names(deciders)); d != "" {
			t.Errorf("%s: %s", what, d)
		}
	}
	if n := tr.stats.unjudged.Load(); n > 0 {
		t.Errorf("%d matches could not be judged", n)
	}
}

func TestMeters(t *testing.T) {
	for _, fair := range []bool{true, false} {
		var r rowSet
		r.meter(20, fair)
		z := &verdict.Zone{Name: "a", DB: r.db()}
		m := meterBuckets{}
		one, two := &nb.ACL{UUID: "1", Meter: nb.LoggingMeter}, &nb.ACL{UUID: "2", Meter: nb.LoggingMeter}
		now := time.Unix(1000, 0)
		send := func(a *nb.ACL, n int) (passed int) {
			for range n {
				if m.allowsMessage(z, a, now) {
					passed++
				}
			}
			return passed
		}
		first, second := send(one, 100), send(two, 100)
		now = now.Add(500 * time.Millisecond)
		later := send(one, 100)
		want := [3]int{20, 20, 10}
		if !fair {
			want = [3]int{20, 0, 10}
		}
		if got := [3]int{first, second, later}; got != want {
			t.Errorf("fair %v: %v, want %v", fair, got, want)
		}
		if n := send(&nb.ACL{UUID: "3", Meter: "none"}, 100); n != 100 {
			t.Errorf("without a meter %d of 100", n)
		}
		now = now.Add(2 * time.Minute)
		m.dropFull(now)
		if len(m) != 0 {
			t.Errorf("kept %v", m)
		}
	}
}

func under(t *testing.T, namespace string, labels map[string]string) *model.Policy {
	t.Helper()
	sel, err := model.NewSelector(&metav1.LabelSelector{MatchLabels: labels})
	if err != nil {
		t.Fatal(err)
	}
	return &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: namespace, Name: "np"}},
		Subject: model.Subject{Namespace: namespace, Pods: sel}}
}

// A small cluster with traffic between two zones; the lines are those of rows
// that log, and the same for the same seed.
func TestTraffic(t *testing.T) {
	var objects []model.Object
	dbs := map[string]*nb.DB{}
	for n, zone := range []string{"a", "b"} {
		var r rowSet
		r.meter(20, true)
		var ports []string
		for i := range 4 {
			p := pod("ns", fmt.Sprintf("%s%d", zone, i), zone, fmt.Sprintf("10.244.%d.%d", n, i+5))
			p.Ports = []model.ContainerPort{{Protocol: "TCP", Port: 8080}}
			p.Labels = model.NewLabels(map[string]string{"app": fmt.Sprint(i)})
			objects = append(objects, p)
			ports = append(ports, r.port("ns_"+p.Name))
		}
		r.group("pg", ports,
			acl("in", nb.ToLport, nb.ActionAllowRelated, 1, 10, `outport == @pg && tcp && tcp.dst==8080`),
			acl("", nb.ToLport, nb.ActionDrop, 3, 10, `outport == @pg && udp`),
			acl("out", nb.FromLport, nb.ActionDrop, 1, 10, `inport == @pg && ip4.dst == 8.8.8.8`))
		dbs[zone] = r.db()
	}
	away := pod("ns", "unscheduled", "", "10.9.9.9")
	portless := pod("ns", "portless", "a", "10.9.9.8")
	objects = append(objects, away, portless, under(t, "ns", map[string]string{"app": "3"}), under(t, "elsewhere", nil),
		&model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: "a"}}, InternalIPs: []string{"172.18.0.2"}})
	c := cluster(objects...)

	run := func(rate float64) (lines []string, stats TrafficStats) {
		synctest.Test(t, func(t *testing.T) {
			tr := NewTraffic(TrafficConfig{Seed: 7, Rate: rate})
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			logged := make(chan LogLine)
			go tr.Run(ctx, func() (*model.Cluster, map[string]*nb.DB) { return c, dbs }, logged)
			for l := range logged {
				lines = append(lines, l.Zone+" "+l.Text)
			}
			stats = tr.Stats()
			held := uint64(0)
			for zone, db := range dbs {
				for a := range db.ACLs() {
					n, ok := tr.WithheldLines(zone, a.UUID)
					if !ok {
						t.Errorf("nobody counts what the meter of %q in %s withholds", a.Name, zone)
					}
					held += n
				}
			}
			if held != stats.Limited {
				t.Errorf("%d lines withheld, %d counted by ACL", stats.Limited, held)
			}
		})
		return lines, stats
	}
	lines, stats := run(0)
	if stats.Connections < 120 || stats.Connections > 200 || stats.Lines != uint64(len(lines)) || stats.Lines < 20 || stats.Dropped == 0 || stats.Unjudged != 0 || stats.Limited != 0 {
		t.Errorf("%+v", stats)
	}
	again, _ := run(0)
	if d := cmp.Diff(lines, again); d != "" {
		t.Error("the same seed gave another traffic:", d)
	}
	seen := map[string]int{}
	for _, line := range lines {
		l, err := acllog.Parse(line[2:])
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		seen[l.Name+" "+l.Verdict+" "+l.Direction+" "+l.Proto]++
		if slices.Contains([]string{"10.244.0.8", "10.244.1.8", "10.9.9.9", "10.9.9.8"}, l.Src.String()) ||
			slices.Contains([]string{"10.244.0.8", "10.244.1.8", "10.9.9.9", "10.9.9.8"}, l.Dst.String()) {
			t.Errorf("a pod that takes no part: %s", line)
		}
		// The subject's node writes the line.
		subject := l.Dst
		if l.Direction == nb.FromLport {
			subject = l.Src
		}
		if zone := map[byte]string{'0': "a", '1': "b"}[subject.String()[7]]; line[:1] != zone {
			t.Errorf("written by the wrong node: %s", line)
		}
	}
	for _, want := range []string{"in allow to-lport tcp", " drop to-lport udp", "out drop from-lport tcp"} {
		if seen[want] == 0 {
			t.Errorf("no line %q in %v", want, seen)
		}
	}
	// Ten times the meter's rate: the rest is withheld.
	lines, stats = run(2000)
	if stats.Limited == 0 || len(lines) > 2*3*20*11 {
		t.Errorf("%d lines, %+v", len(lines), stats)
	}
}

// Rows and pods that change are seen soon, and traffic can be switched off.
func TestTrafficFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r rowSet
		ports := []string{r.port("ns_x"), r.port("ns_y")}
		quiet := r.db()
		r.group("pg", ports, acl("all", nb.ToLport, nb.ActionAllowRelated, 1, 1, `outport == @pg && ip4`))
		loud := r.db()
		c := cluster(pod("ns", "x", "a", "10.0.0.1"), pod("ns", "y", "a", "10.0.0.2"))
		tr := NewTraffic(TrafficConfig{Rate: 100})
		began := time.Now()
		n := 0
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		logged := make(chan LogLine)
		go tr.Run(ctx, func() (*model.Cluster, map[string]*nb.DB) {
			switch at := time.Since(began); {
			case at < time.Second:
				return nil, nil
			case at < 2*time.Second:
				return c, map[string]*nb.DB{"a": quiet}
			}
			return c, map[string]*nb.DB{"a": loud}
		}, logged)
		for range logged {
			n++
			if n == 1 {
				if at := time.Since(began); at < 2*time.Second || at > 2500*time.Millisecond {
					t.Errorf("the first line came after %v", at)
				}
			}
			if n == 20 {
				tr.SetRate(0)
			}
		}
		if n < 20 || n > 30 {
			t.Errorf("%d lines", n)
		}
	})
}
