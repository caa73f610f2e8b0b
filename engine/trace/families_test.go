package trace_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"rung/compiler"
	"rung/engine/trace"
	"rung/model/verdict"
	"rung/revision"
	"rung/sources/manifests"
	"rung/test/made"
	"rung/test/uitest"
)

// Where the families differ, neither answer is that of the connection.
func TestFamiliesDiffer(t *testing.T) {
	const pods = `
{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {t: a}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: b, labels: {t: b}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: a}, spec: {nodeName: n1, containers: [{name: c, image: i}]}, status: {podIPs: [{ip: 10.1.0.1}, {ip: "fd00::1"}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: dns, namespace: b, labels: {app: dns}}, spec: {nodeName: n1, containers: [{name: c, image: i, ports: [{containerPort: 5353, protocol: UDP}]}]}, status: {podIPs: [{ip: 10.1.0.2}, {ip: "fd00::2"}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: dns, namespace: b}, spec: {clusterIPs: [10.96.0.10], selector: {app: dns}, ports: [{port: 53, protocol: UDP, targetPort: 5353}]}}
---
{apiVersion: policy.networking.k8s.io/v1alpha1, kind: AdminNetworkPolicy, metadata: {name: six}, spec: {priority: 5, subject: {namespaces: {matchLabels: {t: a}}},
  egress: [{name: no-six, action: Deny, to: [{networks: ["fd00::2/128"]}], ports: [{portNumber: {protocol: TCP, port: 80}}]},
    {name: no-dns, action: Deny, to: [{namespaces: {matchLabels: {t: b}}}], ports: [{portNumber: {protocol: UDP, port: 5353}}]}]}}
`
	res, err := manifests.Read(t.Context(), manifests.Options{FS: fstest.MapFS{"a.yaml": {Data: []byte(pods)}}, Paths: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	c := made.Cluster(res.Objects...)
	r := revision.New(revision.Facts{Cluster: c, Loaded: true, Desired: compiler.Compile(c, compiler.Options{IPv4: true, IPv6: true})}, nil)
	var tracer trace.Tracer
	tracer.Compiled = true
	ask := func(text string) *trace.Trace {
		t.Helper()
		q, err := trace.ParseQuestion(text)
		if err != nil {
			t.Fatal(err)
		}
		c, err := q.Connection()
		if err != nil {
			t.Fatal(err)
		}
		out, err := tracer.AskAllFamilies(r, c, trace.Both, true, uitest.Now)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	both := ask("a/p b/dns 80")
	if both.Verdict != verdict.Unknown || both.Reason != "IPv4: allow, IPv6: deny" || len(both.Families) != 2 {
		t.Errorf("both: %s %q, %d families", both.Verdict, both.Reason, len(both.Families))
	}
	if s := both.Sentence(); !strings.HasPrefix(s, "IPv4: allowed by default") || !strings.Contains(s, `IPv6: denied by ANP six egress 0 "no-six"`) {
		t.Error(s)
	}
	if six := ask("a/p b/dns 80 ipv6"); six.Verdict != verdict.Deny || six.Families != nil {
		t.Errorf("IPv6: %s", six.Verdict)
	}
	if four := ask("a/p b/dns 80 ipv4"); four.Verdict != verdict.Allow {
		t.Errorf("IPv4: %s", four.Verdict)
	}
	if same := ask("a/p b/dns 81"); same.Verdict != verdict.Allow || same.Families != nil {
		t.Errorf("alike: %s, %d families", same.Verdict, len(same.Families))
	}
	// The pod has no port 53: its Service has.
	dns := ask("a/p b/dns 53/udp")
	if dns.Verdict != verdict.Allow || dns.ViaService == nil || dns.ViaService.Verdict != verdict.Deny || dns.ViaService.Target != 5353 {
		t.Fatalf("dns: %s, through %+v", dns.Verdict, dns.ViaService)
	}
	if h := dns.ViaService.Hint(); !strings.HasPrefix(h, "udp 53 is a port of service b/dns, whose pods listen on 5353; through the Service: denied by") {
		t.Error(h)
	}
	if by := ask("a/p 10.96.0.10 53/udp"); by.Verdict != verdict.Deny || !strings.HasPrefix(by.ServiceInFront(), "10.96.0.10 is the ClusterIP of service b/dns") {
		t.Errorf("ClusterIP: %s %q", by.Verdict, by.ServiceInFront())
	}
}
