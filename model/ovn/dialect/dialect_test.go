package dialect_test

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rung/model/ovn/dialect"
	"rung/model/ovn/nb"
)

// releaseLine is what the rows say of a line, for a test to change.
func releaseLine(d *dialect.Dialect, name string) *dialect.LineRows {
	d.Releases = slices.Clone(d.Releases)
	return &d.Releases[dialect.Index(name)]
}

// readRows reads a file of testdata: a table and a row's JSON on each line.
func readRows(t *testing.T, file string) *nb.DB {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var out []nb.RowChange
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		table, row, _ := strings.Cut(line, " ")
		uuid := fmt.Sprintf("%04d", i)
		var r nb.Row
		var to any
		switch table {
		case nb.TableACL:
			a := &nb.ACL{UUID: uuid}
			r, to = a, a
		case nb.TableAddressSet:
			s := &nb.AddressSet{UUID: uuid}
			r, to = s, s
		case nb.TablePortGroup:
			g := &nb.PortGroup{UUID: uuid}
			r, to = g, g
		default:
			continue
		}
		if err := json.Unmarshal([]byte(row), to); err != nil {
			t.Fatalf("%s:%d: %v", file, i+1, err)
		}
		out = append(out, nb.RowChange{New: r})
	}
	return (*nb.DB)(nil).Apply(out)
}

func rowsOf(rows ...nb.Row) *nb.DB {
	var out []nb.RowChange
	for i, r := range rows {
		uuid := fmt.Sprintf("%04d", i)
		switch r := r.(type) {
		case *nb.ACL:
			r.UUID = uuid
		case *nb.AddressSet:
			r.UUID = uuid
		case *nb.PortGroup:
			r.UUID = uuid
		case *nb.LogicalSwitch:
			r.UUID = uuid
		case *nb.Meter:
			r.UUID = uuid
		case *nb.MeterBand:
			r.UUID = "band"
		}
		out = append(out, nb.RowChange{New: r})
	}
	return (*nb.DB)(nil).Apply(out)
}

func acl(owner string, tier int, match string, values ...string) *nb.ACL {
	var pairs []nb.IDPair
	for i, v := range values {
		pairs = append(pairs, nb.IDPair{Key: fmt.Sprint(i), Value: v})
	}
	return &nb.ACL{Tier: tier, Match: match, Action: nb.ActionAllowRelated, Meter: nb.LoggingMeter, ExternalIDs: nb.IDs(nb.DefaultController, owner, pairs...)}
}

func set(family string) *nb.AddressSet {
	return &nb.AddressSet{Name: family, ExternalIDs: nb.IDs(nb.DefaultController, nb.OwnerANP, nb.IDPair{Key: nb.KeyName, Value: "p"},
		nb.IDPair{Key: nb.KeyDirection, Value: "Ingress"}, nb.IDPair{Key: nb.KeyGressIndex, Value: "0"}, nb.IDPair{Key: nb.KeyIPFamily, Value: family})}
}

func sampledACL(a *nb.ACL) *nb.ACL {
	a.SampleNew, a.SampleEst = "s", "s"
	return a
}

func acting(a *nb.ACL, action string) *nb.ACL {
	a.Action = action
	return a
}

// firewall is a row of an EgressFirewall in the namespace of a port group.
func firewall(index, match, group string) *nb.ACL {
	return acl(nb.OwnerEgressFirewall, 2, "("+match+") && inport == @"+group, "a", index)
}

func namespaceGroup(name, controller string) *nb.PortGroup {
	return &nb.PortGroup{Name: name, ExternalIDs: nb.IDs(controller, nb.OwnerNamespace, nb.IDPair{Key: nb.KeyName, Value: "a"})}
}

// nodeSwitch is a switch with the subnet of a node, and options.
func nodeSwitch(name string, options ...string) *nb.LogicalSwitch {
	s := &nb.LogicalSwitch{Name: name, OtherConfig: map[string]string{"subnet": "10.244.1.0/24"}}
	for i := 0; i < len(options); i += 2 {
		s.OtherConfig[options[i]] = options[i+1]
	}
	return s
}

func TestInferSettings(t *testing.T) {
	deny := acl(nb.OwnerNetpolNamespace, 2, "outport == @a1", "a", "Ingress", "defaultDeny")
	icmp := acl(nb.OwnerNetpolNamespace, 2, "outport == @a1 && (icmp || icmp6)", "a", "Ingress", "icmpAllow")
	np := func() *nb.ACL {
		return acl(nb.OwnerNetworkPolicy, 2, "ip4 && outport == @a2", "a", "p", "Ingress", "0", "None", "-1")
	}
	// logging is a row that has no meter unless it logs.
	logging := func(log bool) *nb.ACL {
		a := np()
		a.Log = log
		if !log {
			a.Meter = ""
		}
		return a
	}
	annotated := dialect.ObjectHints{Stateless: func(ns, name string) bool { return ns == "a" && name == "p" }}
	subnet := netip.MustParsePrefix
	tests := []struct {
		name  string
		rows  []nb.Row
		hints dialect.ObjectHints
		want  func(*dialect.Dialect)
	}{
		{name: "an empty database tells nothing", want: func(*dialect.Dialect) {}},
		{name: "samples", rows: []nb.Row{sampledACL(np()), acl(nb.OwnerNetpolDefault, 2, "", nb.NameHairpin, "Ingress")}, want: func(d *dialect.Dialect) {
			d.Observability = dialect.Fact{Value: dialect.Yes, Evidence: "1 of 1 ACLs carry samples"}
		}},
		{name: "no samples", rows: []nb.Row{np(), deny}, want: func(d *dialect.Dialect) {
			d.Observability = dialect.Fact{Value: dialect.No, Evidence: "0 of 2 ACLs carry samples"}
		}},
		{name: "icmp", rows: []nb.Row{deny, icmp}, want: func(d *dialect.Dialect) {
			d.AllowICMP = dialect.Fact{Value: dialect.Yes, Evidence: "1 icmpAllow beside 1 defaultDeny rows"}
		}},
		{name: "no icmp", rows: []nb.Row{deny}, want: func(d *dialect.Dialect) {
			d.AllowICMP = dialect.Fact{Value: dialect.No, Evidence: "0 icmpAllow beside 1 defaultDeny rows"}
		}},
		{name: "stateless", rows: []nb.Row{acting(np(), nb.ActionAllowStateless)}, want: func(d *dialect.Dialect) {
			d.Stateless = dialect.Fact{Value: dialect.Yes, Evidence: "1 ACLs are allow-stateless"}
		}},
		{name: "annotated, and with state all the same", rows: []nb.Row{np()}, hints: annotated, want: func(d *dialect.Dialect) {
			d.Stateless = dialect.Fact{Value: dialect.No, Evidence: "1 ACLs of annotated NetworkPolicies are not allow-stateless"}
		}},
		{name: "ipv4 by sets", rows: []nb.Row{set("v4")}, want: func(d *dialect.Dialect) {
			d.Families = dialect.Families{V4: dialect.Yes, V6: dialect.No, Evidence: "1 address sets of v4, 0 of v6"}
		}},
		{name: "dual by sets", rows: []nb.Row{set("v4"), set("v6")}, want: func(d *dialect.Dialect) {
			d.Families = dialect.Families{V4: dialect.Yes, V6: dialect.Yes, Evidence: "1 address sets of v4, 1 of v6"}
		}},
		{name: "ipv6 by a rule without peers; an ipBlock is no sign", rows: []nb.Row{
			acl(nb.OwnerNetworkPolicy, 2, "ip6 && outport == @a2", "a", "p", "Ingress", "0", "None", "-1"),
			acl(nb.OwnerNetworkPolicy, 2, "ip4.src == 10.0.0.0/8 && outport == @a2", "a", "p", "Ingress", "1", "None", "-2")},
			want: func(d *dialect.Dialect) {
				d.Families = dialect.Families{V4: dialect.No, V6: dialect.Yes, Evidence: "0 matches with ip4, 1 with ip6"}
			}},
		{name: "subnets of the default network, all of ipv4", rows: []nb.Row{namespaceGroup("a7", nb.DefaultController), namespaceGroup("a8", "blue-network-controller"),
			firewall("0", "ip4.dst == 0.0.0.0/0 && ip4.dst != 10.128.0.0/14&&ip4.dst != 10.0.0.0/16", "a7"), firewall("1", "ip6.dst == fd00::/8 && ip6.dst != fd00:10::/48", "a7"),
			firewall("2", "ip4.dst == 0.0.0.0/0 && ip4.dst != 192.168.0.0/16", "a8")}, want: func(d *dialect.Dialect) {
			d.Subnets = dialect.Subnets{Prefixes: []netip.Prefix{subnet("10.0.0.0/16"), subnet("10.128.0.0/14"), subnet("fd00:10::/48")}, AllV4: true,
				Evidence: "2 rows of EgressFirewalls exclude them"}
		}},
		{name: "meter", rows: []nb.Row{np(), &nb.Meter{Name: nb.LoggingMeter, Unit: "pktps", Fair: true, Bands: []string{"band"}}, &nb.MeterBand{Rate: 25}},
			want: func(d *dialect.Dialect) {
				d.Meter = dialect.Meter{Fact: dialect.Fact{Value: dialect.Yes, Evidence: "1 of 1 ACLs refer to acl-logging"}, Rate: 25}
			}},
		{name: "the meter of a release to come", rows: []nb.Row{logging(true), logging(false), logging(false), np()}, want: func(d *dialect.Dialect) {
			releaseLine(d, dialect.UnloggedMeter).Fact = dialect.Fact{Value: dialect.No, Evidence: "1 of 3 ACLs that do not log refer to acl-logging"}
		}},
		{name: "the meter of every release so far", rows: []nb.Row{np(), np(), logging(false)}, want: func(d *dialect.Dialect) {
			releaseLine(d, dialect.UnloggedMeter).Fact = dialect.Fact{Value: dialect.Yes, Evidence: "2 of 3 ACLs that do not log refer to acl-logging"}
		}},
		{name: "switches of nodes snoop multicast", rows: []nb.Row{nodeSwitch("n1", "mcast_snoop", "true"), nodeSwitch("ts", "interconn-ts", "ts")}, want: func(d *dialect.Dialect) {
			d.Multicast = dialect.Fact{Value: dialect.Yes, Evidence: "no rows of multicast; 1 of 1 node switches snoop it"}
		}},
		{name: "no switch of a node snoops multicast", rows: []nb.Row{nodeSwitch("n1"), nodeSwitch("ts", "interconn-ts", "ts", "mcast_snoop", "true")}, want: func(d *dialect.Dialect) {
			d.Multicast = dialect.Fact{Value: dialect.No, Evidence: "no rows of multicast; 0 of 1 node switches snoop it"}
		}},
		{name: "switches without options tell nothing", rows: []nb.Row{&nb.LogicalSwitch{Name: "n1"}}, want: func(d *dialect.Dialect) {
			d.Multicast = dialect.Fact{Evidence: "no rows of multicast"}
		}},
		{name: "node rows stand for hairpin rows", rows: []nb.Row{acl(nb.OwnerNetpolNode, 2, "ip4.src==10.0.0.2", "n1", "10.0.0.2")}, want: func(d *dialect.Dialect) {
			d.Defaults = dialect.Fact{Value: dialect.Yes, Evidence: "1 hairpin and node rows"}
		}},
	}
	unsaid := dialect.InferDialect(nil, dialect.ObjectHints{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := dialect.InferDialect(rowsOf(tt.rows...), tt.hints)
			want := got
			// What the case is about; the rest is what it happens to be.
			tt.want(&want)
			if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if len(tt.rows) == 0 && !cmp.Equal(unsaid, got, cmpopts.EquateComparable(netip.Prefix{})) {
				t.Errorf("%+v", got)
			}
		})
	}
	if unsaid.Observability.Value != dialect.Unknown || unsaid.Families.AreKnown() || unsaid.Meter.Value != dialect.Unknown || len(unsaid.Owners) > 0 {
		t.Errorf("out of nothing: %+v", unsaid)
	}
}

// forms are the generations of a database, and what is not compared there.
func forms(d dialect.Dialect) (out []string) {
	for _, r := range d.Owners {
		out = append(out, strings.TrimSuffix(fmt.Sprintf("%s: %s, %d of %d current: %s", r.Type, r.Generation, r.Current, r.Rows, r.Form), ": "))
	}
	not := d.IncomparableOwners()
	for _, k := range []string{nb.OwnerANP, nb.OwnerBANP, nb.OwnerNetworkPolicy, nb.OwnerNetpolNamespace, nb.OwnerNetpolDefault, nb.OwnerNetpolNode,
		nb.OwnerPodSelector, nb.OwnerEgressFirewall, nb.OwnerEFDNS, nb.OwnerMulticastNS, nb.OwnerMulticastCluster} {
		if why := not[k]; why != "" {
			out = append(out, "not "+k)
		}
	}
	return out
}

func TestGenerations(t *testing.T) {
	older := []string{
		"Cluster: older release, 0 of 2 current: cluster port groups under their literal names",
		"EgressFirewall: older release, 0 of 3 current: ids by priority with the key rule-idx",
		"MulticastCluster: mixed, 2 of 4 current: cluster port groups under their literal names",
		"MulticastNS: older release, 0 of 2 current: ids Allow_Ingress and Allow_Egress",
		"NetpolDefault: current, 2 of 2 current",
		"NetpolNamespace: older release, 0 of 6 current: port groups named HASH_ingressDefaultDeny",
		"NetpolNode: current, 1 of 1 current",
		"NetworkPolicy: older release, 0 of 3 current: ids with a port and an ip block index, directions in lower case",
		"not NetworkPolicy", "not NetpolNamespace", "not NetpolDefault", "not PodSelector", "not EgressFirewall", "not EgressFirewallDNS",
		"not MulticastNS", "not MulticastCluster"}
	tests := []struct {
		name string
		db   *nb.DB
		want []string
	}{
		{"as older releases had them", readRows(t, "older.rows"), older},
		{"of 2023", readRows(t, "2023.rows"), []string{
			"AdminNetworkPolicy: 2023, 0 of 3 current: ids by OVN priority, as the enhancement of 2023 had them", "not AdminNetworkPolicy", "not BaselineAdminNetworkPolicy"}},
		{"without tiers", rowsOf(acl(nb.OwnerNetpolNode, 0, "", "n", "10.0.0.1"), acl(nb.OwnerNetworkPolicy, 0, "ip4", "a", "p", "Ingress", "0", "None", "-1")), []string{
			"NetpolNode: older release, 0 of 1 current: no tiers", "NetworkPolicy: older release, 0 of 1 current: no tiers",
			"not NetworkPolicy", "not NetpolNamespace", "not NetpolDefault", "not NetpolNode", "not PodSelector"}},
		{"one row that lost its tier", rowsOf(acl(nb.OwnerNetpolNode, 2, "", "n", "10.0.0.1"), acl(nb.OwnerNetworkPolicy, 0, "ip4", "a", "p", "Ingress", "0", "None", "-1")), []string{
			"NetpolNode: current, 1 of 1 current", "NetworkPolicy: current, 1 of 1 current"}},
		{"a hairpin clause", rowsOf(acl(nb.OwnerNetworkPolicy, 2, "(ip4.src == {$a1} || (ip4.src == 169.254.169.5 && ip4.dst == {$a1})) && outport == @a2",
			"a", "p", "Ingress", "0", "None", "-1"), acl(nb.OwnerNetpolNamespace, 2, "outport == @a1", "a", "Ingress", "defaultDeny")), []string{
			"NetpolNamespace: current, 1 of 1 current", "NetworkPolicy: older release, 0 of 1 current: a hairpin clause in each ACL",
			"not NetworkPolicy", "not NetpolDefault", "not NetpolNode", "not PodSelector"}},
		{"ids nobody knows", rowsOf(acl(nb.OwnerANP, 1, "", "p", "Sideways", "0", "None")), []string{
			"AdminNetworkPolicy: unknown form, 0 of 1 current: ids in a form Rung does not know", "not AdminNetworkPolicy", "not BaselineAdminNetworkPolicy"}},
		{"some are current", rowsOf(acl(nb.OwnerANP, 1, "", "p", "Sideways", "0", "None"), set("v4")), []string{
			"AdminNetworkPolicy: mixed, 1 of 2 current: ids in a form Rung does not know"}},
		{"examples of the sandbox", rowsOf(&nb.ACL{ExternalIDs: map[string]string{nb.KeyOwnerController: "network-policy-controller", nb.KeyOwnerType: nb.OwnerANP,
			nb.KeyID: "network-policy-controller:AdminNetworkPolicy:p:ANPEgress:25000", "rung": "sandbox"}},
			&nb.PortGroup{Name: "a1", ExternalIDs: map[string]string{"name": "p_25000"}}), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, forms(dialect.InferDialect(tt.db, dialect.ObjectHints{}))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
