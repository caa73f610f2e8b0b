package packets_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rung/change"
	"rung/change/guard"
	"rung/compiler"
	"rung/model"
	verdicts "rung/model/verdict"
	"rung/revision"
	"rung/sources/sandbox"
	"rung/system"
	"rung/test/lab"
)

const (
	railChanges      = 200
	shortRailChanges = 12
	soakRailChanges  = 2000
)

// A change of policies on networks meets the rail of openings whenever packets show one between namespaces or with
// addresses outside. What opens by the verdicts that rails go by is an opening by packets, too; replies count.
func TestNetworkRails(t *testing.T) {
	few := railChanges
	if testing.Short() {
		few = shortRailChanges
	}
	seed, changes := seeded(t, few, soakRailChanges)
	all := homes()
	var places []place
	for _, h := range all {
		places = append(places, h.place)
	}
	r := &run{t: t, w: startWith(t, places), kinds: map[string]int{}, verdict: map[string]int{}}
	d := drawNetworks(rand.New(rand.NewPCG(seed, 0)), all)
	d.options.Stateless = false // a verdict is of the first packet there
	isPolicy := func(o model.Object) bool { _, is := o.(*model.Policy); return is }
	base := slices.DeleteFunc(slices.Clone(d.objects), isPolicy)
	d.objects = base
	r.putNetworks(d)
	r.put(d)
	var drawn []*networkTrial
	for i := range 8000 {
		q, ok := d.networkTrial(r.w, all, uint16(20000+i))
		if ok && !q.never && q.asked.From.Key.Namespace != q.asked.To.Key.Namespace && len(drawn) < 100 {
			drawn = append(drawn, q)
		}
	}
	policies := map[model.Key]*model.Policy{}
	var before, examples []*networkTrial
	opened, examined := 0, 0
	for n := range 6 { // to begin with
		policies, _ = d.change(policies, 1000+n)
	}
	for _, p := range policies {
		d.objects = append(slices.Clone(d.objects), p)
	}
	r.put(d)
	for n := range changes {
		next, one := d.change(policies, n)
		objects := slices.Clone(base)
		for _, p := range next {
			objects = append(objects, p)
		}
		was, is := r.revisionOf(d.objects, d.options), r.revisionOf(objects, d.options)
		diff, rails, err := guard.JudgeChanges(t.Context(), was, is, []change.ObjectChange{one}, guard.ClusterFacts{})
		if err != nil {
			t.Fatal(err)
		}
		railed := slices.ContainsFunc(rails, func(g change.Guard) bool { return g.Code == guard.Opens })
		examples = examples[:0]
		for i := range diff.Flips {
			if f := &diff.Flips[i]; f.Before == verdicts.Deny && f.After == verdicts.Allow {
				if e := r.exampleTrial(f.Example, all, uint16(40000+i)); e != nil {
					examples = append(examples, e)
				}
			}
		}
		if len(diff.Flips) == 0 && railed {
			t.Errorf("change %d of RUNG_SEED=%d, %s: a rail, and no verdict changes: %+v", n, seed, one.Key, rails)
		}
		if before == nil {
			before = r.state(d, drawn)
		}
		closed := r.state(d, examples)
		d.objects, policies = objects, next
		r.put(d)
		after, open := r.state(d, drawn), r.state(d, examples)
		for i := range after {
			if !before[i].tied && !after[i].tied && !before[i].works() && after[i].works() {
				opened++
				if !railed {
					t.Errorf("change %d of RUNG_SEED=%d, %s: packets of %s get through now, and no rail says so: %+v", n, seed, one.Key, after[i], rails)
				}
			}
		}
		for i := range open {
			examined++
			if closed[i].works() || !open[i].works() {
				t.Errorf("change %d of RUNG_SEED=%d, %s: %s is to open: before %v, after %v by packets", n, seed, one.Key, open[i], closed[i].works(), open[i].works())
			}
		}
		if t.Failed() {
			t.FailNow()
		}
		before = after
	}
	t.Logf("%d changes: packets opened %d times, %d verdicts that open", changes, opened, examined)
	if opened == 0 || examined == 0 {
		t.Errorf("too few openings")
	}
}

// works reports whether the packet and its reply were delivered.
func (t *networkTrial) works() bool { return t.delivered() && !t.lost }

// state tries connections as the cluster is now.
func (r *run) state(d *drawn, trials []*networkTrial) (out []*networkTrial) {
	var plain []*trial
	for _, t := range trials {
		again := *t
		again.at, again.over, again.tied, again.lost = 0, false, false, false
		out = append(out, &again)
		plain = append(plain, &again.trial)
	}
	if err := r.w.each(func(n *node) error { return lab.FlushConntrack(r.t.Context(), n.Zone) }); err != nil {
		r.t.Fatal(err)
	}
	r.try(d, plain)
	r.replies(out)
	return out
}

func (r *run) revisionOf(objects []model.Object, o compiler.Options) *revision.Revision {
	cluster, _ := (*model.Cluster)(nil).Upsert(objects, nil)
	return revision.New(revision.Facts{Number: 1, Cluster: cluster, Desired: compiler.Compile(cluster, o), Loaded: true, System: system.OVN}, nil)
}

// change draws a change of one policy on a network: a new one, another in its place, or none.
func (d *drawn) change(policies map[model.Key]*model.Policy, n int) (map[model.Key]*model.Policy, change.ObjectChange) {
	next := map[model.Key]*model.Policy{}
	var keys []model.Key
	for k, p := range policies {
		next[k], keys = p, append(keys, k)
	}
	slices.SortFunc(keys, model.Key.Compare)
	if len(keys) > 2 && d.one(2) || len(keys) > 8 {
		k := keys[d.r.IntN(len(keys))]
		delete(next, k)
		return next, change.ObjectChange{Key: k, Old: policies[k]}
	}
	d.spaces = []string{"plain1", "plain2"}
	name := fmt.Sprint("p", n)
	var p *model.Policy
	if d.one(4) {
		d.spaces = []string{"blue", "green1", "green2", "red"}
		p = d.networkPolicy(name)
		p.Annotations = nil
	} else {
		p = d.multiNetworkPolicy(name)
	}
	if len(keys) > 0 && d.one(2) {
		k := keys[d.r.IntN(len(keys))]
		if k.Kind == p.Kind && k.Namespace == p.Namespace {
			p.Name = k.Name
		}
	}
	next[p.Key] = p
	return next, change.ObjectChange{Key: p.Key, Old: policies[p.Key], New: p}
}

// exampleTrial makes a trial of a connection between two pods; nil if an end is an address, or if the lab has no way
// between them.
func (r *run) exampleTrial(q verdicts.Connection, all []*home, srcPort uint16) *networkTrial {
	find := func(e verdicts.Endpoint) (p place) {
		for _, h := range all {
			if h.namespace == e.Key.Namespace && h.name == e.Key.Name {
				return h.on[q.Network]
			}
		}
		return p
	}
	from, to := find(q.From), find(q.To)
	if from.lport == "" || to.lport == "" {
		return nil
	}
	n := r.w.desired.Networks().Network(q.Network)
	t := &networkTrial{family: string(n.Topology), trial: trial{what: "example", asked: q, packet: sandbox.Packet{Src: from.v4, Dst: to.v4, Proto: protoNumbers[q.Protocol], SrcPort: srcPort, DstPort: q.Port}}}
	if q.Family == verdicts.IPv6 {
		t.packet.Src, t.packet.Dst = from.v6, to.v6
	}
	t.legs = podLegs(n, from, to)
	if t.legs == nil {
		return nil
	}
	return t
}

var protoNumbers = map[verdicts.Protocol]sandbox.PacketProto{verdicts.TCP: sandbox.TCP, verdicts.UDP: sandbox.UDP, verdicts.SCTP: sandbox.SCTP, verdicts.ICMP: sandbox.ICMP}
