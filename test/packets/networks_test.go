package packets_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"rung/engine/trace"
	"rung/model"
	"rung/model/network"
	verdicts "rung/model/verdict"
	"rung/revision"
	"rung/sources/nbdb"
	"rung/sources/sandbox"
)

const (
	networkClusters      = 70
	shortNetworkClusters = 8
	soakNetworkClusters  = 700
)

// OVN delivers on networks besides the default one, and between them, what the policies say and what the
// rows say.
func TestNetworks(t *testing.T) {
	few := networkClusters
	if testing.Short() {
		few = shortNetworkClusters
	}
	seed, rounds := seeded(t, few, soakNetworkClusters)
	all := homes()
	var places []place
	for _, h := range all {
		places = append(places, h.place)
	}
	r := &run{t: t, w: startWith(t, places), kinds: map[string]int{}, verdict: map[string]int{}}
	r.putNetworks(drawNetworks(rand.New(rand.NewPCG(seed, 0)), all))
	began := time.Now()
	for n := range rounds {
		r.networkCluster(drawNetworks(rand.New(rand.NewPCG(seed, 9000+uint64(n))), all), all)
		if t.Failed() {
			t.Fatalf("in cluster %d of RUNG_SEED=%d", n, seed)
		}
	}
	t.Logf("%s: %d clusters with networks, %d connections, %s: %v", r.w.tools.Describe(), rounds, r.connections, time.Since(began).Round(time.Second), r.kinds)
	r.tally()
	for _, what := range slices.Sorted(maps.Keys(r.verdict)) {
		t.Logf("%6d %s", r.verdict[what], what)
	}
	if least := rounds * 3000 / networkClusters; r.verdict["all"] < least {
		t.Errorf("only %d verdicts were confirmed, want %d", r.verdict["all"], least)
	}
	if !testing.Short() && (r.kinds["EF"] == 0 || r.kinds["NP"] == 0 || r.kinds["ANP"] == 0) {
		t.Errorf("connections met %v", r.kinds)
	}
	for _, what := range []string{"layer3 allow", "layer3 deny", "layer2 allow", "layer2 deny", "secondary layer3 allow", "secondary layer3 deny",
		"secondary layer2 allow", "secondary layer2 deny", "secondary localnet allow", "secondary localnet deny", "reply lost", "apart deny", "pod to pod", "pod to outside", "outside to pod", "node to pod", "pod to node",
		"over the default network", "from network to network"} {
		if r.verdict[what] < rounds/4 {
			t.Errorf("only %d are %s", r.verdict[what], what)
		}
	}
}

// putNetworks writes what OVN-Kubernetes has of the networks besides policies.
func (r *run) putNetworks(d *drawn) {
	cluster, _ := (*model.Cluster)(nil).Upsert(d.objects, nil)
	err := r.w.each(func(n *node) error {
		db, err := nbdb.Dial(nbdb.Config{Addr: n.NB(), AnyName: true}).Read(r.t.Context())
		if err != nil {
			return err
		}
		standing := &sandbox.ClusterNetworks{Cluster: cluster, Table: network.NewTable(cluster)}
		if err := n.Transact(r.t.Context(), standing.In(n.Name(), cluster.Node(n.Name()).MgmtIPs, true).Ops(db)...); err != nil {
			return fmt.Errorf("writing the networks of zone %s: %w", n.Name(), err)
		}
		if db, err = nbdb.Dial(nbdb.Config{Addr: n.NB(), AnyName: true}).Read(r.t.Context()); err != nil {
			return err
		}
		again := standing.In(n.Name(), cluster.Node(n.Name()).MgmtIPs, true).Ops(db)
		if len(again) > 0 {
			return fmt.Errorf("%d operations are left: %+v", len(again), again)
		}
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// networkCluster tries the connections of one cluster.
func (r *run) networkCluster(d *drawn, all []*home) {
	r.put(d)
	var trials []*networkTrial
	var plain []*trial
	for i := range perCluster * 2 {
		if t, ok := d.networkTrial(r.w, all, uint16(20000+i)); ok && len(trials) < perCluster {
			trials, plain = append(trials, t), append(plain, &t.trial)
		}
	}
	r.try(d, plain)
	r.replies(trials)
	states := []*model.ZoneState{}
	for _, name := range zoneNames {
		states = append(states, r.w.zones[name].rec.State())
	}
	rev := revision.New(revision.Facts{Number: 1, Cluster: r.w.cluster, Desired: r.w.desired, Loaded: true, Zones: states}, nil)
	var asks trace.Tracer
	for _, t := range trials {
		if t.tied {
			continue
		}
		r.confirmNetwork(d, rev, &asks, t, trace.Policies)
		if !t.never { // of ends that do not reach each other no row is asked: try judged each port
			r.confirmNetwork(d, rev, &asks, t, trace.Rows)
		}
	}
}

// confirmNetwork holds what policies or rows say of a connection against what became of its packet.
func (r *run) confirmNetwork(d *drawn, rev *revision.Revision, asks *trace.Tracer, t *networkTrial, by trace.AnsweredBy) {
	a, err := asks.Ask(rev, t.asked, by, true, time.Now())
	if err != nil {
		r.t.Fatalf("%s: %v", t, err)
	}
	want := verdicts.Deny
	switch {
	case !t.delivered():
	case !t.lost:
		want = verdicts.Allow
	case t.asked.Network == "":
		if !d.stateless(t.asked.From.Key.Namespace) && !d.stateless(t.asked.To.Key.Namespace) { // else a verdict is of the first packet
			r.t.Errorf("%s: the reply was lost\n%s", t, r.dump(d, t.legs[0].zone))
		}
		return
	case by == trace.Policies:
		r.verdict["reply lost"]++
		r.verdict["reply lost on "+t.asked.Network]++
	}
	switch {
	case a.Verdict == verdicts.Undefined:
		r.verdict["undefined"]++
	case a.Verdict != want:
		r.verdict["disagree"]++
		r.t.Errorf("%s: %s by %v (%s), and the packet says %s\n%+v\n%s", t, a.Verdict, by, a.Reason, want, a.Answer.Paths, r.dump(d, t.legs[0].zone))
	case by == trace.Policies:
		r.verdict["all"]++
		r.verdict[string(want)]++
		r.verdict[t.family+" "+string(want)]++
		r.verdict[t.what]++
		if t.what == "pod to pod of another node" {
			r.verdict["pod to pod"]++
		}
	default:
		r.verdict["by rows"]++
	}
}
