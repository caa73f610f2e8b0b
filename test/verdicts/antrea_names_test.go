package verdicts

import (
	"strings"
	"testing"

	"rung/model"
	"rung/model/verdict"
	"rung/test/made"
)

// An fqdn that is a Service's own name matches nothing where the Service has a cluster IP, and may
// match its endpoints alone where it is headless; a name that Kubernetes did not make may match
// any address.
func TestServiceNames(t *testing.T) {
	const more = `apiVersion: v1
kind: Service
metadata: {name: plain, namespace: default}
spec: {clusterIP: 10.96.7.1, selector: {role: db}, ports: [{port: 5432}]}
---
apiVersion: v1
kind: Service
metadata: {name: headless, namespace: default}
spec: {clusterIP: None, selector: {role: db}, ports: [{port: 5432}]}
---
apiVersion: v1
kind: Service
metadata: {name: outside, namespace: default}
spec: {clusterIP: None, ports: [{port: 5432}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: outside-1, namespace: default, labels: {kubernetes.io/service-name: outside}}
addressType: IPv4
endpoints: [{addresses: [203.0.113.5]}]
ports: [{port: 5432}]
---
apiVersion: v1
kind: Service
metadata: {name: elsewhere, namespace: default}
spec: {type: ExternalName, externalName: example.com}
---
apiVersion: crd.antrea.io/v1beta1
kind: ClusterNetworkPolicy
metadata: {name: by-name}
spec:
  priority: 1
  tier: emergency
  appliedTo: [{podSelector: {matchLabels: {app: client}}}]
  egress: [{action: Drop, name: named, to: [{fqdn: NAME}]}]
`
	for _, tt := range []struct {
		name                     string
		toDB, toOther, toOutside verdict.Verdict
	}{
		{"plain.default.svc", verdict.Allow, verdict.Allow, verdict.Allow},
		{"plain.default.svc.cluster.local", verdict.Allow, verdict.Allow, verdict.Allow},
		{"headless.default.svc.cluster.local", verdict.Unknown, verdict.Allow, verdict.Allow},
		{"db-0.headless.default.svc.cluster.local", verdict.Unknown, verdict.Allow, verdict.Allow},
		{"outside.default.svc", verdict.Allow, verdict.Allow, verdict.Unknown},
		{"elsewhere.default.svc", verdict.Unknown, verdict.Unknown, verdict.Unknown},
		{"nobody.default.svc", verdict.Unknown, verdict.Unknown, verdict.Unknown},
		{"\"*.default.svc\"", verdict.Unknown, verdict.Unknown, verdict.Unknown},
		{"example.com", verdict.Unknown, verdict.Unknown, verdict.Unknown},
	} {
		x := documented(t, nil, strings.Replace(more, "NAME", tt.name, 1))
		for q, want := range map[string]verdict.Verdict{"default/client-0 → default/db-0 tcp 5432": tt.toDB,
			"default/client-0 → default/web-0 tcp 8080": tt.toOther, "default/client-0 → 203.0.113.5 tcp 5432": tt.toOutside} {
			if a := ask(t, x, q); a.Verdict != want {
				t.Errorf("fqdn %s: %s: %s (%s), want %s", tt.name, q, a.Verdict, a.Reason, want)
			}
		}
	}
}

// Where one of a rule's peers may match and another is sure to, the rule decides, and nothing is
// left open.
func TestOnePeerOfSeveralDecides(t *testing.T) {
	x := documented(t, nil, `apiVersion: crd.antrea.io/v1beta1
kind: ClusterNetworkPolicy
metadata: {name: several}
spec:
  priority: 1
  tier: emergency
  appliedTo: [{podSelector: {matchLabels: {app: client}}}]
  egress: [{action: Drop, name: several, to: [{fqdn: example.com}, {podSelector: {matchLabels: {role: db}}}, {podSelector: {}, namespaces: {match: Self}}]}]
`)
	for q, sure := range map[string]bool{"default/client-0 → default/db-0 tcp 5432": true, "default/client-0 → default/web-0 tcp 80": true,
		"default/client-0 → 203.0.113.5 tcp 5432": false} {
		s := ask(t, x, q).Paths[0].Stages[0]
		if sure && (s.Verdict != verdict.Deny || s.Decided == nil || len(s.Candidates) > 0) {
			t.Errorf("%s: %s, decided by %+v, candidates %+v", q, s.Verdict, s.Decided, s.Candidates)
		}
		if !sure && (s.Verdict != verdict.Unknown || len(s.Candidates) != 1) {
			t.Errorf("%s: %s, candidates %+v", q, s.Verdict, s.Candidates)
		}
	}
}

// The port behind a Service is that of the EndpointSlice which lists the endpoint: of a Service without a
// selector nothing else says it, and its target port is not used.
func TestPortOfEndpointSlice(t *testing.T) {
	key := func(k model.Kind, name string) model.Meta {
		return model.Meta{Key: model.Key{Kind: k, Namespace: "blue", Name: name}}
	}
	svc := &model.Service{Meta: key(model.KindService, "db"), ClusterIPs: []string{"10.96.0.11"}, Type: "ClusterIP",
		Ports: []model.ServicePort{{Name: "sql", Protocol: "TCP", Port: 5432}, {Name: "web", Protocol: "TCP", Port: 80, TargetPort: "8080"}}}
	slice := &model.EndpointSlice{Meta: key(model.KindEndpointSlice, "db-1"), Service: "db", Addresses: []string{"203.0.113.5"},
		Ports: []model.EndpointPort{{Name: "sql", Protocol: "UDP", Port: 1}, {Name: "sql", Protocol: "TCP", Port: 15432}}}
	x := verdict.NewIndex(verdict.View{Cluster: made.Cluster(made.NS("blue", ""), made.Node("n1", "", "172.18.0.2"), made.Pod("blue/a", "", "10.1.0.1"), svc, slice),
		Options: verdict.Options{IPv4: true, Precedence: verdict.Antrea}})
	for port, want := range map[uint16]uint16{5432: 15432, 80: 8080} {
		a, err := verdict.FromPolicies(x, verdict.Connection{From: verdict.PodEnd("blue", "a"), To: verdict.ServiceEnd("blue", "db"), Protocol: verdict.TCP, Port: port})
		if err != nil || len(a.Paths) != 1 || a.Paths[0].To.Port != want {
			t.Errorf("port %d: %+v, %v, want %d", port, a.Paths, err, want)
		}
	}
}

// A pod's account may be written in the field that was there before serviceAccountName.
func TestOldAccountField(t *testing.T) {
	x := documented(t, nil, `apiVersion: v1
kind: Namespace
metadata: {name: ns-1}
---
apiVersion: v1
kind: Pod
metadata: {name: old, namespace: ns-1}
spec: {nodeName: worker, serviceAccount: sa-old, containers: [{name: c, image: x}]}
status: {phase: Running, podIPs: [{ip: 10.10.1.99}]}
---
apiVersion: crd.antrea.io/v1beta1
kind: ClusterNetworkPolicy
metadata: {name: of-account}
spec:
  priority: 1
  tier: emergency
  appliedTo: [{serviceAccount: {namespace: ns-1, name: sa-old}}]
  egress: [{action: Drop, name: all}]
`)
	if a := ask(t, x, "ns-1/old → default/web-0 tcp 80"); a.Verdict != verdict.Deny {
		t.Errorf("of the account: %s", a.Verdict)
	}
	if a := ask(t, x, "ns-1/app-0 → default/web-0 tcp 80"); a.Verdict == verdict.Deny {
		t.Errorf("of another account: %s", a.Verdict)
	}
}
