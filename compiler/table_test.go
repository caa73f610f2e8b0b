package compiler

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rung/model"
	"rung/model/ovn/dialect"
	"rung/model/ovn/nb"
)

const d = "default-network-controller:"

// TestHashedNames holds the check values of ovn-kubernetes.md#hashed-names.
func TestHashedNames(t *testing.T) {
	for id, want := range map[string]string{
		"AdminNetworkPolicy:cluster-control":              "a14645450421485494999",
		"AdminNetworkPolicy:cluster-control:Ingress:0:v4": "a14545668191619617708",
		"AdminNetworkPolicy:cluster-control:Egress:5:v4":  "a11452480169090787059",
		"BaselineAdminNetworkPolicy:default":              "a9550609891683691927",
		"BaselineAdminNetworkPolicy:default:Ingress:0:v4": "a168374317940583916",
		"NetpolNamespace:default:Egress":                  "a15724806612133759017",
		"NetworkPolicy:default:test-policy":               "a18090685263391312674",
		"Cluster:clusterPortGroup":                        "a13298398610555951118",
		"Namespace:default":                               "a5680351521869907322",
	} {
		if got := nb.HashedName(d + id); got != want {
			t.Errorf("HashedName(%q) = %s, want %s", id, got, want)
		}
	}
}

// TestWorkedExample is the dual-stack policy of ovn-kubernetes.md#worked-example, row
// by row.
func TestWorkedExample(t *testing.T) {
	p := anp("harry-potter", 5, nsSubject(t, "house=gryffindor"),
		rule(model.Ingress, model.Deny, nil, nsPeer(t, "house=slytherin")),
		rule(model.Ingress, model.Allow, nil, nsPeer(t, "house=hufflepuff")),
		rule(model.Ingress, model.Pass, ports(t, "TCP/12345 UDP/1235 SCTP/1345"), nsPeer(t, "house=ravenclaw")),
		rule(model.Egress, model.Deny, nil, nsPeer(t, "house=slytherin")))
	got := Compile(clusterOf(p), Options{IPv4: true, IPv6: true}).RowsOfUnit(p.Key, "", nil)

	const pg = "a11812002181470226204"
	in2 := "outport == @" + pg + " && ((ip4.src == $a11691711361400804483 || ip6.src == $a11691713560424060905)) && "
	acl := func(dir model.Direction, index, proto string, prio int, action, match string) *nb.ACL {
		a := &nb.ACL{Priority: prio, Action: action, Match: match, Meter: "acl-logging", Tier: 1,
			Name: "ANP:harry-potter:" + string(dir) + ":" + index, Direction: "to-lport",
			ExternalIDs: map[string]string{
				"k8s.ovn.org/owner-controller": "default-network-controller", "k8s.ovn.org/owner-type": "AdminNetworkPolicy",
				"k8s.ovn.org/name": "harry-potter", "direction": string(dir), "gress-index": index, "port-policy-protocol": proto,
				"k8s.ovn.org/id": d + "AdminNetworkPolicy:harry-potter:" + string(dir) + ":" + index + ":" + proto}}
		if dir == model.Egress {
			a.Direction, a.Options = "from-lport", map[string]string{"apply-after-lb": "true"}
		}
		return a
	}
	want := []*nb.ACL{
		acl("Ingress", "0", "None", 29500, "drop", "outport == @"+pg+" && ((ip4.src == $a11607853732698494625 || ip6.src == $a11607851533675238203))"),
		acl("Ingress", "2", "tcp", 29498, "pass", in2+"tcp && tcp.dst==12345"),
		acl("Ingress", "2", "udp", 29498, "pass", in2+"udp && udp.dst==1235"),
		acl("Ingress", "2", "sctp", 29498, "pass", in2+"sctp && sctp.dst==1345"),
		acl("Egress", "0", "None", 29500, "drop", "inport == @"+pg+" && ((ip4.dst == $a10866219164408727385 || ip6.dst == $a10866216965385470963))"),
	}
	var rows []*nb.ACL
	for _, a := range got.ACLs {
		if a.ExternalIDs["gress-index"] != "1" {
			rows = append(rows, a)
		}
	}
	byID := cmpopts.SortSlices(func(a, b *nb.ACL) bool { return a.ID() < b.ID() })
	if diff := cmp.Diff(want, rows, byID); diff != "" {
		t.Errorf("ACLs (-want +got):\n%s", diff)
	}
	if got.PortGroup.Name != pg {
		t.Errorf("port group %s, want %s", got.PortGroup.Name, pg)
	}
	names := map[string]string{}
	for _, s := range got.AddressSets {
		names[strings.TrimPrefix(s.ID(), d+"AdminNetworkPolicy:harry-potter:")] = s.Name
	}
	wantNames := map[string]string{"Ingress:0:v4": "a11607853732698494625", "Ingress:0:v6": "a11607851533675238203",
		"Ingress:2:v4": "a11691711361400804483", "Ingress:2:v6": "a11691713560424060905",
		"Egress:0:v4": "a10866219164408727385", "Egress:0:v6": "a10866216965385470963"}
	delete(names, "Ingress:1:v4")
	delete(names, "Ingress:1:v6")
	if diff := cmp.Diff(wantNames, names); diff != "" {
		t.Errorf("address sets (-want +got):\n%s", diff)
	}
}

// TestACLsOfARule covers ovn-kubernetes.md#acls-of-a-rule, #acl-match and #named-ports:
// which ACLs a rule yields and what they match.
func TestACLsOfARule(t *testing.T) {
	web := pod("a/web", "app=web", "n1", "10.0.0.1", "fe00::1")
	web.Ports = []model.ContainerPort{{Name: "http", Protocol: "TCP", Port: 8080}, {Name: "dns", Protocol: "UDP", Port: 53}, {Name: "odd", Protocol: "", Port: 9}}
	api := pod("b/api", "app=api", "n2", "10.0.0.10")
	api.Ports = []model.ContainerPort{{Name: "http", Protocol: "TCP", Port: 80}, {Name: "admin", Protocol: "TCP", Port: 81}}
	base := []model.Object{namespace("a", "t=a"), namespace("b", "t=b"), web, api}
	const lport, l3 = "outport == @PG && ", "((ip4.src == $AS))"
	for _, tt := range []struct {
		name  string
		dir   model.Direction
		ports string
		want  map[string]string // protocol key → match
	}{
		{"no ports", model.Ingress, "", map[string]string{"None": lport + l3}},
		{"one number", model.Ingress, "TCP/80", map[string]string{"tcp": lport + l3 + " && tcp && tcp.dst==80"}},
		{"two numbers in spec order", model.Ingress, "TCP/443 TCP/80", map[string]string{"tcp": lport + l3 + " && tcp && tcp.dst=={443,80}"}},
		{"a number twice", model.Ingress, "TCP/80 TCP/80", map[string]string{"tcp": lport + l3 + " && tcp && tcp.dst=={80,80}"}},
		{"a range", model.Ingress, "TCP/100-200", map[string]string{"tcp": lport + l3 + " && tcp && 100<=tcp.dst<=200"}},
		{"a range of one port is a number", model.Ingress, "TCP/300-300 TCP/80", map[string]string{"tcp": lport + l3 + " && tcp && tcp.dst=={300,80}"}},
		{"number after range comes first", model.Ingress, "TCP/100-200 TCP/80", map[string]string{"tcp": lport + l3 + " && tcp && (tcp.dst==80 || 100<=tcp.dst<=200)"}},
		{"two ranges in spec order", model.Ingress, "TCP/300-400 TCP/100-200", map[string]string{"tcp": lport + l3 + " && tcp && (300<=tcp.dst<=400 || 100<=tcp.dst<=200)"}},
		{"three protocols", model.Ingress, "TCP/1 UDP/2 SCTP/3", map[string]string{
			"tcp": lport + l3 + " && tcp && tcp.dst==1", "udp": lport + l3 + " && udp && udp.dst==2", "sctp": lport + l3 + " && sctp && sctp.dst==3"}},
		{"named, ingress: subject and peer, no port group, both families", model.Ingress, "http", map[string]string{
			"tcp-namedPort": l3 + " && tcp && ((ip4.dst == 10.0.0.1 && tcp.dst == 8080) || (ip4.dst == 10.0.0.10 && tcp.dst == 80) || (ip6.dst == fe00::1 && tcp.dst == 8080))"}},
		{"named, egress: peers only, no address set", model.Egress, "http", map[string]string{
			"tcp-namedPort": "inport == @PG && tcp && ((ip4.dst == 10.0.0.10 && tcp.dst == 80))"}},
		{"names ascending, then addresses", model.Egress, "http admin", map[string]string{
			"tcp-namedPort": "inport == @PG && tcp && ((ip4.dst == 10.0.0.10 && tcp.dst == 81) || (ip4.dst == 10.0.0.10 && tcp.dst == 80))"}},
		{"named and numbered", model.Egress, "TCP/9 admin", map[string]string{
			"tcp": "inport == @PG && ((ip4.dst == $AS)) && tcp && tcp.dst==9", "tcp-namedPort": "inport == @PG && tcp && ((ip4.dst == 10.0.0.10 && tcp.dst == 81))"}},
		{"only named, nothing resolves: no ACL at all", model.Ingress, "nope", map[string]string{}},
		{"a container port without protocol counts for nothing", model.Ingress, "odd", map[string]string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := anp("p", 10, nsSubject(t, "t=a"), rule(tt.dir, model.Allow, ports(t, tt.ports), nsPeer(t, "t=b")))
			rows := Compile(clusterOf(append(base, p)...), Options{IPv4: true}).RowsOfUnit(p.Key, "", nil)
			got := map[string]string{}
			for _, a := range rows.ACLs {
				m := strings.ReplaceAll(a.Match, rows.PortGroup.Name, "PG")
				got[a.ExternalIDs[nb.KeyProtocol]] = strings.ReplaceAll(m, rows.AddressSets[0].Name, "AS")
				if a.Priority != 29000 || a.Name != "ANP:p:"+string(tt.dir)+":0" {
					t.Errorf("row %s: priority %d name %q", a.ID(), a.Priority, a.Name)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(rows.AddressSets) != 1 {
				t.Errorf("%d address sets: every rule has one per family, whatever its ports", len(rows.AddressSets))
			}
			if len(rows.PortGroup.ACLs) != len(rows.ACLs) {
				t.Errorf("the port group lists %d of %d ACLs", len(rows.PortGroup.ACLs), len(rows.ACLs))
			}
		})
	}
}

// TestNamedPortDuplicates: a pod that is subject and peer appears twice, and the
// subject pods are those of the zone (ovn-kubernetes.md#named-ports).
func TestNamedPortDuplicates(t *testing.T) {
	one := pod("a/one", "", "n1", "10.128.2.4")
	two := pod("a/two", "", "n2", "10.128.10.4")
	for _, p := range []*model.Pod{one, two} {
		p.Ports = []model.ContainerPort{{Name: "s", Protocol: "TCP", Port: 8080}}
	}
	p := anp("p", 0, nsSubject(t, ""), rule(model.Ingress, model.Allow, ports(t, "s"), nsPeer(t, "")))
	des := Compile(clusterOf(namespace("a", ""), one, two, p), Options{})
	item := func(ip string) string { return "(ip4.dst == " + ip + " && tcp.dst == 8080)" }
	for zone, want := range map[string]string{
		"n1": item("10.128.10.4") + " || " + item("10.128.2.4") + " || " + item("10.128.2.4"),
		"n2": item("10.128.10.4") + " || " + item("10.128.10.4") + " || " + item("10.128.2.4"),
		"n3": item("10.128.10.4") + " || " + item("10.128.2.4"),
	} {
		rows := des.RowsOfUnit(p.Key, zone, nil)
		if len(rows.ACLs) != 1 || !strings.HasSuffix(rows.ACLs[0].Match, "&& tcp && ("+want+")") {
			t.Errorf("zone %s: %v", zone, rows.ACLs[0].Match)
		}
	}
	none := des.RowsOfUnit(p.Key, "n1", (*nb.DB)(nil).Apply(nil))
	if want := item("10.128.10.4") + " || " + item("10.128.2.4"); !strings.HasSuffix(none.ACLs[0].Match, "&& tcp && ("+want+")") {
		t.Errorf("without the logical port the subject does not count: %s", none.ACLs[0].Match)
	}
}

// TestAddressSets covers ovn-kubernetes.md#address-sets and #peers.
func TestAddressSets(t *testing.T) {
	host := pod("a/host", "", "n1", "172.18.0.9")
	host.HostNetwork = true
	done := pod("a/done", "", "n1", "10.0.0.8")
	done.Phase = "Succeeded"
	failed := pod("a/failed", "", "n1", "10.0.0.9")
	failed.Phase = "Failed"
	pending := pod("a/pending", "", "n1", "10.0.0.10")
	pending.Phase = "Pending"
	objects := []model.Object{
		namespace("a", "t=a"), namespace("b", "t=b"),
		node("n1", "role=worker", "200.200.200.0", "fc00::2"), node("n2", "", "200.200.200.1"),
		pod("a/x", "app=x", "n1", "10.0.0.1", canonical("FE00:10:128:2:0:0:0:4")), pod("b/y", "app=y", "n2", "10.0.0.2"),
		pod("b/unscheduled", "app=y", "", "10.0.0.3"), pod("b/noip", "app=y", "n2"),
		pod("nowhere/lost", "app=y", "n2", "10.0.0.4"), host, done, failed, pending,
	}
	for _, tt := range []struct {
		name   string
		peers  []model.Peer
		v4, v6 []string
	}{
		{"namespaces", []model.Peer{nsPeer(t, "t=a")}, []string{"10.0.0.1", "10.0.0.10"}, []string{"fe00:10:128:2::4"}},
		{"all namespaces: only known ones", []model.Peer{nsPeer(t, "")}, []string{"10.0.0.1", "10.0.0.10", "10.0.0.2"}, []string{"fe00:10:128:2::4"}},
		{"pods: both selectors", []model.Peer{podPeer(t, "t=b", "app=y")}, []string{"10.0.0.2"}, nil},
		{"absent label matches NotIn and DoesNotExist", []model.Peer{podPeer(t, "t notin (a)", "!nolabel")}, []string{"10.0.0.2"}, nil},
		{"nodes", []model.Peer{nodePeer(t, "role=worker")}, []string{"200.200.200.0"}, []string{"fc00::2"}},
		{"every node", []model.Peer{nodePeer(t, "")}, []string{"200.200.200.0", "200.200.200.1"}, []string{"fc00::2"}},
		{"networks are masked and collapse", []model.Peer{netPeer("10.0.54.0/19", "10.0.40.0/19", "10.0.56.38/32", "2001:0db8::/32")},
			[]string{"10.0.32.0/19", "10.0.56.38/32"}, []string{"2001:db8::/32"}},
		{"peers are united without duplicates", []model.Peer{nsPeer(t, "t=a"), podPeer(t, "", "app=x"), netPeer("0.0.0.0/0", "::/0")},
			[]string{"0.0.0.0/0", "10.0.0.1", "10.0.0.10"}, []string{"::/0", "fe00:10:128:2::4"}},
		{"nothing selected: the set is there and empty", []model.Peer{nsPeer(t, "t=none")}, nil, nil},
		{"no peers", nil, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := anp("p", 0, nsSubject(t, ""), rule(model.Egress, model.Allow, nil, tt.peers...))
			rows := Compile(clusterOf(append(objects, p)...), Options{IPv4: true, IPv6: true}).RowsOfUnit(p.Key, "", nil)
			if len(rows.AddressSets) != 2 || len(rows.ACLs) != 1 {
				t.Fatalf("%d sets, %d ACLs", len(rows.AddressSets), len(rows.ACLs))
			}
			if diff := cmp.Diff(tt.v4, rows.AddressSets[0].Addresses, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("v4 (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.v6, rows.AddressSets[1].Addresses, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("v6 (-want +got):\n%s", diff)
			}
			one := Compile(clusterOf(append(objects, p)...), Options{IPv4: true}).RowsOfUnit(p.Key, "", nil)
			if len(one.AddressSets) != 1 || strings.Contains(one.ACLs[0].Match, "ip6") {
				t.Errorf("with IPv4 only: %d sets, match %s", len(one.AddressSets), one.ACLs[0].Match)
			}
		})
	}
}

// TestPortGroup covers ovn-kubernetes.md#port-group and the subjects of
// ovn-kubernetes.md#subject-pods.
func TestPortGroup(t *testing.T) {
	host := pod("a/host", "", "n1", "172.18.0.9")
	host.HostNetwork = true
	done := pod("a/done", "", "n1", "10.0.0.8")
	done.Phase = "Failed"
	p := anp("empty", 0, nsSubject(t, "t=a"))
	des := Compile(clusterOf(namespace("a", "t=a"), namespace("b", ""), host, done, p,
		pod("a/noip", "", "n1"), pod("a/x", "", "n1", "10.0.0.1"), pod("a/far", "", "n2", "10.0.0.2"), pod("b/y", "", "n1", "10.0.0.3")), Options{})
	want := &nb.PortGroup{Name: nb.HashedName(d + "AdminNetworkPolicy:empty"), Ports: []string{"a_noip", "a_x"},
		ExternalIDs: map[string]string{"k8s.ovn.org/owner-controller": "default-network-controller", "k8s.ovn.org/owner-type": "AdminNetworkPolicy",
			"k8s.ovn.org/name": "empty", "k8s.ovn.org/id": d + "AdminNetworkPolicy:empty"}}
	if diff := cmp.Diff(want, des.RowsOfUnit(p.Key, "n1", nil).PortGroup); diff != "" {
		t.Errorf("a policy without rules has its port group (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a_far", "a_noip", "a_x"}, des.RowsOfUnit(p.Key, "", nil).PortGroup.Ports); diff != "" {
		t.Errorf("all zones (-want +got):\n%s", diff)
	}
	live := (*nb.DB)(nil).Apply([]nb.RowChange{{New: &nb.LogicalSwitchPort{UUID: "1", Name: "a_x"}}})
	if diff := cmp.Diff([]string{"a_x"}, des.RowsOfUnit(p.Key, "n1", live).PortGroup.Ports); diff != "" {
		t.Errorf("only ports that exist (-want +got):\n%s", diff)
	}
}

// TestPrioritiesNamesAndLogging covers ovn-kubernetes.md#priorities,
// #direction-and-action, #acl-names and #policy-logging.
func TestPrioritiesNamesAndLogging(t *testing.T) {
	rules := func(n int, a model.Action) (out []model.Rule) {
		for range n {
			out = append(out, rule(model.Ingress, a, nil, nsPeer(t, "")))
		}
		return out
	}
	long := strings.Repeat("x", 60)
	logging := anp("log", 1, nsSubject(t, ""), rule(model.Ingress, model.Allow, nil, nsPeer(t, "")), rule(model.Ingress, model.Deny, nil, nsPeer(t, "")), rule(model.Ingress, model.Pass, nil, nsPeer(t, "")))
	logging.Logging, logging.HasLogging = `{"DENY":"alert","allow":"info","pass":""}`, true
	for _, tt := range []struct {
		name        string
		p           *model.Policy
		first, last int
		firstName   string
	}{
		{"0 is 30000 to 29901", anp("p", 0, nsSubject(t, ""), rules(100, model.Allow)...), 30000, 29901, "ANP:p:Ingress:0"},
		{"34", anp("p", 34, nsSubject(t, ""), rules(100, model.Allow)...), 26600, 26501, "ANP:p:Ingress:0"},
		{"99", anp("p", 99, nsSubject(t, ""), rules(100, model.Allow)...), 20100, 20001, "ANP:p:Ingress:0"},
		{"BANP", banp(nsSubject(t, ""), rules(100, model.Deny)...), 1750, 1651, "BANP:default:Ingress:0"},
		{"a long name is cut", anp(long, 0, nsSubject(t, ""), rules(2, model.Deny)...), 30000, 29999, "ANP:" + long[:59]},
		{"logging", logging, 29900, 29898, "ANP:log:Ingress:0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rows := Compile(clusterOf(tt.p), Options{}).RowsOfUnit(tt.p.Key, "", nil)
			first, last := rows.ACLs[0], rows.ACLs[len(rows.ACLs)-1]
			if first.Priority != tt.first || last.Priority != tt.last || first.Name != tt.firstName {
				t.Errorf("got %d…%d %q", first.Priority, last.Priority, first.Name)
			}
			if got := LivePriority(last.Priority, len(rows.ACLs)-1); tt.p.Kind == model.KindANP && got != tt.p.Priority {
				t.Errorf("LivePriority = %d, want %d", got, tt.p.Priority)
			}
			for _, a := range rows.ACLs {
				if a.Tier != tt.p.Tier || a.Meter != "acl-logging" || a.Log != (a.Severity != "") {
					t.Errorf("row %s: tier %d meter %q log %v severity %q", a.ID(), a.Tier, a.Meter, a.Log, a.Severity)
				}
			}
		})
	}
	rows := Compile(clusterOf(logging), Options{}).RowsOfUnit(logging.Key, "", nil)
	var got []string
	for _, a := range rows.ACLs {
		got = append(got, a.Action+"="+a.Severity)
	}
	if diff := cmp.Diff([]string{"allow-related=info", "drop=alert", "pass="}, got); diff != "" {
		t.Errorf("levels by action (-want +got):\n%s", diff)
	}
}

// A release to come has the meter on ACLs that log alone (ovn-kubernetes.md#meter); every one so far
// has it on all.
func TestMeterByRelease(t *testing.T) {
	p := anp("meter", 0, nsSubject(t, ""), rule(model.Ingress, model.Deny, nil, nsPeer(t, "")), rule(model.Ingress, model.Allow, nil, nsPeer(t, "")))
	p.Logging, p.HasLogging = `{"deny":"alert"}`, true
	for _, only := range []bool{false, true} {
		o := Options{IPv4: true}
		if only {
			o.AlternateForms = o.AlternateForms.With(dialect.UnloggedMeter)
		}
		want := []string{nb.LoggingMeter, nb.LoggingMeter}
		if only {
			want[1] = ""
		}
		var got []string
		for _, a := range Compile(clusterOf(p), o).RowsOfUnit(p.Key, "", nil).ACLs {
			got = append(got, a.Meter)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("only where it logs is %v (-want +got):\n%s", only, diff)
		}
	}
}

// TestSamples holds the check value of ovn-kubernetes.md#samples.
func TestSamples(t *testing.T) {
	p := anp("samp", 0, nsSubject(t, ""), rule(model.Ingress, model.Deny, nil, nsPeer(t, "")))
	a := Compile(clusterOf(p), Options{IPv4: true, Observability: true}).RowsOfUnit(p.Key, "", nil).ACLs[0]
	if a.Match != "outport == @a17990074677258630702 && ((ip4.src == $a9918774257935309419))" || a.SampleNew != "1281859638" || a.SampleEst != a.SampleNew {
		t.Errorf("match %s, sample %s/%s", a.Match, a.SampleNew, a.SampleEst)
	}
}
