package networks_test

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/networks"
)

// settings are options for the reference, and the same for the compiler.
type settings struct {
	reference networks.Options
	compiler  compiler.Options
}

// settingsOf makes the settings of a random world.
func settingsOf(w *networks.World) settings {
	families := w.IntN(4) // both, both, one, the other
	o := networks.Options{IPv4: families != 3, IPv6: families != 2, AllowICMP: w.IntN(2) == 0, Stateless: w.IntN(2) == 0, Multicast: w.IntN(3) > 0, NoMultiPolicies: w.IntN(8) == 0,
		ClusterSubnets: []netip.Prefix{netip.MustParsePrefix("10.244.0.0/16"), netip.MustParsePrefix("fd01::/48")},
		DNS:            map[string][]string{"www.example.com": {"1.2.3.4", "fd99::4"}}, HairpinV4: "169.254.0.5", HairpinV6: "fd69::5"}
	c := compiler.Options{IPv4: o.IPv4, IPv6: o.IPv6, AllowICMP: o.AllowICMP, Stateless: o.Stateless, Defaults: compiler.On, Multicast: compiler.Off, MultiPolicies: compiler.On,
		ClusterSubnets: o.ClusterSubnets, DNS: o.DNS, HairpinFrom4: o.HairpinV4, HairpinFrom6: o.HairpinV6}
	if o.Multicast {
		c.Multicast = compiler.On
	}
	if o.NoMultiPolicies {
		c.MultiPolicies = compiler.Off
	}
	return settings{o, c}
}

// compiled are the rows that the compiler makes of tier 2 for a zone, as the reference writes them.
func compiled(d *compiler.Desired, zone string) map[string]networks.Row {
	out := map[string]networks.Row{}
	put := func(r networks.Row) {
		key := r.Table + " " + r.IDs[nb.KeyID]
		if _, twice := out[key]; twice {
			panic("twice: " + key)
		}
		out[key] = r
	}
	for u := range d.Policies() {
		compiledUnit(d, u, zone, put)
	}
	return out
}

// compiledUnit are the rows of one unit.
func compiledUnit(d *compiler.Desired, u *compiler.CompiledUnit, zone string, put func(networks.Row)) {
	rows := d.RowsOfUnit(u.Key, zone, nil)
	if u.Key.Kind.IsAdmin() || rows == nil || rows.None != nil {
		return
	}
	kept := map[string]bool{}
	for _, s := range u.Sets {
		kept[s.ID()] = s.KeptByOthers
	}
	for _, s := range rows.AddressSets {
		frozen := kept[s.ExternalIDs[nb.KeyID]] && s.ExternalIDs[nb.KeyOwnerType] == nb.OwnerPodSelector
		put(networks.Row{Table: nb.TableAddressSet, Name: s.Name, IDs: s.ExternalIDs, Addresses: s.Addresses, Frozen: frozen})
	}
	holder := u.Holder.Table + " " + u.Holder.Name
	var ids []string
	for _, a := range rows.ACLs {
		ids = append(ids, a.ID())
	}
	slices.Sort(ids)
	if g := rows.PortGroup; g != nil {
		holder = nb.TablePortGroup + " " + g.Name
		put(networks.Row{Table: nb.TablePortGroup, Name: g.Name, IDs: g.ExternalIDs, Ports: slices.Sorted(slices.Values(g.Ports)), ACLs: ids})
	}
	for _, a := range rows.ACLs {
		put(networks.Row{Table: nb.TableACL, Name: a.Name, IDs: a.ExternalIDs, Priority: a.Priority, Tier: a.Tier, Direction: a.Direction, AfterLB: a.Options["apply-after-lb"] == "true",
			Action: a.Action, Match: a.Match, Severity: a.Severity, HolderOfACL: holder})
	}
}

// follower keeps the rows of a zone by following what is told of steps, as a reconciler does.
type follower struct {
	zone  string
	units map[model.Key]map[string]networks.Row
}

func (f *follower) follow(t *testing.T, d *compiler.Desired, delta *compiler.Delta) {
	t.Helper()
	again := maps.Clone(delta.Policies)
	if delta.Everything {
		f.units, again = map[model.Key]map[string]networks.Row{}, map[model.Key]struct{}{}
		for u := range d.Policies() {
			again[u.Key] = struct{}{}
		}
	}
	for k := range again {
		delete(f.units, k)
		if u := d.Policy(k); u != nil && u.Key == k {
			f.units[k] = map[string]networks.Row{}
			compiledUnit(d, u, f.zone, func(r networks.Row) { f.units[k][r.Table+" "+r.IDs[nb.KeyID]] = r })
		}
	}
	step := func(k model.Key, id string, of func(*networks.Row) *[]string, add, remove []string) {
		if _, anew := again[k]; anew {
			return
		}
		r, ok := f.units[k][id]
		if !ok {
			t.Errorf("%s: a step of %s, which is not there", k, id)
			return
		}
		list := of(&r)
		next := slices.DeleteFunc(slices.Clone(*list), func(x string) bool { return slices.Contains(remove, x) })
		if len(next) != len(*list)-len(remove) {
			t.Errorf("%s: %v are removed from %v", id, remove, *list)
		}
		next = append(next, add...)
		slices.Sort(next)
		if len(slices.Compact(slices.Clone(next))) != len(next) {
			t.Errorf("%s: %v are added to %v", id, add, *list)
		}
		*list = next
		f.units[k][id] = r
	}
	for _, m := range delta.Members {
		step(m.Set.Policy, nb.TableAddressSet+" "+m.Set.ID(), func(r *networks.Row) *[]string { return &r.Addresses }, m.Add, m.Remove)
	}
	for _, m := range delta.Ports {
		u := d.Policy(m.Policy)
		if m.Zone == f.zone && u != nil && u.WhyNoRows == nil {
			step(m.Policy, nb.TablePortGroup+" "+u.GroupIDs[nb.KeyID], func(r *networks.Row) *[]string { return &r.Ports }, m.Add, m.Remove)
		}
	}
}

// rows are the rows that are kept.
func (f *follower) rows() map[string]networks.Row {
	out := map[string]networks.Row{}
	for _, unit := range f.units {
		maps.Copy(out, unit)
	}
	return out
}

// difference says how the rows of a zone differ; empty for not at all. What a frozen set has is nobody's to say.
func difference(want, got map[string]networks.Row) string {
	for _, rows := range []map[string]networks.Row{want, got} {
		for id, r := range rows {
			if r.Frozen {
				r.Addresses = nil
				rows[id] = r
			}
		}
	}
	return cmp.Diff(want, got, cmpopts.EquateEmpty())
}

// describe is a cluster for who looks for a mistake.
func describe(c *model.Cluster) string {
	var b strings.Builder
	for o := range c.Objects() {
		fmt.Fprintf(&b, "%+v\n", o)
	}
	return b.String()
}

// TestRowsAreTheReference: of random clusters with 1 to 5 networks the compiler makes the rows of the
// reference, in every zone.
func TestRowsAreTheReference(t *testing.T) {
	worlds := uint64(1000)
	if testing.Short() {
		worlds = 100
	}
	seen := map[string]int{}
	for seed := range worlds {
		w := networks.NewWorld(seed)
		c, s := w.Cluster(), settingsOf(w)
		d := compiler.Compile(c, s.compiler)
		for _, zone := range networks.Zones {
			want := networks.Rows(c, s.reference, zone)
			for _, r := range want {
				owner := "of other networks"
				if r.IDs[nb.KeyOwnerController] == nb.DefaultController {
					owner = "of the default one"
				}
				seen[r.Table+" "+r.IDs[nb.KeyOwnerType]+" "+owner]++
			}
			if diff := difference(want, compiled(d, zone)); diff != "" {
				t.Fatalf("world %d, zone %s (-reference +compiled)\n%s\n%s", seed, zone, diff, describe(c))
			}
		}
	}
	for _, what := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%6d %s", seen[what], what)
	}
	for _, what := range []string{"ACL EgressFirewall of the default one", "ACL NetworkPolicy of other networks", "ACL NetpolNode of other networks", "ACL MulticastNS of other networks",
		"Address_Set PodSelector of other networks", "Port_Group NetpolNamespace of other networks"} {
		if seen[what] == 0 {
			t.Errorf("no %s", what)
		}
	}
}

// TestStepsEqualWhole: whatever happens to a cluster with networks, and to the settings, step by step, the rows
// are those of the cluster as it is then, also for who only follows what is told of the steps.
func TestStepsEqualWhole(t *testing.T) {
	histories := uint64(1000)
	if testing.Short() {
		histories = 100
	}
	for seed := range histories {
		w := networks.NewWorld(seed)
		c, s := w.Cluster(), settingsOf(w)
		inc := compiler.New(s.compiler)
		_, changes := (*model.Cluster)(nil).Upsert(slices.Collect(c.Objects()), nil)
		d, delta := inc.Apply(c, changes)
		zone := networks.Zones[w.IntN(len(networks.Zones))]
		kept := follower{zone: zone, units: map[model.Key]map[string]networks.Row{}}
		kept.follow(t, d, delta)
		for step := range 8 {
			if step > 0 {
				put, remove := w.Step(c)
				c, changes = c.Upsert(put, remove)
				d, delta = inc.Apply(c, changes)
				kept.follow(t, d, delta)
			}
			if w.IntN(10) == 0 { // it runs with other settings from now on
				s = settingsOf(w)
				d, delta = inc.Reconfigure(s.compiler)
				kept.follow(t, d, delta)
			}
			whole := compiled(compiler.Compile(c, s.compiler), zone)
			if diff := difference(whole, compiled(d, zone)); diff != "" {
				t.Fatalf("world %d, step %d, zone %s (-whole +step by step)\n%s\n%s\nlast: %v", seed, step, zone, diff, describe(c), changes)
			}
			if diff := difference(whole, kept.rows()); diff != "" {
				t.Fatalf("world %d, step %d, zone %s (-whole +by what was told of steps)\n%s\n%s\nlast: %v", seed, step, zone, diff, describe(c), changes)
			}
		}
	}
}
