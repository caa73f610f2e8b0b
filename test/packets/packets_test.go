package packets_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/sources/sandbox"
	"rung/test/install"
	"rung/test/lab"
)

const (
	clusters     = 100
	soakClusters = 1000
	perCluster   = 52 // connections
)

// OVN delivers exactly what the rows that Rung writes let through, and logs the ACLs
// that decided.
func TestPacketsAgree(t *testing.T) {
	seed, rounds := seeded(t, clusters, soakClusters)
	r := newRun(t)
	began := time.Now()
	for n := range rounds {
		r.cluster(draw(rand.New(rand.NewPCG(seed, uint64(n)))))
		if t.Failed() {
			t.Fatalf("in cluster %d of RUNG_SEED=%d", n, seed)
		}
	}
	t.Logf("%s: %d clusters, %d connections, %d delivered, %d log lines, %d ties left out, %s: %v", r.w.tools.Describe(), rounds,
		r.connections, r.delivered, r.lines, r.ties, time.Since(began).Round(time.Second), r.kinds)
	r.confirmed()
	if r.connections < rounds*perCluster*9/10 || r.delivered == 0 || r.delivered == r.connections {
		t.Errorf("only %d connections, %d delivered", r.connections, r.delivered)
	}
	for _, kind := range []string{"ANP", "BANP", "NP", "EF", "drop", "allow", "pass", "multicast", "IPv4", "IPv6", "tcp", "udp", "sctp", "icmp", "icmp6"} {
		if r.kinds[kind] == 0 {
			t.Errorf("no connection met %s", kind)
		}
	}
}

// seeded is what clusters are drawn from, and how many: by default always the same few, for a
// soak many that nobody drew before.
func seeded(t *testing.T, few, many int) (seed uint64, rounds int) {
	t.Helper()
	seed, rounds = 1, few
	if os.Getenv(install.SoakVar) == "1" {
		seed, rounds = uint64(time.Now().UnixNano()), many
	}
	seed = seedOr(t, seed)
	t.Logf("RUNG_SEED=%d", seed)
	return seed, rounds
}

// seedOr is the seed that RUNG_SEED gives, or another.
func seedOr(t *testing.T, other uint64) uint64 {
	t.Helper()
	s := os.Getenv("RUNG_SEED")
	if s == "" {
		return other
	}
	seed, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return seed
}

// run counts what was tried.
type run struct {
	t                                   *testing.T
	w                                   *world
	mu                                  sync.Mutex // while zones send side by side
	connections, delivered, lines, ties int
	kinds                               map[string]int // what connections met
	verdict                             map[string]int // verdicts from policies that packets confirmed
	// other is what policies other than those that put compiled make of connections, where
	// packets are held against them: the rows were made of what those became.
	other func() *verdict.Index
}

func newRun(t *testing.T) *run {
	return &run{t: t, w: start(t), kinds: map[string]int{}, verdict: map[string]int{}}
}

// cluster tries the connections of one cluster.
func (r *run) cluster(d *drawn) {
	r.put(d)
	var trials []*trial
	for i := range perCluster {
		if t, ok := d.trial(r.w, uint16(20000+i)); ok && (d.only == nil || d.only(t)) {
			trials = append(trials, t)
		}
	}
	r.try(d, trials)
	r.verdicts(d, trials)
}

// put has the rows of a cluster written, with no connection known from before.
func (r *run) put(d *drawn) {
	ctx := r.t.Context()
	if err := r.w.put(ctx, d.objects, d.options); err != nil {
		r.t.Fatalf("%v\n%s", err, d.describe())
	}
	if err := r.w.each(func(n *node) error { return lab.FlushConntrack(ctx, n.Zone) }); err != nil {
		r.t.Fatal(err)
	}
}

// try puts in the packets of trials, and holds where they come out and what is logged against the rows.
func (r *run) try(d *drawn, trials []*trial) {
	judges, want := map[string]*judge{}, map[string]map[tuple][][]string{}
	for name, n := range r.w.zones {
		judges[name], want[name] = newJudge(name, n.rec.State().DB), map[tuple][][]string{}
	}
	for r.round(d, trials, judges, want) {
	}
	for _, t := range trials {
		r.connections++
		if t.at == len(t.legs) {
			r.delivered++
		}
		family := "IPv6"
		if t.packet.Src.Is4() {
			family = "IPv4"
		}
		r.kinds[family]++
		r.kinds[string(protoOf(t.packet))]++
		if strings.HasPrefix(t.what, "multicast") {
			r.kinds["multicast"]++
		}
	}
	for name, n := range r.w.zones {
		got, err := n.logged()
		if err != nil {
			r.t.Fatal(err)
		}
		r.compareLines(d, name, trials, got, want[name])
	}
}

// round puts in the next packet of every trial that has one, and says whether there
// was any.
func (r *run) round(d *drawn, trials []*trial, judges map[string]*judge, want map[string]map[tuple][][]string) bool {
	batch := map[string][]*trial{}
	for _, t := range trials {
		if !t.over && t.at < len(t.legs) {
			zone := t.legs[t.at].zone
			batch[zone] = append(batch[zone], t)
		}
	}
	err := r.w.each(func(n *node) error {
		var packets []sandbox.Packet
		for _, t := range batch[n.Name()] {
			p := t.packet
			p.EntryPort = t.legs[t.at].in
			packets = append(packets, p)
		}
		out, err := lab.SendLogged(r.t.Context(), n.Zone, packets)
		for i := range out {
			batch[n.Name()][i].seen = out[i]
		}
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	for zone, list := range batch {
		for _, t := range list {
			l := &t.legs[t.at]
			e := t.expect(judges[zone], l)
			r.count(e)
			if e.unjudged > 0 {
				r.t.Errorf("%s in zone %s: %d rows could not be judged\n%s", t, zone, e.unjudged, r.dump(d, zone))
			}
			t.tied = e.tied
			t.over = e.tied
			if t.over {
				r.ties++
				want[zone][t.tuple()] = append(want[zone][t.tuple()], nil) // its lines are anybody's
				continue
			}
			for _, m := range e.met {
				want[zone][t.tuple()] = append(want[zone][t.tuple()], lines(m))
			}
			if !slices.Equal(e.at, t.seen.Ports) {
				p := t.packet
				p.EntryPort = l.in
				_, trace, err := r.w.zones[zone].Trace(context.Background(), p, sandbox.StateFirst)
				r.t.Errorf("%s, in zone %s at %s: came out at %q, want %q: the rows have it meet %s\n%s\n%s%v",
					t, zone, l.in, t.seen.Ports, e.at, names(e.met), r.dump(d, zone), trace, err)
				t.over = true
				continue
			}
			t.over = len(e.at) == 0
			if !t.over {
				t.at++
			}
		}
	}
	return len(batch) > 0
}

func (r *run) count(e expected) {
	for _, m := range e.met {
		r.kinds[verdictOfACL(m.acl)]++
		switch nb.ParseOwner(nb.TableACL, m.acl.ExternalIDs).Type {
		case nb.OwnerANP:
			r.kinds["ANP"]++
		case nb.OwnerBANP:
			r.kinds["BANP"]++
		case nb.OwnerCNP:
			r.kinds[fmt.Sprint("CNP in tier ", m.acl.Tier)]++
		case nb.OwnerNetworkPolicy, nb.OwnerNetpolNamespace:
			r.kinds["NP"]++
		case nb.OwnerEgressFirewall:
			r.kinds["EF"]++
		}
	}
}

// compareLines holds a zone's log lines against the rows that decided.
func (r *run) compareLines(d *drawn, zone string, trials []*trial, lines []logline.Line, want map[tuple][][]string) {
	r.lines += len(lines)
	got := map[tuple][]string{}
	for _, l := range lines {
		k := tuple{l.Proto, l.Src, l.Dst, l.SrcPort, l.DstPort}
		got[k] = append(got[k], lineOf(l))
		if want[k] == nil {
			r.t.Errorf("zone %s logged what met no row: %s\n%s", zone, l.Raw, r.dump(d, zone))
		}
	}
	for k, sets := range want {
		if slices.ContainsFunc(sets, func(s []string) bool { return s == nil }) {
			continue
		}
		if !fits(got[k], sets) {
			var what []string
			for _, t := range trials {
				if t.tuple() == k {
					what = append(what, t.String())
				}
			}
			r.t.Errorf("%s, in zone %s: logged %q, want one of each of %q\n%s", strings.Join(what, "; "), zone, got[k], sets, r.dump(d, zone))
		}
	}
}

// fits says whether lines are one of each set, where "" is none. Sets of one come
// first, so that what is left is whoever's it may be.
func fits(got []string, sets [][]string) bool {
	got, sets = slices.Clone(got), slices.Clone(sets)
	slices.SortStableFunc(sets, func(a, b []string) int { return cmp.Compare(len(a), len(b)) })
	for _, s := range sets {
		i := slices.IndexFunc(got, func(g string) bool { return slices.Contains(s, g) })
		switch {
		case i >= 0:
			got = slices.Delete(got, i, i+1)
		case !slices.Contains(s, ""):
			return false
		}
	}
	return len(got) == 0
}

func names(met []decision) string {
	var out []string
	for _, m := range met {
		out = append(out, fmt.Sprintf("%s (%s, tier %d, %d)", m.acl.ExternalIDs[nb.KeyID], m.acl.Action, m.acl.Tier, m.acl.Priority))
	}
	return strings.Join(out, ", then ")
}

// dump is the cluster and a zone's rows.
func (r *run) dump(d *drawn, zone string) string {
	db := r.w.zones[zone].rec.State().DB
	var out []string
	for a := range db.ACLs() {
		out = append(out, fmt.Sprintf("acl tier=%d %05d %s %v %s log=%v %q %s: %s", a.Tier, a.Priority, a.Direction, a.Options, a.Action, a.Log, a.Name, a.ExternalIDs[nb.KeyID], a.Match))
	}
	for s := range db.AddressSets() {
		out = append(out, fmt.Sprintf("set %s %s: %s", s.Name, s.ExternalIDs[nb.KeyID], strings.Join(s.Addresses, " ")))
	}
	for g := range db.PortGroups() {
		var ports []string
		for _, id := range g.Ports {
			if p := db.Port(id); p != nil {
				ports = append(ports, p.Name)
			}
		}
		out = append(out, fmt.Sprintf("group %s %s: %s", g.Name, g.ExternalIDs[nb.KeyID], strings.Join(ports, " ")))
	}
	slices.Sort(out)
	return fmt.Sprintf("%s%+v\n%s\n", d.describe(), d.options, strings.Join(out, "\n"))
}
