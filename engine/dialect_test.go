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
	"rung/model/dialect"
	"rung/model/nb"
	"rung/sources/kube"
	"rung/sources/manifests"
)

// TestDialectMerge: a flag outranks the zone's rows, those the configuration, that
// the image, that the default.
func TestDialectMerge(t *testing.T) {
	prefix := netip.MustParsePrefix
	yes := dialect.Fact{Value: dialect.Yes, Evidence: "seen"}
	config := func(kv ...string) kube.OVNKube {
		o := kube.OVNKube{Settings: map[string]kube.OVNSetting{}, Image: "i:v1", Version: "v1"}
		for i := 0; i < len(kv); i += 2 {
			o.Settings[kv[i]] = kube.OVNSetting{Value: kv[i+1], From: "ConfigMap c"}
		}
		return o
	}
	all := config(kube.OVNObservability, "false", kube.OVNAllowICMP, "true", kube.OVNClusterSubnets, "10.0.0.0/16/24,fd00::/48", kube.OVNHostNamespace, "hosts",
		kube.OVNMulticast, "false", kube.OVNLoggingRate, "30", kube.OVNAdminPolicy, "true", kube.OVNStateless, "perhaps")
	tests := []struct {
		name   string
		cfg    Flags
		config kube.OVNKube
		rows   dialect.Dialect
		want   []string // name, value, source
	}{
		{name: "nobody says anything", want: []string{"ip-family ipv4 default", "observability off default", "allow-icmp-network-policy off default",
			"multicast auto default", "cluster-subnets off default", "host-network-namespace ovn-host-network default", "enable-admin-network-policy unknown default",
			"acl-logging-rate-limit 20 default", "release unknown default"}},
		{name: "the configuration", config: all, want: []string{"ip-family dual configuration", "observability off configuration", "allow-icmp-network-policy on configuration",
			"enable-stateless-netpol off default", "multicast off configuration", "cluster-subnets 10.0.0.0/16,fd00::/48 configuration", "host-network-namespace hosts configuration",
			"enable-admin-network-policy on configuration", "acl-logging-rate-limit 30 configuration", "release v1 image"}},
		{name: "rows", config: all, rows: dialect.Dialect{Observability: yes, AllowICMP: dialect.Fact{Value: dialect.No}, Stateless: yes, Multicast: yes,
			Families: dialect.Families{V4: dialect.No, V6: dialect.Yes}, Subnets: dialect.Subnets{Prefixes: []netip.Prefix{prefix("10.9.0.0/16")}, AllV4: true},
			Meter: dialect.Meter{Fact: yes, Rate: 5}},
			want: []string{"ip-family ipv6 rows", "observability on rows", "allow-icmp-network-policy off rows", "enable-stateless-netpol on rows", "multicast on rows",
				"cluster-subnets 10.9.0.0/16,fd00::/48 rows", "acl-logging-rate-limit 5 rows"}},
		{name: "flags", config: all, rows: dialect.Dialect{Observability: yes, Multicast: yes, Families: dialect.Families{V4: dialect.Yes, V6: dialect.Yes}},
			cfg: Flags{Family: "ipv4", Observability: "off", MaxPriority: 120, Features: Features{AllowICMP: "off", Stateless: "on", Multicast: "off",
				ClusterSubnets: []string{"10.3.0.0/16"}, HostNetworkNamespace: "mine"}},
			want: []string{"ip-family ipv4 flag", "observability off flag", "allow-icmp-network-policy off flag", "enable-stateless-netpol on flag", "multicast off flag",
				"cluster-subnets 10.3.0.0/16 flag", "host-network-namespace mine flag", "max-priority 120 flag"}},
		{name: "auto is no word", config: all, cfg: Flags{Family: "auto", Observability: "auto", Features: Features{AllowICMP: "auto"}},
			want: []string{"ip-family dual configuration", "observability off configuration", "allow-icmp-network-policy on configuration"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.cfg.MaxPriority == 0 {
				tt.cfg.MaxPriority = model.MaxPriority
			}
			v := &dialectView{flags: &tt.cfg, config: tt.config, v4: true, cluster: tt.rows}
			got := map[string]string{}
			for _, s := range v.settings(&tt.rows) {
				got[s.Name] = s.Name + " " + s.Value + " " + s.Source
			}
			for _, want := range tt.want {
				name, _, _ := strings.Cut(want, " ")
				if got[name] != want {
					t.Errorf("%s, want %s", got[name], want)
				}
			}
		})
	}
}

// TestDialectVote: most zones decide, of equals what holds now.
func TestDialectVote(t *testing.T) {
	zone := func(obs dialect.Tri, v6 dialect.Tri) *dialect.Dialect {
		return &dialect.Dialect{Observability: dialect.Fact{Value: obs}, Families: dialect.Families{V4: dialect.Yes, V6: v6}}
	}
	y, n, u := dialect.Yes, dialect.No, dialect.Unknown
	tests := []struct {
		name  string
		zones []*dialect.Dialect
		now   *dialect.Dialect
		want  string
	}{
		{"nobody", nil, zone(y, y), "unknown unknown"},
		{"most", []*dialect.Dialect{zone(y, y), zone(n, n), zone(n, n)}, zone(y, y), "no ipv4"},
		{"those that know", []*dialect.Dialect{zone(y, y), zone(u, u), zone(u, u)}, zone(n, n), "yes dual"},
		{"a draw, on now", []*dialect.Dialect{zone(y, y), zone(n, n)}, zone(y, y), "yes dual"},
		{"a draw, off now", []*dialect.Dialect{zone(y, y), zone(n, n)}, zone(n, n), "no ipv4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			zones := map[string]*dialect.Dialect{}
			for i, z := range tt.zones {
				zones[fmt.Sprint(i)] = z
			}
			got := mostSay(zones, tt.now)
			if text := got.Observability.Value.String() + " " + got.Families.String(); text != tt.want {
				t.Errorf("%s, want %s", text, tt.want)
			}
		})
	}
}

// dialectObjects is a cluster with a policy of every kind.
func dialectObjects(t *testing.T) []model.Object {
	t.Helper()
	res := manifests.Parse("cluster.yaml", []byte(someObjects()+"---\n"+anp("cluster-control", 5, "tenant=blue", "in deny tenant=red", "out allow 10.0.0.0/8")+
		"---\n"+banp("tenant=blue", "in deny tenant=green")+`---
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
	held := map[compiler.Holder][]string{}
	for c := range d.Policies() {
		rows := d.Rows(c.Key, zone, nil)
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
		} else if c.Holder != (compiler.Holder{}) {
			held[c.Holder] = append(held[c.Holder], acls...)
		}
	}
	for h, acls := range held {
		switch h.Table {
		case nb.TablePortGroup:
			ch = append(ch, nb.RowChange{New: &nb.PortGroup{UUID: uuid(), Name: h.Name, ACLs: acls,
				ExternalIDs: nb.IDs(nb.DefaultController, nb.OwnerNamespace, nb.Pair{Key: nb.KeyName, Value: "x"})}})
		case nb.TableSwitch:
			ch = append(ch, nb.RowChange{New: &nb.LogicalSwitch{UUID: uuid(), Name: h.Name, ACLs: acls}})
		}
	}
	return (*nb.DB)(nil).Apply(ch)
}

// fixtureRows reads rows of model/dialect/testdata, of other names.
func fixtureRows(t *testing.T, file string, rename ...string) *nb.DB {
	t.Helper()
	text, err := os.ReadFile("../model/dialect/testdata/" + file)
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
func statesOf(r *Revision, zone string, now time.Time) (out []string) {
	z := r.Zone(zone)
	for _, k := range ZonePolicies(r, z) {
		if st := z.Policy(k).State(z, now); st != model.StateInSync {
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
	older := []string{"EgressFirewall not comparable", "MulticastCluster not comparable", "MulticastNS not comparable",
		"NetpolNamespace not comparable", "NetworkPolicy not comparable", "PodSelector not comparable"}
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
				if f.rows[zone] = dialectRows(objects, zone, tt.options); tt.db != nil {
					f.rows[zone] = tt.db(t)
				}
			}
			r := f.run(1, time.Hour) // one zone is followed, one swept
			f.steps <- SourceUpdate{Upsert: objects, Loaded: true}
			r.sweeps("the zones are read", func(r *Revision) bool {
				return !r.Unsettled && len(r.Zones) == 2 && !slices.ContainsFunc(r.Zones, func(z *model.ZoneState) bool { return z.SyncedAt.IsZero() || z.Judging })
			})
			rev := r.Revision()
			for _, z := range rev.Zones {
				next := *z
				if z.Conn == model.ConnSwept { // judged as of its read
					next.SyncedAt = z.SyncedAt.Add(later)
				}
				judged := NewRevision(Facts{Cluster: rev.Cluster, Desired: rev.Desired, Zones: []*model.ZoneState{&next}}, nil)
				if diff := cmp.Diff(tt.want, statesOf(judged, z.Name, r.Now().Add(later))); diff != "" {
					t.Errorf("zone %s, %s: (-want +got)\n%s", z.Name, z.Conn, diff)
				}
				d := rev.Dialect(z.Name)
				for _, want := range tt.setting {
					name, value, _ := strings.Cut(want, " ")
					if s := d.Setting(name); s.Value != value || s.Source != FromRows {
						t.Errorf("zone %s: %+v, want %s", z.Name, s, want)
					}
				}
			}
			if named := slices.ContainsFunc(rev.ZoneFindings(r.Now()), func(x model.Finding) bool { return x.Code == findDialect }); named != (tt.db != nil) {
				t.Errorf("findings: %+v", rev.ZoneFindings(r.Now()))
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
	start := func(t *testing.T, set func(*Config)) *Revision {
		f := newFleet(t)
		for _, zone := range []string{"worker", "control"} {
			f.rows[zone] = dialectRows(objects, zone, compiler.Options{IPv4: true, AllowICMP: true, Observability: true})
		}
		f.rows["third"] = dialectRows(objects, "third", compiler.Options{IPv4: true})
		r := f.runWith(10, time.Hour, set)
		f.steps <- SourceUpdate{Upsert: objects, Loaded: true}
		r.sweeps("the zones are judged", func(r *Revision) bool {
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
		if why := slices.Collect(maps.Values(rev.Dialect("third").Deviates)); !slices.Equal(why, []string{"allow-icmp-network-policy is off here, unlike in most zones"}) {
			t.Errorf("because %q", why)
		}
		said := 0
		for _, x := range rev.ZoneFindings(later) {
			if x.Code == findDialect && strings.HasPrefix(x.Message, "zone third: ") {
				said++
			}
		}
		if said != 2 { // the rows that are not compared, and samples
			t.Errorf("findings %+v", rev.ZoneFindings(later))
		}
	})
	t.Run("a flag", func(t *testing.T) {
		rev := start(t, func(c *Config) { c.Features.AllowICMP = "on" })
		if got := statesOf(rev, "third", later); !slices.Equal(got, []string{"NetpolNamespace behind"}) {
			t.Errorf("against what a flag says the zone is %v", got)
		}
	})
}
