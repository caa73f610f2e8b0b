package compiler

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/network"
	"rung/model/ovn/nb"
	"rung/test/made"
)

// Two controllers of networks (networks.md#names), and as ids write them.
const (
	blueNet  = "team-a_blue-net-network-controller:"
	greenNet = "cluster_udn_green-net-network-controller:"
)

// The networks of these tests: blue is the UserDefinedNetwork of team-a, green a ClusterUserDefinedNetwork of
// layer 2 of beta-1, l2 a secondary network of app-1, bare one without addresses, local a localnet.
func udn(kind model.Kind, ns, name, netName string, t network.Topology, primary bool, subnets ...string) *network.Definition {
	d := &network.Definition{Meta: model.Meta{Key: model.Key{Kind: kind, Namespace: ns, Name: name}},
		Config: network.Config{Name: netName, Topology: t, Primary: primary}, Namespaces: made.Sel("green=1")}
	for _, s := range subnets {
		d.Config.Subnets = append(d.Config.Subnets, netip.MustParsePrefix(s))
	}
	return d
}

func blue(subnets ...string) *network.Definition {
	return udn(model.KindUDN, "team-a", "blue-net", "team-a_blue-net", network.Layer3, true, subnets...)
}

func green(subnets ...string) *network.Definition {
	return udn(model.KindCUDN, "", "green-net", "cluster_udn_green-net", network.Layer2, true, subnets...)
}

func nad(ns, name, netName string, t network.Topology, primary bool, subnets ...string) *network.Attachment {
	return &network.Attachment{Meta: model.Meta{Key: model.Key{Kind: model.KindNAD, Namespace: ns, Name: name}},
		Config: udn("", ns, name, netName, t, primary, subnets...).Config}
}

// primaryNS is a namespace with the label of primary networks.
func primaryNS(name string, labels ...string) *model.Namespace {
	return made.NS(name, strings.Join(append(labels, model.LabelPrimaryUDN+"="), ","))
}

// podOnNets is a pod of node n1 with addresses on networks, "key: address address".
func podOnNets(name, labels string, nets ...string) *model.Pod {
	p := made.Pod(name, labels, "10.128.1.5")
	p.NodeName = "n1"
	for _, n := range nets {
		key, ips, _ := strings.Cut(n, ": ")
		p.Networks = append(p.Networks, model.PodNetwork{Name: key, IPs: strings.Fields(ips)})
	}
	return p
}

// asksFor has a pod ask for NetworkAttachmentDefinitions, by key.
func asksFor(p *model.Pod, keys ...string) *model.Pod {
	p.Attachments = keys
	return p
}

func nodeOnNets(name string, subnets map[string][]string) *model.Node {
	n := made.Node(name, "a=b", "9.9.9.9", "10.0.0.1", "fc00::1")
	n.MgmtIPs, n.NetworkSubnets = []string{"10.244.1.2"}, subnets
	return n
}

// netpolOn is a NetworkPolicy, or with policyFor a MultiNetworkPolicy, that isolates in both directions.
func netpolOn(key, subject, policyFor string, ingress []model.Rule, egress ...model.Rule) *model.Policy {
	ns, name, _ := strings.Cut(key, "/")
	p := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: ns, Name: name}}, Tier: model.TierNetwork, IsolatesIngress: true, IsolatesEgress: true,
		Subject: model.Subject{Namespaces: model.SelectEverything(), Pods: made.Sel(subject), Namespace: ns}, Ingress: ingress, Egress: egress}
	if policyFor != "" {
		p.Kind, p.Annotations = model.KindMNP, map[string]string{model.AnnotationPolicyFor: policyFor}
	}
	for i := range p.Ingress {
		p.Ingress[i].Direction, p.Ingress[i].Index, p.Ingress[i].AnyPeer = model.Ingress, i, len(p.Ingress[i].Peers) == 0
	}
	for i := range p.Egress {
		p.Egress[i].Direction, p.Egress[i].Index, p.Egress[i].AnyPeer = model.Egress, i, len(p.Egress[i].Peers) == 0
	}
	return p
}

// ownPods is a peer of pods of the policy's namespace.
func ownPods(ns, pods string) model.Peer {
	return model.Peer{Kind: model.PeerPods, Namespace: ns, Namespaces: model.SelectEverything(), Pods: made.Sel(pods)}
}

func rulesOf(r ...model.Rule) []model.Rule { return r }

func allows(peers ...model.Peer) model.Rule { return made.Rule(model.Allow, peers) }

func firewallIn(ns string, rules ...model.Rule) *model.Policy {
	p := netpolOn(ns+"/default", "", "", nil, rules...)
	p.Kind, p.IsolatesIngress, p.IsolatesEgress, p.Subject.AllPods = model.KindEF, false, false, true
	return p
}

// netOptions are those of a dual-stack cluster with user-defined networks.
func netOptions() Options {
	return Options{IPv4: true, IPv6: true, Defaults: On, HairpinFrom4: "169.254.0.5", HairpinFrom6: "fd69::5", ClusterSubnets: []netip.Prefix{netip.MustParsePrefix("10.128.0.0/14")}}
}

// rowTexts are the rows of a zone as text, by id: of ACLs what they decide and hang on, of groups their ports,
// of sets their addresses.
func rowTexts(d *Desired, zone string) map[string]string {
	out := map[string]string{}
	for u := range d.Policies() {
		rows := d.RowsOfUnit(u.Key, zone, nil)
		if rows == nil || rows.None != nil {
			continue
		}
		for _, s := range rows.AddressSets {
			out[s.ExternalIDs[nb.KeyID]] = s.Name + ": " + strings.Join(s.Addresses, " ")
		}
		holder := u.Holder.Name
		if g := rows.PortGroup; g != nil {
			holder = g.Name
			out[g.ExternalIDs[nb.KeyID]] = g.Name + ": " + strings.Join(slices.Sorted(slices.Values(g.Ports)), " ")
		}
		for _, a := range rows.ACLs {
			stage := a.Direction
			if a.Options["apply-after-lb"] == "true" {
				stage = "after-lb"
			}
			out[a.ID()] = strings.TrimSpace(fmt.Sprintf("%s %d %s %s %s on %s", a.Name, a.Priority, stage, a.Action, a.Match, holder))
			if a.Log {
				out[a.ID()] += " " + a.Severity
			}
			if a.Tier != model.TierNetwork || a.Meter != nb.LoggingMeter || a.SampleNew != "" && u.Key.Network != "" {
				out[a.ID()] += " ODD"
			}
		}
	}
	return out
}

// networkCase is one rule of docs/networks.md: of a cluster in zone n1, rows that are there with this text, and rows
// that are not there, by how their ids begin.
type networkCase struct {
	name    string
	objects []model.Object
	options func(*Options)
	want    map[string]string
	none    []string
}

func (c networkCase) run(t *testing.T) {
	o := netOptions()
	if c.options != nil {
		c.options(&o)
	}
	objects := append(slices.Clone(c.objects), nodeOnNets("n1", map[string][]string{"team-a_blue-net": {"10.20.1.0/24", "fd30:1::/64", "10.22.1.0/24"}}),
		nodeOnNets("n2", map[string][]string{"team-a_blue-net": {"10.20.2.0/24"}}))
	got := rowTexts(Compile(made.Cluster(objects...), o), "n1")
	for id, want := range c.want {
		if diff := cmp.Diff(want, got[id]); diff != "" {
			t.Errorf("%s (-want +got)\n%s", id, diff)
		}
	}
	for id := range got {
		if slices.ContainsFunc(c.none, func(start string) bool { return strings.HasPrefix(id, start) }) {
			t.Errorf("there is %s", id)
		}
	}
}

func TestNetworkRows(t *testing.T) {
	for _, c := range slices.Concat(networkNames, networkPolicies, networkNodes, networkFirewalls, networkMulticast, networkMultiPolicies) {
		t.Run(c.name, c.run)
	}
}

// name is the hashed name of an id.
func name(id string) string { return nb.HashedName(id) }

// TestFrozenSets: a pod whose annotations cannot be read keeps the sets that select it from following, those of
// its network only, and on secondary networks wherever it is (networks.md#frozen-sets).
func TestFrozenSets(t *testing.T) {
	bad := func(p *model.Pod, networks, attachments string) *model.Pod {
		p.NetworksErr, p.AttachmentsErr = networks, attachments
		return p
	}
	objects := []model.Object{primaryNS("team-a"), blue("10.20.0.0/16"), made.NS("app-1", ""), made.NS("other", ""), nad("app-1", "l2net", "l2net", network.Layer2, false, "10.50.0.0/16"),
		netpolOn("team-a/p", "", "", rulesOf(allows(ownPods("team-a", "app=x"), ownPods("team-a", "app=y")))),
		netpolOn("app-1/p", "", "l2net", rulesOf(allows(made.NSPeer("")), allows(ownPods("app-1", "")))),
		netpolOn("other/p", "", "", rulesOf(allows(made.NSPeer(""))))}
	ids := func(pods ...model.Object) (frozen []string) {
		for u := range Compile(made.Cluster(append(slices.Clone(objects), pods...)...), netOptions()).Policies() {
			for _, s := range u.Sets {
				if s.KeptByOthers {
					frozen = append(frozen, s.ID())
				}
			}
		}
		slices.Sort(frozen)
		return frozen
	}
	for _, c := range []struct {
		name string
		pod  *model.Pod
		want []string
	}{
		{"on a primary network", bad(podOnNets("team-a/web", "app=x"), "no JSON", ""), []string{blueNet + "PodSelector:team-a_LS{ML:{app: x,},}:v4"}},
		{"that nothing selects", bad(podOnNets("team-a/web", "app=z"), "no JSON", ""), nil},
		{"of another namespace, on secondary networks", bad(podOnNets("other/web", ""), "", "no list"), []string{"l2net-network-controller:PodSelector:LS{}_LS{}_LNM:v4"}},
		{"of the default network", bad(podOnNets("other/web", ""), "no JSON", ""), nil},
		{"on the host's network", func() *model.Pod {
			p := bad(podOnNets("other/web", ""), "no JSON", "no list")
			p.HostNetwork = true
			return p
		}(), nil},
		{"that is attached", asksFor(bad(podOnNets("app-1/web", ""), "no JSON", ""), "app-1/l2net"),
			[]string{"l2net-network-controller:PodSelector:LS{}_LS{}_LNM:v4", "l2net-network-controller:PodSelector:app-1_LS{}:v4"}},
	} {
		if diff := cmp.Diff(c.want, ids(c.pod)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, diff)
		}
	}
}
