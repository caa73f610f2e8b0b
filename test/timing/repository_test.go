package timing

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rung/bench/workload"
	"rung/test/install"
)

// What a pipeline may cost: the time of lint, verify and diff of a repository together, and the memory of
// each; the CPU time and the memory of a whole matrix; what a text of 100,000 documents may take, of
// which most are no policies; and a report.
const (
	mostPipelineTime   = time.Second
	mostPipelineMemory = 200 << 20
	mostMatrixTime     = 800 * time.Millisecond
	mostMatrixMemory   = 150 << 20
	mostDocumentsTime  = 8 * time.Second
	mostDocuments      = 300 << 20
	mostReportTime     = 2 * time.Second
	mostReportSize     = 2_000_000 // bytes
	mostReportMemory   = 300 << 20
)

// checkRun holds a run against what it may take.
func checkRun(t *testing.T, name string, r *programRun, code, memory int) {
	t.Helper()
	t.Logf("%s: %s", name, r)
	if r.code != code {
		t.Errorf("%s: exit %d, want %d\n%.2000s", name, r.code, code, r.errors)
	}
	if install.Timing(t) > 1 {
		memory += memory / 4 // the collector ends later where others have the cores
	}
	if r.peak > memory {
		t.Errorf("%s: more than %d MB", name, memory>>20)
	}
}

// repositoryText is a repository of 2,000 manifests: 20 namespaces, 500 workloads with a Service and two
// ConfigMaps each but for the last, 100 AdminNetworkPolicies and 100 NetworkPolicies. The one that is
// changed denies what the other allows.
func repositoryText(isChanged bool) []byte {
	var b strings.Builder
	doc := func(format string, args ...any) { fmt.Fprintf(&b, "---\n"+format, args...) }
	for i := range 20 {
		doc("apiVersion: v1\nkind: Namespace\nmetadata: {name: ns%d, labels: {tenant: t%d}}\n", i, i%5)
	}
	for i := range 500 {
		doc("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w%d, namespace: ns%d}\nspec:\n  replicas: 3\n  selector: {matchLabels: {app: w%[1]d}}\n"+
			"  template:\n    metadata: {labels: {app: w%[1]d, tier: x%[3]d}}\n    spec: {containers: [{name: c, image: i, ports: [{name: http, containerPort: 8080}]}]}\n", i, i%20, i%4)
		doc("apiVersion: v1\nkind: Service\nmetadata: {name: w%d, namespace: ns%d}\nspec: {selector: {app: w%[1]d}, ports: [{port: 80, targetPort: http}]}\n", i, i%20)
	}
	for i := range 780 {
		doc("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d, namespace: ns%d}\ndata: {a: b}\n", i, i%20)
	}
	for i := range 100 {
		action := "Allow"
		if i%3 == 0 || isChanged && i == 50 {
			action = "Deny"
		}
		doc("apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: p%d}\nspec:\n  priority: %[1]d\n"+
			"  subject: {pods: {namespaceSelector: {matchLabels: {tenant: t%d}}, podSelector: {matchLabels: {tier: x%d}}}}\n"+
			"  ingress:\n  - {name: a, action: %s, from: [{namespaces: {matchLabels: {tenant: t%d}}}], ports: [{portNumber: {protocol: TCP, port: %d}}]}\n"+
			"  egress:\n  - {name: b, action: %[4]s, to: [{networks: [10.%[1]d.0.0/16]}]}\n", i, i%5, i%4, action, (i+1)%5, 8000+i)
		doc("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: n%d, namespace: ns%d}\nspec:\n  podSelector: {matchLabels: {tier: x%d}}\n"+
			"  ingress: [{from: [{namespaceSelector: {matchLabels: {tenant: t%d}}}], ports: [{port: 8080}]}]\n", i, i%20, i%4, i%5)
	}
	return []byte(b.String())
}

// TestTimingPipeline is the time of lint, verify and diff of a repository.
func TestTimingPipeline(t *testing.T) {
	slack := install.Timing(t)
	dir := t.TempDir()
	base, head, expect := filepath.Join(dir, "base.yaml"), filepath.Join(dir, "head.yaml"), filepath.Join(dir, "expect.yaml")
	writeFile(t, base, repositoryText(false))
	writeFile(t, head, repositoryText(true))
	var statements strings.Builder
	for i := range 5 {
		fmt.Fprintf(&statements, "- {expect: deny, from: {namespace: {tenant: t%d}}, to: {namespace: {tenant: t%d}}, port: 9999}\n", i, (i+1)%5)
	}
	for i := range 100 {
		fmt.Fprintf(&statements, "- {expect: %s, match: some, from: ns%d/deployment/w%[2]d, to: ns%d/deployment/w%[3]d, port: %d}\n",
			[]string{"allow", "deny"}[i%2], i%20, (i*7+1)%20, 8000+i)
	}
	writeFile(t, expect, []byte(statements.String()))
	var sum time.Duration
	for _, args := range [][]string{
		{"lint", "-f", head},
		{"verify", expect, "-f", head, "--allow-unjudged"},
		{"diff", base, head, "--allow-unjudged"},
	} {
		run := runProgram(t, args...)
		code := 0
		if args[0] == "verify" {
			code = 1 // half of the statements are made to fail
		}
		checkRun(t, args[0], run, code, mostPipelineMemory)
		sum += run.took
	}
	t.Logf("together %v", sum.Round(time.Millisecond))
	if sum > time.Duration(slack)*mostPipelineTime {
		t.Errorf("lint, verify and diff took %v, more than %v", sum, mostPipelineTime)
	}
}

// TestTimingMatrixProgram is the CPU time of the program for every cell of a matrix of 500 pods under 100
// policies of 10 rules.
func TestTimingMatrixProgram(t *testing.T) {
	slack := install.Timing(t)
	var b strings.Builder
	for i := range 10 {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ns%d, labels: {tenant: t%d}}\n", i, i%5)
	}
	for i := range 500 {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p%d, namespace: ns%d, labels: {app: a%d}}\nspec: {nodeName: n%d, containers: [{name: c, image: i}]}\n"+
			"status: {phase: Running, podIP: 10.1.%d.%d}\n", i, i%10, i%40, i%5, i/250, i%250+1)
	}
	for i := range 100 {
		fmt.Fprintf(&b, "---\napiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: p%d}\nspec:\n  priority: %[1]d\n"+
			"  subject: {namespaces: {matchLabels: {tenant: t%d}}}\n  ingress:\n", i, i%5)
		for j := range 10 {
			fmt.Fprintf(&b, "  - {action: %s, from: [{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: a%d}}}}], ports: [{portRange: {protocol: TCP, start: %d, end: %d}}]}\n",
				[]string{"Allow", "Deny", "Pass"}[(i+j)%3], (i*7+j)%40, 1000+i*10+j, 1010+i*10+j)
		}
	}
	path := filepath.Join(t.TempDir(), "cluster.yaml")
	writeFile(t, path, []byte(b.String()))
	run := runProgram(t, "matrix", "--unfold", "pods", "-o", "json", "-f", path)
	checkRun(t, "matrix", run, 0, mostMatrixMemory)
	if run.cpu > time.Duration(slack)*mostMatrixTime {
		t.Errorf("%v of CPU, more than %v", run.cpu, mostMatrixTime)
	}
}

// TestTimingManyDocuments reads 100,000 documents: each that is no object has its line, what is not of
// Rung's kinds is passed over, and templates are pods to be.
func TestTimingManyDocuments(t *testing.T) {
	slack := install.Timing(t)
	var b strings.Builder
	for i := range 100_000 {
		switch i % 10 {
		default:
			fmt.Fprintf(&b, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d, namespace: shop}\ndata: {a: b}\n", i)
		case 6:
			fmt.Fprintf(&b, "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: c%d.example.com}\nspec: {group: example.com}\n", i)
		case 7: // a chart's values
			fmt.Fprintf(&b, "---\nimage: {repository: a, tag: b}\nreplicas: %d\n", i)
		case 8:
			fmt.Fprintf(&b, "---\n- op: replace\n  path: /spec/replicas\n  value: %d\n", i)
		case 9:
			fmt.Fprintf(&b, "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d%d, namespace: shop}\nspec:\n  selector: {matchLabels: {app: d%d}}\n"+
				"  template:\n    metadata: {labels: {app: d%[2]d}}\n    spec: {containers: [{name: c, image: i}]}\n", i, i%50)
		}
	}
	path := filepath.Join(t.TempDir(), "all.yaml")
	writeFile(t, path, []byte(b.String()))
	for _, command := range []string{"ladder", "lint", "pod"} {
		run, code := runProgram(t, command, "-f", path), 2
		if command == "lint" {
			code = 1 // it tells each as a finding
		} else if n := strings.Count(run.errors, "has no apiVersion or no kind\n"); n != 10_000 {
			t.Errorf("%s: %d documents are said to be no objects, want 10,000\n%.2000s", command, n, run.errors)
		}
		checkRun(t, command, run, code, mostDocuments)
		if run.took > time.Duration(slack)*mostDocumentsTime {
			t.Errorf("%s took %v, more than %v", command, run.took, mostDocumentsTime)
		}
	}
}

// TestTimingReport writes a report of 10,000 pods in 200 namespaces under 100 policies.
func TestTimingReport(t *testing.T) {
	slack := install.Timing(t)
	size := workload.Large
	size.Policies, size.Rules, size.Nodes = 100, 10, 100
	var b bytes.Buffer
	if err := workload.Write(&b, size); err != nil {
		t.Fatal(err)
	}
	path, file := filepath.Join(t.TempDir(), "cluster.yaml"), filepath.Join(t.TempDir(), "report.html")
	writeFile(t, path, b.Bytes())
	run := runProgram(t, "report", "--save", file, "-f", path)
	checkRun(t, "report", run, 1, mostReportMemory) // the drawn policies have findings
	if run.took > time.Duration(slack)*mostReportTime {
		t.Errorf("%v, more than %v", run.took, mostReportTime)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", info.Size())
	if info.Size() > mostReportSize {
		t.Errorf("%d bytes, more than %d", info.Size(), mostReportSize)
	}
}
