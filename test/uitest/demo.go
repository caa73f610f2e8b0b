package uitest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"rung/change/write"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/sources/kube"
	"rung/system"
	"rung/test/given/troubled"
)

// Now is the time in every test: a minute after everything was read.
var Now = time.Date(2026, 11, 3, 14, 5, 0, 0, time.UTC)

// DemoFacts is the parts of a revision of the troubled cluster: three zones, all rows in
// sync, policies without desired rows not enforced. A test changes what it
// wants before it opens the console.
func DemoFacts(t testing.TB) *revision.Facts {
	t.Helper()
	p := readFacts(t, write.FileOptions{Demo: troubled.Files})
	p.Mode.Sandbox, p.Mode.Reconciles, p.Mode.Simulated = true, true, true
	p.Flags.Features.AddDemo()
	Sync(p)
	return p
}

// AntreaFacts is the parts of a revision of the demo cluster on Antrea: no zones.
func AntreaFacts(t testing.TB) *revision.Facts {
	t.Helper()
	p := readFacts(t, write.FileOptions{Demo: system.Antrea.DemoManifests})
	p.Flags.System = string(system.Antrea.Name)
	return p
}

// readFacts reads files, or a built-in cluster.
func readFacts(t testing.TB, files write.FileOptions) *revision.Facts {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var u kube.SourceUpdate
	write.NewFiles(files).Run(ctx, func(got kube.SourceUpdate) {
		if len(got.Upsert) == 0 {
			return // how far the reading is
		}
		u = got
		cancel()
	})
	if len(u.Upsert) == 0 {
		t.Fatalf("nothing was read: %+v", u.State)
	}
	c, _ := (&model.Cluster{}).Upsert(u.Upsert, nil)
	return &revision.Facts{
		Number: 481, At: Now, Cluster: c, Broken: u.Broken, Loaded: true,
		Mode:    revision.Mode{Name: "demo", Title: "demo", Writes: true},
		Sources: []model.SourceState{{Name: "demo", Detail: u.State.Detail, Conn: model.ConnSynced, At: Now.Add(-time.Minute), ReadAt: Now.Add(-time.Minute)}},
	}
}

// UUID is a made-up but stable UUID for a name.
func UUID(name string) string {
	h := sha256.Sum256([]byte(name))
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// Sync gives the parts one zone per node, with live rows that equal the desired
// ones.
func Sync(p *revision.Facts) {
	p.Zones = nil
	rev := revision.New(*p, nil)
	for n := range p.Cluster.Nodes() {
		p.Zones = append(p.Zones, newDemoZone(rev, n.Name))
	}
}

func newDemoZone(rev *revision.Revision, name string) *model.ZoneState {
	at := Now.Add(-time.Minute)
	z := &model.ZoneState{
		Name: name, Endpoint: "unix:" + name + ".sock", Server: "ovsdb-server 3.1.0", Conn: model.ConnSynced, ConnAt: at,
		SyncedAt: Now, Writes: true, Policies: map[model.PolicyKey]*model.PolicyInZone{},
	}
	band := &nb.MeterBand{UUID: UUID(name + " band"), Action: "drop", Rate: 20}
	rows := []nb.Row{band, &nb.Meter{UUID: UUID(name + " meter"), Name: "acl-logging", Unit: "pktps", Fair: true, Bands: []string{band.UUID}}}
	sw := &nb.LogicalSwitch{UUID: UUID(name + " switch"), Name: name}
	for pod := range rev.Cluster.Pods() {
		if !pod.CanBeSubject() || pod.NodeName != name {
			continue
		}
		lsp := nb.PortName(pod.Namespace, pod.Name)
		port := &nb.LogicalSwitchPort{UUID: UUID(name + " port " + lsp), Name: lsp,
			ExternalIDs: map[string]string{"namespace": pod.Namespace, "pod": "true"}}
		sw.Ports = append(sw.Ports, port.UUID)
		rows = append(rows, port)
	}
	rows = append(rows, sw)
	for k := range rev.Cluster.AllPolicies() {
		if !k.Kind.IsAdmin() {
			continue
		}
		j := &model.PolicyInZone{Policy: k.Key, InSync: true, Touched: at, LivePriority: -1}
		z.Policies[k.Key] = j
		want := rev.Rows(k.Key, name)
		if want == nil {
			continue
		}
		if want.None != nil {
			j.None, j.InSync = want.None, false
			continue
		}
		j.LiveACLs, j.LivePriority = len(want.ACLs), k.Priority
		rows = append(rows, liveRows(name, want)...)
	}
	var changes []nb.RowChange
	for _, r := range rows {
		changes = append(changes, nb.RowChange{New: r})
	}
	z.DB = (*nb.DB)(nil).Apply(changes)
	return z
}

// liveRows makes live rows of desired ones: references by UUID instead of by name.
func liveRows(zone string, want *model.PolicyRows) (rows []nb.Row) {
	uuid := map[string]string{}
	for _, a := range want.ACLs {
		c := *a
		c.UUID = UUID(zone + " acl " + a.ID())
		uuid[a.ID()] = c.UUID
		rows = append(rows, &c)
	}
	for _, s := range want.AddressSets {
		c := *s
		c.UUID = UUID(zone + " set " + s.Name)
		rows = append(rows, &c)
	}
	g := *want.PortGroup
	g.UUID = UUID(zone + " group " + g.Name)
	g.Ports, g.ACLs = slices.Clone(g.Ports), slices.Clone(g.ACLs)
	for i := range g.Ports {
		g.Ports[i] = UUID(zone + " port " + g.Ports[i])
	}
	for i := range g.ACLs {
		g.ACLs[i] = uuid[g.ACLs[i]]
	}
	return append(rows, &g)
}

// fromRoot returns the path of a folder of the repository.
func fromRoot(t testing.TB, name string) string {
	t.Helper()
	for up := name; len(up) < 100; up = "../" + up {
		if _, err := os.Stat(up); err == nil {
			return up
		}
	}
	t.Fatalf("no folder %s above this one", name)
	return ""
}

// NetworkFacts is the parts of a revision of the files with user-defined and secondary networks.
func NetworkFacts(t testing.TB) *revision.Facts {
	t.Helper()
	p := readFacts(t, write.FileOptions{Paths: []string{fromRoot(t, "examples-networks")}})
	p.Mode.Name, p.Mode.Title = "files", "examples-networks"
	p.Flags.Features.AddDemo()
	Sync(p)
	return p
}
