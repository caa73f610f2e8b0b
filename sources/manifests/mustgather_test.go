package manifests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
)

// The objects of a must-gather are found among all that lies beside them, and
// that it has many of them twice is said once.
func TestMustGather(t *testing.T) {
	root := t.TempDir()
	pod := func(name string) string {
		return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", namespace: shop}\nspec: {nodeName: node-1}\nstatus: {phase: Running, podIP: 10.0.0.1}\n"
	}
	indent := func(text string) string {
		return "- " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") + "\n"
	}
	for name, text := range map[string]string{
		"q/cluster-scoped-resources/core/namespaces/shop.yaml": "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n",
		"q/namespaces/shop/shop.yaml":                          "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n",
		"q/namespaces/shop/core/pods.yaml":                     "---\napiVersion: v1\nitems:\n" + indent(pod("a")) + indent(pod("b")) + "kind: PodList\nmetadata: {resourceVersion: \"9\"}\n",
		"q/namespaces/shop/core/configmaps.yaml":               "---\napiVersion: v1\nkind: ConfigMapList\nmetadata: {resourceVersion: \"9\"}\n",
		"q/namespaces/shop/pods/a/a.yaml":                      "---\n" + pod("a"),
		"q/namespaces/shop/pods/a/c/c/logs/current.log":        "{{{",
		"q/cluster-scoped-resources/policy.networking.k8s.io/adminnetworkpolicies/p.yaml": "---\napiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\n" +
			"metadata: {name: p, managedFields: []}\nspec: {priority: 3, subject: {namespaces: {}}}\n",
		"q/monitoring/prometheus/rules.json": `{"status":"success"}`,
		"q/audit_logs/x.json":                `{`,
		"q/camgi.yaml":                       `[`,
		"version.txt":                        "x",
		"other/namespaces/beside.json":       `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"other"}}`, // no must-gather
		"other/monitoring/space.yaml":        "apiVersion: v1\nkind: Namespace\nmetadata: {name: more}\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Read(t.Context(), Options{Paths: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, o := range r.Objects {
		got[o.ObjectKey().String()] = true
	}
	want := map[string]bool{"Namespace/shop": true, "Namespace/other": true, "Namespace/more": true, "Pod/shop/a": true, "Pod/shop/b": true,
		"AdminNetworkPolicy/p": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	var said []string
	for _, b := range r.Broken {
		if b.Severity != model.SeverityInfo {
			t.Errorf("%s: %s", b.Severity, b)
		}
		said = append(said, b.Code)
	}
	if len(said) != 2 || !strings.Contains(fmt.Sprint(r.Broken), "and 1 more objects of the must-gather") {
		t.Errorf("%v: %v", said, r.Broken)
	}
}
