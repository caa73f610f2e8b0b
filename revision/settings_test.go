package revision

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"rung/model"
	"rung/model/ovn/dialect"
	"rung/sources/kube"
)

// TestDialectMerge: a flag outranks the zone's rows, those the configuration, that
// the image, that the default.
func TestDialectMerge(t *testing.T) {
	prefix := netip.MustParsePrefix
	yes := dialect.Fact{Value: dialect.Yes, Evidence: "seen"}
	config := func(kv ...string) kube.OVNKube {
		o := kube.OVNKube{Settings: map[string]dialect.Setting{}, Image: "i:v1", Version: "v1"}
		for i := 0; i < len(kv); i += 2 {
			o.Settings[kv[i]] = dialect.Setting{Value: kv[i+1], From: "ConfigMap c"}
		}
		return o
	}
	all := config(dialect.Observability, "false", dialect.AllowICMP, "true", dialect.ClusterSubnets, "10.0.0.0/16/24,fd00::/48", dialect.HostNamespace, "hosts",
		dialect.Multicast, "false", dialect.LoggingRate, "30", dialect.AdminPolicy, "true", dialect.Stateless, "perhaps")
	wide := config(dialect.Masquerade4, "169.254.64.0/18", dialect.Masquerade6, "fd69:1::/112", dialect.Observability, "true")
	hairpin := dialect.Hairpin{V4: "169.254.0.5", V6: "fd69::5"}
	tests := []struct {
		name            string
		cfg             Flags
		config          kube.OVNKube
		rows            dialect.Dialect
		writes, primary bool
		want            []string // name, value, source
	}{
		{name: "a writer that nobody tells anything", writes: true, want: []string{"multicast auto default", "netpol-defaults auto default"}},
		{name: "a writer of a zone with rows", writes: true, rows: dialect.Dialect{Multicast: yes, Hairpin: hairpin}, want: []string{"multicast on rows", "hairpin-addresses 169.254.0.5, fd69::5 rows"}},
		{name: "a writer of a zone with rows of one family", writes: true, rows: dialect.Dialect{Families: dialect.Families{V4: dialect.Yes, V6: dialect.No}}, want: []string{"ip-family ipv4 rows"}},
		{name: "the configuration before rows for a writer", writes: true, config: wide, rows: dialect.Dialect{Observability: dialect.Fact{Value: dialect.No}, Hairpin: hairpin},
			want: []string{"observability on configuration", "hairpin-addresses 169.254.64.5, fd69:1::5 configuration"}},
		{name: "rows before the configuration for a reader", config: wide, rows: dialect.Dialect{Observability: dialect.Fact{Value: dialect.No}, Hairpin: hairpin},
			want: []string{"observability off rows", "hairpin-addresses 169.254.0.5, fd69::5 rows", "netpol-defaults auto default"}},
		{name: "primary networks need wide subnets", primary: true, want: []string{"hairpin-addresses 169.254.0.5, fd69::5 default"}},
		{name: "masquerade subnets by flag", primary: true, rows: dialect.Dialect{Hairpin: hairpin}, cfg: Flags{Features: Features{MasqueradeSubnets: []string{"169.254.0.0/16"}}},
			want: []string{"hairpin-addresses 169.254.0.5 flag"}},
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
			v := &DialectView{flags: &tt.cfg, config: tt.config, v4: true, cluster: tt.rows, writes: tt.writes, primary: tt.primary}
			got := map[string]string{}
			for _, s := range v.mergedSettings(&tt.rows) {
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
	zone := func(obs dialect.Tristate, v6 dialect.Tristate) *dialect.Dialect {
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
			got := majoritySettings(zones, tt.now)
			if text := got.Observability.Value.String() + " " + got.Families.String(); text != tt.want {
				t.Errorf("%s, want %s", text, tt.want)
			}
		})
	}
}

// What most zones have counts, also where that is to leave no subnet out.
func TestMostSubnets(t *testing.T) {
	none := &dialect.Dialect{Subnets: dialect.Subnets{AllV4: true}}
	some := &dialect.Dialect{Subnets: dialect.Subnets{AllV4: true, Prefixes: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/16")}}}
	others := &dialect.Dialect{Subnets: dialect.Subnets{AllV4: true, Prefixes: []netip.Prefix{netip.MustParsePrefix("10.9.0.0/16")}}}
	for _, tt := range []struct {
		name  string
		zones []*dialect.Dialect
		now   dialect.Subnets
		want  string
	}{
		{name: "most leave none out", zones: []*dialect.Dialect{none, none, some}, want: ""},
		{name: "most leave one out", zones: []*dialect.Dialect{none, some, some}, want: "10.0.0.0/16"},
		{name: "as many, and none holds", zones: []*dialect.Dialect{none, some}, want: ""},
		{name: "as many, and one holds", zones: []*dialect.Dialect{none, some, others}, now: others.Subnets, want: "10.9.0.0/16"},
	} {
		zones := map[string]*dialect.Dialect{}
		for i, d := range tt.zones {
			zones[fmt.Sprint("z", i)] = d
		}
		if got := prefixText(majoritySubnets(zones, tt.now).Prefixes); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// What a value comes from is named once, however many parts of it come from there.
func TestSubnetsEvidence(t *testing.T) {
	config := kube.OVNKube{Settings: map[string]dialect.Setting{
		dialect.ClusterSubnets: {Value: "10.0.0.0/16/24,10.1.0.0/16/24,fd00::/48", From: "ConfigMap c"}}}
	v := NewDialectView(&Flags{MaxPriority: model.MaxPriority}, true, false).WithConfig(config, "")
	rows := dialect.Subnets{Prefixes: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/16")}, Evidence: "ACL a"}
	for _, tt := range []struct {
		name     string
		found    dialect.Subnets
		evidence string
	}{
		{"the configuration", dialect.Subnets{}, "ConfigMap c"},
		{"rows and the configuration", rows, "ACL a, ConfigMap c"},
		{"rows", dialect.Subnets{Prefixes: rows.Prefixes, Evidence: rows.Evidence, AllV4: true, AllV6: true}, "ACL a"},
	} {
		if got := v.subnetsClaim(&dialect.Dialect{Subnets: tt.found}).evidence; got != tt.evidence {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.evidence)
		}
	}
}
