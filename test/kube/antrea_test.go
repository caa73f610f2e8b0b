package kube_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"rung/engine/template"
	"sigs.k8s.io/yaml"

	"rung/test/install"
	"rung/test/kube/cluster"
)

// tieredKinds are the kinds of crd.antrea.io with an object, what is edited in it, and where it moves.
var tieredKinds = []struct {
	name, resource, namespace, object string
	text, was, is                     string
	places                            []string
	logs                              bool
}{
	{name: "acnp/p", resource: "clusternetworkpolicies.crd.antrea.io", object: "p", was: "action: Drop", is: "action: Reject", places: []string{"5.05", "spare/", "baseline/7"}, logs: true,
		text: "kind: ClusterNetworkPolicy\nmetadata: {name: p}\nspec:\n  priority: 5\n  appliedTo: [{podSelector: {matchLabels: {app: web}}}]\n  ingress:\n" +
			"  - {name: a, action: Drop, from: [{podSelector: {}}]}\n  - {action: Allow, enableLogging: true, logLabel: mine, from: [{namespaceSelector: {}}]}\n"},
	{name: "annp/blue/own", resource: "networkpolicies.crd.antrea.io", namespace: "blue", object: "own", was: "action: Drop", is: "action: Allow", places: []string{"6.5", "spare/", "application/9.25"}, logs: true,
		text: "kind: NetworkPolicy\nmetadata: {name: own, namespace: blue}\nspec:\n  tier: mine\n  priority: 5\n  appliedTo: [{podSelector: {}}]\n  egress:\n" +
			"  - {action: Drop, enableLogging: false, to: [{ipBlock: {cidr: 192.0.2.0/24}}]}\n"},
	{name: "tier/t", resource: "tiers.crd.antrea.io", object: "t", was: "description: one", is: "description: two", text: "kind: Tier\nmetadata: {name: t}\nspec: {priority: 70, description: one}\n"},
	{name: "clustergroup/g", resource: "clustergroups.crd.antrea.io", object: "g", was: "app: web", is: "app: db", text: "kind: ClusterGroup\nmetadata: {name: g}\nspec: {podSelector: {matchLabels: {app: web}}}\n"},
	{name: "group/blue/g", resource: "groups.crd.antrea.io", namespace: "blue", object: "g", was: "app: web", is: "app: db", text: "kind: Group\nmetadata: {name: g, namespace: blue}\nspec: {podSelector: {matchLabels: {app: web}}}\n"},
}

const tieredWorld = `apiVersion: v1
kind: Namespace
metadata: {name: blue}
---
apiVersion: crd.antrea.io/v1beta1
kind: Tier
metadata: {name: spare}
spec: {priority: 61}
---
apiVersion: crd.antrea.io/v1beta1
kind: Tier
metadata: {name: mine}
spec: {priority: 60}
---
apiVersion: crd.antrea.io/v1beta1
kind: ClusterNetworkPolicy
metadata: {name: in}
spec: {priority: 5, tier: mine, appliedTo: [{podSelector: {matchLabels: {app: api}}}]}
`

// tieredCluster is an API server with the kinds of crd.antrea.io.
func tieredCluster(t *testing.T) *cluster.Cluster {
	t.Helper()
	c := start(t, cluster.Config{})
	addKinds(t, c, "crd.antrea.io.yaml", "")
	must(t, c.Apply(t.Context(), tieredWorld))
	return c
}

// addKinds installs the definitions of a file of Rung, those whose names begin so, and waits until
// they are served.
func addKinds(t *testing.T, c *cluster.Cluster, file, begin string) {
	t.Helper()
	root, err := install.Root()
	must(t, err)
	text, err := os.ReadFile(filepath.Join(root, "sources", "manifests", "schemas", file))
	must(t, err)
	text, err = yaml.YAMLToJSON(text)
	must(t, err)
	var list unstructured.UnstructuredList
	must(t, list.UnmarshalJSON(text))
	list.Items = slices.DeleteFunc(list.Items, func(u unstructured.Unstructured) bool { return !strings.HasPrefix(u.GetName(), begin) })
	text, err = list.MarshalJSON()
	must(t, err)
	_, err = c.Kubectl(t.Context(), cluster.Admin, string(text), "create", "-f", "-")
	must(t, err)
	_, err = c.Kubectl(t.Context(), cluster.Admin, "", "wait", "--for=condition=Established", "--timeout=30s", "crd", "--all")
	must(t, err)
}

// spoken is what an object on the server says: its annotations and spec; nil where there is none.
func spoken(t *testing.T, c *cluster.Cluster, resource, namespace, name string) map[string]any {
	t.Helper()
	args := []string{"get", resource, name, "-o", "json", "--ignore-not-found"}
	if namespace != "" {
		args = append(args, "-n", namespace)
	}
	out, err := c.Kubectl(t.Context(), cluster.Admin, "", args...)
	must(t, err)
	if strings.TrimSpace(out) == "" {
		return nil
	}
	var o map[string]any
	must(t, json.Unmarshal([]byte(out), &o))
	meta, _ := o["metadata"].(map[string]any)
	said := map[string]any{"spec": o["spec"]}
	if notes, _ := meta["annotations"].(map[string]any); len(notes) > 0 {
		said["annotations"] = notes
	}
	return said
}

// Every mutation of every kind of crd.antrea.io on a real API server: made, taken back to what was
// there, and made again. What admission would refuse is never sent.
func TestTieredKinds(t *testing.T) {
	t.Parallel()
	c := tieredCluster(t)
	for _, k := range tieredKinds {
		t.Run(strings.ReplaceAll(k.name, "/", " "), func(t *testing.T) {
			home := t.TempDir()
			now := func() map[string]any { return spoken(t, c, k.resource, k.namespace, k.object) }
			run := func(stdin string, args ...string) {
				t.Helper()
				r := rungAt(t, home, stdin, on(c, cluster.Admin, append(args, "--system", "antrea", "--write", "--yes", "--confirm-name", k.object)...)...)
				if r.code != 0 && r.code != 2 { // 2: not all of the effect can be judged
					t.Fatalf("rung %s ended with %d\n%s%s", strings.Join(args, " "), r.code, r.out, r.err)
				}
			}
			step := func(stdin string, args ...string) {
				t.Helper()
				was := now()
				run(stdin, args...)
				is := now()
				if cmp.Equal(was, is) {
					t.Fatalf("rung %s changed nothing", strings.Join(args, " "))
				}
				run("", "undo")
				if diff := cmp.Diff(was, now()); diff != "" {
					t.Errorf("%v undone (-was +now)\n%s", args, diff)
				}
				run("", "redo")
				if diff := cmp.Diff(is, now()); diff != "" {
					t.Errorf("%v redone (-was +now)\n%s", args, diff)
				}
			}
			text := "apiVersion: crd.antrea.io/v1beta1\n" + k.text
			step(text, "apply", "--change", "-")
			step(strings.Replace(text, k.was, k.is, 1), "apply", "--change", "-")
			for _, to := range k.places {
				step("", "move", k.name, to)
			}
			if k.logs {
				quiet := now()
				step("", "log-level", k.name, "--deny", "on", "--allow", "on", "--label", "seen")
				run("", "undo")
				run("", "log-level", k.name, "--deny", "on", "--allow", "on", "--for", "open")
				if said := now(); said["annotations"] == nil {
					t.Errorf("no session: %v", said)
				}
				run("", "log-level", "--end")
				if diff := cmp.Diff(quiet, now()); diff != "" {
					t.Errorf("after the session (-was +now)\n%s", diff)
				}
				run("", "log-level", k.name, "--off")
			}
			step("", "delete", k.name)
			if said := now(); said != nil {
				t.Errorf("still there: %v", said)
			}
		})
	}
	// A set is made of several policies at once, and one undo takes all of them back. Guard rails say which
	// name they want.
	t.Run("templates", func(t *testing.T) {
		home := t.TempDir()
		policies := func() string {
			out, err := c.Kubectl(t.Context(), cluster.Admin, "", "get", "clusternetworkpolicies.crd.antrea.io", "-o", "jsonpath={range .items[*]}{.metadata.name} {.metadata.annotations} {.spec}{\"\\n\"}{end}")
			must(t, err)
			return out
		}
		agreed := func(args ...string) {
			t.Helper()
			args = on(c, cluster.Admin, append(args, "--system", "antrea", "--write", "--yes")...)
			r := rungAt(t, home, "", args...)
			if _, name, asked := strings.Cut(r.err, "--confirm-name "); asked {
				r = rungAt(t, home, "", append(args, "--confirm-name", strings.TrimSpace(name))...)
			}
			if r.code != 0 && r.code != 2 {
				t.Fatalf("rung %v ended with %d\n%s%s", args, r.code, r.out, r.err)
			}
		}
		for _, tpl := range template.AllTemplates() {
			before := policies()
			args := []string{"new", tpl.Name, "--defaults", "--answer", "name=made", "--apply"}
			if tpl.Question("tenants") != nil {
				args = append(args, "--answer", "label=tenant", "--answer", "tenants=a,b")
			}
			agreed(args...)
			after := policies()
			if strings.Count(after, "\nmade") <= strings.Count(before, "\nmade") {
				t.Fatalf("%s made nothing:\n%s", tpl.Name, after)
			}
			agreed("undo")
			if diff := cmp.Diff(before, policies()); diff != "" {
				t.Errorf("%s undone (-was +now)\n%s", tpl.Name, diff)
			}
			agreed("redo")
			if diff := cmp.Diff(after, policies()); diff != "" {
				t.Errorf("%s made again (-was +now)\n%s", tpl.Name, diff)
			}
			agreed("undo")
		}
	})
	t.Run("refused", func(t *testing.T) {
		versions := func() string {
			out, err := c.Kubectl(t.Context(), cluster.Admin, "", "get", "tiers.crd.antrea.io,clusternetworkpolicies.crd.antrea.io,clustergroups.crd.antrea.io", "-o", "jsonpath={range .items[*]}{.kind}{.metadata.name}{.metadata.resourceVersion}{\"\\n\"}{end}")
			must(t, err)
			return out
		}
		before := versions()
		object := func(kind, name, spec string) string {
			return "apiVersion: crd.antrea.io/v1beta1\nkind: " + kind + "\nmetadata: {name: " + name + "}\nspec: {" + spec + "}\n"
		}
		for _, x := range []struct {
			stdin string
			args  []string
			says  string
		}{
			{"", []string{"delete", "tier/mine", "--confirm-name", "mine"}, "used by ACNP in: it cannot be deleted"},
			{"", []string{"move", "acnp/in", "gone/"}, "its tier gone does not exist"},
			{"", []string{"move", "acnp/in", "0.5"}, "want 1.0 to 10000.0"},
			{"", []string{"log-level", "acnp/in", "--deny", "alert"}, "want on or off"},
			{object("Tier", "other", "priority: 60"), []string{"apply", "--change", "-"}, "priority 60 is already used by tier mine"},
			{object("ClusterGroup", "new", "childGroups: [nobody]"), []string{"apply", "--change", "-"}, "ClusterGroup nobody does not exist"},
			{object("ClusterNetworkPolicy", "new", "priority: 5, tier: gone, appliedTo: [{podSelector: {}}]"), []string{"apply", "--change", "-"}, "its tier gone does not exist"},
		} {
			r := rung(t, x.stdin, on(c, cluster.Admin, append(x.args, "--system", "antrea", "--write", "--yes")...)...)
			if r.code == 0 || !strings.Contains(r.out+r.err, x.says) {
				t.Errorf("rung %v: %d, want %q\n%s%s", x.args, r.code, x.says, r.out, r.err)
			}
		}
		if after := versions(); after != before {
			t.Errorf("objects changed:\n%s\n%s", before, after)
		}
	})
}
