package sandbox

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
)

func netpolGroup(namespace string) string {
	return nb.HashedName("default-network-controller:NetpolNamespace:" + namespace + ":Ingress")
}

// Rows of NetworkPolicies and EgressFirewalls decide and are logged as
// ovn-kubernetes.md#networkpolicy, #egressfirewall and #acl-logging say: an
// EgressFirewall when the packet leaves by the router's port, on the source's node.
func TestTier2(t *testing.T) {
	row := func(name, direction, action, severity string, priority int, expr string) *nb.ACL {
		a := acl(name, direction, action, 2, priority, expr)
		a.Log, a.Severity = severity != "", severity
		return a
	}
	var a, b rowSet
	api, web := a.port("yellow_api"), a.port("yellow_web")
	a.port("stor-a")
	a.set("vaults", "10.244.1.7")
	a.group("anp", []string{api, web},
		acl("ANP:control:Egress:0", nb.FromLport, nb.ActionPass, 1, 26600, `inport == @anp && ((ip4.dst == $vaults))`),
		acl("ANP:control:Egress:1", nb.FromLport, nb.ActionDrop, 1, 26599, `inport == @anp && ip4.dst == 1.1.1.1/32`))
	a.group("webs", []string{web}, row("NP:yellow:web-to-vault:Egress:0", nb.FromLport, nb.ActionAllowRelated, "info", 1001,
		`ip4.dst == {$vaults} && tcp && inport == @webs`))
	a.group("isolated", []string{web}, row("NP:yellow:Egress", nb.FromLport, nb.ActionDrop, "warning", 1000, `inport == @isolated`),
		row("NP:yellow:Egress", nb.FromLport, nb.ActionAllow, "", 1001, `inport == @isolated && (arp || nd)`))
	a.group("yellow", []string{api, web},
		row("EF:yellow:0", nb.ToLport, nb.ActionAllow, "info", 10000, `(ip4.dst == 172.18.0.2) && inport == @yellow && ((tcp && ( tcp.dst == 6443 )))`),
		row("EF:yellow:1", nb.ToLport, nb.ActionDrop, "warning", 9999, `(ip4.dst == 0.0.0.0/0 && ip4.dst != 10.244.0.0/16) && inport == @yellow`))
	vault := b.port("restricted_vault")
	b.port("stor-b")
	b.group("closed", []string{vault}, row("NP:restricted:Ingress", nb.ToLport, nb.ActionDrop, "alert", 1000, `outport == @closed`),
		row("", nb.ToLport, nb.ActionAllowRelated, "debug", 1001, `ip4.src == {10.244.0.6} && tcp && tcp.dst==8200 && outport == @closed`))

	end := func(zone, lport, ip string) *podEndpoint {
		return &podEndpoint{zone: zone, lport: lport, ips: []netip.Addr{netip.MustParseAddr(ip)}}
	}
	apiPod, webPod, vaultPod := end("a", "yellow_api", "10.244.0.6"), end("a", "yellow_web", "10.244.0.5"), end("b", "restricted_vault", "10.244.1.7")
	for what, c := range map[string]struct {
		src, dst *podEndpoint
		to       string
		proto    match.Proto
		port     uint16
		want     []string
		dropped  bool
	}{
		"an EgressFirewall allows": {apiPod, nil, "172.18.0.2", match.TCP, 6443,
			[]string{`a name="EF:yellow:0", verdict=allow, severity=info, direction=to-lport`}, false},
		"and denies what is left": {apiPod, nil, "172.18.0.2", match.TCP, 22,
			[]string{`a name="EF:yellow:1", verdict=drop, severity=warning, direction=to-lport`}, true},
		"not what stays inside": {apiPod, webPod, "", match.TCP, 80, nil, false},
		"an ANP comes first": {apiPod, nil, "1.1.1.1", match.TCP, 443,
			[]string{`a name="ANP:control:Egress:1", verdict=drop, severity=alert, direction=from-lport`}, true},
		"passed, allowed, allowed by a row without a name": {apiPod, vaultPod, "", match.TCP, 8200, []string{
			`a name="ANP:control:Egress:0", verdict=pass, severity=alert, direction=from-lport`,
			`b name="<unnamed>", verdict=allow, severity=debug, direction=to-lport`}, false},
		"passed, allowed by a NetworkPolicy, denied by another": {webPod, vaultPod, "", match.TCP, 8200, []string{
			`a name="ANP:control:Egress:0", verdict=pass, severity=alert, direction=from-lport`,
			`a name="NP:yellow:web-to-vault:Egress:0", verdict=allow, severity=info, direction=from-lport`,
			`b name="NP:restricted:Ingress", verdict=drop, severity=alert, direction=to-lport`}, true},
		"passed to the default deny": {webPod, vaultPod, "", match.UDP, 8200, []string{
			`a name="ANP:control:Egress:0", verdict=pass, severity=alert, direction=from-lport`,
			`a name="NP:yellow:Egress", verdict=drop, severity=warning, direction=from-lport`}, true},
	} {
		tr := NewTraffic(TrafficConfig{})
		tr.refreshWorld(nil, map[string]*nb.DB{"a": a.db(), "b": b.db()}, time.Unix(1000, 0))
		f := &trafficFlow{src: c.src, dst: c.dst, proto: c.proto, srcPort: 40000, dstPort: c.port}
		to := netip.Addr{}
		if c.to != "" {
			to = netip.MustParseAddr(c.to)
		}
		if !f.pickAddresses(to) {
			t.Fatal(what)
		}
		var lines []string
		tr.walkConnection(time.Unix(1000, 0), f, func(zone, line string) {
			_, line, _ = strings.Cut(line, "|INFO|")
			line, flow, _ := strings.Cut(line, ": ")
			lines = append(lines, zone+" "+line)
			if want := fmt.Sprintf("%s,", c.proto); !strings.HasPrefix(flow, want) || !strings.Contains(flow, "nw_dst="+f.to.String()) {
				t.Errorf("%s: %s", what, flow)
			}
		})
		if d := cmp.Diff(c.want, lines); d != "" {
			t.Errorf("%s: %s", what, d)
		}
		if st := tr.Stats(); (st.Dropped == 1) != c.dropped || st.Unjudged > 0 {
			t.Errorf("%s: %+v", what, st)
		}
	}
}

// A pod under a NetworkPolicy takes part only where the zone has its rows.
func TestPodsUnderNetworkPolicies(t *testing.T) {
	var objects []model.Object
	dbs := map[string]*nb.DB{}
	for n, zone := range []string{"a", "b"} {
		var r rowSet
		for i, name := range []string{"free", "bound"} {
			p := pod("ns", zone+name, zone, fmt.Sprintf("10.244.%d.%d", n, i+5))
			p.Labels = model.NewLabels(map[string]string{"app": name})
			objects = append(objects, p)
			r.port("ns_" + p.Name)
		}
		if zone == "b" {
			r.group(netpolGroup("ns"), nil)
		}
		r.group(netpolGroup("elsewhere"), nil)
		dbs[zone] = r.db()
	}
	objects = append(objects, under(t, "ns", map[string]string{"app": "bound"}))
	tr := NewTraffic(TrafficConfig{})
	tr.refreshWorld(cluster(objects...), dbs, time.Unix(0, 0))
	var got []string
	for _, e := range tr.world.pods {
		got = append(got, e.lport)
	}
	if d := cmp.Diff([]string{"ns_afree", "ns_bbound", "ns_bfree"}, got); d != "" {
		t.Error(d)
	}
}

// Traffic goes to the networks that policies of tier 2 name, and never takes a
// pod's address for one of them.
func TestOutside(t *testing.T) {
	ef := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindEF, Namespace: "ns", Name: "default"}}, Egress: []model.Rule{
		{Peers: []model.Peer{{Kind: model.PeerNetworks, Networks: []string{"172.30.9.7/16"}}}, Ports: []model.Port{{Protocol: "UDP", Start: 53, End: 53}, {Protocol: "TCP", Start: 8443, End: 8443}}},
		{Peers: []model.Peer{{Kind: model.PeerNetworks, Networks: []string{"10.244.0.4/31"}}}},
		{Peers: []model.Peer{{Kind: model.PeerNetworks, Networks: []string{"192.0.2.1/32", "bad", "0.0.0.0/0"}}}}}}
	var got []string
	for _, to := range networkTargets(cluster(ef, pod("ns", "p", "a", "10.244.0.5"))) {
		got = append(got, fmt.Sprint(to.ip, " ", to.proto, " ", to.port))
	}
	if d := cmp.Diff([]string{"172.30.0.1 tcp 8443", "192.0.2.1 tcp 443"}, got); d != "" {
		t.Error(d)
	}
}
