package kube_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/test/kube/cluster"
)

// makers are the ways an object came to be.
var makers = []struct {
	name    string
	manager string // whose fields the spec is
	owner   string // who puts a change back, as a guard names him; "" for nobody
	make    func(t *testing.T, c *cluster.Cluster, text string)
}{
	{"kubectl", "kubectl-client-side-apply", "", func(t *testing.T, c *cluster.Cluster, text string) {
		must(t, c.Apply(t.Context(), text))
	}},
	{"flux", "kustomize-controller", "kustomize-controller", func(t *testing.T, c *cluster.Cluster, text string) {
		_, err := c.Kubectl(t.Context(), cluster.Admin, text, "apply", "--server-side", "--field-manager", "kustomize-controller", "-f", "-")
		must(t, err)
	}},
	{"rung", "rung", "", func(t *testing.T, c *cluster.Cluster, text string) {
		change(t, c, text, "apply", "--change", "-")
	}},
}

// Whoever made a policy, Rung moves it, switches its logging, takes that back and
// deletes it, each with one small change: nothing else of the object is touched,
// and what others own stays theirs. An owner that would put it back is named, and
// wants a second word, as does every deletion.
func TestChangesByRung(t *testing.T) {
	t.Parallel()
	c := start(t, cluster.Config{})
	small(t, c)
	for i, m := range makers {
		t.Run(m.name, func(t *testing.T) {
			name, priority := "made-by-"+m.name, 50+10*i
			text := strings.Replace(anp(name, priority, "tenant=blue", "in Deny tenant=red", "out Allow tenant=red TCP:8080"),
				"{name: "+name+"}", "{name: "+name+", labels: {keep: me}, annotations: {note: keep}}", 1)
			m.make(t, c, text)
			made := live(t, c, "anp", name)
			if made.managers()[m.manager] == "" {
				t.Fatalf("managers %v", made.managers())
			}
			step := func(args ...string) object {
				t.Helper()
				deletes := args[0] == "delete"
				if was := live(t, c, "anp", name).Metadata.ResourceVersion; m.owner != "" || deletes {
					r := rung(t, "", on(c, cluster.Admin, append(args, "--write", "--yes")...)...)
					if r.code == 0 || !strings.Contains(r.out+r.err, m.owner) || deletes && !strings.Contains(r.out, "deletes ANP "+name) ||
						live(t, c, "anp", name).Metadata.ResourceVersion != was {
						t.Fatalf("rung %v without a second word: %d\n%s%s", args, r.code, r.out, r.err)
					}
					args = append(args, "--confirm-name", name)
				}
				change(t, c, "", args...)
				if deletes {
					return object{}
				}
				return live(t, c, "anp", name)
			}
			// same compares all but what the step was to change.
			same := func(what string, before, after object) {
				t.Helper()
				for _, o := range []*object{&before, &after} {
					o.Metadata.ResourceVersion, o.Metadata.ManagedFields, o.Spec.Priority = "", nil, 0
					o.Metadata.Annotations = maps.Clone(o.Metadata.Annotations)
					delete(o.Metadata.Annotations, "k8s.ovn.org/acl-logging")
				}
				if diff := cmp.Diff(before, after); diff != "" {
					t.Errorf("%s changed more (-before +after)\n%s", what, diff)
				}
			}

			moved := step("move", name, "55")
			if moved.Spec.Priority != 55 {
				t.Errorf("priority %d", moved.Spec.Priority)
			}
			same("move", made, moved)
			if moved.managers()[m.manager] == "" || moved.managers()["rung"] == "" {
				t.Errorf("managers %v", moved.managers())
			}

			logged := step("log-level", name, "--deny", "alert")
			if got := logged.Metadata.Annotations["k8s.ovn.org/acl-logging"]; !strings.Contains(got, `"deny":"alert"`) {
				t.Errorf("annotation %q", got)
			}
			same("log-level", moved, logged)
			quiet := step("log-level", name, "--off")
			if got := quiet.Metadata.Annotations["k8s.ovn.org/acl-logging"]; strings.Contains(got, "alert") {
				t.Errorf("annotation %q", got)
			}
			same("log-level --off", logged, quiet)

			step("delete", name)
			if out, err := c.Kubectl(t.Context(), cluster.Admin, "", "get", "anp", name); err == nil {
				t.Errorf("still there: %s", out)
			}
		})
	}
}

// The commands that a preview prints do in a shell what Rung would do.
func TestSameWithKubectl(t *testing.T) {
	t.Parallel()
	c := start(t, cluster.Config{})
	small(t, c)
	must(t, c.Apply(t.Context(), anp("there", 20, "tenant=blue", "in Deny tenant=red")))
	run := func(stdin string, args ...string) {
		t.Helper()
		r := rung(t, stdin, on(c, cluster.Admin, append(args, "--dry-run", "-o", "wide")...)...)
		_, script, ok := strings.Cut(r.out, "# the same with kubectl:\n")
		if !ok {
			t.Fatalf("rung %v: no commands\n%s%s", args, r.out, r.err)
		}
		must(t, c.Shell(t.Context(), script))
	}
	run(anp("there", 20, "tenant=blue", "in Deny tenant=red", "out Deny tenant=red")+anp("new", 21, "tenant=red", "in Deny tenant=blue"),
		"apply", "--change", "-")
	run("", "move", "new", "30")
	run("", "log-level", "new", "--deny", "alert")
	if o := live(t, c, "anp", "new"); o.Spec.Priority != 30 || !strings.Contains(o.Metadata.Annotations["k8s.ovn.org/acl-logging"], "alert") {
		t.Errorf("%+v", o)
	}
	if out, err := c.Kubectl(t.Context(), cluster.Admin, "", "get", "anp", "there", "-o", "jsonpath={.spec.egress[0].action}"); err != nil || out != "Deny" {
		t.Errorf("%q %v", out, err)
	}
	run("", "delete", "there")
	if out, err := c.Kubectl(t.Context(), cluster.Admin, "", "get", "anp", "there"); err == nil {
		t.Errorf("still there: %s", out)
	}
}

// Kubectl's changes are Rung's to see, and Rung's are kubectl's to overwrite.
func TestChangesByKubectl(t *testing.T) {
	t.Parallel()
	c := start(t, cluster.Config{})
	small(t, c)
	for i, m := range makers {
		t.Run(m.name, func(t *testing.T) {
			name := "seen-" + m.name
			m.make(t, c, anp(name, 50+i, "tenant=blue", "in Deny tenant=red"))
			_, err := c.Kubectl(t.Context(), cluster.Admin, "", "patch", "anp", name, "--type=merge", "-p", `{"spec":{"priority":`+"7"+`}}`)
			must(t, err)
			r := rung(t, "", on(c, cluster.Viewer, "policy", name, "-o", "json")...)
			if !strings.Contains(r.out, `"priority": 7`) {
				t.Errorf("%d\n%s%s", r.code, r.out, r.err)
			}
			_, err = c.Kubectl(t.Context(), cluster.Admin, "", "delete", "anp", name)
			must(t, err)
			if r := rung(t, "", on(c, cluster.Viewer, "policy", name)...); r.code != 2 || !strings.Contains(r.err, name) {
				t.Errorf("a deleted policy: %d %s%s", r.code, r.out, r.err)
			}
		})
	}
}

// `rung apply` takes a document as server-side apply does: fields of another
// manager are a conflict that names him, until it is told to take them.
func TestApplyConflicts(t *testing.T) {
	t.Parallel()
	c := start(t, cluster.Config{})
	small(t, c)
	m := makers[1]
	m.make(t, c, anp("owned", 60, "tenant=blue", "in Deny tenant=red"))
	next := anp("owned", 61, "tenant=blue", "in Deny tenant=red")
	args := on(c, cluster.Admin, "apply", "--change", "-", "--write", "--yes", "--confirm-name", "owned")
	r := rung(t, next, args...)
	if r.code != 1 || !strings.Contains(r.out+r.err, m.manager) {
		t.Errorf("a conflict: %d\n%s%s", r.code, r.out, r.err)
	}
	if got := live(t, c, "anp", "owned").Spec.Priority; got != 60 {
		t.Errorf("priority %d", got)
	}
	r = rung(t, next, append(args, "--force-conflicts")...)
	if got := live(t, c, "anp", "owned"); r.code != 0 || got.Spec.Priority != 61 || got.managers()["rung"] != "Apply" {
		t.Errorf("forced: %d, priority %d, managers %v\n%s%s", r.code, got.Spec.Priority, got.managers(), r.out, r.err)
	}
}

// What the server refuses is said in its words, and nothing is changed.
func TestRefusals(t *testing.T) {
	t.Parallel()
	c := start(t, cluster.Config{})
	small(t, c)
	before := live(t, c, "anp", "guard-blue")
	for _, a := range []struct {
		name, user, stdin string
		args              []string
		want              string
	}{
		{"a second baseline (CEL)", cluster.Admin,
			"{apiVersion: policy.networking.k8s.io/v1alpha1, kind: BaselineAdminNetworkPolicy, metadata: {name: other}, spec: {subject: {namespaces: {}}}}",
			[]string{"apply", "--change", "-", "--write", "--yes"}, `metadata.name="default"`},
		{"no permission to move", cluster.Viewer, "", []string{"move", "guard-blue", "21", "--write", "--yes"}, "cannot patch"},
		{"no permission to delete", cluster.Viewer, "", []string{"delete", "guard-blue", "--write", "--yes"}, "cannot delete"},
		{"no permission to create", cluster.Viewer, anp("mine", 3, "tenant=blue"), []string{"apply", "--change", "-", "--write", "--yes"}, "cannot patch"},
		{"without --write", cluster.Admin, "", []string{"move", "guard-blue", "21", "--yes"}, "read-only"},
		{"read-only beats --write", cluster.Admin, "", []string{"delete", "guard-blue", "--write", "--readonly", "--yes"}, "read"},
	} {
		t.Run(a.name, func(t *testing.T) {
			r := rung(t, a.stdin, on(c, a.user, a.args...)...)
			if r.code != 1 || !strings.Contains(r.out+r.err, a.want) {
				t.Errorf("ended with %d\n%s%s", r.code, r.out, r.err)
			}
		})
	}
	if diff := cmp.Diff(before, live(t, c, "anp", "guard-blue")); diff != "" {
		t.Errorf("it was changed: %s", diff)
	}
	if out, _ := c.Kubectl(t.Context(), cluster.Admin, "", "get", "anp,banp", "-o", "name"); strings.Count(out, "\n") != 1 {
		t.Errorf("policies: %s", out)
	}
}

// A dry run asks the server and changes nothing. It ends as the change would: with 1 where a
// guard rail stops it.
func TestDryRun(t *testing.T) {
	t.Parallel()
	c := start(t, cluster.Config{})
	small(t, c)
	before := live(t, c, "anp", "guard-blue")
	for _, a := range []struct {
		code int
		args []string
	}{
		{0, []string{"move", "guard-blue", "21"}},
		{1, []string{"delete", "guard-blue"}},
		{0, []string{"delete", "guard-blue", "--confirm-name", "guard-blue"}},
		{0, []string{"log-level", "guard-blue", "--deny", "info"}},
	} {
		r := rung(t, "", on(c, cluster.Admin, append(a.args, "--write", "--dry-run")...)...)
		if r.code != a.code || !strings.Contains(r.out, "guard-blue") {
			t.Errorf("rung %v: %d, want %d\n%s%s", a.args, r.code, a.code, r.out, r.err)
		}
	}
	if diff := cmp.Diff(before, live(t, c, "anp", "guard-blue")); diff != "" {
		t.Errorf("it was changed: %s", diff)
	}
}
