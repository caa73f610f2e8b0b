package verdicts

import (
	"net/netip"
	"testing"

	"rung/model"
	"rung/model/verdict"
	"rung/test/made"
)

// The annotation of 2016 counts where it is asked for, and nowhere else: what reaches an
// isolated pod is what NetworkPolicies of its namespace allow, from wherever it comes.
func TestLegacyIsolation(t *testing.T) {
	deny := map[string]string{model.AnnotationIsolation: `{"ingress": {"isolation": "DefaultDeny"}}`}
	shop, open, wrong := made.NS("shop", "t=shop"), made.NS("open", "t=open"), made.NS("wrong", "t=wrong")
	shop.Annotations, wrong.Annotations = deny, map[string]string{model.AnnotationIsolation: `{ingress}`}
	np := func(ns, name, version string, rules ...model.Rule) *model.Policy {
		for i := range rules {
			rules[i].Direction, rules[i].Index = model.Ingress, i
		}
		return &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: ns, Name: name}}, Tier: model.TierNetwork, IsolatesIngress: true, APIVersion: version,
			Subject: model.Subject{Namespace: ns, Namespaces: model.SelectEverything(), Pods: made.Sel("app=db")}, Ingress: rules}
	}
	n1 := made.Node("n1", "", "172.18.0.2")
	n1.MgmtIPs = []string{"10.244.0.2"}
	on := func(p *model.Pod) *model.Pod { p.NodeName = "n1"; return p }
	c := made.Cluster(shop, open, wrong, n1,
		on(made.Pod("shop/db", "app=db", "10.1.0.1")), on(made.Pod("shop/web", "app=web", "10.1.0.2")),
		on(made.Pod("open/db", "app=db", "10.1.0.3")), on(made.Pod("wrong/db", "app=db", "10.1.0.4")),
		np("shop", "db", model.APIVersionNP2016, made.Rule(model.Allow, made.Peers(made.NSPeer("t=open")), made.TCP(80))),
		np("open", "db", model.APIVersionNP2016), np("wrong", "db", model.APIVersionNP2016))
	view := verdict.View{Cluster: c, Options: verdict.Options{IPv4: true, Defaults: true}}
	today := verdict.NewIndex(view)
	view.LegacyIsolation = true
	then := verdict.NewIndex(view)
	web, db, other := verdict.PodEnd("shop", "web"), verdict.PodEnd("shop", "db"), verdict.PodEnd("open", "db")
	for _, q := range []struct {
		name string
		verdict.Connection
		then, today string
	}{
		{"nothing allows it", verdict.Connection{From: other, To: web, Protocol: verdict.TCP, Port: 80}, "deny; to-lport n1 deny by isolation annotation of shop -1", "allow"},
		{"within the namespace", verdict.Connection{From: db, To: web, Protocol: verdict.TCP, Port: 80}, "deny; to-lport n1 deny by isolation annotation of shop -1", "allow"},
		{"a policy allows it", verdict.Connection{From: other, To: db, Protocol: verdict.TCP, Port: 80}, "allow; to-lport n1 allow by NP shop/db 0", "allow; to-lport n1 allow by NP shop/db 0"},
		{"on another port", verdict.Connection{From: other, To: db, Protocol: verdict.TCP, Port: 81}, "deny; to-lport n1 deny by isolation annotation of shop -1", "deny; to-lport n1 deny by default deny of shop, ingress -1 of NP shop/db"},
		{"its own node", verdict.Connection{From: verdict.NodeEnd("n1"), To: db, Protocol: verdict.TCP, Port: 81}, "deny; to-lport n1 deny by isolation annotation of shop -1", "allow; to-lport n1 allow by rows of node n1 -1"},
		{"from outside", verdict.Connection{From: verdict.AddrEnd(netip.MustParseAddr("192.0.2.1")), To: web, Protocol: verdict.TCP, Port: 80}, "deny; to-lport n1 deny by isolation annotation of shop -1", "allow"},
		{"what it sends", verdict.Connection{From: web, To: verdict.AddrEnd(netip.MustParseAddr("192.0.2.1")), Protocol: verdict.TCP, Port: 80}, "allow", "allow"},
		{"not isolated: the policy decides nothing", verdict.Connection{From: web, To: other, Protocol: verdict.TCP, Port: 80}, "allow", "deny; to-lport n1 deny by default deny of open, ingress -1 of NP open/db"},
		{"wrong JSON: not isolated", verdict.Connection{From: web, To: verdict.PodEnd("wrong", "db"), Protocol: verdict.TCP, Port: 80}, "allow", "deny; to-lport n1 deny by default deny of wrong, ingress -1 of NP wrong/db"},
		{"its own node, not isolated", verdict.Connection{From: verdict.NodeEnd("n1"), To: other, Protocol: verdict.TCP, Port: 80}, "allow; to-lport n1 allow by rows of node n1 -1", "allow; to-lport n1 allow by rows of node n1 -1"},
	} {
		t.Run(q.name, func(t *testing.T) {
			for _, side := range []struct {
				x    *verdict.Index
				want string
			}{{then, q.then}, {today, q.today}} {
				a, err := verdict.FromPolicies(side.x, q.Connection)
				if err != nil {
					t.Fatal(err)
				}
				if got := say(a); got != side.want {
					t.Errorf("%s\nwant %s", got, side.want)
				}
			}
		})
	}
}
