package compiler

import (
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rung/model"
	"rung/model/ovn/dialect"
	"rung/model/ovn/nb"
	"rung/test/made"
)

// familyNetpol and familyFirewall make policies as the manifests' reader does.
func familyNetpol(nsname string, pods model.Selector, rules ...model.Rule) *model.Policy {
	ns, name, _ := strings.Cut(nsname, "/")
	p := policyOf(model.KindNP, name, 0, model.Subject{Namespaces: model.SelectEverything(), Pods: pods, Namespace: ns}, rules...)
	p.Namespace, p.Tier = ns, model.TierNetwork
	for _, rs := range [][]model.Rule{p.Ingress, p.Egress} {
		for i := range rs {
			rs[i].AnyPeer = len(rs[i].Peers) == 0
		}
	}
	return p
}

func familyFirewall(ns string, rules ...model.Rule) *model.Policy {
	p := policyOf(model.KindEF, "default", 0, model.Subject{Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true, Namespace: ns}, rules...)
	p.Namespace, p.Tier = ns, model.TierNetwork
	return p
}

func dnsPeer(name string) model.Peer { return model.Peer{Kind: model.PeerDNS, DNSName: name} }

// optionsOfFamilies are worlds for the tier-2 families to be compiled in.
var optionsOfFamilies = []Options{
	{},
	{IPv4: true, AllowICMP: true, Stateless: true, Observability: true, AlternateForms: dialect.Set(0).With(dialect.UnloggedMeter).With(dialect.MergedIPBlocks), Defaults: On, ClusterSubnets: prefixes("10.0.0.0/24")},
	{IPv4: true, IPv6: true, Stateless: true, Multicast: On, HostNetworkNamespace: "b", ClusterSubnets: prefixes("10.0.0.0/16", "10.1.0.0/16", "fd00::/48"),
		DNS: map[string][]string{"www.example.com": {"192.0.2.9", "192.0.2.10", "192.0.2.9", "2001:db8::1"}, "none.example.com": nil}},
	{IPv6: true, Defaults: Off, Multicast: Off, DNS: map[string][]string{"db.example.com": {"192.0.2.9", "2001:db8::2"}}},
}

func prefixes(s ...string) (out []netip.Prefix) {
	for _, p := range s {
		out = append(out, netip.MustParsePrefix(p))
	}
	return out
}

// familyObject draws an object the tier-2 families are compiled from, and
// whether it is removed instead. It draws from the same names as object.
func (w *world) familyObject() (model.Object, bool) {
	switch n := w.r.IntN(20); {
	case n < 6:
		return w.familyPod(), w.r.IntN(4) == 0
	case n < 10:
		ns := namespace(w.pick("a", "b", "c", "d", "ovn-host-network"), w.pick("t=1", "t=2", "t=1 env=p", ""))
		ns.Annotations = map[string]string{}
		if w.r.IntN(2) == 0 {
			ns.Annotations[model.AnnotationMulticast] = w.pick("true", "true", "true", "True", "false", "")
		}
		if w.r.IntN(2) == 0 {
			ns.Annotations[model.AnnotationLogging] = w.pick(`{"allow":"info","deny":"alert"}`, `{"deny":"warning"}`, `{"ALLOW":"debug","pass":"LOUD"}`,
				`{"allow":"LOUD","deny":"notice"}`, `{"allow":"info","deny":"ALERT"}`, `{"allow":null}`, `{"deny":1,"allow":"info"}`, `[]`, `{`, "")
		}
		return ns, w.r.IntN(5) == 0
	case n < 12:
		return w.familyNode(), w.r.IntN(5) == 0
	case n < 16:
		return w.networkPolicy(), w.r.IntN(4) == 0
	}
	return w.egressFirewall(), w.r.IntN(4) == 0
}

func (w *world) familyPod() *model.Pod {
	p := pod(w.pick("a", "b", "c", "d", "ovn-host-network")+"/p"+strconv.Itoa(w.r.IntN(6)), w.pick("app=x", "app=y", "app=x tier=1", ""), w.pick("n1", "n2", "n3", "", "n1"))
	if w.r.IntN(8) > 0 {
		p.IPs = append(p.IPs, w.ip4())
	}
	if w.r.IntN(3) == 0 {
		p.IPs = append(p.IPs, w.ip6())
	}
	p.UID = strconv.Itoa(w.r.IntN(3))
	p.HostNetwork = w.r.IntN(3) == 0
	p.Phase = w.pick("Running", "Running", "Pending", "Succeeded", "Failed")
	return p
}

// ip4 and ip6 give addresses of small pools: pods and nodes may share one.
func (w *world) ip4() string { return "10.0.0." + strconv.Itoa(w.r.IntN(30)) }
func (w *world) ip6() string { return "fd00::" + strconv.Itoa(1+w.r.IntN(9)) }

func (w *world) familyNode() *model.Node {
	nd := node(w.pick(zones...), w.pick("role=w", "role=c", ""))
	if w.r.IntN(5) > 0 {
		nd.HostIPs = []string{w.ip4()}
	}
	if w.r.IntN(2) == 0 {
		nd.HostIPs = append(nd.HostIPs, w.ip6())
	}
	if w.r.IntN(6) == 0 {
		nd.HostIPs, nd.HostErr = nil, "broken"
	}
	// One of a family each, as a node with one subnet of each has.
	if w.r.IntN(4) > 0 {
		nd.MgmtIPs, nd.GatewayIPs = []string{w.ip4()}, []string{w.ip4()}
	}
	if w.r.IntN(3) == 0 {
		nd.MgmtIPs, nd.GatewayIPs = append(nd.MgmtIPs, w.ip6()), append(nd.GatewayIPs, w.ip6())
	}
	return nd
}

func (w *world) networkPolicy() *model.Policy {
	ns := w.pick("a", "b", "c")
	var rules []model.Rule
	for range w.r.IntN(4) {
		dir := model.Direction(w.pick("Ingress", "Egress"))
		var peers []model.Peer
		for range w.r.IntN(4) {
			peers = append(peers, w.netpolPeer(ns))
		}
		rules = append(rules, rule(dir, model.Allow, w.netpolPorts(), peers...))
	}
	p := familyNetpol(ns+"/"+w.pick("one", "two", "three"), made.Sel(w.pick("", "", "app=x", "app notin (x)")), rules...)
	p.IsolatesIngress, p.IsolatesEgress = w.r.IntN(2) == 0, w.r.IntN(2) == 0
	if w.r.IntN(3) == 0 {
		p.Annotations = map[string]string{model.AnnotationStateless: w.pick("true", "true", "True", "false", "")}
	}
	return p
}

func (w *world) netpolPeer(ns string) model.Peer {
	// Labels and expressions that say the same make different sets.
	pods := made.Sel(w.pick("", "app=x", "app in (x)", "app in (y,x)", "app=x,tier", "!app"))
	namespaces := w.pick("", "t=1", "t in (1)", "t in (2,1)", "env=p", "kubernetes.io/metadata.name=ovn-host-network")
	switch w.r.IntN(4) {
	case 0:
		return nsPeer(w.t, namespaces)
	case 1:
		return model.Peer{Kind: model.PeerPods, Namespaces: made.Sel(namespaces), Pods: pods}
	case 2:
		return model.Peer{Kind: model.PeerPods, Namespace: ns, Namespaces: model.SelectEverything(), Pods: pods}
	}
	block := netPeer(w.pick("10.0.54.0/19", "0.0.0.0/0", "10.244.1.5/32", "2001:0db8::/32", "::/0"))
	for range w.r.IntN(3) {
		if strings.Contains(block.Networks[0], ":") {
			block.Except = append(block.Except, w.pick("2001:db8:1::/48", "2001:DB8:2::/48"))
		} else {
			block.Except = append(block.Except, w.pick("10.0.55.0/24", "10.0.56.1/32"))
		}
	}
	return block
}

// netpolL4s draws ports of every form, as a NetworkPolicy's are read: the
// protocol is always known.
func (w *world) netpolPorts() (out []model.Port) {
	for range w.r.IntN(4) {
		p := model.Port{Protocol: w.pick("TCP", "TCP", "UDP", "SCTP")}
		switch w.r.IntN(5) {
		case 0:
		case 1:
			p.Name = w.pick("http", "dns")
		case 2:
			p.Start = int32(100 + w.r.IntN(3))
			p.End, p.Range = p.Start+int32(w.r.IntN(3)), true
		default:
			p.Start = int32(80 + w.r.IntN(3))
			p.End = p.Start
		}
		out = append(out, p)
	}
	return out
}

func (w *world) egressFirewall() *model.Policy {
	var rules []model.Rule
	for range w.r.IntN(5) {
		var peer model.Peer
		switch w.r.IntN(4) {
		case 0:
			peer = dnsPeer(w.pick("www.example.com", "db.example.com", "none.example.com"))
		case 1:
			peer = nodePeer(w.t, w.pick("", "role=w", "role=nobody"))
		default:
			peer = netPeer(w.pick("0.0.0.0/0", "10.0.0.7/32", "10.0.0.0/8", "1.2.3.0/24", "::/0", "fd00::/64", "2001:0db8::/32"))
		}
		var ports []model.Port
		for range w.r.IntN(4) {
			n := int32(w.r.IntN(4)) // 0 is any port
			ports = append(ports, model.Port{Protocol: w.pick("TCP", "UDP", "SCTP"), Start: n, End: n})
		}
		rules = append(rules, rule(model.Egress, model.Action(w.pick("Allow", "Deny")), ports, peer))
	}
	p := familyFirewall(w.pick("a", "b", "c", "d"), rules...)
	if w.r.IntN(8) == 0 {
		p.Name = "other"
		p.Invalid = []model.Broken{{Key: p.Key, Code: "profile", Message: "an EgressFirewall must be named default"}}
	}
	return p
}

// TestFamilyWorldReachesEverything: a world that never draws something proves
// nothing about it.
func TestFamilyWorldReachesEverything(t *testing.T) {
	w := &world{t: t, r: rand.New(rand.NewPCG(1, 7)), cluster: clusterOf()}
	missing := map[string]bool{}
	for _, what := range []string{
		"NetworkPolicy", "NetpolNamespace", "NetpolDefault", "NetpolNode", "PodSelector", "EgressFirewall", "EgressFirewallDNS",
		"MulticastNS", "MulticastCluster", "allow-stateless", "allow-related", "tcp", "udp", "sctp", "None", "-1", "-2", "icmpAllow",
		"defaultDeny logged", "rule logged", "firewall logged", "set of two policies", "set with a host-network pod", "legacy set with the nodes",
		"node in its zone", "rule without a row", "refused", "pods isolated",
	} {
		missing[what] = true
	}
	for range 1500 {
		obj, gone := w.familyObject()
		if gone {
			w.cluster, _ = w.cluster.Upsert(nil, []model.Key{obj.ObjectKey()})
		} else {
			w.cluster, _ = w.cluster.Upsert([]model.Object{obj}, nil)
		}
		for _, o := range optionsOfFamilies {
			w.seen(naiveUnits(w.cluster, o, o.IPv4 || !o.IPv6, o.IPv6, "n1"), missing)
		}
	}
	if len(missing) > 0 {
		t.Errorf("never drawn: %v", slices.Sorted(maps.Keys(missing)))
	}
}

// seen takes off what shows in the units.
func (w *world) seen(units map[model.PolicyKey]*model.PolicyRows, missing map[string]bool) {
	saw := func(what string, is bool) {
		if is {
			delete(missing, what)
		}
	}
	uses := map[string]int{} // sets by the policies that match them
	for k, u := range units {
		saw(string(k.Kind), len(u.ACLs)+len(u.AddressSets) > 0)
		saw("refused", u.None != nil)
		saw("pods isolated", k.Kind == model.KindNetpolNamespace && len(u.PortGroup.Ports) > 0)
		saw("node in its zone", k.Kind == model.KindNetpolNode && k.Name != "n1" && len(u.ACLs) == 0 && len(w.cluster.Node(k.Name).MgmtIPs) > 0)
		if p := w.cluster.Policy(k); p != nil && k.Kind == model.KindEF && u.None == nil {
			saw("rule without a row", len(u.ACLs) < len(p.Egress))
		}
		for _, a := range u.ACLs {
			for _, of := range []string{a.Action, a.ExternalIDs["port-policy-protocol"], a.ExternalIDs["ip-block-index"], a.ExternalIDs["type"]} {
				saw(of, true)
			}
			saw("defaultDeny logged", a.ExternalIDs["type"] == "defaultDeny" && a.Log)
			saw("rule logged", k.Kind == model.KindNP && a.Log)
			saw("firewall logged", k.Kind == model.KindEF && a.Log)
		}
		for _, s := range u.AddressSets {
			for other, v := range units {
				if k.Kind == model.KindPodSelector && other.Kind == model.KindNP && slices.ContainsFunc(v.ACLs, func(a *nb.ACL) bool { return strings.Contains(a.Match, s.Name) }) {
					uses[s.Name]++
				}
			}
			saw("set of two policies", uses[s.Name] > 1)
			for n := range w.cluster.Nodes() {
				saw("legacy set with the nodes", strings.HasSuffix(k.Name, "_LNM") && len(n.GatewayIPs) > 0 && slices.Contains(s.Addresses, n.GatewayIPs[0]))
			}
			for p := range w.cluster.Pods() {
				saw("set with a host-network pod", p.HostNetwork && len(p.IPs) > 0 && slices.Contains(s.Addresses, p.IPs[0]))
			}
		}
	}
}
