package kube_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rung/sources/nbdb"
	"rung/sources/sandbox"
	"rung/test/install"
	"rung/test/kube/cluster"
)

// labWorld is a cluster whose nodes run OVN, with `rung reconcile` on their databases:
// from kubectl to packets nothing in it is made up but the kubelet and the nodes.
type labWorld struct {
	whole  *testing.T // ends with the world
	t      *testing.T
	c      *cluster.Cluster
	lab    *cluster.Lab
	writer *replica
	pods   []labPod
	port   uint16 // the last source port
}

// labPod is a pod with an address of each family.
type labPod struct{ namespace, name, node, v4, v6 string }

func (p labPod) String() string { return p.namespace + "/" + p.name }

// lport is the pod's logical port.
func (p labPod) lport() string { return p.namespace + "_" + p.name }

// labNamespaces have their name as label tenant, and on each node the pods a and b with
// theirs as label app.
var labNamespaces = []string{"blue", "red", "green"}

func newLabWorld(t *testing.T) *labWorld {
	t.Helper()
	tools := install.OVN(t, sandbox.FindTools)
	ctx := t.Context()
	w := &labWorld{whole: t, t: t, port: 20000, c: start(t, cluster.Config{APIServer: byKubelet})}
	for i, node := range smallNodes {
		n, host := i+1, i+2
		must(t, w.c.Load(ctx, fmt.Sprintf(`{apiVersion: v1, kind: Node, metadata: {name: %s, labels: {kubernetes.io/hostname: %[1]s},
  annotations: {k8s.ovn.org/host-cidrs: '["172.18.0.%[2]d/16","fc00:18::%[2]d/64"]', k8s.ovn.org/node-subnets: '{"default":["10.244.%[3]d.0/24","fd01:0:0:%[3]d::/64"]}'}},
  status: {addresses: [{type: InternalIP, address: 172.18.0.%[2]d}, {type: InternalIP, address: "fc00:18::%[2]d"}, {type: Hostname, address: %[1]s}]}}`, node, host, n)))
	}
	last := 10
	for _, ns := range labNamespaces {
		must(t, w.c.AddNamespace(ctx, ns, "tenant", ns))
		for i, node := range smallNodes {
			for _, app := range []string{"a", "b"} {
				p := labPod{ns, app + "-" + node, node, podIP(i+1, last), fmt.Sprintf("fd01:0:0:%d::%d", i+1, last)}
				must(t, w.c.AddPod(ctx, ns, p.name, node, p.v4+","+p.v6, "app", app))
				w.pods = append(w.pods, p)
				last++
			}
		}
	}
	must(t, w.c.Apply(ctx, anp("guard-blue", 20, "tenant=blue", "in Deny tenant=red", "out Allow tenant=red TCP:8080", "out Deny tenant=red")))
	done := phase(t, "OVN on two nodes: start to flows")
	var err error
	w.lab, err = w.c.AddLab(ctx, tools, smallNodes...)
	must(t, err)
	done()
	k := labKubelet(t, w.lab)
	ovnPods(t, w.c, k, smallNodes, "nb-ovsdb", "sb-ovsdb", "ovn-northd", "ovn-controller")
	w.writer = reconcile(t, w.c, w.lab, "headless")
	done = phase(t, "rung reconcile: start to rows")
	asCompiled(t, w.c, w.lab, smallNodes...)
	done()
	must(t, w.lab.Sync(ctx))
	return w
}

// controllerSocket is what the control socket of ovn-controller is called in the nodes' pods.
const controllerSocket = "ovn-controller.ctl"

// labKubelet serves the nodes of a lab: their pods have the sockets of both databases,
// OVN's own programs, and ovn-controller's log.
func labKubelet(t *testing.T, lab *cluster.Lab) *kubelet {
	t.Helper()
	sockets, programs := map[string]map[string]string{}, map[string]string{}
	for _, z := range lab.Zones() {
		sockets[z.Name()] = map[string]string{
			filepath.Base(nbdb.DefaultSocket):           strings.TrimPrefix(z.NB(), "unix:"),
			filepath.Base(nbdb.DefaultSouthboundSocket): strings.TrimPrefix(z.SB(), "unix:"),
			controllerSocket:                            filepath.Join(filepath.Dir(z.LogFile()), "controller.ctl"),
			"br-int.mgmt":                               filepath.Join(filepath.Dir(z.LogFile()), "br-int.mgmt"),
		}
	}
	for _, name := range []string{"sh", "bash"} {
		path, err := exec.LookPath(name)
		must(t, err)
		programs[name] = path
	}
	dir := t.TempDir()
	for _, name := range []string{"ovsdb-client", "ovn-nbctl", "ovn-sbctl", "ovn-trace", "ovn-appctl", "ovs-ofctl"} {
		cmd, err := lab.Tools.CommandContext(t.Context(), name)
		must(t, err)
		programs[name] = filepath.Join(dir, name)
		script := "#!/bin/sh\n"
		if name == "ovn-appctl" { // the lab's ovn-controller has no file with its process id
			script += `[ "$1 $2" = "-t ovn-controller" ] && shift 2 && set -- -t "$OVN_RUNDIR/` + controllerSocket + "\" \"$@\"\n"
		}
		script += "exec '" + strings.Join(cmd.Args, "' '") + "' \"$@\"\n"
		must(t, os.WriteFile(programs[name], []byte(script), 0o700))
	}
	k := startKubelet(t, sockets, programs)
	for _, z := range lab.Zones() {
		k.tail(t, z.Name(), z.LogFile())
	}
	return k
}

// inPod runs a program in a node's pod with the real kubectl.
func (w *labWorld) inPod(node string, command ...string) string {
	w.t.Helper()
	out, err := w.c.Kubectl(w.t.Context(), cluster.Admin, "", append([]string{"exec", "-n", ovnNamespace, ovnPod(node), "-c", "nb-ovsdb", "--"}, command...)...)
	must(w.t, err)
	return strings.TrimSpace(out)
}

// settled waits until the rows are those of the objects and decide about packets.
func (w *labWorld) settled() {
	w.t.Helper()
	asCompiled(w.t, w.c, w.lab, smallNodes...)
	must(w.t, w.lab.Sync(w.t.Context()))
}

// apply changes objects with kubectl and waits until packets are decided so.
func (w *labWorld) apply(manifests string) {
	w.t.Helper()
	must(w.t, w.c.Apply(w.t.Context(), manifests))
	w.settled()
}
