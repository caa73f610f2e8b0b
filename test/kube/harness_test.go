package kube_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/test/kube/cluster"
	"rung/test/wait"
)

// The cluster is what the tests take it for: kubectl sees what was loaded, users
// may do what their roles say, definitions are enforced, and every zone's
// database has the ports of its node's pods.
func TestHarness(t *testing.T) {
	c := demoCluster(t)
	kubectl := func(user string, args ...string) string {
		t.Helper()
		out, err := c.Kubectl(t.Context(), user, "", args...)
		must(t, err)
		return out
	}
	if got := strings.Count(kubectl("admin", "get", "anp", "-o", "name"), "\n"); got < 9 {
		t.Errorf("%d ANPs", got)
	}
	for _, c := range []struct {
		user string
		args string
		want string
	}{
		{"viewer", "list pods -A", "yes"},
		{"viewer", "patch anp", "no"},
		{"viewer", "create pods/exec", "no"},
		{"narrow", "list pods -A", "no"},
		{"narrow", "watch anp", "yes"},
		{"admin", "delete banp", "yes"},
	} {
		out, err := demo.cluster.Kubectl(t.Context(), c.user, "", append([]string{"auth", "can-i"}, strings.Fields(c.args)...)...)
		if got := strings.TrimSpace(out); got != c.want {
			t.Errorf("%s %s: %q, want %s (%v)", c.user, c.args, got, c.want, err)
		}
	}
	err := c.Apply(t.Context(), "{apiVersion: policy.networking.k8s.io/v1alpha1, kind: BaselineAdminNetworkPolicy, metadata: {name: other}, spec: {subject: {namespaces: {}}}}")
	if err == nil || !strings.Contains(err.Error(), "Only one baseline admin network policy") {
		t.Errorf("a second BANP: %v", err)
	}

	z, err := c.AddZones(t.Context(), nodes...)
	must(t, err)
	defer z.Close()
	list, err := c.Client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	must(t, err)
	node := map[string]string{} // of each port
	for _, p := range list.Items {
		if !p.Spec.HostNetwork && p.Status.Phase == corev1.PodRunning {
			node[p.Namespace+"_"+p.Name] = p.Spec.NodeName
		}
	}
	if len(node) < 30 {
		t.Fatalf("pods: %v", node)
	}
	for _, zone := range nodes {
		wait.Within(t, patience, "the ports of "+zone, func() bool {
			text, err := z.Dump(t.Context(), zone)
			must(t, err)
			for port, at := range node {
				if (at == zone) != strings.Contains(string(text), `"`+port+`"`) {
					return false
				}
			}
			return true
		})
	}
}

// The servers come back on their ports with their data, and a stalled one goes
// on.
func TestServersComeBack(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := start(t, cluster.Config{})
	must(t, c.AddNamespace(ctx, "blue"))
	there := func(when string) {
		t.Helper()
		wait.Within(t, patience, "the namespace is there "+when, func() bool {
			_, err := c.Client.CoreV1().Namespaces().Get(ctx, "blue", metav1.GetOptions{})
			return err == nil
		})
	}
	must(t, c.KillAPI())
	if err := c.Ready(ctx); err == nil {
		t.Error("a killed API server answers")
	}
	must(t, c.StartAPI(ctx))
	there("after a restart of the API server")
	must(t, c.RestartEtcd())
	there("after a restart of etcd")
	must(t, c.StopAPI())
	if err := c.Ready(ctx); err == nil {
		t.Error("a stopped API server answers")
	}
	must(t, c.ContAPI())
	there("after a stall of the API server")
	must(t, c.StopEtcd())
	must(t, c.ContEtcd())
	there("after a stall of etcd")
}
