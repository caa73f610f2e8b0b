package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/sources/manifests"
)

// world is a small cluster that changes as the gate writes, without an engine.
type world struct {
	t  testing.TB
	mu sync.Mutex
	// rev is the newest revision; zones are put into every one.
	rev     *Revision
	cluster *model.Cluster
	zones   []*model.ZoneState
	writes  bool
	fail    error // what Write answers
	written [][]ObjectChange
	ticks   map[chan struct{}]bool
	plan    *PlanState
	now     time.Time
}

// someCluster has two system namespaces and four tenants, each with two pods.
const someCluster = `
apiVersion: v1
kind: Node
metadata: {name: worker, labels: {node-role: worker}, annotations: {k8s.ovn.org/host-cidrs: '["172.18.0.2/16"]'}}
---
apiVersion: v1
kind: Node
metadata: {name: control, labels: {node-role: control}, annotations: {k8s.ovn.org/host-cidrs: '["172.18.0.3/16"]'}}
`

func someObjects() string {
	var b strings.Builder
	b.WriteString(someCluster)
	ip := 2
	ns := func(name, labels string, pods ...string) {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: %s, labels: {%s}}\n", name, labels)
		for i, p := range pods {
			fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Pod\nmetadata: {name: %s-%d, namespace: %s, labels: {app: %s}}\n"+
				"spec: {nodeName: %s, containers: [{name: c, ports: [{name: http, containerPort: 8080, protocol: TCP}]}]}\n"+
				"status: {phase: Running, podIPs: [{ip: 10.244.0.%d}]}\n", p, i, name, p, []string{"worker", "control"}[i%2], ip)
			ip++
		}
	}
	ns("kube-system", "", "dns")
	ns("kube-public", "")
	ns("monitoring", "team: ops", "prom")
	for _, tenant := range []string{"blue", "green", "red"} {
		ns(tenant, "tenant: "+tenant, "web", "db")
	}
	return b.String()
}

func newWorld(t testing.TB, policies ...string) *world {
	t.Helper()
	w := &world{t: t, writes: true, ticks: map[chan struct{}]bool{}, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	text := someObjects()
	for _, p := range policies {
		text += "---\n" + strings.TrimSpace(p) + "\n"
	}
	res := manifests.Parse("cluster.yaml", []byte(text), manifests.Options{})
	for _, b := range res.Broken {
		t.Fatalf("the world of the test: %s", b)
	}
	w.cluster, _ = w.cluster.Upsert(res.Objects, nil)
	w.publish()
	return w
}

// publish makes the next revision. The caller holds mu or is alone.
func (w *world) publish() {
	n := uint64(1)
	if w.rev != nil {
		n = w.rev.Number + 1
	}
	w.rev = NewRevision(Facts{Number: n, At: w.now, Mode: Mode{Name: "files", Title: "policies/", Writes: w.writes, WhyNot: "read-only"},
		Cluster: w.cluster, Zones: w.zones, Plan: w.plan, Loaded: true,
		Desired: compiler.Compile(w.cluster, compiler.Options{IPv4: true})}, w.rev)
	for ch := range w.ticks {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

func (w *world) current() *Revision {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rev
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) subscribe() (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ticks[ch] = true
	return ch, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.ticks, ch)
	}
}

// Write makes the world the Writer of its own gate.
func (w *world) Write(_ context.Context, changes []ObjectChange) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fail != nil {
		return w.fail
	}
	w.written = append(w.written, changes)
	var upsert []model.Object
	var remove []model.Key
	for _, c := range changes {
		if c.New != nil {
			upsert = append(upsert, c.New)
		} else {
			remove = append(remove, c.Key)
		}
	}
	w.cluster, _ = w.cluster.Upsert(upsert, remove)
	w.publish()
	return nil
}

// edit changes the world behind the gate's back.
func (w *world) edit(yaml string, remove ...model.Key) {
	w.t.Helper()
	res := manifests.Parse("edit.yaml", []byte(yaml), manifests.Options{})
	if len(res.Broken) > 0 {
		w.t.Fatal(res.Broken[0])
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cluster, _ = w.cluster.Upsert(res.Objects, remove)
	w.publish()
}

func (w *world) setWrites(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writes = on
	w.publish()
}

func (w *world) gate(dir string) *gate {
	w.t.Helper()
	h, err := OpenHistory(nil, dir, "test")
	if err != nil {
		w.t.Fatal(err)
	}
	return &gate{current: w.current, writer: w, history: h, audit: NewAudit(nil, dir), now: w.clock, user: "ada"}
}

func (w *world) priority(name string) int32 {
	p := w.current().Cluster.Policy(anpKey(name))
	if p == nil {
		return -1
	}
	return p.Priority
}

func anpKey(name string) model.PolicyKey { return model.PolicyKey{Kind: model.KindANP, Name: name} }

// anp writes an AdminNetworkPolicy; rules are "in allow tenant=blue tcp/80",
// "out deny 0.0.0.0/0", subjects "" or "tenant=blue" or "name=kube-system".
func anp(name string, priority int, subject string, rules ...string) string {
	head := fmt.Sprintf("apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata:\n  name: %s\nspec:\n  priority: %d\n", name, priority)
	return head + specOf(subject, rules)
}

func banp(subject string, rules ...string) string {
	return "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: BaselineAdminNetworkPolicy\nmetadata:\n  name: default\nspec:\n" +
		specOf(subject, rules)
}

func specOf(subject string, rules []string) string {
	var b, in, out strings.Builder
	fmt.Fprintf(&b, "  subject:\n    namespaces: %s\n", selectorOf(subject))
	for _, r := range rules {
		f := strings.Fields(r)
		w, side := &in, "from"
		if f[0] == "out" {
			w, side = &out, "to"
		}
		fmt.Fprintf(w, "  - action: %s\n", capital(f[1]))
		peer := f[2]
		switch {
		case strings.Contains(peer, "/"):
			fmt.Fprintf(w, "    %s: [{networks: ['%s']}]\n", side, strings.ReplaceAll(peer, ",", "','"))
		case strings.HasPrefix(peer, "node-role"):
			fmt.Fprintf(w, "    %s: [{nodes: %s}]\n", side, selectorOf(peer))
		default:
			fmt.Fprintf(w, "    %s: [{namespaces: %s}]\n", side, selectorOf(strings.TrimPrefix(peer, "*")))
		}
		if len(f) > 3 {
			proto, port, _ := strings.Cut(f[3], ":")
			fmt.Fprintf(w, "    ports: [{portNumber: {protocol: %s, port: %s}}]\n", strings.ToUpper(proto), port)
		}
	}
	if in.Len() > 0 {
		b.WriteString("  ingress:\n" + in.String())
	}
	if out.Len() > 0 {
		b.WriteString("  egress:\n" + out.String())
	}
	return b.String()
}

func selectorOf(s string) string {
	if s == "" {
		return "{}"
	}
	k, v, _ := strings.Cut(s, "=")
	if k == "name" {
		k = "kubernetes.io/metadata.name"
	}
	return fmt.Sprintf("{matchLabels: {%s: %s}}", k, v)
}
