package engine

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

	"rung/change"
	"rung/change/gate"
	"rung/change/write"
	"rung/compiler"
	"rung/engine/lab"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/sources/kube"
	"rung/sources/nbdb"
	"rung/test/given"
	"rung/test/servers"
	"rung/test/wait"
)

// liveWorld is manifests in a folder, for engines with zones of the built-in
// server. Real servers have package test/e2e.
type liveWorld struct {
	t                  *testing.T
	manifests, sockets string
}

func newLiveWorld(t *testing.T, policies ...string) *liveWorld {
	t.Helper()
	dir, err := os.MkdirTemp("", "rung") // socket paths must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir); wait.NoLeaks(t) })
	w := &liveWorld{t: t, manifests: filepath.Join(dir, "m"), sockets: filepath.Join(dir, "s")}
	if err := os.Mkdir(w.manifests, 0o700); err != nil {
		t.Fatal(err)
	}
	w.file("cluster.yaml", given.Objects())
	w.file("policies.yaml", strings.Join(policies, "---\n"))
	return w
}

func (w *liveWorld) file(name, text string) {
	w.t.Helper()
	temp := filepath.Join(w.manifests, "."+name)
	err := os.WriteFile(temp, []byte(text), 0o600)
	if err == nil {
		err = os.Rename(temp, filepath.Join(w.manifests, name))
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// liveRun is a running engine.
type liveRun struct {
	*Engine
	t   *testing.T
	ctx context.Context
}

// lab is the sandbox of the engine.
func (r *liveRun) lab() *lab.Lab { return r.cfg.Sandbox.(*lab.Lab) }

// run has its end far away: what a test waits for has a limit of its own, and how much a
// machine does besides is not what is tested.
func (w *liveWorld) run(set func(*Config)) *liveRun { return w.runFor(5*time.Minute, set) }

// runFor is run for a test that takes longer, or shorter.
func (w *liveWorld) runFor(d time.Duration, set func(*Config)) *liveRun {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	cfg := Config{Mode: revision.Mode{Name: "files", Title: w.manifests}, Writes: true, Sources: []kube.Source{write.NewFiles(write.FileOptions{Paths: []string{w.manifests}})}}
	set(&cfg)
	e, err := New(ctx, cfg)
	if err != nil {
		cancel()
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { e.Close(); cancel() })
	return &liveRun{Engine: e, t: w.t, ctx: ctx}
}

func (w *liveWorld) sandbox() *liveRun {
	return w.run(func(c *Config) {
		c.Sandbox = lab.New(lab.Config{Server: "builtin", Dir: w.sockets, Foreign: true, Listen: servers.Listen})
	})
}

func (r *liveRun) until(what string, holds func(*revision.Revision) bool) *revision.Revision {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.ctx, wait.Patience)
	defer cancel()
	if err := r.WaitFor(ctx, holds); err != nil {
		rev := r.Revision()
		text := fmt.Sprintf("sources %+v, broken %v\n", rev.Sources, rev.Broken)
		for _, z := range rev.Zones {
			text += fmt.Sprintf("%s: %s %s %s\n", z.Name, z.Conn, z.Error, z.Paused)
			for k, p := range z.Policies {
				if !p.InSync {
					text += fmt.Sprintf("  %s: %+v\n", k, p.Diffs)
				}
			}
		}
		r.t.Fatalf("not within %v: %s\n%s", wait.Patience, what, text)
	}
	return r.Revision()
}

// settle waits until the named zones, and no others, show every policy.
func (r *liveRun) settle(zones ...string) *revision.Revision {
	r.t.Helper()
	return r.until("in sync in "+strings.Join(zones, " "), func(rev *revision.Revision) bool {
		if !rev.Loaded || len(rev.Zones) != len(zones) {
			return false
		}
		for _, z := range rev.Zones {
			if !slices.Contains(zones, z.Name) || z.Conn != model.ConnSynced || z.Policies == nil {
				return false
			}
			for _, k := range revision.ZonePolicies(rev, z) {
				if in := z.PolicyJoin(k); in == nil || in.None == nil && (!in.InSync || in.Waiting > 0) {
					return false
				}
			}
		}
		return true
	})
}

func (r *liveRun) change(m change.Mutation) {
	r.t.Helper()
	for range 50 {
		p, err := r.Preview(r.ctx, m)
		if err != nil || p.Blocked != "" {
			r.t.Fatalf("%v %s %v", err, p.Blocked, p.Errors)
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

// read reads a zone's database anew.
func (w *liveWorld) read(zone string) *nb.DB {
	w.t.Helper()
	db, err := nbdb.Dial(nbdb.Config{Addr: w.address(zone), AnyName: true}).Read(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return db
}

func (w *liveWorld) address(zone string) string {
	return "unix:" + filepath.Join(w.sockets, zone+".sock")
}

// compiledAnew compares a zone's database with a compilation from nothing.
func (w *liveWorld) compiledAnew(c *model.Cluster, zone string) {
	w.t.Helper()
	d := compiler.Compile(c, compiler.Options{})
	var want, live []any
	for p := range d.Policies() {
		rows := d.RowsOfUnit(p.Key, zone, nil)
		if rows == nil || rows.None != nil {
			continue
		}
		for _, a := range rows.ACLs {
			want = append(want, a)
		}
		for _, s := range rows.AddressSets {
			want = append(want, s)
		}
		if rows.PortGroup != nil {
			want = append(want, rows.PortGroup)
		}
	}
	if len(want) == 0 {
		w.t.Fatal("nothing is wanted")
	}
	db := w.read(zone)
	ours := func(ids map[string]string) bool { return revision.OwnerOfIDs(ids).Form == nb.FormKnown }
	for a := range db.ACLs() {
		if a := *a; ours(a.ExternalIDs) {
			a.UUID = ""
			live = append(live, &a)
		}
	}
	for s := range db.AddressSets() {
		if s := *s; ours(s.ExternalIDs) {
			s.UUID = ""
			live = append(live, &s)
		}
	}
	for g := range db.PortGroups() {
		if g := *g; ours(g.ExternalIDs) {
			var acls, ports []string
			for _, a := range g.ACLs {
				acls = append(acls, db.ACL(a).ID())
			}
			for _, p := range g.Ports {
				ports = append(ports, db.Port(p).Name)
			}
			g.UUID, g.ACLs, g.Ports = "", acls, ports
			live = append(live, &g)
		}
	}
	norm := func(rows []any) (out []string) {
		for _, row := range rows {
			switch r := row.(type) {
			case *nb.ACL:
				out = append(out, fmt.Sprintf("ACL %+v", *r))
			case *nb.AddressSet:
				c := *r
				c.Addresses = slices.Sorted(slices.Values(r.Addresses))
				out = append(out, fmt.Sprintf("Address_Set %+v", c))
			case *nb.PortGroup:
				c := *r
				c.ACLs, c.Ports = slices.Sorted(slices.Values(r.ACLs)), slices.Sorted(slices.Values(r.Ports))
				out = append(out, fmt.Sprintf("Port_Group %+v", c))
			}
		}
		slices.Sort(out)
		return out
	}
	if diff := cmp.Diff(norm(want), norm(live)); diff != "" {
		w.t.Errorf("zone %s: (-compiled +live)\n%s", zone, diff)
	}
}

// foreign are the rows of a zone that no policy owns, ports left out.
func foreign(db *nb.DB) map[string]any {
	out := map[string]any{}
	ours := func(ids map[string]string) bool {
		_, known := revision.UnitOfOwner(revision.OwnerOfIDs(ids))
		return known
	}
	for a := range db.ACLs() {
		if !ours(a.ExternalIDs) {
			out[a.UUID] = *a
		}
	}
	for s := range db.AddressSets() {
		if !ours(s.ExternalIDs) {
			out[s.UUID] = *s
		}
	}
	for g := range db.PortGroups() {
		if !ours(g.ExternalIDs) {
			out[g.UUID] = *g
		}
	}
	for s := range db.Switches() {
		out[s.UUID] = *s
	}
	for m := range db.Meters() {
		out[m.UUID] = *m
	}
	return maps.Clone(out)
}
