package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/sources/kube"
	"rung/sources/manifests"
	"rung/test/given"
)

// dialectObjects is a cluster with a policy of every kind.
func dialectObjects(t *testing.T) []model.Object {
	t.Helper()
	res := manifests.Parse("cluster.yaml", []byte(given.Objects()+"---\n"+given.ANP("cluster-control", 5, "tenant=blue", "in deny tenant=red", "out allow 10.0.0.0/8")+
		"---\n"+given.BANP("tenant=blue", "in deny tenant=green")+`---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: test-policy, namespace: blue, annotations: {k8s.ovn.org/acl-stateless: "true"}}
spec:
  podSelector: {}
  policyTypes: [Ingress, Egress]
  ingress: [{from: [{podSelector: {}}]}]
---
apiVersion: k8s.ovn.org/v1
kind: EgressFirewall
metadata: {name: default, namespace: blue}
spec:
  egress:
  - {type: Deny, to: {cidrSelector: 0.0.0.0/0}}
`), manifests.Options{})
	if len(res.Broken) > 0 {
		t.Fatal(res.Broken)
	}
	return res.Objects
}

// dialectRows are all rows of a zone as compiled with some options.
func dialectRows(objects []model.Object, zone string, o compiler.Options) *nb.DB {
	cluster, _ := (*model.Cluster)(nil).Upsert(objects, nil)
	d := compiler.Compile(cluster, o)
	n := 0
	uuid := func() string { n++; return fmt.Sprintf("%s-%04d", zone, n) }
	ch := []nb.RowChange{{New: &nb.Global{UUID: uuid(), Name: zone}}}
	ports := map[string]string{}
	for p := range cluster.Pods() {
		if p.NodeName == zone {
			row := &nb.LogicalSwitchPort{UUID: uuid(), Name: nb.PortName(p.Namespace, p.Name)}
			ports[row.Name] = row.UUID
			ch = append(ch, nb.RowChange{New: row})
		}
	}
	held := map[compiler.ACLHolder][]string{}
	for c := range d.Policies() {
		rows := d.RowsOfUnit(c.Key, zone, nil)
		if rows == nil {
			continue
		}
		var acls []string
		for _, a := range rows.ACLs {
			row := *a
			row.UUID = uuid()
			acls = append(acls, row.UUID)
			ch = append(ch, nb.RowChange{New: &row})
		}
		for _, s := range rows.AddressSets {
			row := *s
			row.UUID = uuid()
			ch = append(ch, nb.RowChange{New: &row})
		}
		if g := rows.PortGroup; g != nil {
			row := *g
			row.UUID, row.ACLs, row.Ports = uuid(), acls, nil
			for _, p := range g.Ports {
				row.Ports = append(row.Ports, ports[p])
			}
			ch = append(ch, nb.RowChange{New: &row})
		} else if c.Holder != (compiler.ACLHolder{}) {
			held[c.Holder] = append(held[c.Holder], acls...)
		}
	}
	for h, acls := range held {
		switch h.Table {
		case nb.TablePortGroup:
			ch = append(ch, nb.RowChange{New: &nb.PortGroup{UUID: uuid(), Name: h.Name, ACLs: acls,
				ExternalIDs: nb.IDs(nb.DefaultController, nb.OwnerNamespace, nb.IDPair{Key: nb.KeyName, Value: "x"})}})
		case nb.TableSwitch:
			ch = append(ch, nb.RowChange{New: &nb.LogicalSwitch{UUID: uuid(), Name: h.Name, ACLs: acls}})
		}
	}
	return (*nb.DB)(nil).Apply(ch)
}

// fixtureRows reads rows of model/ovn/dialect/testdata, of other names.
func fixtureRows(t *testing.T, file string, rename ...string) *nb.DB {
	t.Helper()
	text, err := os.ReadFile("../model/ovn/dialect/testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var ch []nb.RowChange
	for i, line := range strings.Split(strings.NewReplacer(rename...).Replace(string(text)), "\n") {
		table, row, _ := strings.Cut(line, " ")
		uuid := fmt.Sprintf("%04d", i)
		rows := map[string]nb.Row{nb.TableACL: &nb.ACL{UUID: uuid}, nb.TableAddressSet: &nb.AddressSet{UUID: uuid}, nb.TablePortGroup: &nb.PortGroup{UUID: uuid}}
		if r := rows[table]; r != nil {
			if err := json.Unmarshal([]byte(row), r); err != nil {
				t.Fatalf("%s:%d: %v", file, i+1, err)
			}
			ch = append(ch, nb.RowChange{New: r})
		}
	}
	return (*nb.DB)(nil).Apply(ch)
}

// statesOf counts the states of a zone's policies and units by kind.
func statesOf(r *revision.Revision, zone string, now time.Time) (out []string) {
	z := r.Zone(zone)
	for _, k := range revision.ZonePolicies(r, z) {
		if st := z.PolicyJoin(k).StateAt(z, now); st != model.StateInSync {
			out = append(out, string(k.Kind)+" "+string(st))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestDialectOfZones: without a flag the rows of each known generation are in sync
// or not comparable, and never behind.
func TestDialectOfZones(t *testing.T) {
	subnets := []netip.Prefix{netip.MustParsePrefix("10.244.0.0/16")}
	later := time.Minute
	// NetpolDefault: the rows of the older release come without the cluster's port group.
	older := []string{"EgressFirewall not comparable", "MulticastCluster not comparable", "MulticastNS not comparable",
		"NetpolDefault not comparable", "NetpolNamespace not comparable", "NetworkPolicy not comparable", "PodSelector not comparable"}
	of2023 := []string{"AdminNetworkPolicy not comparable", "BaselineAdminNetworkPolicy not comparable"}
	tests := []struct {
		name    string
		options compiler.Options // of the rows
		db      func(t *testing.T) *nb.DB
		kinds   []model.Kind // of these objects alone, where set
		want    []string
		setting []string
	}{
		{name: "current", options: compiler.Options{IPv4: true}, setting: []string{"ip-family ipv4", "observability off", "allow-icmp-network-policy off"}},
		{name: "with observability", options: compiler.Options{IPv4: true, Observability: true}, setting: []string{"observability on"}},
		{name: "dual stack, icmp, subnets, stateless", options: compiler.Options{IPv4: true, IPv6: true, AllowICMP: true, Stateless: true, ClusterSubnets: subnets},
			setting: []string{"ip-family dual", "allow-icmp-network-policy on", "enable-stateless-netpol on", "cluster-subnets 10.244.0.0/16"}},
		{name: "ipv6", options: compiler.Options{IPv6: true}, setting: []string{"ip-family ipv6"}},
		{name: "an older release", db: func(t *testing.T) *nb.DB {
			return fixtureRows(t, "older.rows", ":default:", ":blue:", `"default:test-policy"`, `"blue:test-policy"`)
		}, kinds: []model.Kind{model.KindNP, model.KindEF}, want: older},
		{name: "2023", db: func(t *testing.T) *nb.DB { return fixtureRows(t, "2023.rows") }, kinds: []model.Kind{model.KindANP, model.KindBANP}, want: of2023},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFleet(t)
			var objects []model.Object
			for _, o := range dialectObjects(t) {
				if p, ok := o.(*model.Policy); !ok || len(tt.kinds) == 0 || slices.Contains(tt.kinds, p.Key.Kind) {
					objects = append(objects, o)
				}
			}
			for _, zone := range []string{"worker", "control"} {
				f.rows[zone] = dialectRows(objects, zone, tt.options)
				if tt.db != nil {
					f.rows[zone] = tt.db(t)
				}
			}
			r := f.run(1, time.Hour) // one zone is followed, one swept
			f.steps <- kube.SourceUpdate{Upsert: objects, Loaded: true}
			r.sweeps("the zones are read", func(r *revision.Revision) bool {
				return !r.Unsettled && len(r.Zones) == 2 && !slices.ContainsFunc(r.Zones, func(z *model.ZoneState) bool { return z.SyncedAt.IsZero() || z.Judging })
			})
			rev := r.Revision()
			for _, z := range rev.Zones {
				next := *z
				if z.Conn == model.ConnSwept { // judged as of its read
					next.SyncedAt = z.SyncedAt.Add(later)
				}
				judged := revision.New(revision.Facts{Cluster: rev.Cluster, Desired: rev.Desired, Zones: []*model.ZoneState{&next}}, nil)
				if diff := cmp.Diff(tt.want, statesOf(judged, z.Name, r.Now().Add(later))); diff != "" {
					t.Errorf("zone %s, %s: (-want +got)\n%s", z.Name, z.Conn, diff)
				}
				d := revision.DialectOfZone(rev, z.Name)
				for _, want := range tt.setting {
					name, value, _ := strings.Cut(want, " ")
					if s := settingOf(d, name); s.Value != value || s.Source != revision.FromRows {
						t.Errorf("zone %s: %+v, want %s", z.Name, s, want)
					}
				}
			}
			if named := slices.ContainsFunc(revision.ZoneFindings(rev, r.Now()), func(x model.Finding) bool { return x.Code == revision.FindDialect }); named != (tt.db != nil) {
				t.Errorf("findings: %+v", revision.ZoneFindings(rev, r.Now()))
			}
		})
	}
}

// TestDialectDeviates: a zone in the middle of an upgrade is not compared in what it
// has otherwise than most, and a flag makes it differ.
func TestDialectDeviates(t *testing.T) {
	objects := dialectObjects(t)
	extra := &model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: "third"}}}
	objects = append(objects, extra)
	start := func(t *testing.T, set func(*Config)) *revision.Revision {
		f := newFleet(t)
		for _, zone := range []string{"worker", "control"} {
			f.rows[zone] = dialectRows(objects, zone, compiler.Options{IPv4: true, AllowICMP: true, Observability: true})
		}
		f.rows["third"] = dialectRows(objects, "third", compiler.Options{IPv4: true})
		r := f.runWith(10, time.Hour, set)
		f.steps <- kube.SourceUpdate{Upsert: objects, Loaded: true}
		r.sweeps("the zones are judged", func(r *revision.Revision) bool {
			return !r.Unsettled && len(r.Zones) == 3 && !slices.ContainsFunc(r.Zones, func(z *model.ZoneState) bool { return z.SyncedAt.IsZero() || z.Judging })
		})
		return r.Revision()
	}
	later := time.Now().Add(time.Minute)
	t.Run("most", func(t *testing.T) {
		rev := start(t, func(*Config) {})
		got := map[string][]string{}
		for _, z := range rev.Zones {
			got[z.Name] = statesOf(rev, z.Name, later)
		}
		want := map[string][]string{"worker": nil, "control": nil, "third": {"NetpolNamespace not comparable"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if why := slices.Collect(maps.Values(revision.DialectOfZone(rev, "third").Deviates)); !slices.Equal(why, []string{"allow-icmp-network-policy is off here, unlike in most zones"}) {
			t.Errorf("because %q", why)
		}
		said := 0
		for _, x := range revision.ZoneFindings(rev, later) {
			if x.Code == revision.FindDialect && strings.HasPrefix(x.Message, "zone third: ") {
				said++
			}
		}
		if said != 2 { // the rows that are not compared, and samples
			t.Errorf("findings %+v", revision.ZoneFindings(rev, later))
		}
	})
	t.Run("a flag", func(t *testing.T) {
		rev := start(t, func(c *Config) { c.Features.AllowICMP = "on" })
		if got := statesOf(rev, "third", later); !slices.Equal(got, []string{"NetpolNamespace behind"}) {
			t.Errorf("against what a flag says the zone is %v", got)
		}
	})
}

// settingOf is a setting of a zone by its name.
func settingOf(z revision.Zone, name string) revision.SettingValue {
	for _, s := range z.Settings {
		if s.Name == name {
			return s
		}
	}
	return revision.SettingValue{}
}
