package convert_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"rung/engine/convert"
	"rung/model"
	"rung/model/verdict"
	"rung/revision"
	"rung/sources/manifests"
	"rung/test/made"
)

func read(t *testing.T, text string) *model.Cluster {
	t.Helper()
	r := manifests.Parse("x.yaml", []byte(text), manifests.Options{})
	for _, b := range r.Broken {
		t.Fatalf("%s\n%s", b, text)
	}
	return made.Cluster(r.Objects...)
}

func ns(name, labels, annotation string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s, labels: {%s}, annotations: {%s: '%s'}}\n---\n", name, labels, model.AnnotationIsolation, annotation)
}

func pod(namespace, name, labels, ip string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: %s, labels: {%s}}\nspec: {nodeName: n1, containers: [{name: c}]}\nstatus: {phase: Running, podIPs: [{ip: %s}]}\n---\n",
		name, namespace, labels, ip)
}

func np(namespace, name, spec string) string {
	return fmt.Sprintf("apiVersion: extensions/v1beta1\nkind: NetworkPolicy\nmetadata: {name: %s, namespace: %s}\nspec: %s\n---\n", name, namespace, spec)
}

const (
	deny = `{"ingress": {"isolation": "DefaultDeny"}}`
	node = "apiVersion: v1\nkind: Node\nmetadata: {name: n1, annotations: {k8s.ovn.org/node-subnets: '{\"default\":\"10.1.0.0/16\"}'}}\n---\n"
)

func convertOf(t *testing.T, text string) (*revision.Revision, *convert.Result) {
	t.Helper()
	r := revision.New(revision.Facts{Cluster: read(t, text), Flags: revision.Flags{Family: "ipv4"}}, nil)
	res, err := convert.NetworkPolicy(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return r, res
}

// The proof sees what a wrong conversion does, what OVN-Kubernetes adds today, and that
// nothing else differs.
func TestNetworkPolicyProof(t *testing.T) {
	text := node + ns("shop", "team: shop", deny) + ns("mon", "team: mon", "nonsense") + pod("shop", "db", "app: db", "10.1.0.5") + pod("mon", "prom", "app: prom", "10.1.0.6") +
		np("shop", "db", "{podSelector: {matchLabels: {app: db}}, ingress: [{from: [{namespaceSelector: {matchLabels: {team: mon}}}], ports: [{protocol: TCP, port: 80}]}]}") +
		np("mon", "lost", "{podSelector: {}, ingress: []}")
	_, res := convertOf(t, text)
	if got, want := res.Proof.Text(), "equal for every connection (2 pods, and 4 pods imagined with labels that the policies name, any port, any address)"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if len(res.Proof.NodeRows) != 1 || !strings.Contains(res.Proof.NodeRows[0].Text, "own node") {
		t.Errorf("besides %+v", res.Proof.NodeRows)
	}
	// What was made is read again as what it is, and isolates without the annotation.
	again := read(t, res.Text())
	if n := again.Count(model.KindNP); n != 2 {
		t.Errorf("%d NetworkPolicies in\n%s", n, res.Text())
	}
	for p := range again.Policies(model.KindNP) {
		if p.APIVersion != "" || !p.IsolatesDirection(model.Ingress) || p.IsolatesDirection(model.Egress) {
			t.Errorf("%s: API version %q, isolates %v", p.Key, p.APIVersion, p.IsolatedDirections())
		}
	}
}

// Of random clusters of 2016, what the annotation decided is what today's objects decide,
// asked connection by connection and not by the comparison that says so.
func TestNetworkPolicyEqual(t *testing.T) {
	rnd := rand.New(rand.NewPCG(16, 14))
	pick := func(s ...string) string { return s[rnd.IntN(len(s))] }
	selector := func() string {
		return pick("{}", "{matchLabels: {app: a}}", "{matchLabels: {app: b}}", "{matchExpressions: [{key: app, operator: NotIn, values: [a]}]}")
	}
	peer := func() string { return pick("podSelector", "namespaceSelector") + ": " + selector() }
	asked := 0
	for range 60 {
		text := node
		spaces := []string{"s1", "s2", "s3"}
		for i, s := range spaces {
			text += ns(s, pick("app: a", "app: b", "x: z"), pick(deny, deny, `{"ingress": {"isolation": "Other"}}`, "broken"))
			for j := range 2 {
				text += pod(s, fmt.Sprintf("p%d", j), pick("app: a", "app: b", "x: z"), fmt.Sprintf("10.1.%d.%d", i, j+5))
			}
		}
		for i := range rnd.IntN(5) {
			rules := ""
			for range rnd.IntN(3) {
				rules += "{" + pick("", "from: [{"+peer()+"}], ", "from: [{"+peer()+"}, {"+peer()+"}], ", "from: [], ") + pick("", "ports: [{protocol: TCP, port: 80}]", "ports: [{port: 80}, {protocol: UDP, port: 53}]", "ports: []") + "}, "
			}
			text += np(pick(spaces...), fmt.Sprintf("np%d", i), "{podSelector: "+selector()+", ingress: ["+rules+"]}")
		}
		r, res := convertOf(t, text)
		if !res.Proof.Equal {
			t.Fatalf("%s\n%+v\n%s", res.Proof.Text(), res.Proof.Differs, text)
		}
		var gone []model.Key
		for p := range r.Cluster.Policies(model.KindNP) {
			gone = append(gone, p.Key)
		}
		var now []model.Object
		for _, p := range res.Policies {
			now = append(now, p)
		}
		after, _ := r.Cluster.Upsert(now, gone)
		was := verdict.NewIndex(verdict.View{Cluster: r.Cluster, Options: verdict.Options{IPv4: true, LegacyIsolation: true}})
		will := verdict.NewIndex(verdict.View{Cluster: after, Options: verdict.Options{IPv4: true}})
		for from := range r.Cluster.Pods() {
			for to := range r.Cluster.Pods() {
				for _, c := range []verdict.Connection{{Protocol: verdict.TCP, Port: 80}, {Protocol: verdict.TCP, Port: 81}, {Protocol: verdict.UDP, Port: 53}, {Protocol: verdict.ICMP}} {
					c.From, c.To = verdict.PodEnd(from.Namespace, from.Name), verdict.PodEnd(to.Namespace, to.Name)
					a, err := verdict.FromPolicies(was, c)
					b, err2 := verdict.FromPolicies(will, c)
					if err != nil || err2 != nil {
						t.Fatal(err, err2)
					}
					asked++
					if a.Verdict != b.Verdict {
						t.Errorf("%s: %s then, %s now\n%s\n%s", c, a.Verdict, b.Verdict, text, res.Text())
					}
				}
			}
		}
	}
	if asked < 5000 {
		t.Errorf("only %d connections asked", asked)
	}
}
