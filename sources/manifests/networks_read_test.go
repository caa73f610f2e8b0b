package manifests

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"sigs.k8s.io/yaml"

	"rung/model"
	"rung/model/network"
)

var compare = cmp.Options{
	cmp.Comparer(func(a, b model.Selector) bool { return a.Key() == b.Key() && a.IsNil() == b.IsNil() }),
	cmp.Comparer(func(a, b netip.Prefix) bool { return a == b }),
	cmp.Comparer(func(a, b netip.Addr) bool { return a == b }),
	cmpopts.IgnoreFields(model.Meta{}, "Labels"),
}

func prefixes(texts ...string) (out []netip.Prefix) {
	for _, t := range texts {
		out = append(out, netip.MustParsePrefix(t))
	}
	return out
}

func keyed(k model.Kind, ns, name string) model.Meta {
	return model.Meta{Key: model.Key{Kind: k, Namespace: ns, Name: name}}
}

// readNetwork returns the object that a decoder makes, and what it reports.
func readNetwork[T any](read func(*decoder, *T, model.Meta) model.Object, o *T, m model.Meta) (model.Object, []model.Broken) {
	d := newDecoder(Options{})
	d.out = &unitOutcome{}
	got := read(d, o, m)
	return got, d.out.broken
}

// oneIssue is the field and the text of the only issue, empty for none.
func oneIssue(t *testing.T, issues []model.Broken) string {
	t.Helper()
	if len(issues) == 0 {
		return ""
	}
	if len(issues) > 1 || issues[0].Severity != model.SeverityWarning || issues[0].Code != CodeNetwork {
		t.Errorf("issues %+v", issues)
	}
	return issues[0].Field + ": " + issues[0].Message
}

func TestReadUDN(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		want       network.Config
		err        string
	}{
		{"layer 3", "topology: Layer3\nlayer3: {role: Primary, mtu: 1300, subnets: [{cidr: 10.20.0.1/16, hostSubnet: 24}, {cidr: 'fd30::/48'}]}",
			network.Config{Name: "blue_net", Topology: network.Layer3, Primary: true, Subnets: prefixes("10.20.0.0/16", "fd30::/48")}, ""},
		{"layer 2", "topology: Layer2\nlayer2: {role: Primary, subnets: [10.30.0.0/16], infrastructureSubnets: [10.30.0.8/29], defaultGatewayIPs: [10.30.0.9], ipam: {lifecycle: Persistent}}",
			network.Config{Name: "blue_net", Topology: network.Layer2, Primary: true, Subnets: prefixes("10.30.0.0/16"), InfrastructureSubnets: prefixes("10.30.0.8/29"), Gateways: []netip.Addr{netip.MustParseAddr("10.30.0.9")}}, ""},
		{"without addresses", "topology: Layer2\nlayer2: {role: Secondary, ipam: {mode: Disabled}}", network.Config{Name: "blue_net", Topology: network.Layer2}, ""},
		{"no such topology", "topology: Localnet", network.Config{Name: "blue_net", Topology: network.Localnet}, `spec.topology: "Localnet" must be Layer3 or Layer2`},
		{"topology without its part", "topology: Layer3\nlayer2: {role: Primary, subnets: [10.30.0.0/16]}", network.Config{Name: "blue_net", Topology: network.Layer3}, "spec.layer3: is missing, but topology requires it"},
		{"no role", "topology: Layer2\nlayer2: {subnets: [10.30.0.0/16]}", network.Config{Name: "blue_net", Topology: network.Layer2, Subnets: prefixes("10.30.0.0/16")}, "spec.layer2.role: is missing: Primary or Secondary"},
		{"no such role", "topology: Layer2\nlayer2: {role: Third, subnets: [10.30.0.0/16]}", network.Config{Name: "blue_net", Topology: network.Layer2, Subnets: prefixes("10.30.0.0/16")}, `spec.layer2.role: "Third" must be primary or secondary`},
		{"no subnet", "topology: Layer3\nlayer3: {role: Primary, subnets: [{cidr: 10.20.0.0/16}, {cidr: \"10.20\\u0007/16\"}]}", network.Config{Name: "blue_net", Topology: network.Layer3, Subnets: prefixes("10.20.0.0/16")}, `spec.layer3.subnets[1]: "10.20�/16" is not a subnet`},
		{"parts as large as the whole", "topology: Layer3\nlayer3: {role: Primary, subnets: [{cidr: 10.20.0.0/16, hostSubnet: 16}]}", network.Config{Name: "blue_net", Topology: network.Layer3}, "spec.layer3.subnets[0]: 10.20.0.0/16 cannot be divided into node subnets of /16"},
		{"no subnet of layer 2", "topology: Layer2\nlayer2: {role: Primary, subnets: [10.30.0.0]}", network.Config{Name: "blue_net", Topology: network.Layer2}, `spec.layer2.subnets[0]: "10.30.0.0" is not a subnet`},
		{"no gateway", "topology: Layer2\nlayer2: {role: Primary, subnets: [10.30.0.0/16], defaultGatewayIPs: [x]}", network.Config{Name: "blue_net", Topology: network.Layer2, Subnets: prefixes("10.30.0.0/16")}, `spec.layer2.defaultGatewayIPs[0]: "x" is not an address`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o UDN
			if err := yaml.Unmarshal([]byte("spec:\n  "+strings.ReplaceAll(c.spec, "\n", "\n  ")+"\nstatus: {conditions: [{type: NetworkCreated, status: 'True', reason: R, message: M}]}\n"), &o); err != nil {
				t.Fatal(err)
			}
			m := keyed(model.KindUDN, "blue", "net")
			got, issues := readNetwork((*decoder).udnOf, &o, m)
			want := &network.Definition{Meta: m, Config: c.want, Err: c.err, Conditions: []model.Condition{{Type: "NetworkCreated", Status: "True", Reason: "R", Message: "M"}}}
			if d := cmp.Diff(want, got, compare); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if got := oneIssue(t, issues); got != c.err {
				t.Errorf("issue %q, want %q", got, c.err)
			}
		})
	}
}

func TestReadCUDN(t *testing.T) {
	red, err := model.NewSelector(selects("red"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, network, selector string
		want                    network.Config
		err                     string
	}{
		{"layer 2 over EVPN", "{topology: Layer2, transport: EVPN, evpn: {vtep: v}, layer2: {role: Primary, subnets: [10.30.0.0/16]}}", "{matchLabels: {tenant: red}}",
			network.Config{Name: "cluster_udn_green", Topology: network.Layer2, Primary: true, Subnets: prefixes("10.30.0.0/16"), EVPN: true}, ""},
		{"localnet", "{topology: Localnet, localnet: {role: Secondary, physicalNetworkName: phys, subnets: [192.168.9.0/24], excludeSubnets: [192.168.9.0/30], vlan: {mode: Access}}}", "{matchLabels: {tenant: red}}",
			network.Config{Name: "cluster_udn_green", Topology: network.Localnet, Subnets: prefixes("192.168.9.0/24")}, ""},
		{"localnet without its part", "{topology: Localnet}", "{matchLabels: {tenant: red}}", network.Config{Name: "cluster_udn_green", Topology: network.Localnet}, "spec.network.localnet: is missing, but topology requires it"},
		{"localnet with a subnet that is none", "{topology: Localnet, localnet: {role: Secondary, subnets: [x]}}", "{matchLabels: {tenant: red}}", network.Config{Name: "cluster_udn_green", Topology: network.Localnet}, `spec.network.localnet.subnets[0]: "x" is not a subnet`},
		{"no selector", "{topology: Layer2, layer2: {role: Secondary, subnets: [10.30.0.0/16]}}", "{matchExpressions: [{key: a, operator: Near}]}",
			network.Config{Name: "cluster_udn_green", Topology: network.Layer2, Subnets: prefixes("10.30.0.0/16")}, `spec.namespaceSelector: label selector: "Near" is not a valid label selector operator`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o CUDN
			if err := yaml.Unmarshal([]byte("spec: {namespaceSelector: "+c.selector+", network: "+c.network+"}\n"), &o); err != nil {
				t.Fatal(err)
			}
			m := keyed(model.KindCUDN, "", "green")
			got, issues := readNetwork((*decoder).cudnOf, &o, m)
			d := got.(*network.Definition)
			if d.Err == "" && d.Namespaces.Key() != red.Key() {
				t.Errorf("selects %s", d.Namespaces.Key())
			}
			d.Namespaces = model.Selector{}
			if diff := cmp.Diff(&network.Definition{Meta: m, Config: c.want, Err: c.err}, d, compare); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if got := oneIssue(t, issues); got != c.err {
				t.Errorf("issue %q, want %q", got, c.err)
			}
		})
	}
}

func TestReadNAD(t *testing.T) {
	plain := network.Config{Name: "n", Topology: network.Layer2}
	for _, c := range []struct {
		name, config string
		want         network.Attachment
		err          string
	}{
		{"layer 3", `{"cniVersion":"1.1.0","type":"ovn-k8s-cni-overlay","name":"team-a_blue-net","netAttachDefName":"blue/net","topology":"layer3","role":"primary","subnets":"10.20.0.0/16/24, fd30::/48/64,10.22.0.0/16","mtu":1400}`,
			network.Attachment{Config: network.Config{Name: "team-a_blue-net", Topology: network.Layer3, Primary: true, Subnets: prefixes("10.20.0.0/16", "fd30::/48", "10.22.0.0/16")}}, ""},
		{"layer 2 with its own addresses", `{"type":"ovn-k8s-cni-overlay","name":"n","netAttachDefName":"blue/net","topology":"layer2","role":"primary","subnets":"10.30.0.0/16,fd30::/64","infrastructureSubnets":"10.30.0.8/29","defaultGatewayIPs":"10.30.0.9,fd30::9","transport":"evpn"}`,
			network.Attachment{Config: network.Config{Name: "n", Topology: network.Layer2, Primary: true, Subnets: prefixes("10.30.0.0/16", "fd30::/64"), InfrastructureSubnets: prefixes("10.30.0.8/29"),
				Gateways: []netip.Addr{netip.MustParseAddr("10.30.0.9"), netip.MustParseAddr("fd30::9")}, EVPN: true}}, ""},
		{"without addresses, and no role", `{"type":"ovn-k8s-cni-overlay","name":"n","netAttachDefName":"blue/net","topology":"layer2"}`, network.Attachment{Config: plain}, ""},
		{"alone in a list", `{"name":"n","cniVersion":"1.0.0","plugins":[{"type":"ovn-k8s-cni-overlay","name":"other","netAttachDefName":"blue/net","topology":"layer2"}]}`, network.Attachment{Config: plain}, ""},
		{"chained", `{"name":"n","plugins":[{"type":"ovn-k8s-cni-overlay"},{"type":"tuning"}]}`, network.Attachment{}, "spec.config: lists several plugins: OVN-Kubernetes accepts only one"},
		{"of another plugin", `{"type":"macvlan","name":"n","ipam":{"type":"host-local"}}`, network.Attachment{Foreign: true}, ""},
		{"other plugins", `{"name":"n","plugins":[{"type":"bridge"},{"type":"tuning"}]}`, network.Attachment{Foreign: true}, ""},
		{"in a file of the nodes", " ", network.Attachment{Foreign: true}, ""},
		{"the default network", `{"type":"ovn-k8s-cni-overlay","name":"default"}`, network.Attachment{Foreign: true}, ""},
		{"no JSON", "type: \x07ovn", network.Attachment{}, `spec.config: is not a JSON configuration: invalid character 'y' in literal true (expecting 'r')`},
		{"another form", `{"type":"ovn-k8s-cni-overlay","name":"n","subnets":["10.20.0.0/16"]}`, network.Attachment{}, "spec.config: cannot be read: json: cannot unmarshal array into Go struct field cniConfig.subnets of type string"},
		{"another form in a list", `{"name":"n","plugins":[{"type":"ovn-k8s-cni-overlay","name":1}]}`, network.Attachment{}, "spec.config: cannot be read: json: cannot unmarshal number into Go struct field cniConfig.name of type string"},
		{"another NAD", `{"type":"ovn-k8s-cni-overlay","name":"n","netAttachDefName":"red/net","topology":"layer2"}`, network.Attachment{Config: plain}, `spec.config: netAttachDefName is "red/net", but must be "blue/net"`},
		{"no such role", `{"type":"ovn-k8s-cni-overlay","name":"n","netAttachDefName":"blue/net","topology":"layer2","role":"third"}`, network.Attachment{Config: plain}, `spec.config: role "third" must be primary or secondary`},
		{"no subnet", `{"type":"ovn-k8s-cni-overlay","name":"n","netAttachDefName":"blue/net","topology":"layer2","subnets":"10.20.0.0/16/24"}`, network.Attachment{Config: plain}, `spec.config: subnets: "10.20.0.0/16/24" is not a subnet`},
		{"no part of nodes", `{"type":"ovn-k8s-cni-overlay","name":"n","netAttachDefName":"blue/net","topology":"layer3","subnets":"10.20.0.0/16/x"}`, network.Attachment{Config: network.Config{Name: "n", Topology: network.Layer3}}, `spec.config: subnets: "10.20.0.0/16/x" is not a subnet`},
		{"parts larger than the whole", `{"type":"ovn-k8s-cni-overlay","name":"n","netAttachDefName":"blue/net","topology":"layer3","subnets":"10.20.0.0/16/8"}`, network.Attachment{Config: network.Config{Name: "n", Topology: network.Layer3}}, `spec.config: subnets: 10.20.0.0/16 cannot be divided into node subnets of /8`},
		{"no infrastructure subnet", `{"type":"ovn-k8s-cni-overlay","name":"n","netAttachDefName":"blue/net","topology":"layer2","infrastructureSubnets":"y"}`, network.Attachment{Config: plain}, `spec.config: infrastructureSubnets: "y" is not a subnet`},
		{"no gateway", `{"type":"ovn-k8s-cni-overlay","name":"n","netAttachDefName":"blue/net","topology":"layer2","defaultGatewayIPs":"10.30.0.9,,"}`, network.Attachment{Config: network.Config{Name: "n", Topology: network.Layer2, Gateways: []netip.Addr{netip.MustParseAddr("10.30.0.9")}}}, `spec.config: defaultGatewayIPs: "" is not an address`},
		{"a role in capitals", `{"type":"ovn-k8s-cni-overlay","name":"n","netAttachDefName":"blue/net","topology":"layer2","role":"Primary"}`, network.Attachment{Config: plain}, `spec.config: role "Primary" must be primary or secondary`},
		{"persistent addresses on layer 3", `{"type":"ovn-k8s-cni-overlay","name":"n","netAttachDefName":"blue/net","topology":"layer3","subnets":"10.20.0.0/16","allowPersistentIPs":true}`, network.Attachment{Config: network.Config{Name: "n", Topology: network.Layer3}}, `spec.config: allowPersistentIPs cannot be set on a layer3 network`},
		{"another IPAM", `{"type":"ovn-k8s-cni-overlay","name":"n","netAttachDefName":"blue/net","topology":"layer2","ipam":{"type":"whereabouts"}}`, network.Attachment{Config: plain}, `spec.config: ipam cannot be set: OVN-Kubernetes assigns addresses itself, from subnets`},
		{"no such transport", `{"type":"ovn-k8s-cni-overlay","name":"n","netAttachDefName":"blue/net","topology":"layer2","transport":"vxlan"}`, network.Attachment{Config: plain}, `spec.config: transport "vxlan" must be geneve, no-overlay or evpn`},
		{"a join subnet on a localnet", `{"type":"ovn-k8s-cni-overlay","name":"n","netAttachDefName":"blue/net","topology":"localnet","joinSubnet":"100.65.0.0/16"}`, network.Attachment{Config: network.Config{Name: "n", Topology: network.Localnet}}, `spec.config: joinSubnet cannot be set on a localnet`},
		{"infrastructure on layer 3", `{"type":"ovn-k8s-cni-overlay","name":"n","netAttachDefName":"blue/net","topology":"layer3","subnets":"10.20.0.0/16","infrastructureSubnets":"10.20.0.0/30"}`, network.Attachment{Config: network.Config{Name: "n", Topology: network.Layer3}}, `spec.config: infrastructureSubnets can be set on a layer2 network only`},
		{"a gateway on a localnet", `{"type":"ovn-k8s-cni-overlay","name":"n","netAttachDefName":"blue/net","topology":"localnet","defaultGatewayIPs":"10.20.0.1"}`, network.Attachment{Config: network.Config{Name: "n", Topology: network.Localnet}}, `spec.config: defaultGatewayIPs can be set on a layer2 network only`},
		{"excluded outside", `{"type":"ovn-k8s-cni-overlay","name":"n","netAttachDefName":"blue/net","topology":"layer2","subnets":"10.20.0.0/16","excludeSubnets":"10.21.0.0/30"}`, network.Attachment{Config: network.Config{Name: "n", Topology: network.Layer2, Subnets: prefixes("10.20.0.0/16")}}, `spec.config: excludeSubnets: 10.21.0.0/30 is outside the subnets`},
		{"no join subnet", `{"type":"ovn-k8s-cni-overlay","name":"n","netAttachDefName":"blue/net","topology":"layer2","joinSubnet":"x"}`, network.Attachment{Config: plain}, `spec.config: joinSubnet: "x" is not a subnet`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o NAD
			o.Spec.Config = c.config
			o.Annotations = map[string]string{annotationNetworkID: "7"}
			m := keyed(model.KindNAD, "blue", "net")
			got, issues := readNetwork((*decoder).nadOf, &o, m)
			c.want.Meta, c.want.ID, c.want.Err = m, "7", c.err
			if d := cmp.Diff(&c.want, got, compare); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if got := oneIssue(t, issues); got != c.err {
				t.Errorf("issue %q, want %q", got, c.err)
			}
		})
	}
}

func TestReadCNC(t *testing.T) {
	for _, c := range []struct {
		name         string
		connectivity []string
		annotation   string
		want         network.Connect
		err          string
	}{
		{"services", []string{"ClusterIPServiceNetwork"}, `{"layer3_12":{"ipv4":"192.168.0.0/24"},"layer2_3":{},"layer2_4":{},"other":{}}`, network.Connect{Services: true, IDs: []string{"3", "4", "12"}}, ""},
		{"both", []string{"PodNetwork", "ClusterIPServiceNetwork"}, "", network.Connect{Pods: true, Services: true}, ""},
		{"no JSON", nil, "[", network.Connect{}, "metadata.annotations[k8s.ovn.org/network-connect-subnet]: cannot be read: the connected networks are unknown: unexpected end of JSON input"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o CNC
			o.Spec.Connectivity = c.connectivity
			if c.annotation != "" {
				o.Annotations = map[string]string{annotationConnected: c.annotation}
			}
			c.want.Meta = keyed(model.KindCNC, "", "c")
			got, issues := readNetwork((*decoder).cncOf, &o, c.want.Meta)
			if d := cmp.Diff(&c.want, got, compare); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if got := oneIssue(t, issues); got != c.err {
				t.Errorf("issue %q, want %q", got, c.err)
			}
		})
	}
}
