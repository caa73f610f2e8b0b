package compiler

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/made"
)

const (
	testPolicyPG = "a18090685263391312674" // NetworkPolicy default:test-policy
	ingressPG    = "a7142533792977303281"  // NetpolNamespace default:Ingress
	egressPG     = "a15724806612133759017" // NetpolNamespace default:Egress
	defaultNS    = "a5680351521869907322"  // Namespace default
	routerPG     = "a4743249366342378346"  // Cluster clusterRtrPortGroup
)

// unitRows compiles the objects and gives one unit's rows in a zone. What else
// was compiled must be what the naive compile gives.
func unitRows(t *testing.T, k model.PolicyKey, zone string, o Options, objects ...model.Object) *model.PolicyRows {
	t.Helper()
	des := Compile(clusterOf(objects...), o)
	rows := des.RowsOfUnit(k, zone, nil)
	if rows == nil {
		t.Fatalf("%s: nil rows", k)
	}
	if err := compareUnits(des, o, zone); err != nil {
		t.Error(err)
	}
	return rows
}

func unitKey(kind model.Kind, namespace, name string) model.PolicyKey {
	return model.PolicyKey{Kind: kind, Namespace: namespace, Name: name}
}

// rowIDs are the external_ids with this id, given without the controller;
// keys and values alternate.
func rowIDs(id string, keysAndValues ...string) map[string]string {
	owner, _, _ := strings.Cut(id, ":")
	m := map[string]string{"k8s.ovn.org/owner-controller": "default-network-controller", "k8s.ovn.org/owner-type": owner,
		"k8s.ovn.org/id": "default-network-controller:" + id}
	for i := 0; i < len(keysAndValues); i += 2 {
		m[keysAndValues[i]] = keysAndValues[i+1]
	}
	return m
}

// toLport and fromLport are rows of the stages to-lport and from-lport after LB.
func toLport(priority int, action, name, match string, ids map[string]string) *nb.ACL {
	return &nb.ACL{Priority: priority, Action: action, Name: name, Match: match, ExternalIDs: ids, Direction: "to-lport", Meter: "acl-logging", Tier: 2}
}

func fromLport(priority int, action, name, match string, ids map[string]string) *nb.ACL {
	a := toLport(priority, action, name, match, ids)
	a.Direction, a.Options = "from-lport", map[string]string{"apply-after-lb": "true"}
	return a
}

func loggedRow(a *nb.ACL, severity string) *nb.ACL {
	a.Log, a.Severity = true, severity
	return a
}

func annotated(ns *model.Namespace, keysAndValues ...string) *model.Namespace {
	ns.Annotations = map[string]string{}
	for i := 0; i < len(keysAndValues); i += 2 {
		ns.Annotations[keysAndValues[i]] = keysAndValues[i+1]
	}
	return ns
}

func diffRows(t *testing.T, want, got *model.PolicyRows) {
	t.Helper()
	if diff := cmp.Diff(want, got, byRowID, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// matchesOf are the matches of rows by what follows a prefix in their id.
func matchesOf(rows *model.PolicyRows, prefix string) map[string]string {
	m := map[string]string{}
	for _, a := range rows.ACLs {
		m[strings.TrimPrefix(a.ID(), "default-network-controller:"+prefix)] = a.Match
	}
	return m
}

func isolating(p *model.Policy, types string) *model.Policy {
	p.IsolatesIngress, p.IsolatesEgress = strings.Contains(types, "Ingress"), strings.Contains(types, "Egress")
	return p
}

// localPods are pods of namespace default: which of them a port group lists is
// told by their name.
func localPods() []model.Object {
	host, done, far := pod("default/host", "app=demo", "n1", "172.18.0.2"), pod("default/done", "app=demo", "n1", "10.244.0.9"), pod("default/far", "app=demo", "n2", "10.244.1.5")
	host.HostNetwork, done.Phase = true, "Succeeded"
	return []model.Object{host, done, far, pod("default/noip", "app=demo", "n1"), pod("default/other", "", "n1", "10.244.0.6"),
		pod("default/unscheduled", "app=demo", "", "10.244.0.7"), pod("else/demo", "app=demo", "n1", "10.244.0.8")}
}

// TestNetpolIsolation follows ovn-kubernetes.md#isolation-groups and #default-deny, row
// by row.
func TestNetpolIsolation(t *testing.T) {
	objects := append(localPods(), annotated(namespace("default", ""), "k8s.ovn.org/acl-logging", `{"allow":"info","deny":"alert"}`), namespace("else", ""),
		isolating(familyNetpol("default/test-policy", made.Sel("app=demo")), "Ingress"),
		isolating(familyNetpol("default/all", made.Sel("")), "Ingress"),
		isolating(familyNetpol("default/nothing", made.Sel("")), ""))
	ingress := &model.PolicyRows{Policy: unitKey("NetpolNamespace", "default", "Ingress"),
		PortGroup: &nb.PortGroup{Name: ingressPG, Ports: []string{"default_noip", "default_other"},
			ExternalIDs: rowIDs("NetpolNamespace:default:Ingress", "k8s.ovn.org/name", "default", "direction", "Ingress"),
			ACLs:        []string{d + "NetpolNamespace:default:Ingress:arpAllow", d + "NetpolNamespace:default:Ingress:defaultDeny"}},
		ACLs: []*nb.ACL{
			loggedRow(toLport(1000, "drop", "NP:default:Ingress", "outport == @"+ingressPG,
				rowIDs("NetpolNamespace:default:Ingress:defaultDeny", "k8s.ovn.org/name", "default", "direction", "Ingress", "type", "defaultDeny")), "alert"),
			toLport(1001, "allow", "NP:default:Ingress", "outport == @"+ingressPG+" && (arp || nd)",
				rowIDs("NetpolNamespace:default:Ingress:arpAllow", "k8s.ovn.org/name", "default", "direction", "Ingress", "type", "arpAllow")),
		}}
	// No policy isolates egress: the group is there all the same, without ports.
	egress := &model.PolicyRows{Policy: unitKey("NetpolNamespace", "default", "Egress"),
		PortGroup: &nb.PortGroup{Name: egressPG,
			ExternalIDs: rowIDs("NetpolNamespace:default:Egress", "k8s.ovn.org/name", "default", "direction", "Egress"),
			ACLs:        []string{d + "NetpolNamespace:default:Egress:arpAllow", d + "NetpolNamespace:default:Egress:defaultDeny"}},
		ACLs: []*nb.ACL{
			loggedRow(fromLport(1000, "drop", "NP:default:Egress", "inport == @"+egressPG,
				rowIDs("NetpolNamespace:default:Egress:defaultDeny", "k8s.ovn.org/name", "default", "direction", "Egress", "type", "defaultDeny")), "alert"),
			fromLport(1001, "allow", "NP:default:Egress", "inport == @"+egressPG+" && (arp || nd)",
				rowIDs("NetpolNamespace:default:Egress:arpAllow", "k8s.ovn.org/name", "default", "direction", "Egress", "type", "arpAllow")),
		}}
	diffRows(t, ingress, unitRows(t, ingress.Policy, "n1", Options{}, objects...))
	diffRows(t, egress, unitRows(t, egress.Policy, "n1", Options{}, objects...))

	all := unitRows(t, ingress.Policy, "", Options{}, objects...).PortGroup.Ports
	if diff := cmp.Diff([]string{"default_far", "default_noip", "default_other"}, all); diff != "" {
		t.Errorf("ports of all zones (-want +got):\n%s", diff)
	}

	ingress.ACLs = append(ingress.ACLs, toLport(1001, "allow", "NP:default:Ingress", "outport == @"+ingressPG+" && (icmp || icmp6)",
		rowIDs("NetpolNamespace:default:Ingress:icmpAllow", "k8s.ovn.org/name", "default", "direction", "Ingress", "type", "icmpAllow")))
	ingress.PortGroup.ACLs = append(ingress.PortGroup.ACLs, d+"NetpolNamespace:default:Ingress:icmpAllow")
	egress.ACLs = append(egress.ACLs, fromLport(1001, "allow", "NP:default:Egress", "inport == @"+egressPG+" && (icmp || icmp6)",
		rowIDs("NetpolNamespace:default:Egress:icmpAllow", "k8s.ovn.org/name", "default", "direction", "Egress", "type", "icmpAllow")))
	egress.PortGroup.ACLs = append(egress.PortGroup.ACLs, d+"NetpolNamespace:default:Egress:icmpAllow")
	diffRows(t, ingress, unitRows(t, ingress.Policy, "n1", Options{AllowICMP: true}, objects...))
	diffRows(t, egress, unitRows(t, egress.Policy, "n1", Options{AllowICMP: true}, objects...))

	if rows := Compile(clusterOf(objects...), Options{}).RowsOfUnit(unitKey("NetpolNamespace", "else", "Ingress"), "", nil); rows != nil {
		t.Errorf("a namespace without policies has rows: %v", rows)
	}
}

// TestNetpolPolicy is a whole policy of ovn-kubernetes.md#rule-rows: its group, its
// rows and their columns.
func TestNetpolPolicy(t *testing.T) {
	p := isolating(familyNetpol("default/test-policy", made.Sel("app=demo"),
		rule(model.Ingress, model.Allow, nil),
		rule(model.Egress, model.Allow, nil, netPeer("10.244.1.5/32")),
		rule(model.Egress, model.Allow, ports(t, "TCP/80 TCP/443 TCP/8000-9000 UDP/53"))), "Ingress")
	ids := func(suffix, dir, index, proto, block string) map[string]string {
		return rowIDs("NetworkPolicy:default:test-policy:"+suffix, "k8s.ovn.org/name", "default:test-policy", "direction", dir,
			"gress-index", index, "port-policy-protocol", proto, "ip-block-index", block)
	}
	id := d + "NetworkPolicy:default:test-policy"
	want := &model.PolicyRows{Policy: p.Key,
		PortGroup: &nb.PortGroup{Name: testPolicyPG, Ports: []string{"default_noip"},
			ExternalIDs: rowIDs("NetworkPolicy:default:test-policy", "k8s.ovn.org/name", "default:test-policy"),
			ACLs:        []string{id + ":Egress:0:None:-2", id + ":Egress:1:tcp:-1", id + ":Egress:1:udp:-1", id + ":Ingress:0:None:-1"}},
		// The rules of both directions, although only ingress is isolated.
		ACLs: []*nb.ACL{
			loggedRow(toLport(1001, "allow-related", "NP:default:test-policy:Ingress:0", "ip4 && outport == @"+testPolicyPG,
				ids("Ingress:0:None:-1", "Ingress", "0", "None", "-1")), "info"),
			loggedRow(fromLport(1001, "allow-related", "NP:default:test-policy:Egress:0", "ip4.dst == 10.244.1.5/32 && inport == @"+testPolicyPG,
				ids("Egress:0:None:-2", "Egress", "0", "None", "-2")), "info"),
			loggedRow(fromLport(1001, "allow-related", "NP:default:test-policy:Egress:1", "ip4 && tcp && (tcp.dst=={80,443} || 8000<=tcp.dst<=9000) && inport == @"+testPolicyPG,
				ids("Egress:1:tcp:-1", "Egress", "1", "tcp", "-1")), "info"),
			loggedRow(fromLport(1001, "allow-related", "NP:default:test-policy:Egress:1", "ip4 && udp && udp.dst==53 && inport == @"+testPolicyPG,
				ids("Egress:1:udp:-1", "Egress", "1", "udp", "-1")), "info"),
		}}
	objects := append(localPods(), p, annotated(namespace("default", ""), "k8s.ovn.org/acl-logging", `{"allow":"info","deny":"alert"}`))
	diffRows(t, want, unitRows(t, p.Key, "n1", Options{}, objects...))
}

// TestNetpolMatches follows ovn-kubernetes.md#rule-rows and #ip-blocks: which rows an
// ingress or egress rule has and what they match.
func TestNetpolMatches(t *testing.T) {
	const out, in = " && outport == @" + testPolicyPG, " && inport == @" + testPolicyPG
	demo := podPeer(t, "kubernetes.io/metadata.name=default", "app=demo")
	legacy := nsPeer(t, "kubernetes.io/metadata.name=nobody")
	v4, v6, dual := Options{IPv4: true}, Options{IPv6: true}, Options{IPv4: true, IPv6: true}
	as := func(name, family string) string { return nb.HashedName(d + "PodSelector:" + name + ":" + family) }
	const demoName, legacyName = "LS{ML:{kubernetes.io/metadata.name: default,},}_LS{ML:{app: demo,},}", "LS{ML:{kubernetes.io/metadata.name: nobody,},}_LS{}_LNM"
	both := func(family string) string { // sorted as strings
		a, b := as(demoName, family), as(legacyName, family)
		if a > b {
			a, b = b, a
		}
		return "{$" + a + ", $" + b + "}"
	}
	tcp := func(p ...model.Port) []model.Port {
		for i := range p {
			p[i].Protocol = "TCP"
		}
		return p
	}
	number := func(n int32) model.Port { return model.Port{Start: n, End: n} }
	ten := model.Peer{Kind: model.PeerNetworks, Networks: []string{"10.0.0.0/8"}, Except: []string{"10.1.0.0/16", "10.2.0.0/16"}}
	for _, tt := range []struct {
		name  string
		o     Options
		dir   model.Direction
		ports []model.Port
		peers []model.Peer
		want  map[string]string
	}{
		{"no peers", v4, model.Ingress, nil, nil, map[string]string{"None:-1": "ip4" + out}},
		{"no peers, v6", v6, model.Ingress, nil, nil, map[string]string{"None:-1": "ip6" + out}},
		{"no peers, dual", dual, model.Egress, nil, nil, map[string]string{"None:-1": "(ip4 || ip6)" + in}},
		{"one selector", v4, model.Ingress, ports(t, "TCP/80"), []model.Peer{demo}, map[string]string{"tcp:-1": "ip4.src == {$a3733136965153973077} && tcp && tcp.dst==80" + out}},
		{"one selector twice is one set", v4, model.Ingress, nil, []model.Peer{demo, demo}, map[string]string{"None:-1": "ip4.src == {$a3733136965153973077}" + out}},
		{"egress, two selectors", v4, model.Egress, nil, []model.Peer{demo, legacy}, map[string]string{"None:-1": "ip4.dst == " + both("v4") + in}},
		{"v6", v6, model.Egress, nil, []model.Peer{demo}, map[string]string{"None:-1": "ip6.dst == {$" + as(demoName, "v6") + "}" + in}},
		{"dual", dual, model.Ingress, nil, []model.Peer{legacy, demo}, map[string]string{"None:-1": "(ip4.src == " + both("v4") + " || ip6.src == " + both("v6") + ")" + out}},
		{"a block, as written", v4, model.Egress, nil, []model.Peer{netPeer("10.0.54.0/19")}, map[string]string{"None:-2": "ip4.dst == 10.0.54.0/19" + in}},
		{"a block of another family", v4, model.Egress, nil, []model.Peer{netPeer("2001:0DB8::/32")}, map[string]string{"None:-2": "ip6.dst == 2001:0DB8::/32" + in}},
		{"one exception", v4, model.Ingress, nil, []model.Peer{{Kind: model.PeerNetworks, Networks: []string{"10.0.0.0/8"}, Except: []string{"10.1.0.0/16"}}},
			map[string]string{"None:-2": "(ip4.src == 10.0.0.0/8 && ip4.src != {10.1.0.0/16})" + out}},
		{"blocks with exceptions", v4, model.Ingress, ports(t, "TCP/80"), []model.Peer{ten, netPeer("fd00::/8")},
			map[string]string{"tcp:-2": "((ip4.src == 10.0.0.0/8 && ip4.src != {10.1.0.0/16, 10.2.0.0/16}) || ip6.src == fd00::/8) && tcp && tcp.dst==80" + out}},
		{"blocks and selectors, two protocols", v4, model.Ingress, ports(t, "UDP/53 TCP/80"), []model.Peer{netPeer("10.0.0.0/8"), demo, netPeer("11.0.0.0/8")},
			map[string]string{
				"tcp:-1": "ip4.src == {$a3733136965153973077} && tcp && tcp.dst==80" + out, "udp:-1": "ip4.src == {$a3733136965153973077} && udp && udp.dst==53" + out,
				"tcp:-2": "(ip4.src == 10.0.0.0/8 || ip4.src == 11.0.0.0/8) && tcp && tcp.dst==80" + out,
				"udp:-2": "(ip4.src == 10.0.0.0/8 || ip4.src == 11.0.0.0/8) && udp && udp.dst==53" + out}},
		{"a whole protocol", v4, model.Egress, tcp(model.Port{}), nil, map[string]string{"tcp:-1": "ip4 && tcp" + in}},
		{"a named port opens the whole protocol", v4, model.Egress, tcp(model.Port{Name: "http"}), nil, map[string]string{"tcp:-1": "ip4 && tcp" + in}},
		{"of a named and a numbered port the number remains", v4, model.Egress, tcp(model.Port{Name: "http"}, number(80)), nil, map[string]string{"tcp:-1": "ip4 && tcp && tcp.dst==80" + in}},
		{"of any port and a numbered one the number remains", v4, model.Egress, tcp(number(443), model.Port{}), nil, map[string]string{"tcp:-1": "ip4 && tcp && tcp.dst==443" + in}},
		{"any port of another protocol stays", v4, model.Egress, append(tcp(number(443)), model.Port{Protocol: "SCTP"}), nil,
			map[string]string{"tcp:-1": "ip4 && tcp && tcp.dst==443" + in, "sctp:-1": "ip4 && sctp" + in}},
		{"numbers twice, in spec order", v4, model.Egress, ports(t, "TCP/443 TCP/80 TCP/443"), nil, map[string]string{"tcp:-1": "ip4 && tcp && tcp.dst=={443,80,443}" + in}},
		{"a range of one port is a number", v4, model.Egress, ports(t, "UDP/300-400 UDP/53-53"), nil, map[string]string{"udp:-1": "ip4 && udp && (udp.dst==53 || 300<=udp.dst<=400)" + in}},
		{"a range", v4, model.Egress, ports(t, "TCP/100-200"), nil, map[string]string{"tcp:-1": "ip4 && tcp && 100<=tcp.dst<=200" + in}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := familyNetpol("default/test-policy", made.Sel(""), rule(tt.dir, model.Allow, tt.ports, tt.peers...))
			got := matchesOf(unitRows(t, p.Key, "", tt.o, namespace("default", ""), p), "NetworkPolicy:default:test-policy:"+string(tt.dir)+":0:")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestNetpolStateless: flag and annotation, exactly (ovn-kubernetes.md#rule-rows).
func TestNetpolStateless(t *testing.T) {
	for _, tt := range []struct {
		flag             bool
		annotation, want string
	}{
		{true, "true", "allow-stateless"}, {true, "True", "allow-related"}, {true, "", "allow-related"}, {true, " true", "allow-related"}, {false, "true", "allow-related"},
	} {
		p := familyNetpol("a/p", made.Sel(""), rule(model.Ingress, model.Allow, nil))
		p.Annotations = map[string]string{"k8s.ovn.org/acl-stateless": tt.annotation}
		ns := annotated(namespace("a", ""), "k8s.ovn.org/acl-logging", `{"allow":"notice"}`)
		for _, a := range unitRows(t, p.Key, "", Options{Stateless: tt.flag}, ns, p).ACLs {
			if a.Action != tt.want || a.Severity != "notice" {
				t.Errorf("flag %v, annotation %q: %s logged %q, want %s", tt.flag, tt.annotation, a.Action, a.Severity, tt.want)
			}
		}
	}
}

// TestFamilyLogging follows ovn-kubernetes.md#namespace-logging: errors are soft.
func TestFamilyLogging(t *testing.T) {
	for _, tt := range []struct{ annotation, allow, deny string }{
		{`{"allow":"info","deny":"alert"}`, "info", "alert"},
		{`{"ALLOW":"warning"}`, "warning", ""},
		{`{"deny":"debug","unknown":1}`, "", "debug"},
		{`{"allow":"LOUD","deny":"notice"}`, "", "notice"},
		{`{"allow":"info","deny":"ALERT"}`, "info", ""},
		{`{"allow":"info","pass":"LOUD"}`, "info", ""},
		{`{"allow":null,"deny":""}`, "", ""},
		{`{"allow":"info","deny":1}`, "", ""},
		{`{"allow":"info"`, "", ""}, {`[]`, "", ""}, {`null`, "", ""}, {``, "", ""},
	} {
		p := familyNetpol("a/p", made.Sel(""), rule(model.Ingress, model.Allow, nil))
		f := familyFirewall("a", rule(model.Egress, model.Allow, nil, netPeer("1.2.3.0/24")), rule(model.Egress, model.Deny, nil, netPeer("0.0.0.0/0")))
		objects := []model.Object{p, f, annotated(namespace("a", ""), "k8s.ovn.org/acl-logging", tt.annotation)}
		got := map[string]string{}
		for _, k := range []model.PolicyKey{p.Key, f.Key, unitKey("NetpolNamespace", "a", "Ingress")} {
			for _, a := range unitRows(t, k, "", Options{}, objects...).ACLs {
				if a.Log != (a.Severity != "") {
					t.Errorf("%s: log %v, severity %q", a.ID(), a.Log, a.Severity)
				}
				got[strings.TrimPrefix(a.ID(), d)] = a.Severity
			}
		}
		want := map[string]string{"NetworkPolicy:a:p:Ingress:0:None:-1": tt.allow, "EgressFirewall:a:0": tt.allow, "EgressFirewall:a:1": tt.deny,
			"NetpolNamespace:a:Ingress:defaultDeny": tt.deny, "NetpolNamespace:a:Ingress:arpAllow": ""}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.annotation, diff)
		}
	}
	// The annotation of the policy itself is none of a NetworkPolicy's.
	p := familyNetpol("a/p", made.Sel(""), rule(model.Ingress, model.Allow, nil))
	p.Logging, p.HasLogging = `{"allow":"info"}`, true
	if a := unitRows(t, p.Key, "", Options{}, namespace("a", ""), p).ACLs[0]; a.Log {
		t.Errorf("%s logs by the policy's own annotation", a.ID())
	}
}

// TestFamilyNames: ACL names are cut at 63 characters, ids are not.
func TestFamilyNames(t *testing.T) {
	long := strings.Repeat("n", 63)
	p := familyNetpol(long+"/"+strings.Repeat("p", 40), made.Sel(""), rule(model.Ingress, model.Allow, nil))
	f := familyFirewall(long, rule(model.Egress, model.Deny, nil, netPeer("0.0.0.0/0")))
	for k, want := range map[model.PolicyKey][2]string{
		p.Key: {"NP:" + long[:60], "NetworkPolicy:" + long + ":" + p.Name + ":Ingress:0:None:-1"},
		f.Key: {"EF:" + long[:60], "EgressFirewall:" + long + ":0"},
		unitKey("NetpolNamespace", long, "Ingress"): {"NP:" + long[:60], "NetpolNamespace:" + long + ":Ingress:arpAllow"},
	} {
		rows := unitRows(t, k, "", Options{}, namespace(long, ""), p, f)
		found := false
		for _, a := range rows.ACLs {
			found = found || a.Name == want[0] && a.ID() == d+want[1]
		}
		if !found {
			t.Errorf("%s: no row %s named %s", k, want[1], want[0])
		}
	}
}

// TestNetpolDefaults follows ovn-kubernetes.md#hairpin-and-node-rows.
func TestNetpolDefaults(t *testing.T) {
	p := familyNetpol("a/p", made.Sel(""))
	nd := node("ovn-worker", "", "172.18.0.3")
	nd.MgmtIPs = []string{"10.244.2.2", "fd01::2"}
	hairpin, worker := unitKey("NetpolDefault", "", "allow-hairpinning"), unitKey("NetpolNode", "", "ovn-worker")
	for _, tt := range []struct {
		o     Options
		match string
	}{
		{Options{IPv4: true}, "ip4.src == 169.254.169.5"},
		{Options{IPv6: true}, "ip6.src == fd69::5"},
		{Options{IPv4: true, IPv6: true}, "(ip4.src == 169.254.169.5 || ip6.src == fd69::5)"},
	} {
		diffRows(t, &model.PolicyRows{Policy: hairpin, ACLs: []*nb.ACL{
			fromLport(1001, "allow-related", "", tt.match, rowIDs("NetpolDefault:allow-hairpinning:Egress", "k8s.ovn.org/name", "allow-hairpinning", "direction", "Egress")),
			toLport(1001, "allow-related", "", tt.match, rowIDs("NetpolDefault:allow-hairpinning:Ingress", "k8s.ovn.org/name", "allow-hairpinning", "direction", "Ingress")),
		}}, unitRows(t, hairpin, "n1", tt.o, p, nd))
	}
	want := &model.PolicyRows{Policy: worker, ACLs: []*nb.ACL{
		toLport(1001, "allow-related", "", "ip4.src==10.244.2.2", rowIDs("NetpolNode:ovn-worker:10.244.2.2", "k8s.ovn.org/name", "ovn-worker", "ip", "10.244.2.2")),
		toLport(1001, "allow-related", "", "ip6.src==fd01::2", rowIDs("NetpolNode:ovn-worker:fd01::2", "k8s.ovn.org/name", "ovn-worker", "ip", "fd01::2")),
	}}
	diffRows(t, want, unitRows(t, worker, "", Options{}, p, nd))
	diffRows(t, want, unitRows(t, worker, "ovn-worker", Options{}, p, nd))
	if rows := Compile(clusterOf(p, nd), Options{}).RowsOfUnit(worker, "n1", nil); rows != nil && len(rows.ACLs) > 0 {
		t.Errorf("rows of a node in another zone: %v", rows.ACLs)
	}
	for _, tt := range []struct {
		name    string
		at      SwitchOption
		objects []model.Object
		want    bool
	}{
		{"auto without policies", Auto, []model.Object{nd}, false}, {"auto with one", Auto, []model.Object{nd, p}, true},
		{"on without policies", On, []model.Object{nd}, true}, {"off with one", Off, []model.Object{nd, p}, false},
		{"an ANP is no NetworkPolicy", Auto, []model.Object{nd, anp("x", 1, nsSubject(t, ""))}, false},
	} {
		des := Compile(clusterOf(tt.objects...), Options{Defaults: tt.at})
		for _, k := range []model.PolicyKey{hairpin, worker} {
			rows := des.RowsOfUnit(k, "", nil)
			if has := rows != nil && len(rows.ACLs) == 2; has != tt.want || !tt.want && rows != nil {
				t.Errorf("%s: %s has rows %v", tt.name, k, rows)
			}
		}
	}
}

// selectorWorld are pods and nodes whose addresses tell what a set holds.
func selectorWorld() []model.Object {
	host, done, failed := pod("ns1/host", "a=1", "n1", "172.18.0.9"), pod("ns1/done", "a=1", "n1", "10.0.0.8"), pod("ns1/failed", "a=1", "n1", "10.0.0.9")
	host.HostNetwork, done.Phase, failed.Phase = true, "Succeeded", "Failed"
	pending := pod("ns1/pending", "", "n2", "10.0.0.10")
	pending.Phase = "Pending"
	n1, n2 := node("n1", "", "172.18.0.9"), node("n2", "")
	n1.MgmtIPs, n1.GatewayIPs = []string{"10.244.0.2", "fd01::2"}, []string{"100.64.0.2", "fd98::2"}
	n2.MgmtIPs = []string{"10.244.1.2"}
	return []model.Object{namespace("ns1", "t=1"), namespace("ns2", "t=2"), namespace("ovn-host-network", "t=2"), host, done, failed, pending, n1, n2,
		pod("ns1/x", "a=1", "n1", "10.0.0.1", "fd00::1"), pod("ns1/noip", "a=1", "n1"), pod("ns1/unscheduled", "a=1", "", "10.0.0.3"),
		pod("ns2/x", "a=1", "n2", "10.0.0.2"), pod("ns2/same", "a=1", "n2", "10.0.0.2"), pod("nowhere/lost", "a=1", "n2", "10.0.0.4")}
}

// TestPodSelectorSets follows ovn-kubernetes.md#pod-selector-sets: names and members.
func TestPodSelectorSets(t *testing.T) {
	own := func(pods string) model.Peer {
		return model.Peer{Kind: model.PeerPods, Namespace: "ns1", Namespaces: model.SelectEverything(), Pods: made.Sel(pods)}
	}
	all := []string{"10.0.0.1", "10.0.0.10", "10.0.0.2"}
	nodes := []string{"10.244.0.2", "10.244.1.2", "100.64.0.2"}
	for _, tt := range []struct {
		what, name string
		peer       model.Peer
		v4, v6     []string
	}{
		{"host-network pods belong to it, completed and unscheduled ones do not", "ns1_LS{}", own(""), []string{"10.0.0.1", "10.0.0.10", "172.18.0.9"}, []string{"fd00::1"}},
		{"labels and expressions, sorted", "ns1_LS{ML:{a: 1,b: 2,},ME:{LSR{Key:k,Operator:Exists,Values:[],},LSR{Key:z,Operator:In,Values:[c q],}},}",
			own("b=2,a=1,z in (q,c),k"), nil, nil},
		{"an expression is not a label", "ns1_LS{ME:{LSR{Key:a,Operator:In,Values:[1],}},}", own("a in (1)"), []string{"10.0.0.1", "172.18.0.9"}, []string{"fd00::1"}},
		{"all namespaces, legacy: the nodes, no host-network pods", "LS{}_LS{}_LNM", nsPeer(t, ""), append(append([]string{}, all...), nodes...), []string{"fd00::1", "fd01::2", "fd98::2"}},
		{"all pods of all namespaces is not legacy", "LS{}_LS{}", podPeer(t, "", ""), append(append([]string{}, all...), "172.18.0.9"), []string{"fd00::1"}},
		{"legacy without the host network's namespace", "LS{ML:{t: 1,},}_LS{}_LNM", nsPeer(t, "t=1"), []string{"10.0.0.1", "10.0.0.10"}, []string{"fd00::1"}},
		{"legacy with it", "LS{ML:{t: 2,},}_LS{}_LNM", nsPeer(t, "t=2"), append([]string{"10.0.0.2"}, nodes...), []string{"fd01::2", "fd98::2"}},
		{"both selectors", "LS{ML:{t: 2,},}_LS{ML:{a: 1,},}", podPeer(t, "t=2", "a=1"), []string{"10.0.0.2"}, nil},
		{"nothing selected", "LS{ML:{t: 3,},}_LS{}", podPeer(t, "t=3", ""), nil, nil},
	} {
		t.Run(tt.what, func(t *testing.T) {
			p := familyNetpol("ns1/p", made.Sel(""), rule(model.Egress, model.Allow, nil, tt.peer))
			set := func(family string, addresses []string) *nb.AddressSet {
				id := "PodSelector:" + tt.name + ":" + family
				return &nb.AddressSet{Name: nb.HashedName(d + id), Addresses: addresses, ExternalIDs: rowIDs(id, "k8s.ovn.org/name", tt.name, "ip-family", family)}
			}
			want := &model.PolicyRows{Policy: unitKey("PodSelector", "", tt.name), AddressSets: []*nb.AddressSet{set("v4", tt.v4), set("v6", tt.v6)}}
			objects := append(selectorWorld(), p)
			diffRows(t, want, unitRows(t, want.Policy, "n2", Options{IPv4: true, IPv6: true}, objects...))
			want.AddressSets = want.AddressSets[:1]
			diffRows(t, want, unitRows(t, want.Policy, "n1", Options{IPv4: true}, objects...))
			if rows := Compile(clusterOf(selectorWorld()...), Options{}).RowsOfUnit(want.Policy, "", nil); rows != nil {
				t.Errorf("without a policy the sets are there: %v", rows)
			}
		})
	}
}

// TestHostNetworkNamespace: its name is an option, and without the namespace the
// nodes are in no set (ovn-kubernetes.md#pod-selector-sets).
func TestHostNetworkNamespace(t *testing.T) {
	p := familyNetpol("ns1/p", made.Sel(""), rule(model.Ingress, model.Allow, nil, nsPeer(t, "t=1")))
	k := unitKey("PodSelector", "", "LS{ML:{t: 1,},}_LS{}_LNM")
	for host, want := range map[string][]string{"ns1": {"10.0.0.1", "10.0.0.10", "10.244.0.2", "10.244.1.2", "100.64.0.2"}, "ns2": {"10.0.0.1", "10.0.0.10"}, "gone": {"10.0.0.1", "10.0.0.10"}} {
		rows := unitRows(t, k, "", Options{IPv4: true, HostNetworkNamespace: host}, append(selectorWorld(), p)...)
		if diff := cmp.Diff(want, rows.AddressSets[0].Addresses); diff != "" {
			t.Errorf("%s (-want +got):\n%s", host, diff)
		}
	}
}

// TestEgressFirewall follows ovn-kubernetes.md#egressfirewall. The examples there hang
// on a user network's group, these on the default network's.
func TestEgressFirewall(t *testing.T) {
	n1, n2, n3 := node("n1", "a=b", "9.9.9.9", "fc00::1"), node("n2", "a=b", "10.0.0.1"), node("n3", "", "8.8.8.8")
	f := familyFirewall("default",
		rule(model.Egress, model.Allow, ports(t, "UDP/55"), netPeer("1.2.3.0/24")),
		rule(model.Egress, model.Allow, nil, nodePeer(t, "a=b")),
		rule(model.Egress, model.Deny, nil, netPeer("0.0.0.0/0")),
		rule(model.Egress, model.Deny, nil, netPeer("::/0")),
		rule(model.Egress, model.Allow, nil, nodePeer(t, "a=nobody")),
		rule(model.Egress, model.Allow, ports(t, "TCP/443"), dnsPeer("www.example.com")))
	row := func(index, priority int, action, match string) *nb.ACL {
		i := strconv.Itoa(index)
		return toLport(priority, action, "EF:default:"+i, match, rowIDs("EgressFirewall:default:"+i, "k8s.ovn.org/name", "default", "rule-index", i))
	}
	const pg = " && inport == @" + defaultNS
	dns4, dns6 := nb.HashedName(d+"EgressFirewallDNS:www.example.com:v4"), nb.HashedName(d+"EgressFirewallDNS:www.example.com:v6")
	want := &model.PolicyRows{Policy: unitKey("EgressFirewall", "default", "default"), ACLs: []*nb.ACL{
		row(0, 10000, "allow", "(ip4.dst == 1.2.3.0/24)"+pg+" && ((udp && ( udp.dst == 55 )))"),
		row(1, 9999, "allow", "(ip4.dst == 10.0.0.1 || ip4.dst == 9.9.9.9 || ip6.dst == fc00::1)"+pg),
		row(2, 9998, "drop", "(ip4.dst == 0.0.0.0/0 && ip4.dst != 10.128.0.0/14)"+pg),
		row(3, 9997, "drop", "(ip6.dst == ::/0 && ip6.dst != fd00:10::/48)"+pg),
		// Rule 4 has no destination: no row, its index stays reserved.
		row(5, 9995, "allow", "(ip4.dst == $"+dns4+" || ip6.dst == $"+dns6+")"+pg+" && ((tcp && ( tcp.dst == 443 )))"),
	}}
	o := Options{IPv4: true, IPv6: true, ClusterSubnets: prefixes("10.128.0.0/14", "fd00:10::/48"),
		DNS: map[string][]string{"www.example.com": {"192.0.2.9", "2001:db8::1", "192.0.2.10", "192.0.2.9"}, "unused.example.com": {"192.0.2.1"}}}
	objects := []model.Object{namespace("default", ""), n1, n2, n3, f}
	diffRows(t, want, unitRows(t, want.Policy, "n1", o, objects...))

	set := func(family, name string, addresses ...string) *nb.AddressSet {
		return &nb.AddressSet{Name: name, Addresses: addresses, ExternalIDs: rowIDs("EgressFirewallDNS:www.example.com:"+family, "k8s.ovn.org/name", "www.example.com", "ip-family", family)}
	}
	dns := &model.PolicyRows{Policy: unitKey("EgressFirewallDNS", "", "www.example.com"),
		AddressSets: []*nb.AddressSet{set("v4", dns4, "192.0.2.10", "192.0.2.9"), set("v6", dns6, "2001:db8::1")}}
	diffRows(t, dns, unitRows(t, dns.Policy, "n1", o, objects...))
	dns.AddressSets = []*nb.AddressSet{set("v4", dns4)}
	diffRows(t, dns, unitRows(t, dns.Policy, "n1", Options{IPv4: true}, objects...))
	if rows := Compile(clusterOf(objects...), o).RowsOfUnit(unitKey("EgressFirewallDNS", "", "unused.example.com"), "", nil); rows != nil {
		t.Errorf("a name no rule has has sets: %v", rows)
	}

	f.Name, f.Invalid = "other", []model.Broken{{Code: "profile", Message: "an EgressFirewall must be named default"}}
	des := Compile(clusterOf(objects...), o)
	if rows := des.RowsOfUnit(f.Key, "", nil); rows == nil || rows.None == nil || len(rows.ACLs) > 0 {
		t.Errorf("a firewall not named default: %v, want a reason and no rows", rows)
	}
	if rows := des.RowsOfUnit(dns.Policy, "", nil); rows != nil {
		t.Errorf("it refers to sets: %v", rows)
	}
}

// TestEgressFirewallMatches holds the forms of ovn-kubernetes.md#firewall-match,
// without the port group.
func TestEgressFirewallMatches(t *testing.T) {
	v4 := Options{IPv4: true, ClusterSubnets: prefixes("10.128.0.0/14", "10.132.0.0/14", "fd00:10::/48")}
	dns4, dns6 := nb.HashedName(d+"EgressFirewallDNS:a.example.com:v4"), nb.HashedName(d+"EgressFirewallDNS:a.example.com:v6")
	world := netPeer("1.2.3.4/32")
	for _, tt := range []struct {
		name  string
		o     Options
		peer  model.Peer
		ports []model.Port
		want  string
	}{
		{"two subnets, joined without spaces", v4, netPeer("0.0.0.0/0"), nil, "(ip4.dst == 0.0.0.0/0 && ip4.dst != 10.128.0.0/14&&ip4.dst != 10.132.0.0/14) && PG"},
		{"inside a subnet", v4, netPeer("10.129.0.0/16"), nil, "(ip4.dst == 10.129.0.0/16 && ip4.dst != 10.128.0.0/14) && PG"},
		{"outside all subnets", v4, netPeer("10.1.0.0/16"), nil, "(ip4.dst == 10.1.0.0/16) && PG"},
		{"as written, whatever the family of the cluster", v4, netPeer("2001:0DB8::1/32"), nil, "(ip6.dst == 2001:0DB8::1/32) && PG"},
		{"host bits do not hide a subnet", v4, netPeer("10.130.1.2/8"), nil, "(ip4.dst == 10.130.1.2/8 && ip4.dst != 10.128.0.0/14&&ip4.dst != 10.132.0.0/14) && PG"},
		{"no subnets known", Options{IPv4: true}, netPeer("0.0.0.0/0"), nil, "(ip4.dst == 0.0.0.0/0) && PG"},
		{"a name, v4", v4, dnsPeer("a.example.com"), nil, "(ip4.dst == $" + dns4 + ") && PG"},
		{"a name, v6", Options{IPv6: true}, dnsPeer("a.example.com"), nil, "(ip6.dst == $" + dns6 + ") && PG"},
		{"all nodes", v4, nodePeer(t, ""), nil, "(ip4.dst == 10.0.0.1 || ip4.dst == 8.8.8.8 || ip6.dst == fc00::1) && PG"},
		{"two ports", v4, world, ports(t, "UDP/400 UDP/401"), "(ip4.dst == 1.2.3.4/32) && PG && ((udp && ( udp.dst == 400 || udp.dst == 401 )))"},
		{"protocols in their order", v4, world, ports(t, "SCTP/3 TCP/2 UDP/1"),
			"(ip4.dst == 1.2.3.4/32) && PG && ((udp && ( udp.dst == 1 )) || (tcp && ( tcp.dst == 2 )) || (sctp && ( sctp.dst == 3 )))"},
		{"an entry without port is the whole protocol", v4, world, append(ports(t, "UDP/1 TCP/2"), model.Port{Protocol: "UDP"}),
			"(ip4.dst == 1.2.3.4/32) && PG && ((udp) || (tcp && ( tcp.dst == 2 )))"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := familyFirewall("default", rule(model.Egress, model.Allow, tt.ports, tt.peer))
			rows := unitRows(t, f.Key, "", tt.o, f, node("n1", "", "8.8.8.8", "fc00::1"), node("n2", "", "10.0.0.1"))
			got := map[string]string{}
			for id, m := range matchesOf(rows, "EgressFirewall:default:") {
				got[id] = strings.ReplaceAll(m, "inport == @"+defaultNS, "PG")
			}
			if diff := cmp.Diff(map[string]string{"0": tt.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestEgressFirewallLength: rule 8000 is the last the reserved range has a
// priority for (ovn-kubernetes.md#firewall-rows).
func TestEgressFirewallLength(t *testing.T) {
	rules := make([]model.Rule, 8001)
	for i := range rules {
		rules[i] = rule(model.Egress, model.Allow, nil, netPeer("1.2.3.4/32"))
	}
	f := familyFirewall("default", rules...)
	least := 10000
	for _, a := range unitRows(t, f.Key, "", Options{}, f).ACLs {
		least = min(least, a.Priority)
	}
	if least != 2000 {
		t.Errorf("the last rule has priority %d, want 2000", least)
	}
}

// TestMulticast follows ovn-kubernetes.md#multicast, row by row.
func TestMulticast(t *testing.T) {
	const any = "(ip4.mcast || mldv1 || mldv2 || (ip6.dst[120..127] == 0xff && ip6.dst[116] == 1))"
	const e6 = "(mldv1 || mldv2 || (ip6.dst[120..127] == 0xff && ip6.dst[116] == 1))"
	const i4 = "(igmp || (ip4.src == $a1227263046791512181 && ip4.mcast))"
	const i6 = "(mldv1 || mldv2 || (ip6.src == $a1227260847768255759 && (ip6.dst[120..127] == 0xff && ip6.dst[116] == 1)))"
	ns := annotated(namespace("default", ""), "k8s.ovn.org/multicast-enabled", "true", "k8s.ovn.org/acl-logging", `{"allow":"info","deny":"alert"}`)
	host := pod("default/host", "", "n1", "172.18.0.9")
	host.HostNetwork = true
	objects := []model.Object{ns, host, pod("default/x", "", "n1", "10.0.0.1", "fd00::1"), pod("default/far", "", "n2", "10.0.0.2")}
	for _, tt := range []struct {
		o               Options
		egress, ingress string
	}{
		{Options{IPv4: true}, "ip4.mcast", i4},
		{Options{IPv6: true}, e6, i6},
		{Options{IPv4: true, IPv6: true}, "(ip4.mcast || " + e6 + ")", "(" + i4 + " || " + i6 + ")"},
	} {
		for _, want := range []*model.PolicyRows{
			{Policy: unitKey("MulticastNS", "default", "default"), ACLs: []*nb.ACL{
				fromLport(1012, "allow", "", "inport == @"+defaultNS+" && "+tt.egress, rowIDs("MulticastNS:default:Egress", "k8s.ovn.org/name", "default", "direction", "Egress")),
				toLport(1012, "allow", "", "outport == @"+defaultNS+" && "+tt.ingress, rowIDs("MulticastNS:default:Ingress", "k8s.ovn.org/name", "default", "direction", "Ingress")),
			}},
			{Policy: unitKey("MulticastCluster", "", "DefaultDeny"), ACLs: []*nb.ACL{
				fromLport(1011, "drop", "", any, rowIDs("MulticastCluster:DefaultDeny:Egress", "type", "DefaultDeny", "direction", "Egress")),
				toLport(1011, "drop", "", any, rowIDs("MulticastCluster:DefaultDeny:Ingress", "type", "DefaultDeny", "direction", "Ingress")),
			}},
			{Policy: unitKey("MulticastCluster", "", "AllowInterNode"), ACLs: []*nb.ACL{
				fromLport(1012, "allow", "", "inport == @"+routerPG+" && "+any, rowIDs("MulticastCluster:AllowInterNode:Egress", "type", "AllowInterNode", "direction", "Egress")),
				toLport(1012, "allow", "", "outport == @"+routerPG+" && "+any, rowIDs("MulticastCluster:AllowInterNode:Ingress", "type", "AllowInterNode", "direction", "Ingress")),
			}},
		} {
			diffRows(t, want, unitRows(t, want.Policy, "n1", tt.o, objects...))
		}
	}
	set := func(name, family string, addresses ...string) *nb.AddressSet {
		return &nb.AddressSet{Name: name, Addresses: addresses, ExternalIDs: rowIDs("PodSelector:default_LS{}_LNM:"+family, "k8s.ovn.org/name", "default_LS{}_LNM", "ip-family", family)}
	}
	want := &model.PolicyRows{Policy: unitKey("PodSelector", "", "default_LS{}_LNM"),
		AddressSets: []*nb.AddressSet{set("a1227263046791512181", "v4", "10.0.0.1", "10.0.0.2"), set("a1227260847768255759", "v6", "fd00::1")}}
	diffRows(t, want, unitRows(t, want.Policy, "n1", Options{IPv4: true, IPv6: true}, objects...))

	nd := node("n1", "")
	nd.MgmtIPs, nd.GatewayIPs = []string{"10.244.0.2"}, []string{"100.64.0.2"}
	want.AddressSets = []*nb.AddressSet{set("a1227263046791512181", "v4", "10.0.0.1", "10.0.0.2", "10.244.0.2", "100.64.0.2")}
	diffRows(t, want, unitRows(t, want.Policy, "n1", Options{IPv4: true, HostNetworkNamespace: "default"}, append(objects, nd)...))
}

// TestMulticastSwitch: when there are global rows and rows of a namespace.
func TestMulticastSwitch(t *testing.T) {
	for _, tt := range []struct {
		at                 SwitchOption
		annotation         string
		cluster, namespace bool
	}{
		{Auto, "true", true, true}, {Auto, "True", false, false}, {Auto, "false", false, false}, {Auto, "", false, false},
		{On, "true", true, true}, {On, "1", true, false}, {Off, "true", false, false},
	} {
		des := Compile(clusterOf(annotated(namespace("a", ""), "k8s.ovn.org/multicast-enabled", tt.annotation), namespace("b", "")), Options{Multicast: tt.at})
		got := map[string]bool{}
		for _, k := range []model.PolicyKey{unitKey("MulticastCluster", "", "DefaultDeny"), unitKey("MulticastCluster", "", "AllowInterNode"), unitKey("MulticastNS", "a", "default"),
			unitKey("PodSelector", "", "a_LS{}_LNM"), unitKey("MulticastNS", "b", "default")} {
			got[k.String()] = des.RowsOfUnit(k, "", nil) != nil
		}
		want := map[string]bool{"MulticastCluster/DefaultDeny": tt.cluster, "MulticastCluster/AllowInterNode": tt.cluster,
			"MulticastNS/a/default": tt.namespace, "PodSelector/a_LS{}_LNM": tt.namespace, "MulticastNS/b/default": false}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("switch %d, annotation %q (-want +got):\n%s", tt.at, tt.annotation, diff)
		}
	}
}

// TestFamilySamples: hairpin rows are never sampled, the others by their id,
// match and action (ovn-kubernetes.md#samples).
func TestFamilySamples(t *testing.T) {
	nd := node("n1", "")
	nd.MgmtIPs = []string{"10.244.2.2"}
	objects := []model.Object{nd, annotated(namespace("default", ""), "k8s.ovn.org/multicast-enabled", "true"),
		familyNetpol("default/test-policy", made.Sel(""), rule(model.Ingress, model.Allow, nil)),
		familyFirewall("default", rule(model.Egress, model.Deny, nil, netPeer("0.0.0.0/0")))}
	want := map[string]string{
		"NetpolNamespace:default:Ingress:defaultDeny":         "1874878974",
		"NetworkPolicy:default:test-policy:Ingress:0:None:-1": "1712830653",
		"NetpolNode:n1:10.244.2.2":                            "3628958485",
		"NetpolDefault:allow-hairpinning:Ingress":             "",
		"EgressFirewall:default:0":                            "1213675632",
		"MulticastNS:default:Egress":                          "765521924",
		"MulticastCluster:DefaultDeny:Egress":                 "11339717",
	}
	for _, on := range []bool{true, false} {
		for _, k := range []model.PolicyKey{unitKey("NetpolNamespace", "default", "Ingress"), unitKey("NetworkPolicy", "default", "test-policy"), unitKey("NetpolNode", "", "n1"),
			unitKey("NetpolDefault", "", "allow-hairpinning"), unitKey("EgressFirewall", "default", "default"), unitKey("MulticastNS", "default", "default"), unitKey("MulticastCluster", "", "DefaultDeny")} {
			found := false
			for _, a := range unitRows(t, k, "", Options{IPv4: true, Observability: on}, objects...).ACLs {
				sample, is := want[strings.TrimPrefix(a.ID(), d)]
				if !on {
					sample = ""
				}
				found = found || is
				if is && (a.SampleNew != sample || a.SampleEst != sample) {
					t.Errorf("%s, observability %v: samples %q and %q, want %q", a.ID(), on, a.SampleNew, a.SampleEst, sample)
				}
			}
			if !found {
				t.Errorf("%s lacks its row", k)
			}
		}
	}
}
