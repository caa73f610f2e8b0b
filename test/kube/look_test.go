package kube_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/test/kube/cluster"
)

// What the commands say of a cluster is what they say of the manifests that
// kubectl gets from it. (The demo's own files know nothing of the namespaces and
// the service that an API server makes.)
func TestSameAsManifests(t *testing.T) {
	c := demoCluster(t)
	text, err := c.Kubectl(t.Context(), cluster.Admin, "", "get", everything, "-A", "-o", "yaml")
	must(t, err)
	dump := filepath.Join(t.TempDir(), "cluster.yaml")
	must(t, os.WriteFile(dump, []byte(text), 0o600))
	for _, args := range [][]string{
		{"ladder"},
		{"policy", "cluster-control"},
		{"policy", "banp/default"},
		{"lint"},
		{"compile"},
		{"compile", "--zone", "ovn-worker"},
		{"compile", "cluster-control", "--zone", "ovn-worker2"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			args = append(args, "-o", "json")
			want := rung(t, "", append(args, "-f", dump)...)
			got := rung(t, "", on(c, cluster.Viewer, args...)...)
			if got.code != want.code {
				t.Fatalf("ended with %d on the cluster and with %d on manifests\n%s", got.code, want.code, got.err)
			}
			a, b := ofCluster(t, want.out), ofCluster(t, got.out)
			if a == nil {
				t.Fatalf("nothing on the manifests: %s", want.err)
			}
			if diff := cmp.Diff(a, b); diff != "" {
				t.Errorf("(-manifests +cluster)\n%s", diff)
			}
		})
	}
}

// everything is what Rung reads of a cluster, but events.
const everything = "nodes,namespaces,pods,services,endpointslices,anp,banp,networkpolicies,egressfirewalls"

// ofCluster is JSON without where an object was read.
func ofCluster(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var strip func(any)
	strip = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				strip(e)
			}
		case map[string]any:
			for _, key := range []string{"file", "line", "source", "origin"} {
				delete(v, key)
			}
			for _, e := range v {
				strip(e)
			}
		}
	}
	strip(v)
	return v
}

// Without a cluster Rung says what it looked for; with an API server that is not
// there it says so within seconds. Neither hangs.
func TestNoCluster(t *testing.T) {
	r := rung(t, "", "ladder")
	if r.code != 2 || strings.Count(r.err, "\n") != 1 || !strings.Contains(r.err, "rung demo") || !strings.Contains(r.err, ".kube/config") {
		t.Errorf("without a kubeconfig: %d %q", r.code, r.err)
	}
	c := demoCluster(t)
	text, err := os.ReadFile(c.Kubeconfig(cluster.Viewer))
	must(t, err)
	dead := filepath.Join(t.TempDir(), "config")
	must(t, os.WriteFile(dead, []byte(strings.ReplaceAll(string(text), c.Server, "https://127.0.0.1:1")), 0o600))
	r = rung(t, "", "ladder", "--kubeconfig", dead)
	if r.code != 2 || !strings.Contains(r.err, "127.0.0.1:1") {
		t.Errorf("a dead server: %d %q", r.code, r.err)
	}
	r = rung(t, "", "ladder", "--kubeconfig", c.Kubeconfig(cluster.Viewer), "--context", "other")
	if r.code != 2 || !strings.Contains(r.err, "other") {
		t.Errorf("a context that is not there: %d %q", r.code, r.err)
	}
}

// Impersonation is the API server's: who may not impersonate is told so, and who
// is impersonated sees what he may see.
func TestImpersonation(t *testing.T) {
	c := demoCluster(t)
	r := rung(t, "", on(c, cluster.Viewer, "ladder", "--as", cluster.Admin, "--as-group", "system:masters")...)
	if strings.Contains(r.out, "cluster-control") || !strings.Contains(r.err, "impersonate") {
		t.Errorf("a viewer as an admin: %d %q %q", r.code, r.out, r.err)
	}
	r = rung(t, "", on(c, cluster.Admin, "ladder", "--as", cluster.Viewer)...)
	if r.code != 0 || !strings.Contains(r.out, "cluster-control") {
		t.Errorf("an admin as a viewer: %d %q", r.code, r.err)
	}
}

// No permission is a reason, not an empty cluster.
func TestNoPermission(t *testing.T) {
	c := demoCluster(t)
	r := rung(t, "", on(c, cluster.Narrow, "ladder")...)
	if !strings.Contains(r.err, "may not list pods") || !strings.Contains(r.err, "kubectl auth can-i list pods") {
		t.Errorf("pods may not be listed and nobody says so: %d %q", r.code, r.err)
	}
}

// Definitions that are missing are named, and found when they come.
func TestMissingDefinitions(t *testing.T) {
	t.Parallel()
	c := start(t, cluster.Config{NoCRDs: true})
	must(t, c.AddNamespace(t.Context(), "blue", "tenant", "blue"))
	d := console(t, c, cluster.Admin)
	d.WaitMatch(`(?i)adminnetworkpolicies.*not served|not served.*adminnetworkpolicies|no (CRD|definition)`)
	done := phase(t, "definitions installed to found")
	must(t, c.InstallCRDs(t.Context()))
	must(t, c.Apply(t.Context(), anp("late-comer", 7, "tenant=blue", "in Deny tenant=blue")))
	_, err := d.Terminal.WaitFor("late-comer", patience)
	must(t, err)
	done()
}
