package convert_test

import (
	"strings"
	"testing"

	"rung/model"
	"rung/model/verdict"
)

// What the document of 2016 says of namespaces and policies, each with today's equal, which
// is proved, and with connections that single verdicts decide as it says, before and after.
func TestDocumentOf2016(t *testing.T) {
	const documented = "{\n  \"ingress\": {\n    \"isolation\": \"DefaultDeny\"\n  }\n}"
	world := func(annotation string) string {
		return node + "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n  labels: {team: shop}\n  annotations:\n    net.beta.kubernetes.io/network-policy: |\n      " +
			strings.ReplaceAll(annotation, "\n", "\n      ") + "\n---\n" +
			"apiVersion: v1\nkind: Namespace\nmetadata: {name: mon, labels: {team: mon}}\n---\n" +
			pod("shop", "db", "app: db", "10.1.0.5") + pod("shop", "web", "app: web", "10.1.0.6") + pod("mon", "prom", "app: prom", "10.1.0.7")
	}
	isolated := world(documented)
	type ask struct {
		from, to string
		protocol verdict.Protocol
		port     uint16
		want     verdict.Verdict
	}
	for _, c := range []struct {
		name, text string
		made       int
		asks       []ask
	}{
		{"its example: every pod of the namespace is dropped to", isolated, 1, []ask{
			{"mon/prom", "shop/db", verdict.TCP, 80, verdict.Deny}, {"shop/web", "shop/db", verdict.UDP, 53, verdict.Deny},
			{"shop/db", "mon/prom", verdict.TCP, 80, verdict.Allow}, {"mon/prom", "shop/web", verdict.ICMP, 0, verdict.Deny}}},
		{"any other value is ignored", world(`{"ingress": {"isolation": "DefaultAllow"}}`), 0, []ask{{"mon/prom", "shop/db", verdict.TCP, 80, verdict.Allow}}},
		{"a failure in parsing leaves it open", world(`{ingress: {isolation: DefaultDeny}}`), 0, []ask{{"mon/prom", "shop/db", verdict.TCP, 80, verdict.Allow}}},
		{"quotes that were not escaped", world(`{ingress: {isolation: "DefaultDeny"}}`), 0, []ask{{"mon/prom", "shop/db", verdict.TCP, 80, verdict.Allow}}},
		{"policies count in isolated namespaces alone", world("{}") + np("shop", "web", "{podSelector: {matchLabels: {app: db}}, ingress: [{from: [{podSelector: {}}]}]}"), 0,
			[]ask{{"mon/prom", "shop/db", verdict.TCP, 80, verdict.Allow}}},
		{"ports and protocols become tcp.dst and udp.dst", isolated + np("shop", "p", "{podSelector: {matchLabels: {app: db}}, ingress: [{ports: [{protocol: TCP, port: 5432}, {protocol: UDP, port: 53}]}]}"), 2, []ask{
			{"mon/prom", "shop/db", verdict.TCP, 5432, verdict.Allow}, {"mon/prom", "shop/db", verdict.UDP, 53, verdict.Allow},
			{"mon/prom", "shop/db", verdict.TCP, 53, verdict.Deny}, {"mon/prom", "shop/web", verdict.TCP, 5432, verdict.Deny}}},
		{"peers by pod selector are of its namespace", isolated + np("shop", "p", "{podSelector: {matchLabels: {app: db}}, ingress: [{from: [{podSelector: {matchLabels: {app: web}}}]}]}"), 2, []ask{
			{"shop/web", "shop/db", verdict.TCP, 1, verdict.Allow}, {"mon/prom", "shop/db", verdict.TCP, 1, verdict.Deny}, {"shop/db", "shop/web", verdict.TCP, 1, verdict.Deny}}},
		{"peers by namespace selector", isolated + np("shop", "p", "{podSelector: {matchLabels: {app: db}}, ingress: [{from: [{namespaceSelector: {matchLabels: {team: mon}}}]}]}"), 2, []ask{
			{"mon/prom", "shop/db", verdict.TCP, 1, verdict.Allow}, {"shop/web", "shop/db", verdict.TCP, 1, verdict.Deny}}},
		{"an empty pod selector is every pod", isolated + np("shop", "p", "{podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}"), 2, []ask{
			{"shop/web", "shop/db", verdict.TCP, 1, verdict.Allow}, {"shop/db", "shop/web", verdict.TCP, 1, verdict.Allow}, {"mon/prom", "shop/db", verdict.TCP, 1, verdict.Deny}}},
		{"a rule each, and each allows", isolated + np("shop", "p", "{podSelector: {matchLabels: {app: db}}, ingress: [{from: [{podSelector: {}}], ports: [{port: 1}]}, {from: [{namespaceSelector: {}}], ports: [{port: 2}]}]}"), 2, []ask{
			{"shop/web", "shop/db", verdict.TCP, 1, verdict.Allow}, {"mon/prom", "shop/db", verdict.TCP, 1, verdict.Deny}, {"mon/prom", "shop/db", verdict.TCP, 2, verdict.Allow}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, res := convertOf(t, c.text)
			if !res.Proof.Equal || len(res.Proof.Differs) > 0 || res.Proof.Unknown != "" {
				t.Errorf("%s\n%+v", res.Proof.Text(), res.Proof.Differs)
			}
			if len(res.Policies) != c.made {
				t.Errorf("%d policies made, want %d:\n%s", len(res.Policies), c.made, res.Text())
			}
			var gone []model.Key
			for p := range r.Cluster.Policies(model.KindNP) {
				gone = append(gone, p.Key)
			}
			after, _ := r.Cluster.Upsert(nil, gone)
			if res.Text() != "" {
				var now []model.Object
				for p := range read(t, res.Text()).Policies(model.KindNP) {
					now = append(now, p)
				}
				after, _ = after.Upsert(now, nil)
			}
			was := verdict.NewIndex(verdict.View{Cluster: r.Cluster, Options: verdict.Options{IPv4: true, LegacyIsolation: true}})
			will := verdict.NewIndex(verdict.View{Cluster: after, Options: verdict.Options{IPv4: true}})
			for _, q := range c.asks {
				end := func(name string) verdict.Endpoint {
					ns, pod, _ := strings.Cut(name, "/")
					return verdict.PodEnd(ns, pod)
				}
				conn := verdict.Connection{From: end(q.from), To: end(q.to), Protocol: q.protocol, Port: q.port}
				a, err := verdict.FromPolicies(was, conn)
				b, err2 := verdict.FromPolicies(will, conn)
				if err != nil || err2 != nil {
					t.Fatal(err, err2)
				}
				if a.Verdict != q.want || b.Verdict != q.want {
					t.Errorf("%s: %s then, %s now, want %s", conn, a.Verdict, b.Verdict, q.want)
				}
			}
		})
	}
}
