package guard

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/compiler"
	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/revision"
	"rung/sources/manifests"
	"rung/test/given"
	"rung/test/install"
)

// someServices are a webhook's Service and a namespace of its own beside those of given.
const someServices = given.Services + `---
apiVersion: v1
kind: Service
metadata: {name: hooks, namespace: red}
spec: {selector: {app: web}, ports: [{name: https, protocol: TCP, port: 443, targetPort: 8080}]}
---
apiVersion: v1
kind: Namespace
metadata: {name: vault, labels: {tenant: vault}}
---
apiVersion: v1
kind: Pod
metadata: {name: vault-0, namespace: vault, labels: {app: db}}
spec: {nodeName: worker, containers: [{name: c, ports: [{name: http, containerPort: 8080, protocol: TCP}]}]}
status: {phase: Running, podIPs: [{ip: 10.244.1.9}]}
`

// subnets is an annotation of both nodes, without which it is not known what they send from.
const subnets = `
apiVersion: v1
kind: Node
metadata: {name: worker, labels: {node-role: worker}, annotations: {k8s.ovn.org/host-cidrs: '["172.18.0.2/16"]', k8s.ovn.org/node-subnets: '{"default":["10.244.100.0/24"]}'}}
---
apiVersion: v1
kind: Node
metadata: {name: control, labels: {node-role: control}, annotations: {k8s.ovn.org/host-cidrs: '["172.18.0.3/16"]', k8s.ovn.org/node-subnets: '{"default":["10.244.101.0/24"]}'}}
`

// chance makes policies and changes at random.
type chance struct{ *rand.Rand }

func pick[T any](c chance, of ...T) T { return of[c.IntN(len(of))] }

func (c chance) rules(actions ...string) (out []string) {
	for range 1 + c.IntN(3) {
		peer := pick(c, "tenant=blue", "tenant=red", "team=ops", "name=kube-system", "tenant=vault", "*")
		dir := pick(c, "in", "out")
		if dir == "out" && c.IntN(3) == 0 {
			peer = pick(c, "0.0.0.0/0", "198.51.100.0/24", "198.51.0.0/16,203.0.113.7/32", "172.18.0.3/32", "10.244.0.0/16")
		}
		r := dir + " " + pick(c, actions...) + " " + peer
		if c.IntN(3) == 0 {
			r += " " + pick(c, "tcp:8080", "tcp:6443", "udp:5353", "tcp:443")
		}
		out = append(out, r)
	}
	return out
}

// policy is one at random, by a name of which there are few.
func (c chance) policy() string {
	subject := pick(c, "tenant=blue", "tenant=green", "tenant=red", "name=monitoring", "name=kube-system", "tenant=vault", "")
	switch c.IntN(6) {
	case 0:
		return given.BANP(subject, c.rules("allow", "deny")...)
	case 1:
		peer := pick(c, "{}", "{from: [{namespaceSelector: {}}]}", "{from: [{podSelector: {matchLabels: {app: web}}}]}", "{from: [{ipBlock: {cidr: 198.51.100.0/24}}]}")
		return given.NP(pick(c, "blue", "red", "red", "monitoring", "vault"), pick(c, "one", "two"), "{podSelector: {}, ingress: ["+peer+"], policyTypes: ["+pick(c, "Ingress", "Ingress, Egress")+"]}")
	}
	name := pick(c, "a", "b", "c", "d")
	return given.ANP(name, 10*(1+c.IntN(3))+int(name[0])%2, subject, c.rules("allow", "deny", "deny", "pass")...)
}

// parsed are the policies of some documents, the last of each key.
func parsed(t *testing.T, docs ...string) []*model.Policy {
	t.Helper()
	var out []*model.Policy
	for _, d := range docs {
		res := manifests.Parse("", []byte(d), manifests.Options{})
		for _, b := range res.Broken {
			t.Fatalf("%s: %s", d, b)
		}
		for _, p := range res.Changeable() {
			out = append(slices.DeleteFunc(out, func(o *model.Policy) bool { return o.Key == p.Key }), p)
		}
	}
	return out
}

// brute asks about every connection by itself, before and after a change.
type brute struct {
	t         *testing.T
	rev, next *revision.Revision
	protected func(string) bool
	ends      []verdict.Endpoint
	pods      int
	// What it finds.
	codes                map[string]bool
	across, protects     map[[2]verdict.Verdict]map[string]int // pairs of pods by namespace
	allowedPods, cutPods int
}

// brutePorts are those that rules name, and some of no rule.
var brutePorts = []verdict.Ports{{Protocol: verdict.TCP, Port: 8080}, {Protocol: verdict.TCP, Port: 6443}, {Protocol: verdict.TCP, Port: 443}, {Protocol: verdict.TCP, Port: 5353},
	{Protocol: verdict.TCP, Port: 9}, {Protocol: verdict.UDP, Port: 5353}, {Protocol: verdict.UDP, Port: 9}, {Protocol: verdict.SCTP, Port: 9}, {Protocol: verdict.ICMP}}

func (b *brute) ask(x *verdict.Index, q verdict.Connection) verdict.Verdict {
	a, err := verdict.FromPolicies(x, q)
	if err != nil {
		b.t.Fatalf("%s: %v", q, err)
	}
	return a.Verdict
}

func (b *brute) find() {
	b.codes = map[string]bool{}
	b.across, b.protects = map[[2]verdict.Verdict]map[string]int{}, map[[2]verdict.Verdict]map[string]int{}
	for p := range b.rev.Cluster.Pods() {
		b.ends = append(b.ends, verdict.Endpoint{Key: p.Key})
	}
	b.pods = len(b.ends)
	for _, a := range []string{"198.51.100.0", "198.51.100.255", "198.51.99.255", "198.52.0.0", "203.0.113.6", "203.0.113.7", "8.8.8.8", "172.18.0.3", "10.244.0.1", "10.244.255.254"} {
		b.ends = append(b.ends, verdict.AddrEnd(netip.MustParseAddr(a)))
	}
	for i := range b.ends {
		for j := range b.ends {
			if i != j && (i < b.pods || j < b.pods) {
				b.pair(i, j)
			}
		}
	}
	if 10*b.cutPods > b.allowedPods {
		b.codes[Much] = true
	}
	b.nodes()
}

func (b *brute) pair(i, j int) {
	from, to := b.ends[i], b.ends[j]
	bothPods := i < b.pods && j < b.pods
	flips := map[[2]verdict.Verdict]bool{}
	allowed := false
	for _, p := range brutePorts {
		q := verdict.Connection{From: from, To: to, Protocol: p.Protocol, Port: p.Port}
		was, is := b.ask(b.rev.Verdicts(), q), b.ask(b.next.Verdicts(), q)
		allowed = allowed || was == verdict.Allow
		if was == is {
			continue
		}
		flips[[2]verdict.Verdict{was, is}] = true
		across := !bothPods || from.Key.Namespace != to.Key.Namespace
		if was == verdict.Deny && across {
			b.codes[Opens] = true
		}
		if is != verdict.Deny && was != verdict.Allow {
			continue
		}
		dns := p.Port == 5353 && to.Key.Name == "dns-0" // on UDP and TCP
		if dns {
			b.codes[DNS] = true
		}
		if i < b.pods && to.Addr == given.APIAddr && p.Port == 6443 && p.Protocol == verdict.TCP {
			b.codes[API] = true
		}
		if !dns && (i < b.pods && b.protected(from.Key.Namespace) || j < b.pods && b.protected(to.Key.Namespace)) {
			b.codes[System] = true
		}
	}
	if !bothPods {
		return
	}
	if allowed {
		b.allowedPods++
	}
	if flips[[2]verdict.Verdict{verdict.Allow, verdict.Deny}] {
		b.cutPods++
	}
	add := func(m map[[2]verdict.Verdict]map[string]int, f [2]verdict.Verdict, ns string) {
		if m[f] == nil {
			m[f] = map[string]int{}
		}
		m[f][ns]++
	}
	for f := range flips {
		if from.Key.Namespace != to.Key.Namespace {
			add(b.across, f, to.Key.Namespace)
		}
		for _, ns := range slices.Compact([]string{from.Key.Namespace, to.Key.Namespace}) {
			if b.protected(ns) {
				add(b.protects, f, ns)
			}
		}
	}
}

// nodes asks what nodes reach: pods of theirs, and the Service with port 443 from the node of
// the API server, or where it is not known what that sends from, from the server's own address.
func (b *brute) nodes() {
	cut := func(q verdict.Connection) {
		if b.ask(b.rev.Verdicts(), q) != verdict.Deny && b.ask(b.next.Verdicts(), q) == verdict.Deny {
			b.codes[Nodes] = true
		}
	}
	control := b.rev.Cluster.Node("control")
	caller := verdict.NodeEnd("control")
	if len(control.MgmtIPs) == 0 {
		caller = verdict.AddrEnd(given.APIAddr)
	}
	for p := range b.rev.Cluster.Pods() {
		cut(verdict.Connection{From: verdict.NodeEnd(p.NodeName), To: verdict.Endpoint{Key: p.Key}, Protocol: verdict.TCP, Port: 8080})
	}
	cut(verdict.Connection{From: caller, To: verdict.ServiceEnd("red", "hooks"), Protocol: verdict.TCP, Port: 443})
}

// TestRailsAreBruteForce: a change runs into a rail whenever one of all connections, each asked
// about by itself before and after it, is a protected one that is closed or a denied one that
// is opened, and into none otherwise; and the counts by namespace are those of all pairs.
func TestRailsAreBruteForce(t *testing.T) {
	changes := 100
	if os.Getenv(install.SoakVar) == "1" {
		changes = 1000
	}
	met := map[string]int{}
	for seed := range changes {
		c := chance{rand.New(rand.NewPCG(uint64(seed), 23))}
		var before []string
		for range 1 + c.IntN(5) {
			before = append(before, c.policy())
		}
		cluster := given.Cluster(t, someServices)
		var objects []model.Object
		olds := parsed(t, before...)
		for _, p := range olds {
			objects = append(objects, p)
		}
		if c.IntN(2) == 0 {
			objects = append(objects, manifests.Parse("", []byte(subnets), manifests.Options{}).Objects...)
		}
		cluster, _ = cluster.Upsert(objects, nil)
		o := compiler.Options{IPv4: true, Defaults: compiler.On}
		rev := revision.New(revision.Facts{Number: 1, At: time.Unix(1, 0), Cluster: cluster, Loaded: true, Desired: compiler.Compile(cluster, o)}, nil)

		// One change, or several at once: policies come, become others, or go.
		var docs []string
		for range 1 + c.IntN(2) {
			docs = append(docs, c.policy())
		}
		var now []change.ObjectChange
		for _, p := range parsed(t, docs...) {
			now = append(now, change.ObjectChange{Key: p.Key, Old: cluster.Policy(p.Key), New: p})
		}
		if c.IntN(3) == 0 {
			was := olds[c.IntN(len(olds))]
			now = []change.ObjectChange{{Key: was.Key, Old: was}}
		}
		var upsert []model.Object
		var remove []model.Key
		for _, ch := range now {
			if ch.New != nil {
				upsert = append(upsert, ch.New)
			} else {
				remove = append(remove, ch.Key)
			}
		}
		next := rev.WithPolicies(upsert, remove)

		a := ClusterFacts{Protected: []string{"vault"}}
		b := &brute{t: t, rev: rev, next: next, protected: func(ns string) bool { return slices.Contains([]string{"kube-system", "monitoring", "vault"}, ns) }}
		b.find()
		a.Log = someLog(c, b)
		d, rails, err := JudgeChanges(context.Background(), rev, next, now, a)
		if err != nil {
			t.Fatal(err)
		}
		if b.logged(a.Log) {
			b.codes[Log] = true
		}
		got := map[string]bool{}
		for _, g := range rails {
			got[g.Code] = true
			met[g.Code]++
		}
		want := slices.Sorted(maps.Keys(b.codes))
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(got))); diff != "" {
			t.Errorf("seed %d: rails (-want +got)\n%s%s\n%+v\nbefore:\n%s\nchange:\n%s%v", seed, diff, said(rails), d.Totals, strings.Join(before, "---\n"), strings.Join(docs, "---\n"), remove)
		}
		for i := range d.Reaches {
			r := &d.Reaches[i]
			f := [2]verdict.Verdict{r.Before, r.After}
			b.counts(seed, "across", b.across[f], &r.AcrossNamespaces, true)
			b.counts(seed, "protected", b.protects[f], &r.Protected, false)
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d changes ran into %v", changes, met)
	for code, least := range map[string]int{DNS: changes / 50, API: changes / 50, System: changes / 50, Much: changes / 50, Log: changes / 50, Opens: changes / 50, Nodes: changes / 100} {
		if met[code] < least {
			t.Errorf("%s was met %d times: too few to prove anything", code, met[code])
		}
	}
}

func said(rails []change.Guard) (out string) {
	for _, g := range rails {
		out += g.Code + ": " + g.Message + "\n"
	}
	return out
}

// counts holds what is counted by namespace against all pairs of pods; pairs with addresses
// outside are counted beside them.
func (b *brute) counts(seed int, what string, want map[string]int, s *diff.FlipShare, into bool) {
	b.t.Helper()
	sum := 0
	for _, n := range s.ByNamespace {
		sum += n.Pairs
		if n.Pairs < want[n.Namespace] {
			b.t.Errorf("seed %d: %s: %d pairs of %q, by brute force at least %d", seed, what, n.Pairs, n.Namespace, want[n.Namespace])
		}
	}
	if into && sum != s.Pairs {
		b.t.Errorf("seed %d: %s: %d pairs, by namespace %d", seed, what, s.Pairs, sum)
	}
	for ns, n := range want {
		if !slices.ContainsFunc(s.ByNamespace, func(o diff.NamespacePairs) bool { return o.Namespace == ns }) {
			b.t.Errorf("seed %d: %s: nothing of %q, by brute force %d", seed, what, ns, n)
		}
	}
	if s.Pairs > 0 && b.ask(b.rev.Verdicts(), s.Example) == b.ask(b.next.Verdicts(), s.Example) {
		b.t.Errorf("seed %d: %s: the example %s does not flip", seed, what, s.Example)
	}
}

// someLog has some of all connections, allowed or denied.
func someLog(c chance, b *brute) *diff.LogConnections {
	l := &diff.LogConnections{From: time.Unix(1, 0), To: time.Unix(2, 0)}
	for range c.IntN(12) {
		i, j := c.IntN(b.pods), c.IntN(b.pods)
		if i == j {
			continue
		}
		p := pick(c, brutePorts[:7]...)
		end := func(e verdict.Endpoint) verdict.Endpoint {
			pod := b.rev.Cluster.Pod(e.Key.Namespace, e.Key.Name)
			e.Addr = netip.MustParseAddr(fmt.Sprint(pod.IPs[0]))
			return e
		}
		l.Connections = append(l.Connections, diff.LoggedConnection{Connection: verdict.Connection{From: end(b.ends[i]), To: end(b.ends[j]), Protocol: p.Protocol, Port: p.Port},
			LoggedVerdict: pick(c, verdict.Allow, verdict.Allow, verdict.Deny), Lines: 1, First: time.Unix(1, 0), Last: time.Unix(2, 0)})
		l.Lines++
	}
	return l
}

// logged says whether a connection that the log has seen allowed is allowed no more.
func (b *brute) logged(l *diff.LogConnections) bool {
	return slices.ContainsFunc(l.Connections, func(s diff.LoggedConnection) bool {
		q := s.Connection
		q.From.Addr, q.To.Addr = netip.Addr{}, netip.Addr{}
		return s.LoggedVerdict == verdict.Allow && b.ask(b.rev.Verdicts(), q) == verdict.Allow && b.ask(b.next.Verdicts(), q) != verdict.Allow
	})
}
