//go:build linux

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"rung/change"
	"rung/change/gate"
	"rung/change/write"
	"rung/compiler"
	"rung/engine"
	"rung/engine/lab"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/sources/kube"
	"rung/sources/sandbox"
	"rung/test/install"
	"rung/test/ovsdb"
	"rung/test/wait"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait of these tests; nothing on a sane machine needs it.
const patience = wait.Patience

var zoneNames = []string{"n1", "n2", "n3"}

// memory is a short folder without a disk behind it.
func memory(t testing.TB) string {
	t.Helper()
	base := ""
	if fi, err := os.Stat("/dev/shm"); err == nil && fi.IsDir() {
		base = "/dev/shm"
	}
	dir, err := os.MkdirTemp(base, "rung-e2e-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// cluster is manifests in a folder, and the sockets of its zones.
type cluster struct {
	t         testing.TB
	manifests string
	sockets   string
	pods      map[string]string // "namespace/name": labels=node=address
}

// newCluster writes three nodes, four namespaces and two pods of each on every
// node.
func newCluster(t testing.TB, policies ...string) *cluster {
	t.Helper()
	dir := memory(t)
	c := &cluster{t: t, manifests: filepath.Join(dir, "m"), sockets: filepath.Join(dir, "s"), pods: map[string]string{}}
	if err := os.Mkdir(c.manifests, 0o700); err != nil {
		t.Fatal(err)
	}
	c.writeNodes(zoneNames...)
	var b strings.Builder
	for _, ns := range []string{"blue", "green", "red", "ops"} {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: %s, labels: {team: %s}}\n", ns, ns)
	}
	c.write("namespaces.yaml", b.String())
	ip := 2
	for _, node := range zoneNames {
		for _, ns := range []string{"blue", "green", "red", "ops"} {
			for i := range 2 {
				c.pods[fmt.Sprintf("%s/%s-%d", ns, node, i)] = fmt.Sprintf("app%d=%s=10.244.1.%d", i, node, ip)
				ip++
			}
		}
	}
	c.writePods()
	c.write("policies.yaml", strings.Join(policies, ""))
	return c
}

// write replaces a file as an editor does.
func (c *cluster) write(name, text string) {
	c.t.Helper()
	temp := filepath.Join(c.manifests, "."+name)
	err := os.WriteFile(temp, []byte(text), 0o600)
	if err == nil {
		err = os.Rename(temp, filepath.Join(c.manifests, name))
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *cluster) writeNodes(names ...string) {
	c.t.Helper()
	var b strings.Builder
	for i, n := range names {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: %s\n  labels: {kubernetes.io/hostname: %s}\n"+
			"  annotations: {k8s.ovn.org/host-cidrs: '[\"172.18.0.%d/16\"]'}\n", n, n, i+2)
	}
	c.write("nodes.yaml", b.String())
}

func (c *cluster) writePods() {
	c.t.Helper()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c.pods)) {
		ns, pod, _ := strings.Cut(name, "/")
		f := strings.Split(c.pods[name], "=")
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: %s, uid: %s-%s, labels: {app: %s}}\n"+
			"spec: {nodeName: %s, containers: [{name: c, ports: [{name: http, containerPort: 8080}]}]}\n"+
			"status: {phase: Running, podIPs: [{ip: %s}]}\n", pod, ns, pod, f[2], f[0], f[1], f[2])
	}
	c.write("pods.yaml", b.String())
}

// anp writes an AdminNetworkPolicy. The subject is a label of namespaces; each
// rule is "in|out Action peer [proto:port|named]", the peer a network or a label
// of namespaces, "*" for all.
func anp(name string, priority int, subject string, rules ...string) string {
	return fmt.Sprintf("---\napiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: %s}\n"+
		"spec:\n  priority: %d\n%s", name, priority, spec(subject, rules))
}

func banp(subject string, rules ...string) string {
	return "---\napiVersion: policy.networking.k8s.io/v1alpha1\nkind: BaselineAdminNetworkPolicy\nmetadata: {name: default}\nspec:\n" + spec(subject, rules)
}

func spec(subject string, rules []string) string {
	out := fmt.Sprintf("  subject: {namespaces: %s}\n", labels(subject))
	var in, eg string
	for _, r := range rules {
		f := strings.Fields(r)
		peer := "namespaces: " + labels(f[2])
		if strings.Contains(f[2], "/") {
			peer = "networks: ['" + f[2] + "']"
		}
		ports := ""
		if len(f) > 3 {
			if proto, port, ok := strings.Cut(f[3], ":"); ok {
				ports = fmt.Sprintf(", ports: [{portNumber: {protocol: %s, port: %s}}]", proto, port)
			} else {
				ports = fmt.Sprintf(", ports: [{namedPort: %s}]", f[3])
			}
		}
		if f[0] == "in" {
			in += fmt.Sprintf("  - {action: %s, from: [{%s}]%s}\n", f[1], peer, ports)
		} else {
			eg += fmt.Sprintf("  - {action: %s, to: [{%s}]%s}\n", f[1], peer, ports)
		}
	}
	if in != "" {
		out += "  ingress:\n" + in
	}
	if eg != "" {
		out += "  egress:\n" + eg
	}
	return out
}

func labels(s string) string {
	if s == "*" {
		return "{}"
	}
	k, v, _ := strings.Cut(s, "=")
	return fmt.Sprintf("{matchLabels: {%s: %s}}", k, v)
}

// logging adds an annotation to a policy's text.
func logging(text, annotation string) string {
	return strings.Replace(text, "metadata: {", "metadata: {annotations: {k8s.ovn.org/acl-logging: '"+annotation+"'}, ", 1)
}

func anpKey(name string) model.PolicyKey { return model.PolicyKey{Kind: model.KindANP, Name: name} }

// address is where the zone's database listens.
func (c *cluster) address(zone string) string {
	return "unix:" + filepath.Join(c.sockets, zone+".sock")
}

func (c *cluster) addresses() map[string]string {
	out := map[string]string{}
	for _, z := range zoneNames {
		out[z] = c.address(z)
	}
	return out
}

// run is an engine on a cluster.
type run struct {
	*engine.Engine
	t   testing.TB
	ctx context.Context
}

// start runs an engine with a sandbox of real servers on the cluster.
func (c *cluster) start() *run {
	c.t.Helper()
	return c.engine(func(cfg *engine.Config) {
		cfg.Sandbox = lab.New(lab.Config{Server: install.Server(c.t, "ovsdb-server"), Dir: c.sockets, Foreign: true})
		cfg.Mode.Sandbox, cfg.Mode.Reconciles = true, true
	})
}

// engine runs an engine on the cluster's manifests until the test ends.
func (c *cluster) engine(set func(*engine.Config)) *run {
	c.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cfg := engine.Config{Mode: revision.Mode{Name: "files", Title: c.manifests}, Writes: true,
		Sources: []kube.Source{write.NewFiles(write.FileOptions{Paths: []string{c.manifests}})}}
	set(&cfg)
	e, err := engine.New(ctx, cfg)
	if err != nil {
		cancel()
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { e.Close(); cancel() })
	return &run{Engine: e, t: c.t, ctx: ctx}
}

// zonesOf starts the cluster's zones without anybody who writes policies, as a
// cluster has them before its controllers start. Pods have their ports.
func (c *cluster) zonesOf() { c.zonesOn(install.Server(c.t, "ovsdb-server")) }

// zonesOn is zonesOf with a program in place of ovsdb-server.
func (c *cluster) zonesOn(program string) *sandbox.Sandbox {
	c.t.Helper()
	sb, err := sandbox.Start(c.t.Context(), sandbox.Config{Zones: zoneNames, Dir: c.sockets, Server: program, ForeignRows: true})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(sb.Close)
	r := c.engine(func(*engine.Config) {})
	r.until("the manifests are read", func(r *revision.Revision) bool { return r.Loaded })
	sb.SetPods(r.Revision().Cluster, nil)
	for _, z := range zoneNames {
		wait.Within(c.t, patience, "the ports of "+z+" are there", func() bool {
			n := 0
			for _, p := range ovsdb.Dump(c.t, c.address(z))[nb.TablePort] {
				if p.IDs()["pod"] == "true" {
					n++
				}
			}
			return n == 8
		})
	}
	r.Close()
	return sb
}

// until waits for a revision and returns it.
func (r *run) until(what string, holds func(*revision.Revision) bool) *revision.Revision {
	r.t.Helper()
	return r.untilWithin(patience, what, holds)
}

func (r *run) untilWithin(d time.Duration, what string, holds func(*revision.Revision) bool) *revision.Revision {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.ctx, d)
	defer cancel()
	if err := r.WaitFor(ctx, holds); err != nil {
		rev := r.Revision()
		var b strings.Builder
		for _, br := range rev.Broken {
			fmt.Fprintf(&b, "broken: %s\n", br)
		}
		for _, z := range rev.Zones {
			fmt.Fprintf(&b, "%s: %s %s %s pending %d\n", z.Name, z.Conn, z.Error, z.Paused, z.Pending)
			for k, p := range z.Policies {
				if !p.InSync || p.Error != "" {
					fmt.Fprintf(&b, "  %s: none %v, %s, %+v\n", k, p.None, p.Error, p.Diffs)
				}
			}
		}
		r.t.Fatalf("not within %v: %s\nplan %+v\n%s", d, what, rev.Plan, b.String())
	}
	return r.Revision()
}

// settled says whether every zone of the cluster shows every policy.
func settled(n int) func(*revision.Revision) bool {
	return func(r *revision.Revision) bool {
		if !r.Loaded || len(r.Zones) != n {
			return false
		}
		for _, z := range r.Zones {
			if z.Conn != model.ConnSynced || z.Policies == nil {
				return false
			}
			for _, k := range revision.ZonePolicies(r, z) {
				in := z.PolicyJoin(k)
				if in == nil || in.None == nil && (!in.InSync || in.Waiting > 0) || (in.None == nil) != (r.WhyNoRows(k) == nil) {
					return false
				}
			}
		}
		return true
	}
}

func (r *run) settle() *revision.Revision {
	r.t.Helper()
	rev := r.until("in sync", settled(len(zoneNames)))
	for _, b := range rev.Broken {
		if b.IsError() {
			r.t.Fatal(b)
		}
	}
	return rev
}

// change makes a change through the gate. Somebody else's change in between
// makes it look again.
func (r *run) change(m change.Mutation) {
	r.t.Helper()
	for range 50 {
		p, err := r.Preview(r.ctx, m)
		if err != nil {
			r.t.Fatal(err)
		}
		if p.Blocked != "" || len(p.Errors) > 0 {
			r.t.Fatalf("%s: %s %v", p.Title, p.Blocked, p.Errors)
		}
		_, err = r.Commit(r.ctx, p, gate.Confirm{Yes: true, Name: p.ConfirmName, By: "test"})
		if err == nil {
			return
		}
		if !errors.Is(err, change.ErrStale) {
			r.t.Fatal(err)
		}
	}
	r.t.Fatal("the objects never stand still")
}

func (r *run) apply(text string) {
	r.t.Helper()
	r.change(change.Mutation{Op: change.OpApply, YAML: []byte(text)})
}

func (r *run) move(name string, to int32) {
	r.t.Helper()
	r.change(change.Mutation{Op: change.OpMove, Policy: anpKey(name), Priority: float64(to)})
}

// asCompiled compares what a zone's dump shows of policies with what a fresh
// compilation of the objects wants; except are policies not to look at.
func asCompiled(t testing.TB, c *model.Cluster, zone string, db ovsdb.Database, except ...string) {
	t.Helper()
	want := wanted(c, zone, except)
	if len(want) == 0 {
		t.Fatal("nothing is wanted")
	}
	if diff := cmp.Diff(want, db.Policies(except...)); diff != "" {
		t.Errorf("zone %s: (-compiled +dumped)\n%s", zone, diff)
	}
}

// wanted are the rows of a fresh compilation by table and id, as a dump shows
// them.
func wanted(c *model.Cluster, zone string, except []string) map[string]ovsdb.Record {
	d := compiler.Compile(c, compiler.Options{})
	out := map[string]ovsdb.Record{}
	for p := range d.Policies() {
		rows := d.RowsOfUnit(p.Key, zone, nil)
		if rows == nil || rows.None != nil || slices.Contains(except, p.Key.Name) {
			continue
		}
		for _, a := range rows.ACLs {
			out[nb.TableACL+" "+a.ID()] = ovsdb.Record{"action": a.Action, "direction": a.Direction, "external_ids": a.ExternalIDs, "label": float64(a.Label),
				"log": a.Log, "match": a.Match, "meter": optional(a.Meter), "name": optional(a.Name), "options": full(a.Options),
				"priority": float64(a.Priority), "severity": optional(a.Severity), "tier": float64(a.Tier),
				"sample_est": optional(a.SampleEst), "sample_new": optional(a.SampleNew)}
		}
		for _, s := range rows.AddressSets {
			out[nb.TableAddressSet+" "+s.ID()] = ovsdb.Record{"addresses": ovsdb.Column(s.Addresses), "external_ids": s.ExternalIDs, "name": s.Name}
		}
		g := rows.PortGroup
		if g == nil {
			continue // its ACLs hang on a row of others
		}
		out[nb.TablePortGroup+" "+g.ID()] = ovsdb.Record{"acls": ovsdb.Column(g.ACLs), "external_ids": g.ExternalIDs, "name": g.Name, "ports": ovsdb.Column(g.Ports)}
	}
	return out
}

func optional(s string) any {
	if s == "" {
		return []string{}
	}
	return s
}

func full(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}
