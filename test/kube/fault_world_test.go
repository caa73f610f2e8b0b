package kube_test

import (
	"testing"
	"time"

	"rung/test/install"
	"rung/test/kube/cluster"
	"rung/test/term"
)

// faultWorld is everything that faults happen to, and Rung in the middle of it.
type faultWorld struct {
	t          *testing.T
	c          *cluster.Cluster
	z          *cluster.Zones
	kubelet    *kubelet
	proxy      *proxy
	kubeconfig string // through the proxy
	writer     *replica
	screen     *term.Driver
	state      string // the console's state folder
}

// newFaultWorld starts a cluster whose nodes have a kubelet and an ovnkube-node
// pod without a controller, `rung reconcile` on the databases, and the console
// that reaches them by exec alone.
func newFaultWorld(t *testing.T) *faultWorld {
	t.Helper()
	ctx := t.Context()
	c := start(t, cluster.Config{CompactEvery: 2 * time.Second, APIServer: byKubelet})
	small(t, c)
	z, err := c.AddZones(ctx, smallNodes...)
	must(t, err)
	w := &faultWorld{t: t, c: c, z: z, kubelet: zoneKubelet(t, z), state: t.TempDir()}
	ovnPods(t, c, w.kubelet, smallNodes, "nb-ovsdb", "ovn-controller")
	w.proxy, w.kubeconfig = startProxy(t, c)
	w.writer = reconcile(t, c, z, "writer")
	asCompiled(t, c, z, smallNodes...)
	w.screen = term.Start(t, term.Options{Path: install.Binary(t), Width: 120, Height: 40,
		Args: []string{"--kubeconfig", w.kubeconfig, "--write", "--state-dir", w.state}})
	w.screen.WaitFor("guard-blue")
	return w
}
