package manifests

import (
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	sigsyaml "sigs.k8s.io/yaml"

	"rung/model"
	"rung/model/network"
)

const networkTexts = `apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: net, namespace: blue}
spec: {topology: Layer3, layer3: {role: Primary, subnets: [{cidr: 10.20.0.0/16, hostSubnet: 24}]}}
---
apiVersion: k8s.ovn.org/v1
kind: ClusterUserDefinedNetwork
metadata: {name: green, namespace: dropped}
spec: {namespaceSelector: {matchLabels: {tenant: red}}, network: {topology: Localnet, localnet: {role: Secondary, physicalNetworkName: p, ipam: {mode: Disabled}}}}
---
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: l2, namespace: blue, annotations: {k8s.ovn.org/network-id: "7"}}
spec:
  config: |
    {"type": "ovn-k8s-cni-overlay", "name": "l2", "netAttachDefName": "blue/l2", "topology": "layer2"}
---
apiVersion: k8s.ovn.org/v1
kind: ClusterNetworkConnect
metadata: {name: both, annotations: {k8s.ovn.org/network-connect-subnet: '{"layer3_3":{}}'}}
spec: {networkSelectors: [{networkSelectionType: PrimaryUserDefinedNetworks, primaryUserDefinedNetworkSelector: {namespaceSelector: {}}}], connectSubnets: [{cidr: 192.168.0.0/16, networkPrefix: 24}], connectivity: [ClusterIPServiceNetwork]}
`

const mnpText = `apiVersion: k8s.cni.cncf.io/v1beta1
kind: MultiNetworkPolicy
metadata: {name: web, namespace: blue, annotations: {k8s.v1.cni.cncf.io/policy-for: "l2, red/other"}}
spec:
  podSelector: {matchLabels: {app: web}}
  ingress:
  - from: [{podSelector: {matchLabels: {app: client}}}, {ipBlock: {cidr: 10.1.0.0/16, except: [10.1.1.0/24]}}]
    ports: [{port: 80}, {port: 8000, endPort: 8080, protocol: UDP}]
`

func TestNetworks(t *testing.T) {
	red := model.NewLabels(map[string]string{"tenant": "red"})
	r := Parse("x.yaml", []byte(networkTexts), Options{})
	if len(r.Broken) > 0 {
		t.Errorf("broken: %v", r.Broken)
	}
	want := []model.Object{
		&network.Definition{Meta: meta(model.KindUDN, "blue", "net", 1, nil),
			Config: network.Config{Name: "blue_net", Topology: network.Layer3, Primary: true, Subnets: []netip.Prefix{netip.MustParsePrefix("10.20.0.0/16")}}},
		&network.Definition{Meta: meta(model.KindCUDN, "", "green", 6, nil), Config: network.Config{Name: "cluster_udn_green", Topology: network.Localnet}},
		&network.Attachment{Meta: meta(model.KindNAD, "blue", "l2", 11, nil), ID: "7", Config: network.Config{Name: "l2", Topology: network.Layer2}},
		&network.Connect{Meta: meta(model.KindCNC, "", "both", 18, nil), Services: true, IDs: []string{"3"}},
	}
	for i, o := range r.Objects {
		if d, ok := o.(*network.Definition); ok && d.Kind == model.KindCUDN {
			if !d.Namespaces.Matches(red) || d.Namespaces.Matches(model.NewLabels(nil)) {
				t.Errorf("selects %s", d.Namespaces.Key())
			}
			c := *d
			c.Namespaces = model.Selector{}
			r.Objects[i] = &c
		}
		if m, ok := o.(interface{ ObjectOrigin() model.Origin }); ok && i < len(want) && m.ObjectOrigin().Doc != i {
			t.Errorf("%s is of document %d", o.ObjectKey(), m.ObjectOrigin().Doc)
		}
	}
	if d := cmp.Diff(want, r.Objects, compareModel, cmp.Comparer(func(a, b netip.Prefix) bool { return a == b }),
		cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Doc" }, cmp.Ignore())); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// TestNetworksWrong: what is wrong is one line, with the field and its line of the text.
func TestNetworksWrong(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
		objects    int
	}{
		{"unusable subnet", strings.Replace(networkTexts[:strings.Index(networkTexts, "---")], "10.20.0.0/16,", "10.20.0/16,\n ", 1),
			[]string{`error x.yaml:4 UserDefinedNetwork/blue/net spec.layer3.subnets[0].cidr: cel: Invalid value: "10.20.0/16": must be a CIDR: write address/length, as 10.0.0.0/8 or fd00::/8`}, 0},
		{"no JSON", "apiVersion: k8s.cni.cncf.io/v1\nkind: NetworkAttachmentDefinition\nmetadata: {name: l2, namespace: blue}\nspec:\n  config: '{'\n",
			[]string{"warning x.yaml:5 NetworkAttachmentDefinition/blue/l2 spec.config: network: is not a JSON configuration: unexpected end of JSON input"}, 1},
		{"config of another form", "apiVersion: k8s.cni.cncf.io/v1\nkind: NetworkAttachmentDefinition\nmetadata: {name: l2, namespace: blue}\nspec:\n  config: {}\n",
			[]string{"error x.yaml:5 NetworkAttachmentDefinition/blue/l2 spec.config: field-type: must be a string, not a mapping"}, 0},
		{"misspelt field", strings.Replace(networkTexts[:strings.Index(networkTexts, "---")], "hostSubnet", "hostsubnet", 1),
			[]string{`warning x.yaml:4 UserDefinedNetwork/blue/net spec.layer3.subnets[0].hostsubnet: unknown-field: unknown field, ignored: did you mean "hostSubnet"?`}, 1},
		{"unknown version", "apiVersion: k8s.ovn.org/v2\nkind: ClusterUserDefinedNetwork\nmetadata: {name: x}\n",
			[]string{"error x.yaml:1 ClusterUserDefinedNetwork/x: api-version: apiVersion k8s.ovn.org/v2 is not known for this kind: write apiVersion: k8s.ovn.org/v1"}, 0},
		{"unknown version of policies", strings.Replace(mnpText, "v1beta1", "v1", 1),
			[]string{"error x.yaml:1 MultiNetworkPolicy/blue/web: api-version: apiVersion k8s.cni.cncf.io/v1 is not known for this kind: write apiVersion: k8s.cni.cncf.io/v1beta1"}, 0},
		{"misspelt kind", strings.Replace(mnpText, "kind: MultiNetworkPolicy", "kind: MultiNetworkPolice", 1),
			[]string{"error x.yaml:2 MultiNetworkPolice/blue/web: unknown-kind: Rung does not know this kind: did you mean MultiNetworkPolicy?"}, 0},
		{"misspelt field of a policy", strings.Replace(mnpText, "podSelector: {matchLabels: {app: web}}", "podselector: {}", 1),
			[]string{`error x.yaml:5 MultiNetworkPolicy/blue/web spec.podselector: unknown-field: unknown field: did you mean "podSelector"?`}, 0},
		{"what OVN-Kubernetes cannot take of a policy", strings.Replace(mnpText, "10.1.1.0/24", "10.2.1.0/24", 1),
			[]string{"error x.yaml:7 MultiNetworkPolicy/blue/web spec.ingress[0].from[1].ipBlock.except[0]: schema: Invalid value: \"10.2.1.0/24\": must be a strict subset of 10.1.0.0/16"}, 0},
		{"pod", `apiVersion: v1
kind: Pod
metadata:
  name: p
  annotations: {k8s.ovn.org/pod-networks: '{', k8s.v1.cni.cncf.io/networks: 'A', k8s.ovn.org/open-default-ports: '- protocol: tcp'}
`, []string{
			"warning x.yaml:1 Pod/default/p metadata.annotations[k8s.ovn.org/pod-networks]: annotation: cannot be read: this pod's address sets on other networks are frozen: annotation k8s.ovn.org/pod-networks: unexpected end of JSON input",
			`warning x.yaml:1 Pod/default/p metadata.annotations[k8s.v1.cni.cncf.io/networks]: annotation: cannot be read: address sets that select this pod on secondary networks are frozen: "A" must be name, namespace/name or namespace/name@interface`,
			`warning x.yaml:1 Pod/default/p metadata.annotations[k8s.ovn.org/open-default-ports]: annotation: cannot be read: no port is left open on the default network: tcp needs a port from 0 to 65535, not ""`,
		}, 2},
		{"node", "apiVersion: v1\nkind: Node\nmetadata: {name: w, annotations: {k8s.ovn.org/node-subnets: '{\"default\":[\"10.244.1.0/24\"],\"blue_net\":[\"x\"]}'}}\n",
			[]string{`warning x.yaml:1 Node/w metadata.annotations[k8s.ovn.org/node-subnets]: annotation: cannot be read: the row that lets this node reach its pods is not compiled on that network: subnet of network blue_net: netip.ParsePrefix("x"): no '/'`}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Parse("x.yaml", []byte(c.text), Options{})
			var got []string
			for _, b := range r.Broken {
				if b.Code == "namespace-missing" {
					continue
				}
				field := ""
				if b.Field != "" {
					field = " " + b.Field
				}
				line := string(b.Severity) + " " + b.Origin.File + ":" + strconv.Itoa(b.Origin.Line) + " " + b.Key.String() + field + ": " + b.Code + ": " + b.Message
				if b.Remedy != "" {
					line += ": " + b.Remedy
				}
				got = append(got, line)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if len(r.Objects) != c.objects {
				t.Errorf("%d objects", len(r.Objects))
			}
		})
	}
}

// TestPodsOnNetworks: a pod has what its annotations say of networks.
func TestPodsOnNetworks(t *testing.T) {
	r := Parse("x.yaml", []byte(`apiVersion: v1
kind: Pod
metadata:
  name: p
  namespace: blue
  annotations:
    k8s.ovn.org/pod-networks: '{"default":{"ip_addresses":["10.244.1.9/24"]},"blue/net":{"ip_addresses":["10.20.1.5/24"],"role":"primary"},"blue/l2/1":{"ip_addresses":["10.8.0.4"]}}'
    k8s.v1.cni.cncf.io/networks: l2,l2
    k8s.ovn.org/open-default-ports: '[{protocol: tcp, port: 80}, {protocol: icmp}]'
`), Options{})
	p := r.Objects[0].(*model.Pod)
	got := model.Pod{Networks: p.Networks, NetworksErr: p.NetworksErr, Attachments: p.Attachments, AttachmentsErr: p.AttachmentsErr, OpenPorts: p.OpenPorts}
	want := model.Pod{Networks: []model.PodNetwork{{Name: "default", IPs: []string{"10.244.1.9"}}, {Name: "blue/l2/1"}, {Name: "blue/net", Role: "primary", IPs: []string{"10.20.1.5"}}},
		NetworksErr: `blue/l2/1: "10.8.0.4" is not an address with its mask`, Attachments: []string{"blue/l2", "blue/l2/1"}, OpenPorts: []string{"tcp.dst == 80", "icmp"}}
	if d := cmp.Diff(want, got, compareModel); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestMultiNetworkPolicy(t *testing.T) {
	app := func(name string) model.Selector {
		s, err := model.NewSelector(&metav1.LabelSelector{MatchLabels: map[string]string{"app": name}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, version := range []string{"v1beta1", "v1beta2"} {
		for types, isolates := range map[string][2]bool{"": {}, "[]": {}, "[Ingress]": {true, false}, "[Egress, Ingress]": {true, true}} {
			text := strings.Replace(mnpText, "v1beta1", version, 1)
			if types != "" {
				text += "  policyTypes: " + types + "\n"
			}
			p, broken := ParsePolicy([]byte(text))
			if len(broken) > 0 || p == nil {
				t.Fatalf("%s %s: %v", version, types, broken)
			}
			want := &model.Policy{Meta: meta(model.KindMNP, "blue", "web", 1, nil), Tier: model.TierNetwork,
				Subject:         model.Subject{Namespaces: model.SelectEverything(), Pods: app("web"), Namespace: "blue"},
				IsolatesIngress: isolates[0], IsolatesEgress: isolates[1],
				Ingress: []model.Rule{{Direction: model.Ingress, Action: model.Allow,
					Peers: []model.Peer{{Kind: model.PeerPods, Namespace: "blue", Namespaces: model.SelectEverything(), Pods: app("client")},
						{Kind: model.PeerNetworks, Networks: []string{"10.1.0.0/16"}, Except: []string{"10.1.1.0/24"}}},
					Ports: []model.Port{{Protocol: "TCP", Start: 80, End: 80}, {Protocol: "UDP", Start: 8000, End: 8080, Range: true}}}}}
			want.Origin, want.Annotations = p.Origin, map[string]string{model.AnnotationPolicyFor: "l2, red/other"}
			if d := cmp.Diff(want, p, compareModel); d != "" {
				t.Errorf("%s %s (-want +got)\n%s", version, types, d)
			}
			written, err := Marshal(p)
			if err != nil || !strings.Contains(string(written), "apiVersion: k8s.cni.cncf.io/"+version+"\nkind: MultiNetworkPolicy\n") {
				t.Errorf("written: %v\n%s", err, written)
			}
			if bad := Validate(p); len(bad) > 0 {
				t.Errorf("refused: %v", bad)
			}
			var obj map[string]any
			if err := sigsyaml.Unmarshal([]byte(text), &obj); err != nil {
				t.Fatal(err)
			}
			o, doubts := NewTyped("cluster").ReadObject(&unstructured.Unstructured{Object: obj}, nil)
			if q, _ := o.(*model.Policy); len(doubts) > 0 || !model.SameContent(p, q) || q.IsolatesIngress != isolates[0] {
				t.Errorf("of a cluster: %v %+v", doubts, o)
			}
		}
	}
}

// TestNetworksOfCluster: objects of the API server are read as those of files.
func TestNetworksOfCluster(t *testing.T) {
	typed := NewTyped("cluster")
	for i, text := range strings.Split(networkTexts, "---\n") {
		var obj map[string]any
		if err := sigsyaml.Unmarshal([]byte(text), &obj); err != nil {
			t.Fatal(err)
		}
		got, broken := typed.ReadObject(&unstructured.Unstructured{Object: obj}, nil)
		want := Parse("x.yaml", []byte(text), Options{}).Objects[0]
		if len(broken) > 0 {
			t.Errorf("%d: %v", i, broken)
		}
		if d := cmp.Diff(want, got, compareModel, cmp.Comparer(func(a, b netip.Prefix) bool { return a == b }),
			cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Origin" }, cmp.Ignore())); d != "" {
			t.Errorf("%d (-file +cluster)\n%s", i, d)
		}
	}
}
