package trace_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"rung/compiler"
	"rung/engine/trace"
	"rung/model"
	"rung/model/network"
	"rung/model/verdict"
	"rung/revision"
	"rung/system"
	"rung/test/made"
)

// attached makes a pod on a node with an address on a secondary network.
func attached(name, app, node, key, ip string) *model.Pod {
	p := made.Pod(name, "app="+app, "10.244.0."+ip[strings.LastIndex(ip, ".")+1:])
	p.NodeName, p.Phase, p.Attachments = node, "Running", []string{key}
	p.Networks = []model.PodNetwork{{Name: key, Role: "secondary", IPs: []string{ip}}}
	return p
}

// secondary makes a secondary layer 2 network.
func secondary(namespace, name string, subnets ...netip.Prefix) *network.Attachment {
	return &network.Attachment{Meta: model.Meta{Key: model.Key{Kind: model.KindNAD, Namespace: namespace, Name: name}},
		Config: network.Config{Name: name, Topology: network.Layer2, Subnets: subnets}}
}

// isolating makes a MultiNetworkPolicy of namespace shop; its rules allow everything.
func isolating(name, app, on string, direction model.Direction, rules int) *model.Policy {
	p := made.ANP(name, 0, "*", nil, nil)
	p.Kind, p.Namespace, p.Tier = model.KindMNP, "shop", model.TierNetwork
	p.Subject = model.Subject{Namespaces: model.SelectEverything(), Pods: made.Sel("app=" + app), Namespace: "shop"}
	p.IsolatesIngress, p.IsolatesEgress = direction == model.Ingress, direction == model.Egress
	for i := range rules {
		p.Ingress = append(p.Ingress, model.Rule{Direction: model.Ingress, Action: model.Allow, Index: i, AnyPeer: true})
	}
	p.Annotations = map[string]string{model.AnnotationPolicyFor: on}
	return p
}

func revisionOf(o compiler.Options, objects ...model.Object) *revision.Revision {
	c := made.Cluster(objects...)
	return revision.New(revision.Facts{Cluster: c, Desired: compiler.Compile(c, o), System: system.OVN, Number: 1, Loaded: true}, nil)
}

// Where no row of a secondary network's switch is allow-related, replies meet its denies: policies, rows and the matrix
// say so of every zone by itself (networks.md#replies).
func TestRepliesOnSecondaryNetwork(t *testing.T) {
	base := []model.Object{made.Node("n1", "", "172.18.0.2"), made.Node("n2", "", "172.18.0.3"), made.NS("shop", ""), secondary("shop", "disks", netip.MustParsePrefix("10.9.0.0/24")),
		attached("shop/till", "till", "n1", "shop/disks", "10.9.0.4"), attached("shop/lamp", "lamp", "n1", "shop/disks", "10.9.0.5"),
		attached("shop/safe", "safe", "n2", "shop/disks", "10.9.0.6")}
	closed := isolating("closed", "till", "disks", model.Ingress, 0)
	for _, tt := range []struct {
		name     string
		policies []model.Object
		icmp     bool // icmpAllow rows are written
		from, to string
		protocol verdict.Protocol
		want     verdict.Verdict
		reply    bool // the reply is what is denied
	}{
		{"no policy", nil, false, "till", "safe", verdict.TCP, verdict.Allow, false},
		{"isolated for ingress", []model.Object{closed}, false, "till", "safe", verdict.TCP, verdict.Deny, true},
		{"to a pod of the same node", []model.Object{closed}, false, "till", "lamp", verdict.UDP, verdict.Deny, true},
		{"the way there", []model.Object{closed}, false, "safe", "till", verdict.TCP, verdict.Deny, false},
		{"between others", []model.Object{closed}, false, "lamp", "safe", verdict.TCP, verdict.Allow, false},
		{"isolated for egress", []model.Object{isolating("quiet", "safe", "disks", model.Egress, 0)}, false, "till", "safe", verdict.TCP, verdict.Deny, true},
		{"a rule of the policy", []model.Object{isolating("closed", "till", "disks", model.Ingress, 1)}, false, "till", "safe", verdict.TCP, verdict.Allow, false},
		{"a rule for a pod of the node", []model.Object{closed, isolating("open", "lamp", "disks", "", 1)}, false, "till", "safe", verdict.TCP, verdict.Allow, false},
		{"a rule for a pod of another node", []model.Object{closed, isolating("open", "safe", "disks", "", 1)}, false, "till", "safe", verdict.TCP, verdict.Deny, true},
		{"ICMP is allowed", []model.Object{closed}, true, "till", "safe", verdict.ICMP, verdict.Allow, false},
		{"and nothing else", []model.Object{closed}, true, "till", "safe", verdict.SCTP, verdict.Deny, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := revisionOf(compiler.Options{IPv4: true, AllowICMP: tt.icmp}, append(tt.policies, base...)...)
			q := verdict.Connection{From: verdict.PodEnd("shop", tt.from), To: verdict.PodEnd("shop", tt.to), Protocol: tt.protocol, Network: "disks"}
			if tt.protocol != verdict.ICMP {
				q.Port = 80
			}
			asks := trace.Tracer{Compiled: true}
			a, err := asks.Ask(r, q, trace.Both, true, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if a.Verdict != tt.want || a.Rows.Verdict != tt.want {
				t.Errorf("policies %s, rows %s, want %s", a.Verdict, a.Rows.Verdict, tt.want)
			}
			said := strings.Contains(a.Sentence(), "OVN does not track connections on switch disks_ovn_layer2_switch of ")
			if said != tt.reply || strings.Contains(a.Rows.Reason, "replies are dropped") != tt.reply {
				t.Errorf("%q, by rows %q; want of replies: %v", a.Sentence(), a.Rows.Reason, tt.reply)
			}
			on := revision.OnNetwork(r, "disks")
			c := verdict.NewClasses(on.Verdicts(), nil)
			m := c.Matrix(verdict.Ports{Protocol: tt.protocol, Port: q.Port})
			from, to := on.Cluster.Pod("shop", tt.from), on.Cluster.Pod("shop", tt.to)
			if is, _ := m.OutcomeBetween(c.KindOfPod(from), c.KindOfPod(to), from.NodeName == to.NodeName).Verdict(); is != tt.want {
				t.Errorf("the matrix says %s", is)
			}
		})
	}
}

// On a network without subnets a rule without peers is one for IPv4, by policies as by rows (networks.md#multinetworkpolicy).
func TestAnyPeerWithoutSubnets(t *testing.T) {
	pod := attached("shop/till", "till", "n1", "shop/wire", "10.9.0.4")
	pod.Networks[0].IPs = append(pod.Networks[0].IPs, "fd09::4")
	r := revisionOf(compiler.Options{IPv4: true, IPv6: true}, made.Node("n1", "", "172.18.0.2"), made.NS("shop", ""), secondary("shop", "wire"), pod,
		isolating("open", "till", "wire", model.Ingress, 1))
	asks := trace.Tracer{Compiled: true}
	for from, want := range map[string]verdict.Verdict{"198.51.100.9": verdict.Allow, "2001:db8::9": verdict.Deny} {
		a, err := asks.Ask(r, verdict.Connection{From: verdict.AddrEnd(netip.MustParseAddr(from)), To: verdict.PodEnd("shop", "till"), Protocol: verdict.TCP, Port: 443, Network: "wire"}, trace.Both, false, time.Now())
		if err != nil || a.Verdict != want || a.Rows.Verdict != want {
			t.Errorf("from %s: policies %s, rows %s, want %s (%v)", from, a.Verdict, a.Rows.Verdict, want, err)
		}
	}
}

// A pod on a primary network is reached from the default one at its open ports, by its name and by its address.
func TestOpenDefaultPort(t *testing.T) {
	net := &network.Attachment{Meta: model.Meta{Key: model.Key{Kind: model.KindNAD, Namespace: "vault", Name: "own"}},
		Config: network.Config{Name: "vault_own", Topology: network.Layer2, Primary: true, Subnets: []netip.Prefix{netip.MustParsePrefix("10.9.0.0/24")}}}
	door, visitor := made.Pod("vault/door", "", "10.244.0.7"), made.Pod("street/visitor", "app=v", "10.244.0.8")
	door.NodeName, visitor.NodeName, door.Phase, visitor.Phase = "n1", "n2", "Running", "Running"
	door.Networks, door.OpenPorts = []model.PodNetwork{{Name: "vault/own", Role: "primary", IPs: []string{"10.9.0.7"}}}, []string{"tcp.dst == 8443"}
	service := &model.Service{Meta: model.Meta{Key: model.Key{Kind: model.KindService, Namespace: "vault", Name: "door"}}, ClusterIPs: []string{"172.30.0.7"},
		Ports: []model.ServicePort{{Port: 443, Protocol: "TCP", TargetPort: "8443"}}}
	slice := &model.EndpointSlice{Meta: model.Meta{Key: model.Key{Kind: model.KindEndpointSlice, Namespace: "vault", Name: "door-1"}}, Service: "door", Addresses: []string{"10.244.0.7"},
		Ports: []model.EndpointPort{{Port: 8443, Protocol: "TCP"}}}
	stay := made.ANP("stay", 5, "app=v", nil, []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("10.244.0.7/32")))})
	stay.Kind, stay.Namespace, stay.Tier, stay.Egress, stay.IsolatesEgress = model.KindNP, "street", model.TierNetwork, nil, true
	stay.Subject = model.Subject{Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true, Namespace: "street"}
	objects := []model.Object{made.Node("n1", "", "172.18.0.2"), made.Node("n2", "", "172.18.0.3"), made.NS("vault", model.LabelPrimaryUDN+"="), made.NS("street", ""), net, door, visitor, service, slice}
	for _, tt := range []struct {
		to    verdict.Endpoint
		port  uint16
		inner bool // the visitor is isolated for egress
		want  verdict.Verdict
	}{
		{verdict.PodEnd("vault", "door"), 8443, false, verdict.Allow},
		{verdict.AddrEnd(netip.MustParseAddr("10.244.0.7")), 8443, false, verdict.Allow},
		{verdict.PodEnd("vault", "door"), 80, false, verdict.Deny},
		{verdict.AddrEnd(netip.MustParseAddr("10.244.0.7")), 80, false, verdict.Deny},
		{verdict.PodEnd("vault", "door"), 8443, true, verdict.Deny},
		{verdict.AddrEnd(netip.MustParseAddr("10.244.0.7")), 8443, true, verdict.Deny},
		{verdict.ServiceEnd("vault", "door"), 443, false, verdict.Deny},
		{verdict.AddrEnd(netip.MustParseAddr("172.30.0.7")), 443, false, verdict.Deny},
	} {
		all := objects
		if tt.inner {
			all = append([]model.Object{stay}, all...)
		}
		asks := trace.Tracer{Compiled: true}
		a, err := asks.Ask(revisionOf(compiler.Options{IPv4: true}, all...), verdict.Connection{From: verdict.PodEnd("street", "visitor"), To: tt.to, Protocol: verdict.TCP, Port: tt.port}, trace.Both, true, time.Now())
		if err != nil || a.Verdict != tt.want || a.Rows != nil && a.Rows.Verdict != tt.want {
			t.Errorf("to %s %d, isolated %v: %s (%s), rows %+v, want %s (%v)", tt.to, tt.port, tt.inner, a.Verdict, a.Reason, a.Rows, tt.want, err)
		}
	}
}
