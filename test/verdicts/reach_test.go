package verdicts

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"testing"

	"rung/compiler"
	"rung/model"
	"rung/model/verdict"
	"rung/revision"
)

// twoRevisions draws two states of a cluster: other policies, and pods that came, went and got
// other labels. Pods of both have the same place in both.
func (w *world) twoRevisions(tb testing.TB) (before, after *revision.Revision) {
	c, o := w.cluster()
	next, _ := w.cluster()
	var mine, theirs []model.Object
	for p := range c.Pods() {
		q := *p
		if !q.HostNetwork && (q.NodeName == "" || len(q.IPs) == 0) { // an address that is assumed may be another on each side
			q.NodeName, q.IPs = "n1", []string{fmt.Sprintf("10.1.2.%d", len(mine)+1)}
		}
		q.Workload = "job/" + q.Name
		if w.odds(2) {
			q.Workload = "deployment/" + w.pick("web", "db")
		}
		if w.odds(5) && q.CanBePeer() && q.PrimaryUDN() == "" {
			q.Planned, q.Phase = &model.PlannedPod{Node: q.NodeName}, "Pending"
		}
		mine = append(mine, &q)
		r := q
		switch w.r.IntN(6) {
		case 0:
			continue
		case 1:
			r.Labels = model.NewLabels(map[string]string{"app": w.pick("x", "y"), "tier": "1"})
		}
		theirs = append(theirs, &r)
	}
	for i := range w.r.IntN(4) {
		p := *theirs[w.r.IntN(len(theirs))].(*model.Pod)
		p.Name, p.IPs = fmt.Sprintf("new%d", i), []string{fmt.Sprintf("10.1.1.%d", i+1)}
		if p.CanBePeer() {
			theirs = append(theirs, &p)
		}
	}
	clusters := []*model.Cluster{c, next}
	for i, pods := range [][]model.Object{mine, theirs} {
		var gone []model.Key
		for p := range clusters[i].Pods() {
			gone = append(gone, p.Key)
		}
		clusters[i], _ = clusters[i].Upsert(pods, gone)
	}
	o.Defaults, o.Multicast = compiler.On, compiler.Off
	make := func(c *model.Cluster) *revision.Revision {
		return revision.New(revision.Facts{Cluster: c, Desired: compiler.Compile(c, o)}, nil)
	}
	return make(clusters[0]), make(clusters[1])
}

// byWorkload is what becomes of connections between two workloads, or a workload and an address, at
// a port: asked pod by pod.
func byWorkload(tb testing.TB, r *revision.Revision, from, to []verdict.Endpoint, proto verdict.Protocol, port uint16) (all verdict.Outcome) {
	for _, a := range from {
		for _, b := range to {
			if a == b {
				continue
			}
			for _, family := range []verdict.Family{verdict.IPv4, verdict.IPv6} {
				if !ofFamily(r, a, family) || !ofFamily(r, b, family) {
					continue
				}
				answer, err := verdict.FromPolicies(r.Verdicts(), verdict.Connection{From: a, To: b, Protocol: proto, Port: port, Family: family})
				if err != nil {
					tb.Fatal(err)
				}
				all |= verdict.NewOutcome(answer.Verdict)
			}
		}
	}
	return all
}

func ofFamily(r *revision.Revision, e verdict.Endpoint, f verdict.Family) bool {
	if e.Addr.IsValid() {
		return verdict.AddrFamily(e.Addr) == f
	}
	p := r.JudgedCluster().Pod(e.Key.Namespace, e.Key.Name)
	return slices.ContainsFunc(p.IPs, func(ip string) bool { return verdict.AddrFamily(netip.MustParseAddr(ip)) == f })
}

// workloadEnds are the pods of each workload that policies are asked about, by its name.
func workloadEnds(r *revision.Revision) map[string][]verdict.Endpoint {
	out := map[string][]verdict.Endpoint{}
	for p := range r.JudgedCluster().Pods() {
		if p.CanBePeer() && p.PrimaryUDN() == "" {
			name := p.Namespace + "/" + p.Workload
			out[name] = append(out[name], verdict.Endpoint{Key: p.Key})
		}
	}
	return out
}

// outsideAddrs are addresses at the borders of the networks that policies name, of no pod, node or
// Service.
func outsideAddrs(clusters ...*model.Cluster) (out []netip.Addr) {
	taken := map[netip.Addr]bool{}
	add := func(a netip.Addr) {
		if a.IsValid() && !taken[a] && !a.IsMulticast() && !a.IsUnspecified() {
			taken[a] = true
			out = append(out, a)
		}
	}
	for _, c := range clusters {
		for p := range c.Pods() {
			for _, ip := range p.IPs {
				taken[netip.MustParseAddr(ip)] = true
			}
		}
		for n := range c.Nodes() {
			for _, ip := range slices.Concat(n.HostIPs, n.InternalIPs, n.MgmtIPs, n.GatewayIPs) {
				taken[netip.MustParseAddr(ip)] = true
			}
		}
	}
	for _, text := range []string{"8.8.8.8", "10.1.0.0/30", "10.0.0.0/8", "192.0.2.0/24", "192.0.2.9", "172.18.0.0/16", "2001:4860::1", "fd00::/125", "2001:db8::/32", "2001:db8::9"} {
		if a, err := netip.ParseAddr(text); err == nil {
			add(a)
			continue
		}
		n := netip.MustParsePrefix(text)
		add(n.Addr().Prev())
		add(n.Addr().Next())
		last := n.Addr().AsSlice()
		for i := range last {
			for bit := range 8 {
				if i*8+bit >= n.Bits() {
					last[i] |= 1 << (7 - bit)
				}
			}
		}
		a, _ := netip.AddrFromSlice(last)
		add(a.Prev())
		add(a.Next())
	}
	return out
}

// borderPorts are the ports at which any rule of the worlds begins or ends, and those beside them.
var borderPorts = []struct {
	proto verdict.Protocol
	ports []uint16
}{{verdict.TCP, []uint16{1, 78, 79, 80, 81, 82, 83, 84, 85, 65535}}, {verdict.UDP, []uint16{79, 80, 81, 82, 83, 84}}, {verdict.SCTP, []uint16{80, 82, 84}}, {verdict.ICMP, []uint16{0}}}

// wantedChange is what becomes of connections by the verdicts of both sides.
func wantedChange(was, is verdict.Outcome) revision.ChangeKind {
	a, b := was&verdict.Allowed != 0, is&verdict.Allowed != 0
	switch {
	case was == is:
		return ""
	case !a && b, a && b && is == verdict.Allowed:
		return revision.Opens
	case a && !b, a && b && was == verdict.Allowed:
		return revision.Closes
	case was != 0 && is != 0:
		return revision.Differs
	}
	return ""
}

// changeAt is the kind of the change that the list tells of a connection, empty for none.
func changeAt(tb testing.TB, c *revision.Changes, from, to string, addr netip.Addr, proto verdict.Protocol, port uint16) (kind revision.ChangeKind) {
	is := func(e *revision.End, name string) bool {
		if name != "" {
			return e.String() == name
		}
		return e.IsOutside() && (&verdict.Ends{Outside: e.Outside, Except: e.Except}).HasOutside(addr)
	}
	for i := range c.List {
		x := &c.List[i]
		if x.Kind == revision.Decided || !is(&x.From, from) || !is(&x.To, to) {
			continue
		}
		for _, p := range x.Ports {
			if p.Protocol == proto && p.Lo <= port && port <= p.Hi {
				if kind != "" {
					tb.Errorf("%s → %s %s %d is told of twice", from, to, proto, port)
				}
				kind = x.Kind
			}
		}
	}
	return kind
}

// TestReachIsEveryVerdict holds reach.Compare against every pair of pods: of each two workloads, and
// of each workload and the addresses at the borders of networks, at the borders of ports.
func TestReachIsEveryVerdict(t *testing.T) {
	n := map[revision.ChangeKind]int{}
	for seed := range draws(60, 500) {
		w := newWorld(uint64(seed) + 77000)
		before, after := w.twoRevisions(t)
		got, err := revision.Compare(t.Context(), before, after)
		if err != nil {
			t.Fatal(err)
		}
		back, err := revision.Compare(t.Context(), after, before)
		if err != nil {
			t.Fatal(err)
		}
		if same, err := revision.Compare(t.Context(), after, after); err != nil {
			t.Fatal(err)
		} else if len(same.List) > 0 {
			t.Fatalf("seed %d: a revision differs from itself: %+v", seed, same.List[0])
		}
		checkMirror(t, got, back)
		checkReach(t, seed, got, before, after, n)
		checkExamples(t, seed, before, after, got)
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Log(n)
	for _, kind := range []revision.ChangeKind{revision.Opens, revision.Closes, revision.Differs, ""} {
		if n[kind] < 20 {
			t.Errorf("%q: only %d", kind, n[kind])
		}
	}
}

// checkReach holds changes against every pair of pods of two revisions, and of pods and addresses outside,
// at the borders of ports, and counts the kinds there are.
func checkReach(t *testing.T, seed int, got *revision.Changes, before, after *revision.Revision, n map[revision.ChangeKind]int) {
	t.Helper()
	mine, theirs := workloadEnds(before), workloadEnds(after)
	names := slices.Collect(maps.Keys(mine))
	for name := range theirs {
		if mine[name] == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	check := func(from, to string, addr netip.Addr) {
		ends := func(of map[string][]verdict.Endpoint, name string) []verdict.Endpoint {
			if name == "" {
				return []verdict.Endpoint{verdict.AddrEnd(addr)}
			}
			return of[name]
		}
		for _, a := range borderPorts {
			for _, port := range a.ports {
				was := byWorkload(t, before, ends(mine, from), ends(mine, to), a.proto, port)
				is := byWorkload(t, after, ends(theirs, from), ends(theirs, to), a.proto, port)
				want := wantedChange(was, is)
				n[want]++
				if kind := changeAt(t, got, from, to, addr, a.proto, port); kind != want {
					t.Errorf("seed %d: %s → %s (%s) %s %d: %q, want %q: %b to %b", seed, from, to, addr, a.proto, port, kind, want, was, is)
				}
			}
		}
	}
	for _, from := range names {
		for _, to := range names {
			check(from, to, netip.Addr{})
		}
		for _, addr := range outsideAddrs(before.Cluster, after.Cluster) {
			check(from, "", addr)
			check("", from, addr)
		}
	}
}

// checkMirror: what opens closes on the way back, by the same ends and ports.
func checkMirror(t *testing.T, there, back *revision.Changes) {
	t.Helper()
	mirrored := map[revision.ChangeKind]revision.ChangeKind{revision.Opens: revision.Closes, revision.Closes: revision.Opens, revision.Differs: revision.Differs, revision.Decided: revision.Decided}
	texts := func(c *revision.Changes, kinds map[revision.ChangeKind]revision.ChangeKind) (out []string) {
		for i := range c.List {
			x := &c.List[i]
			kind := x.Kind
			if kinds != nil {
				kind = kinds[kind]
			}
			out = append(out, fmt.Sprint(kind, x.From.String(), x.To.String(), x.Ports))
		}
		slices.Sort(out)
		return out
	}
	if a, b := texts(there, nil), texts(back, mirrored); !slices.Equal(a, b) {
		t.Errorf("%v\nis not the mirror of\n%v", a, b)
	}
}

// checkExamples asks each example of the side that has it.
func checkExamples(t *testing.T, seed int, before, after *revision.Revision, got *revision.Changes) {
	t.Helper()
	for i := range got.List {
		c := &got.List[i]
		r, want := after, c.After
		if c.IsGone() {
			r, want = before, c.Before
		}
		e := c.Example()
		a, err := verdict.FromPolicies(r.Verdicts(), e)
		if err != nil || verdict.NewOutcome(a.Verdict)&want == 0 {
			t.Errorf("seed %d: %s %s → %s: the example %v is %s, %v; want %b", seed, c.Kind, c.From.String(), c.To.String(), e, a.Verdict, err, want)
		}
	}
}
