package manifests

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rung/model"
)

// compareModel compares model objects by what they mean.
var compareModel = cmp.Options{
	cmp.Comparer(func(a, b model.Labels) bool { return a.Key() == b.Key() }),
	cmp.Comparer(func(a, b model.Selector) bool { return a.Key() == b.Key() && a.IsNil() == b.IsNil() }),
	cmpopts.EquateEmpty(),
	cmpopts.IgnoreFields(model.Policy{}, "Original", "YAML", "Digested"),
}

func meta(kind model.Kind, ns, name string, line int, labels map[string]string) model.Meta {
	return model.Meta{Key: model.Key{Kind: kind, Namespace: ns, Name: name}, Labels: model.NewLabels(labels),
		Origin: model.Origin{Source: "files", File: "x.yaml", Item: -1, Line: line}}
}

func TestObjects(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	created := func(m model.Meta, uid string) model.Meta {
		m.Created, m.UID = at, uid
		return m
	}
	for _, c := range []struct {
		name, text string
		want       model.Object
	}{
		{"namespace", "apiVersion: v1\nkind: Namespace\nmetadata: {name: blue, uid: u, creationTimestamp: 2026-01-02T03:04:05Z, labels: {tenant: blue}, annotations: {k8s.ovn.org/acl-logging: '{}', other: x}}\n",
			&model.Namespace{Meta: func() model.Meta {
				m := created(meta(model.KindNamespace, "", "blue", 1, map[string]string{"tenant": "blue", "kubernetes.io/metadata.name": "blue"}), "u")
				m.Annotations = map[string]string{model.AnnotationLogging: "{}"}
				return m
			}()}},
		{"pod", `apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: blue
  deletionTimestamp: "2026-01-02T03:04:05Z"
  labels: {app: web}
  annotations:
    k8s.ovn.org/pod-networks: '{"blue/udn":{"ip_addresses":["10.9.0.4/16"],"role":"primary"},"default":{"ip_addresses":["10.244.1.9/24"],"ip_address":"10.244.1.9/24","role":"infrastructure-locked"}}'
spec:
  nodeName: ovn-worker
  initContainers:
  - {name: i, ports: [{name: init, containerPort: 1}]}
  containers:
  - name: c
    ports:
    - {name: http, containerPort: 8080}
    - {containerPort: 53, protocol: UDP}
    - {containerPort: 9, protocol: DCCP}
status:
  phase: Running
  podIP: 10.0.0.1
  podIPs: [{ip: 10.244.1.4}, {ip: nonsense}, {ip: "FE00:10:128:2:0:0:0:4"}]
  conditions: [{type: Ready, status: "True"}]
`, &model.Pod{Meta: meta(model.KindPod, "blue", "web", 1, map[string]string{"app": "web"}), ServiceAccount: "default", NodeName: "ovn-worker", Phase: "Running",
			IPs:   []string{"10.244.1.4", "fe00:10:128:2::4"},
			Ports: []model.ContainerPort{{Name: "http", Protocol: "TCP", Port: 8080}, {Protocol: "UDP", Port: 53}, {Port: 9}},
			Networks: []model.PodNetwork{{Name: "default", Role: "infrastructure-locked", IPs: []string{"10.244.1.9"}},
				{Name: "blue/udn", Role: "primary", IPs: []string{"10.9.0.4"}}},
			Deleting: true, Ready: true}},
		{"pod whose addresses come from the annotation", "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: blue, annotations: {k8s.ovn.org/pod-networks: '{\"default\":{\"ip_addresses\":[\"10.244.1.9/24\",\"fd00::9/64\"]}}'}}\nspec: {hostNetwork: true}\nstatus: {podIP: 10.0.0.1}\n",
			&model.Pod{Meta: meta(model.KindPod, "blue", "p", 1, nil), ServiceAccount: "default", HostNetwork: true, Phase: "Running", IPs: []string{"10.244.1.9", "fd00::9"},
				Networks: []model.PodNetwork{{Name: "default", IPs: []string{"10.244.1.9", "fd00::9"}}}}},
		{"pod whose address comes last", "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: blue}\nstatus: {podIP: 10.0.0.1, phase: Succeeded}\n",
			&model.Pod{Meta: meta(model.KindPod, "blue", "p", 1, nil), ServiceAccount: "default", Phase: "Succeeded", IPs: []string{"10.0.0.1"}}},
		{"pod with nothing", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nstatus:\n",
			&model.Pod{Meta: meta(model.KindPod, "default", "p", 1, nil), ServiceAccount: "default", Phase: "Pending", Planned: &model.PlannedPod{}}},
		{"node", "apiVersion: v1\nkind: Node\nmetadata: {name: w, annotations: {k8s.ovn.org/host-cidrs: '[\"200.200.200.0/24\",\"fc00::2/64\"]'}}\nstatus: {addresses: [{type: InternalIP, address: 172.18.0.3}, {type: Hostname, address: w}], conditions: [{type: Ready, status: \"False\"}]}\n",
			&model.Node{Meta: meta(model.KindNode, "", "w", 1, nil),
				HostIPs: []string{"200.200.200.0", "fc00::2"}, InternalIPs: []string{"172.18.0.3"}}},
		{"node whose annotation has no CIDR", "apiVersion: v1\nkind: Node\nmetadata: {name: w, annotations: {k8s.ovn.org/host-cidrs: '[\"200.200.200.0\"]'}}\n",
			&model.Node{Meta: meta(model.KindNode, "", "w", 1, nil),
				HostErr: "failed to parse node host cidr: invalid CIDR address: 200.200.200.0"}},
		{"service", "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: blue}\nspec: {selector: {app: web}, clusterIP: 10.96.0.1, ports: [{name: h, port: 80, targetPort: http}, {port: 53, protocol: UDP, targetPort: 53}]}\n",
			&model.Service{Meta: meta(model.KindService, "blue", "s", 1, nil), Type: "ClusterIP", ClusterIPs: []string{"10.96.0.1"},
				Selector: model.NewLabels(map[string]string{"app": "web"}),
				Ports:    []model.ServicePort{{Name: "h", Protocol: "TCP", TargetPort: "http", Port: 80}, {Protocol: "UDP", TargetPort: "53", Port: 53}}}},
		{"headless service", "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: blue}\nspec: {clusterIP: None, clusterIPs: [None], type: ClusterIP}\n",
			&model.Service{Meta: meta(model.KindService, "blue", "s", 1, nil), Type: "ClusterIP"}},
		{"endpoint slice", "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: s-1, namespace: blue, labels: {kubernetes.io/service-name: s}}\naddressType: IPv4\nendpoints: [{addresses: [10.0.0.1]}, {addresses: [10.0.0.2]}]\n",
			&model.EndpointSlice{Meta: meta(model.KindEndpointSlice, "blue", "s-1", 1, map[string]string{"kubernetes.io/service-name": "s"}),
				Service: "s", Addresses: []string{"10.0.0.1", "10.0.0.2"}}},
		{"event", "apiVersion: v1\nkind: Event\nmetadata: {name: e, namespace: default}\ninvolvedObject: {kind: AdminNetworkPolicy, name: a}\ntype: Warning\nreason: ANPWithDuplicatePriority\nmessage: \"one\\ttwo\"\nsource: {component: ovnk, host: w}\nfirstTimestamp: 2026-01-01T00:00:00Z\nlastTimestamp: 2026-01-02T03:04:05Z\ncount: 3\n",
			&model.Event{Meta: meta(model.KindEvent, "default", "e", 1, nil), About: model.Key{Kind: model.KindANP, Name: "a"}, Type: "Warning",
				Reason: "ANPWithDuplicatePriority", Message: "one\ufffdtwo", Reporter: "w", Last: at, Count: 3}},
		{"event of the newer form", "apiVersion: events.k8s.io/v1\nkind: Event\nmetadata: {name: e, namespace: default}\nregarding: {kind: AdminNetworkPolicy, name: a}\ntype: Warning\nreason: R\nnote: nn\nreportingInstance: w\neventTime: 2026-01-02T03:04:05.000000Z\n",
			&model.Event{Meta: meta(model.KindEvent, "default", "e", 1, nil), About: model.Key{Kind: model.KindANP, Name: "a"}, Type: "Warning",
				Reason: "R", Message: "nn", Reporter: "w", Last: at, Count: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Parse("x.yaml", []byte(c.text), Options{})
			for _, b := range r.Broken {
				if b.IsError() {
					t.Error(b)
				}
			}
			if d := cmp.Diff(c.want, r.Objects[0], compareModel); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// Times are RFC 3339 of any precision, also where Kubernetes writes six digits.
func TestEventTimes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"},
		{`"2026-01-02T03:04:05Z"`, "2026-01-02T03:04:05Z"},
		{"2026-01-02T03:04:05.5+01:00", "2026-01-02T02:04:05.5Z"},
		{"2026-01-02T03:04:05.123Z", "2026-01-02T03:04:05.123Z"},
		{"2026-01-02T03:04:05.123456Z", "2026-01-02T03:04:05.123456Z"},
		{"2026-01-02T03:04:05.123456789Z", "2026-01-02T03:04:05.123456Z"},
		{"null", "0001-01-01T00:00:00Z"},
	} {
		old := "apiVersion: v1\nkind: Event\nmetadata: {name: e, namespace: default}\ninvolvedObject: {kind: AdminNetworkPolicy, name: a}\n"
		newer := "apiVersion: events.k8s.io/v1\nkind: Event\nmetadata: {name: e, namespace: default}\nregarding: {kind: AdminNetworkPolicy, name: a}\n"
		for _, text := range []string{old + "eventTime: " + c.text + "\n", newer + "eventTime: " + c.text + "\n",
			old + "series: {count: 2, lastObservedTime: " + c.text + "}\n", newer + "eventTime: null\nseries: {count: 2, lastObservedTime: " + c.text + "}\n"} {
			r := Parse("x.yaml", []byte(text), Options{})
			if len(r.Broken) > 0 || len(r.Objects) != 1 {
				t.Errorf("%s\n%v", text, r.Broken)
				continue
			}
			if got := r.Objects[0].(*model.Event).Last.UTC().Format(time.RFC3339Nano); got != c.want {
				t.Errorf("%s\nread as %s, want %s", text, got, c.want)
			}
		}
	}
}

func TestPolicies(t *testing.T) {
	sel := func(s string) model.Selector { return mustSelector(t, s) }
	all := model.SelectEverything()
	for _, c := range []struct {
		name, text string
		want       *model.Policy
	}{
		{"AdminNetworkPolicy", anpHead + `metadata:
  name: a
  annotations: {k8s.ovn.org/acl-logging: '{"deny": "alert"}'}
spec:
  priority: 34
  subject: {pods: {namespaceSelector: {matchLabels: {tenant: blue}}, podSelector: {}}}
  ingress:
  - name: "one\u202etwo"
    action: Pass
    from: [{namespaces: {}}, {pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: web}}}}]
    ports: [{portNumber: {port: 80}}, {portNumber: {protocol: UDP, port: 53}}, {portRange: {start: 1, end: 9}}, {namedPort: http}]
  egress:
  - action: Deny
    to: [{nodes: {matchLabels: {role: x}}}, {networks: [10.0.1.7/8, "fd00::/8"]}]
status:
  conditions: [{type: Ready-In-Zone-w, status: "True", reason: SetupSucceeded, message: fine, lastTransitionTime: 2026-01-02T03:04:05Z}]
`, &model.Policy{Meta: func() model.Meta {
			m := meta(model.KindANP, "", "a", 1, nil)
			m.Annotations = map[string]string{model.AnnotationLogging: `{"deny": "alert"}`}
			return m
		}(), Tier: 1, Priority: 34, Logging: `{"deny": "alert"}`, HasLogging: true,
			Subject: model.Subject{Namespaces: sel("tenant=blue"), Pods: all},
			Ingress: []model.Rule{{Direction: model.Ingress, Name: "one\ufffdtwo", Action: model.Pass,
				Peers: []model.Peer{{Kind: model.PeerNamespaces, Namespaces: all, Pods: all}, {Kind: model.PeerPods, Namespaces: all, Pods: sel("app=web")}},
				Ports: []model.Port{{Protocol: "TCP", Start: 80, End: 80}, {Protocol: "UDP", Start: 53, End: 53},
					{Protocol: "TCP", Start: 1, End: 9, Range: true}, {Name: "http"}}}},
			Egress: []model.Rule{{Direction: model.Egress, Action: model.Deny, Peers: []model.Peer{
				{Kind: model.PeerNodes, Nodes: sel("role=x")}, {Kind: model.PeerNetworks, Networks: []string{"10.0.1.7/8", "fd00::/8"}}}}},
			Conditions: []model.Condition{{Type: "Ready-In-Zone-w", Status: "True", Reason: "SetupSucceeded", Message: "fine",
				Changed: model.Stamp{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}}}},
		{"BaselineAdminNetworkPolicy", "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: BaselineAdminNetworkPolicy\nmetadata: {name: default}\nspec: {subject: {namespaces: {}}, egress: [{action: Deny, to: [{networks: [0.0.0.0/0]}]}]}\n",
			&model.Policy{Meta: meta(model.KindBANP, "", "default", 1, nil), Tier: 3, Subject: model.Subject{Namespaces: all, Pods: all, AllPods: true},
				Egress: []model.Rule{{Direction: model.Egress, Action: model.Deny, Peers: []model.Peer{{Kind: model.PeerNetworks, Networks: []string{"0.0.0.0/0"}}}}}}},
		{"NetworkPolicy", `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: np, namespace: blue}
spec:
  podSelector: {matchLabels: {app: web}}
  policyTypes: [Ingress]
  ingress:
  - {}
  - from: [{podSelector: {}}, {namespaceSelector: {}}, {namespaceSelector: {}, podSelector: {}}, {ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}]
    ports: [{port: 80, endPort: 90}, {port: http, protocol: UDP}, {protocol: SCTP}]
  egress: [{}]
`, &model.Policy{Meta: meta(model.KindNP, "blue", "np", 1, nil), Tier: 2, Subject: model.Subject{Namespaces: all, Pods: sel("app=web"), Namespace: "blue"},
			Ingress: []model.Rule{{Direction: model.Ingress, Action: model.Allow, AnyPeer: true},
				{Direction: model.Ingress, Index: 1, Action: model.Allow,
					Peers: []model.Peer{{Kind: model.PeerPods, Namespace: "blue", Namespaces: all, Pods: all}, {Kind: model.PeerNamespaces, Namespaces: all, Pods: all},
						{Kind: model.PeerPods, Namespaces: all, Pods: all}, {Kind: model.PeerNetworks, Networks: []string{"10.0.0.0/8"}, Except: []string{"10.1.0.0/16"}}},
					Ports: []model.Port{{Protocol: "TCP", Start: 80, End: 90, Range: true}, {Protocol: "UDP", Name: "http"}, {Protocol: "SCTP"}}}},
			// OVN-Kubernetes compiles them whatever policyTypes says.
			Egress: []model.Rule{{Direction: model.Egress, Action: model.Allow, AnyPeer: true}}, IsolatesIngress: true}},
		{"EgressFirewall", "apiVersion: k8s.ovn.org/v1\nkind: EgressFirewall\nmetadata: {name: default, namespace: blue}\nspec:\n  egress:\n  - {type: Allow, to: {dnsName: a.example}, ports: [{protocol: TCP, port: 443}]}\n  - {type: Allow, to: {nodeSelector: {}}}\n  - {type: Deny, to: {cidrSelector: 0.0.0.0/0}}\n",
			&model.Policy{Meta: meta(model.KindEF, "blue", "default", 1, nil), Tier: 2,
				Subject: model.Subject{Namespaces: all, Pods: all, AllPods: true, Namespace: "blue"},
				Egress: []model.Rule{
					{Direction: model.Egress, Action: model.Allow, Peers: []model.Peer{{Kind: model.PeerDNS, DNSName: "a.example"}}, Ports: []model.Port{{Protocol: "TCP", Start: 443, End: 443}}},
					{Direction: model.Egress, Index: 1, Action: model.Allow, Peers: []model.Peer{{Kind: model.PeerNodes, Nodes: all}}},
					{Direction: model.Egress, Index: 2, Action: model.Deny, Peers: []model.Peer{{Kind: model.PeerNetworks, Networks: []string{"0.0.0.0/0"}}}}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Parse("x.yaml", []byte(c.text), Options{})
			if len(r.Broken) > 0 {
				t.Fatal(r.Broken)
			}
			p := r.Policies()[0]
			if d := cmp.Diff(c.want, p, compareModel); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
			if p.YAML != c.text {
				t.Errorf("YAML is not the policy's own text:\n%s", p.YAML)
			}
			again(t, p)
		})
	}
}

// again brings the policy's typed object through FromObject and its YAML through
// ParsePolicy: the policy must be the same.
func again(t *testing.T, p *model.Policy) {
	t.Helper()
	q, err := FromObject(p.Original, p.Origin)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(p, q, compareModel); d != "" {
		t.Errorf("FromObject: -read +normalised\n%s", d)
	}
	r, broken := ParsePolicy([]byte(q.YAML))
	if len(broken) > 0 {
		t.Fatal(broken)
	}
	r.Origin, r.Conditions = p.Origin, p.Conditions
	if d := cmp.Diff(p, r, compareModel); d != "" {
		t.Errorf("ParsePolicy of Marshal: -read +parsed\n%s\n%s", d, q.YAML)
	}
	if broken := Validate(q); len(broken) > 0 {
		t.Error(broken)
	}
	q.YAML = ""
	if broken := Validate(q); len(broken) > 0 {
		t.Error(broken)
	}
}
