package verdicts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rung/compiler"
	"rung/model"
	"rung/model/verdict"
	"rung/revision"
	"rung/sources/manifests"
)

// drawnWorkload is a workload as the test draws it, and as a controller sees it.
type drawnWorkload struct {
	kind, namespace, name string
	replicas              int
	labels                []string // key: value
	ports                 string
}

// manifest is the workload as a repository has it.
func (d *drawnWorkload) manifest() string {
	template := fmt.Sprintf("{metadata: {labels: {%s}}, spec: {containers: [{name: c, image: i, ports: [%s]}]}}", strings.Join(d.labels, ", "), d.ports)
	head := fmt.Sprintf("metadata: {name: %s, namespace: %s}\n", d.name, d.namespace)
	switch d.kind {
	case "CronJob":
		return "apiVersion: batch/v1\nkind: CronJob\n" + head + "spec: {schedule: '* * * * *', jobTemplate: {spec: {template: " + template + "}}}\n"
	case "Job":
		return "apiVersion: batch/v1\nkind: Job\n" + head + fmt.Sprintf("spec: {parallelism: %d, template: %s}\n", d.replicas, template)
	case "DaemonSet":
		return "apiVersion: apps/v1\nkind: DaemonSet\n" + head + fmt.Sprintf("spec: {selector: {matchLabels: {%s}}, template: %s}\n", d.labels[0], template)
	}
	return "apiVersion: apps/v1\nkind: " + d.kind + "\n" + head + fmt.Sprintf("spec: {replicas: %d, selector: {matchLabels: {%s}}, template: %s}\n", d.replicas, d.labels[0], template)
}

// pods are the pods that a controller makes of it: all of them, with names, labels, owners, nodes and
// addresses as on a cluster.
func (d *drawnWorkload) pods(address *int) (out []string) {
	n, owner, ownerName := d.replicas, d.kind, d.name
	if d.kind == "DaemonSet" {
		n = len(worldNodes)
	}
	if d.kind == "CronJob" {
		n = 1
	}
	for i := range n {
		labels, name := slices.Clone(d.labels), ""
		switch d.kind {
		case "Deployment":
			owner, ownerName = "ReplicaSet", d.name+"-5f7c9"
			labels = append(labels, "pod-template-hash: 5f7c9")
			name = fmt.Sprintf("%s-5f7c9-x%d", d.name, i)
		case "StatefulSet":
			name = fmt.Sprintf("%s-%d", d.name, i)
			labels = append(labels, "statefulset.kubernetes.io/pod-name: "+name, fmt.Sprintf("apps.kubernetes.io/pod-index: '%d'", i), "controller-revision-hash: h1")
		case "DaemonSet":
			name = fmt.Sprintf("%s-k%d", d.name, i)
			labels = append(labels, "controller-revision-hash: h1", "pod-template-generation: '1'")
		case "Job", "CronJob":
			owner = "Job"
			if d.kind == "CronJob" {
				ownerName = d.name + "-28478520"
			}
			name = fmt.Sprintf("%s-z%d", ownerName, i)
			for _, prefix := range []string{"", "batch.kubernetes.io/"} {
				labels = append(labels, prefix+"job-name: "+ownerName, prefix+"controller-uid: u")
			}
		}
		*address++
		out = append(out, fmt.Sprintf(`apiVersion: v1
kind: Pod
metadata: {name: %s, namespace: %s, labels: {%s}, ownerReferences: [{apiVersion: apps/v1, kind: %s, name: %s, uid: u, controller: true}]}
spec: {nodeName: %s, containers: [{name: c, image: i, ports: [%s]}]}
status: {phase: Running, podIP: 10.128.%d.%d}
`, name, d.namespace, strings.Join(labels, ", "), owner, ownerName, worldNodes[i%len(worldNodes)], d.ports, *address/200, *address%200+3))
	}
	return out
}

// drawWorkloads draws workloads of all kinds that a controller makes pods of.
func (w *world) drawWorkloads() (out []drawnWorkload) {
	for i := range 4 + w.r.IntN(6) {
		d := drawnWorkload{kind: w.pick("Deployment", "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"), namespace: w.pick("a", "b", "c"),
			name: fmt.Sprintf("w%d", i), replicas: w.r.IntN(4), labels: []string{"app: " + w.pick("x", "why", "z")}}
		if w.odds(2) {
			d.labels = append(d.labels, "tier: "+w.pick("'1'", "'2'"))
		}
		for range w.r.IntN(2) {
			d.ports = fmt.Sprintf("{name: %s, containerPort: %d}", w.pick("http", "dns"), 80+w.r.IntN(3))
		}
		out = append(out, d)
	}
	return out
}

// drawPolicies draws policies that select by the templates' labels and by those that controllers add.
func (w *world) drawPolicies() (out []string) {
	selector := func() string {
		return w.pick("{}", "{matchLabels: {app: x}}", "{matchLabels: {app: why}}", "{matchExpressions: [{key: tier, operator: Exists}]}",
			"{matchExpressions: [{key: pod-template-hash, operator: Exists}]}", "{matchExpressions: [{key: pod-template-hash, operator: DoesNotExist}]}",
			"{matchLabels: {apps.kubernetes.io/pod-index: '0'}}", "{matchExpressions: [{key: job-name, operator: Exists}]}", "{matchLabels: {app: nosuch}}")
	}
	ports := func() string {
		return w.pick("", ", ports: [{port: 80}]", ", ports: [{port: http}]", ", ports: [{port: 81, protocol: UDP}]")
	}
	for i := range w.r.IntN(5) {
		out = append(out, fmt.Sprintf("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: np%d, namespace: %s}\nspec: {podSelector: %s, policyTypes: [Ingress%s], ingress: [{from: [{podSelector: %s}, {namespaceSelector: {matchLabels: {t: '%s'}}, podSelector: %s}]%s}]%s}\n",
			i, w.pick("a", "b", "c"), selector(), w.pick("", ", Egress"), selector(), w.pick("1", "2"), selector(), ports(), w.pick("", ", egress: [{to: [{ipBlock: {cidr: 192.0.2.0/24}}]}, {to: [{podSelector: "+selector()+"}]}]")))
	}
	for i := range w.r.IntN(3) {
		out = append(out, fmt.Sprintf("apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: anp%d}\nspec: {priority: %d, subject: {pods: {namespaceSelector: {}, podSelector: %s}}, ingress: [{action: %s, from: [{pods: {namespaceSelector: {matchLabels: {t: '%s'}}, podSelector: %s}}]}], egress: [{action: %s, to: [{networks: [%s]}]}]}\n",
			i, i+1, selector(), w.pick("Allow", "Deny", "Pass"), w.pick("1", "2"), selector(), w.pick("Allow", "Deny"), w.pick("192.0.2.0/24", "0.0.0.0/0")))
	}
	return out
}

// namespacesAndNodes are the manifests of those of every drawn repository.
func namespacesAndNodes() []string {
	out := []string{"apiVersion: v1\nkind: Namespace\nmetadata: {name: a, labels: {t: '1'}}\n", "apiVersion: v1\nkind: Namespace\nmetadata: {name: b, labels: {t: '2'}}\n",
		"apiVersion: v1\nkind: Namespace\nmetadata: {name: c, labels: {t: '1'}}\n"}
	for _, n := range worldNodes {
		out = append(out, "apiVersion: v1\nkind: Node\nmetadata: {name: "+n+"}\n")
	}
	return out
}

// readDocs is a revision of manifests, read as one file.
func readDocs(t *testing.T, docs []string) *revision.Revision {
	t.Helper()
	return revisionOf(t, manifests.Parse("x.yaml", []byte(strings.Join(docs, "---\n")), manifests.Options{}))
}

// readFolder is a revision of manifests in a folder.
func readFolder(t *testing.T, dir string) *revision.Revision {
	t.Helper()
	r, err := manifests.Read(t.Context(), manifests.Options{Paths: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	return revisionOf(t, r)
}

func revisionOf(t *testing.T, r *manifests.Result) *revision.Revision {
	t.Helper()
	for _, b := range r.Broken {
		if b.IsError() {
			t.Fatal(b.Message)
		}
	}
	c, _ := (*model.Cluster)(nil).Upsert(r.Objects, nil)
	return revision.New(revision.Facts{Cluster: c, Desired: compiler.Compile(c, compiler.Options{IPv4: true, Defaults: compiler.On})}, nil)
}

// TestWorkloadsArePods holds the answers about workloads against those about the pods that a
// controller would make: all of them, asked one by one.
func TestWorkloadsArePods(t *testing.T) {
	pairs, denied := 0, 0
	for seed := range draws(40, 200) {
		w := newWorld(uint64(seed) + 99000)
		shared := append(namespacesAndNodes(), w.drawPolicies()...)
		repository, cluster := slices.Clone(shared), slices.Clone(shared)
		address := 0
		for _, d := range w.drawWorkloads() {
			repository = append(repository, d.manifest())
			cluster = append(cluster, d.pods(&address)...)
		}
		workloads, pods := readDocs(t, repository), readDocs(t, cluster)
		table, err := revision.FindVerdictTable(t.Context(), workloads)
		if err != nil {
			t.Fatal(err)
		}
		real := workloadEnds(pods)
		known := map[string]int{}
		for i := range table.Ends {
			if !table.Ends[i].IsOutside() {
				known[table.Ends[i].String()] = i
			}
		}
		for name := range real {
			if _, is := known[name]; !is {
				t.Errorf("seed %d: no pod stands for %s", seed, name)
			}
		}
		if len(known) != len(real) {
			t.Errorf("seed %d: %d workloads, and pods of %d", seed, len(known), len(real))
		}
		for from, i := range known {
			for to, j := range known {
				for _, a := range borderPorts {
					for _, port := range a.ports {
						want := byWorkload(t, pods, real[from], real[to], a.proto, port)
						got := verdict.Outcome(0)
						for _, s := range table.States(i, j) {
							if s.Protocol == a.proto && s.Lo <= port && port <= s.Hi {
								got = s.Outcome
							}
						}
						pairs++
						if want&verdict.Denied != 0 {
							denied++
						}
						if got != want {
							t.Errorf("seed %d: %s → %s %s %d: %b, pods %b", seed, from, to, a.proto, port, got, want)
						}
					}
				}
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d questions, %d denied", pairs, denied)
	if denied < 1000 {
		t.Error("too few to prove anything")
	}
}

// changeWorkloads draws the workloads of a later state: some went, some came, some have other labels, ports or
// another number of replicas.
func (w *world) changeWorkloads(all []drawnWorkload) (out []drawnWorkload) {
	for _, d := range all {
		switch d.labels = slices.Clone(d.labels); w.r.IntN(6) {
		case 0:
			continue
		case 1:
			d.labels[0] = "app: " + w.pick("x", "why", "z")
		case 2:
			d.replicas = w.r.IntN(4)
		case 3:
			d.ports = fmt.Sprintf("{name: %s, containerPort: %d}", w.pick("http", "dns"), 80+w.r.IntN(3))
		}
		out = append(out, d)
	}
	for _, d := range w.drawWorkloads()[:w.r.IntN(3)] {
		d.name = "new-" + d.name
		out = append(out, d)
	}
	return out
}

// TestDiffOfFolders holds the difference of two folders of workloads and policies against the pods that
// controllers would make of either: each pair asked by itself, at the borders of ports and networks. The
// second folder has its manifests in other files.
func TestDiffOfFolders(t *testing.T) {
	n := map[revision.ChangeKind]int{}
	for seed := range draws(40, 500) {
		w := newWorld(uint64(seed) + 123000)
		policies := w.drawPolicies()
		next := slices.DeleteFunc(slices.Clone(policies), func(string) bool { return w.odds(3) })
		for i, p := range w.drawPolicies() {
			if i < 2 {
				next = append(next, strings.NewReplacer("name: np", "name: other-np", "name: anp", "name: other-anp", "{priority: ", "{priority: 1").Replace(p))
			}
		}
		before := w.drawWorkloads()
		after := w.changeWorkloads(before)
		var folders, clusters [2]*revision.Revision
		for side, x := range []struct {
			policies  []string
			workloads []drawnWorkload
		}{{policies, before}, {next, after}} {
			docs, cluster, address := append(namespacesAndNodes(), x.policies...), append(namespacesAndNodes(), x.policies...), 0
			for _, d := range x.workloads {
				docs = append(docs, d.manifest())
				cluster = append(cluster, d.pods(&address)...)
			}
			dir := t.TempDir()
			for at := 0; at < len(docs); {
				to := min(at+1+w.r.IntN(3), len(docs))
				path := filepath.Join(dir, w.pick("one", "two"), fmt.Sprintf("%d-%d.yaml", side, at))
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(strings.Join(docs[at:to], "---\n")), 0o600); err != nil {
					t.Fatal(err)
				}
				at = to
			}
			folders[side], clusters[side] = readFolder(t, dir), readDocs(t, cluster)
		}
		got, err := revision.Compare(t.Context(), folders[0], folders[1])
		if err != nil {
			t.Fatal(err)
		}
		back, err := revision.Compare(t.Context(), folders[1], folders[0])
		if err != nil {
			t.Fatal(err)
		}
		checkMirror(t, got, back)
		if same, err := revision.Compare(t.Context(), folders[0], folders[0]); err != nil {
			t.Fatal(err)
		} else if len(same.List) > 0 {
			t.Fatalf("seed %d: a folder differs from itself: %+v", seed, same.List[0])
		}
		checkReach(t, seed, got, clusters[0], clusters[1], n)
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Log(n)
	for _, kind := range []revision.ChangeKind{revision.Opens, revision.Closes, ""} {
		if n[kind] < 20 {
			t.Errorf("%q: only %d", kind, n[kind])
		}
	}
}
