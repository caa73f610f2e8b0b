package compiler

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/selectors"
)

// follower keeps rows by following deltas alone, as a reconciler does.
type follower struct {
	sets  map[model.PolicyKey]map[string]map[string]bool // id → members
	ports map[string]map[string]bool                     // unit@zone → ports
	acls  map[string][]*nb.ACL                           // unit@zone
}

func newFollower() *follower {
	return &follower{sets: map[model.PolicyKey]map[string]map[string]bool{}, ports: map[string]map[string]bool{}, acls: map[string][]*nb.ACL{}}
}

func (f *follower) follow(d *Desired, delta *Delta) error {
	again := map[model.PolicyKey]bool{}
	for k := range delta.Policies {
		again[k] = true
	}
	if delta.Everything {
		for c := range d.Policies() {
			again[c.Key] = true
		}
	}
	for k := range again {
		delete(f.sets, k)
		for _, z := range zones {
			delete(f.ports, k.String()+"@"+z)
			delete(f.acls, k.String()+"@"+z)
		}
		c := d.Policy(k)
		if c == nil || c.WhyNoRows != nil {
			continue
		}
		f.sets[k] = map[string]map[string]bool{}
		for _, s := range c.Sets {
			f.sets[k][s.ID()] = setOf(d.SetMembers(s))
		}
		for _, z := range zones {
			f.ports[k.String()+"@"+z] = setOf(d.LogicalPorts(c, z, nil))
			f.acls[k.String()+"@"+z] = d.ACLs(c, z, nil)
		}
	}
	step := func(what string, in map[string]bool, add, remove []string) error {
		for _, a := range add {
			if in[a] {
				return fmt.Errorf("%s: %s added but already there", what, a)
			}
			in[a] = true
		}
		for _, a := range remove {
			if !in[a] {
				return fmt.Errorf("%s: %s removed but not there", what, a)
			}
			delete(in, a)
		}
		return nil
	}
	for _, m := range delta.Members {
		if !again[m.Set.Policy] {
			if err := step("set "+m.Set.ID(), f.sets[m.Set.Policy][m.Set.ID()], m.Add, m.Remove); err != nil {
				return err
			}
		}
	}
	for _, m := range delta.Ports {
		if !again[m.Policy] {
			at := m.Policy.String() + "@" + m.Zone
			if err := step("ports of "+at, f.ports[at], m.Add, m.Remove); err != nil {
				return err
			}
		}
	}
	return nil
}

func setOf(s []string) map[string]bool {
	m := map[string]bool{}
	for _, v := range s {
		m[v] = true
	}
	return m
}

// trial is one run of random events. before and after may do harm: to the
// compiler before a step, and to what it answered.
type trial struct {
	seed, events int
	options      Options
	before       func(*Compiler)
	after        func(*Compiler, *Delta)
}

// run applies the events and compares, after every second, the incremental
// result with a fresh compile and a naive one, and what a follower of the deltas
// holds with both; and older results, some of which nobody has read before, with
// a fresh compile of their cluster. The error is the first difference.
func (tr trial) run(t *testing.T) error {
	w := &world{t: t, r: rand.New(rand.NewPCG(uint64(tr.seed), 7)), cluster: clusterOf()}
	c := New(tr.options)
	f := newFollower()
	var unread []*Desired // older ones that nobody has asked for anything
	for n := range tr.events {
		var upsert []model.Object
		var remove []model.Key
		for range 1 + w.r.IntN(3) {
			draw := w.object
			if w.r.IntN(2) == 0 {
				draw = w.familyObject
			}
			if obj, gone := draw(); gone {
				remove = append(remove, obj.ObjectKey())
			} else {
				upsert = append(upsert, obj)
			}
		}
		next, changes := w.cluster.Upsert(upsert, remove)
		w.cluster = next
		if tr.before != nil {
			tr.before(c)
		}
		des, delta := c.Apply(next, changes)
		if tr.after != nil {
			tr.after(c, delta)
		}
		err := f.follow(des, delta)
		if err == nil && n%2 == 0 {
			err = w.compare(des, Compile(next, tr.options), f, tr.options)
		}
		if err == nil {
			err = sameAnswers(des)
		}
		unread = append(unread, des)
		if err == nil && len(unread) > 7 {
			old := unread[0]
			unread = unread[1:]
			err = sameRows("seven events later", Compile(old.Cluster(), tr.options), old)
		}
		if err != nil {
			return fmt.Errorf("event %d (%v): %w", n, changes, err)
		}
	}
	return nil
}

// units are the keys of all units of both.
func units(a, b *Desired) map[model.PolicyKey]bool {
	keys := map[model.PolicyKey]bool{}
	for _, d := range []*Desired{a, b} {
		for c := range d.Policies() {
			keys[c.Key] = true
		}
	}
	return keys
}

// sameRows compares all rows of all zones together.
func sameRows(what string, want, got *Desired) error {
	for k := range units(want, got) {
		if w, g := want.RowsOfUnit(k, "", nil), got.RowsOfUnit(k, "", nil); !reflect.DeepEqual(w, g) {
			return fmt.Errorf("%s %s (-want +got):\n%s", k, what, cmp.Diff(w, g))
		}
	}
	return nil
}

// sameAnswers asks model/overlap, with the selectors and label classes that the compiler
// has followed so far, whom ANPs and BANPs mean.
func sameAnswers(d *Desired) error {
	x := selectors.NewPodIndex(d.Cluster(), d.Selectors())
	for c := range d.Policies() {
		if !c.Key.Kind.IsAdmin() {
			continue
		}
		if diff := cmp.Diff(portNames(slices.Collect(x.Pods(x.SubjectSet(c.Policy)))), portNames(d.SubjectPods(c))); diff != "" {
			return fmt.Errorf("%s: subject (-overlap +compiler):\n%s", c.Key, diff)
		}
		for _, r := range c.rules {
			for i := range r.peers {
				want := slices.Collect(x.Pods(x.PeerSet(&r.rule.Peers[i])))
				got := slices.DeleteFunc(slices.Clone(d.PeerPods(c, r.rule.Direction, r.rule.Index, i)), func(p *model.Pod) bool { return !p.CanBePeer() })
				if diff := cmp.Diff(portNames(want), portNames(got)); diff != "" {
					return fmt.Errorf("%s: %s rule %d peer %d (-overlap +compiler):\n%s", c.Key, r.rule.Direction, r.rule.Index, i, diff)
				}
			}
		}
	}
	return nil
}

func portNames(pods []*model.Pod) []string {
	out := []string{}
	for _, p := range pods {
		out = append(out, nb.PortName(p.Namespace, p.Name))
	}
	return out
}

// optionsOfTrials are what the trials are compiled with, one after the other.
var optionsOfTrials = append([]Options{{}, {IPv4: true}, {IPv4: true, IPv6: true}}, optionsOfFamilies...)

// TestIncremental holds the invariant of the package: however the cluster came
// to be, the rows are those of compiling it from nothing, and whoever follows
// the deltas has them too.
func TestIncremental(t *testing.T) {
	seeds, events := 24, 125 // 3,000 events
	if os.Getenv("RUNG_SOAK") != "" {
		seeds, events = 100, 500
	}
	for seed := range seeds {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			tr := trial{seed: seed, events: events, options: optionsOfTrials[seed%len(optionsOfTrials)]}
			if seed%2 == 1 {
				tr.before = func(c *Compiler) { c.base.compactAt = min(c.base.compactAt, 40) }
			}
			if err := tr.run(t); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestIncrementalCanFail breaks the incremental path in one way after the other;
// the trial that holds it to account must find each.
func TestIncrementalCanFail(t *testing.T) {
	for _, harm := range []struct {
		name   string
		before func(*Compiler)
		after  func(*Compiler, *Delta)
	}{
		{name: "nobody remembers who else has an address", before: func(c *Compiler) { clear(c.base.holders) }},
		{name: "nobody remembers which node has an address", before: func(c *Compiler) { clear(c.base.nodeHolders) }},
		{name: "sets do not follow nodes", before: func(c *Compiler) { clear(c.base.nodeSets) }},
		{name: "named ports do not follow pods", before: func(c *Compiler) {
			for _, g := range c.base.groups {
				clear(g.namedPortUsers)
			}
		}},
		{name: "a bucket keeps the groups it had before policies changed", before: func(c *Compiler) {
			c.base.epoch = 0
			for _, ns := range c.base.namespaces {
				for _, b := range ns.buckets {
					b.epoch = 0
				}
			}
		}},
		{name: "families stay what they were", before: func(c *Compiler) {
			c.base.requested.IPv4, c.base.requested.IPv6 = c.base.options.IPv4, c.base.options.IPv6
		}},
		{name: "nobody remembers which other policies isolate a namespace", before: func(c *Compiler) { clear(c.base.netpols) }},
		{name: "EgressFirewalls do not follow nodes and annotations", before: func(c *Compiler) { clear(c.base.firewalls) }},
		{name: "nobody remembers who else needs a shared set", before: func(c *Compiler) {
			for _, u := range c.base.sharing {
				clear(u.users)
			}
		}},
		{name: "shared sets do not follow the host network", before: func(c *Compiler) {
			for k, u := range c.base.sharing {
				u.set.legacy = false
				c.base.sharing[k] = u
			}
		}},
		{name: "nobody remembers who lets multicast through", before: func(c *Compiler) { clear(c.base.multicast) }},
		{name: "sets take in pods on the host's network, or none", before: func(c *Compiler) {
			for _, g := range c.base.groups {
				g.host = !g.host
			}
		}},
		{name: "a list of pods outlives a change of its group", after: keepViews()},
		{name: "the delta forgets members that go", after: func(_ *Compiler, d *Delta) {
			for i := range d.Members {
				d.Members[i].Remove = nil
			}
		}},
		{name: "the delta forgets a policy", after: func(_ *Compiler, d *Delta) { clear(d.Policies) }},
		{name: "the delta forgets ports", after: func(_ *Compiler, d *Delta) { d.Ports = nil }},
	} {
		t.Run(harm.name, func(t *testing.T) {
			for seed := range 30 {
				tr := trial{seed: seed, events: 120, options: optionsOfTrials[seed%len(optionsOfTrials)], before: harm.before, after: harm.after}
				if err := tr.run(t); err != nil {
					t.Logf("seed %d: %.200s", seed, err)
					return
				}
			}
			t.Error("not found")
		})
	}
}

// keepViews lets every list of pods that was read stay as it is.
func keepViews() func(*Compiler, *Delta) {
	old := map[*selectorGroup]*groupView{}
	return func(c *Compiler, _ *Delta) {
		for _, g := range c.base.groups {
			if v := old[g]; v != nil {
				c.desired.views = slices.Clone(c.desired.views)
				c.desired.views[g.id] = v
			} else {
				old[g] = c.desired.findGroupView(g)
			}
		}
	}
}

func (w *world) compare(got, fresh *Desired, f *follower, o Options) error {
	differ := func(what string, want, got any) error {
		if reflect.DeepEqual(want, got) {
			return nil
		}
		return fmt.Errorf("%s (-want +got):\n%s", what, cmp.Diff(want, got))
	}
	for _, zone := range append([]string{""}, zones...) {
		if err := compareUnits(got, o, zone); err != nil {
			return err
		}
		for k := range units(got, fresh) {
			if err := w.compareUnit(k, zone, got, fresh, f, differ); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *world) compareUnit(k model.PolicyKey, zone string, got, fresh *Desired, f *follower, differ func(string, any, any) error) error {
	what := k.String() + "@" + zone
	if zone == "" {
		if err := differ("subjects of "+what, fresh.SubjectPods(fresh.Policy(k)), got.SubjectPods(got.Policy(k))); err != nil {
			return err
		}
	}
	want := fresh.RowsOfUnit(k, zone, nil)
	if err := differ(what+", incremental and fresh", want, got.RowsOfUnit(k, zone, nil)); err != nil {
		return err
	}
	if want == nil || want.None != nil {
		return nil
	}
	if n := got.ACLCount(got.Policy(k)); zone == "" && n != len(want.ACLs) {
		return fmt.Errorf("%s: counts %d ACLs of %d", what, n, len(want.ACLs))
	}
	for _, s := range want.AddressSets {
		if err := differ(s.ID()+", by deltas", setOf(s.Addresses), f.sets[k][s.ID()]); err != nil {
			return err
		}
	}
	if k.Kind.IsAdmin() {
		v4, v6 := fresh.Families()
		sets, ports := naiveRows(w.cluster, w.cluster.Policy(k), zone, v4, v6)
		for _, s := range want.AddressSets {
			if err := differ(s.ID()+", naive", sets[s.ID()], s.Addresses); err != nil {
				return err
			}
		}
		if err := differ("ports of "+what+", naive", ports, want.PortGroup.Ports); err != nil {
			return err
		}
	}
	if zone == "" {
		return nil
	}
	if want.PortGroup != nil {
		if err := differ("ports of "+what+", by deltas", setOf(want.PortGroup.Ports), f.ports[what]); err != nil {
			return err
		}
	}
	return differ("ACLs of "+what+", by deltas", want.ACLs, f.acls[what])
}
