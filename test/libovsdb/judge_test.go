package libovsdb_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rung/change/write"
	"rung/engine/lab"
	"rung/revision"
	"rung/sources/kube"

	"github.com/google/go-cmp/cmp"
	"github.com/ovn-kubernetes/libovsdb/client"

	"rung/compiler"
	"rung/engine"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/sources/nbdb/second"
	"rung/test/install"
	"rung/test/ovsdb"
	"rung/test/wait"
)

// What Rung writes, libovsdb's client reads: after a start, after policies were
// edited and pods came and went under its eyes, and after its connection was gone
// while more of that happened, the rows in its cache are those that `rung compile`
// prints, and ACLs hang on the rows they belong to.
func TestJudge(t *testing.T) {
	t.Parallel()
	root := memory(t)
	states := demoStates()
	wants := make([]map[string]map[string]ovsdb.Record, len(states))
	for i, files := range states {
		dir := filepath.Join(root, fmt.Sprint("state", i))
		writeFiles(t, dir, files)
		wants[i] = map[string]map[string]ovsdb.Record{}
		for _, zone := range zoneNames {
			wants[i][zone] = compiled(t, dir, zone)
		}
		if i > 0 && cmp.Equal(wants[i], wants[i-1]) {
			t.Fatalf("nothing changes from state %d to %d", i-1, i)
		}
	}
	for _, server := range []string{"builtin", "ovsdb-server"} {
		t.Run(server, func(t *testing.T) {
			t.Parallel()
			program := server
			if server != "builtin" {
				program = install.Server(t, server)
			}
			dir := memory(t)
			manifests, sockets := filepath.Join(dir, "m"), filepath.Join(dir, "s")
			writeFiles(t, manifests, states[0])
			features := revision.Features{}
			features.AddDemo()
			// The context of the test ends before what it cleans up.
			e, err := engine.New(context.Background(), engine.Config{
				Mode:    revision.Mode{Name: "files", Title: manifests, Sandbox: true, Reconciles: true},
				Sources: []kube.Source{write.NewFiles(write.FileOptions{Paths: []string{manifests}})}, Writes: true, Flags: revision.Flags{Features: features},
				Sandbox: lab.New(lab.Config{Server: program, Dir: sockets, Foreign: true}),
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(e.Close)
			judges := map[string]*judge{}
			for _, zone := range zoneNames {
				judges[zone] = newJudge(t, filepath.Join(dir, zone), filepath.Join(sockets, zone+".sock"))
			}
			agree := func(state int) {
				t.Helper()
				wait.Within(t, wait.Patience, fmt.Sprintf("state %d is read", state), func() bool {
					c := e.Revision().Cluster
					return c != nil && c.Namespace(marker(state)) != nil
				})
				for _, zone := range zoneNames {
					judges[zone].agrees(t, fmt.Sprintf("state %d, zone %s", state, zone), func() map[string]ovsdb.Record {
						return hung(wants[state][zone], e.Revision().Cluster, features, zone)
					})
				}
			}
			agree(0)
			churn(t, manifests, states[0], states[1], 1)
			agree(1)
			for _, j := range judges {
				j.relay.cut()
			}
			churn(t, manifests, states[1], states[2], 2)
			// Nobody has lost a connection but the judges.
			wait.Within(t, wait.Patience, "the change is written", func() bool {
				return e.Revision().Cluster.Namespace(marker(2)) != nil && settled(e)
			})
			for _, j := range judges {
				if connected(j.client) {
					t.Error("a judge was not away")
				}
				j.relay.mend()
			}
			agree(2)
		})
	}
}

var zoneNames = []string{"ovn-control-plane", "ovn-worker", "ovn-worker2"}

// settled says whether every zone shows every policy, as Rung reads it.
func settled(e *engine.Engine) bool {
	r := e.Revision()
	for _, z := range r.Zones {
		if z.Conn != model.ConnSynced || z.Policies == nil {
			return false
		}
		for _, in := range z.Policies {
			if in.None == nil && (!in.InSync || in.Waiting > 0) {
				return false
			}
		}
	}
	return len(r.Zones) == len(zoneNames)
}

// hung are rows of which every ACL says what it hangs on.
func hung(rows map[string]ovsdb.Record, c *model.Cluster, f revision.Features, zone string) map[string]ovsdb.Record {
	rows = maps.Clone(rows)
	d := compiler.Compile(c, compiler.Options{DNS: f.DNS})
	for p := range d.Policies() {
		in := d.RowsOfUnit(p.Key, zone, nil)
		if in == nil || in.None != nil {
			continue
		}
		on := compiler.HolderForUnit(p.Key)
		if in.PortGroup != nil {
			on = compiler.ACLHolder{Table: nb.TablePortGroup, Name: in.PortGroup.Name}
		}
		for _, a := range in.ACLs {
			if row := maps.Clone(rows[nb.TableACL+" "+a.ID()]); row != nil {
				row["(hangs on)"] = []string{on.Table + " " + on.Name}
				rows[nb.TableACL+" "+a.ID()] = row
			}
		}
	}
	return rows
}

// judge reads a zone through libovsdb's client, over a connection that can be cut.
type judge struct {
	relay  *relay
	client client.Client
}

func newJudge(t testing.TB, path, socket string) *judge {
	t.Helper()
	wait.Within(t, wait.Patience, "the zone's socket is there", func() bool { _, err := os.Stat(socket); return err == nil })
	j := &judge{relay: newRelay(t, path, socket)}
	ctx, cancel := context.WithTimeout(t.Context(), wait.Patience)
	defer cancel()
	var err error
	// A server that has just made its socket may not listen yet.
	wait.Within(t, wait.Patience, "libovsdb is connected", func() bool {
		j.client, err = second.Dial(ctx, "unix:"+path, patient())
		return err == nil
	})
	t.Cleanup(func() { j.relay.mend(); shut(t, j.client) })
	return j
}

// agrees waits until the rows are those that are wanted.
func (j *judge) agrees(t testing.TB, what string, want func() map[string]ovsdb.Record) {
	t.Helper()
	var rows map[string]ovsdb.Record
	if !wait.Poll(wait.Patience, func() bool { rows = j.rows(t); return cmp.Equal(want(), rows) }) {
		t.Fatalf("%s: (-rung compile +libovsdb)\n%s", what, cmp.Diff(want(), rows))
	}
}

// rows are those of policies as libovsdb has them, in the form of a dump.
func (j *judge) rows(t testing.TB) map[string]ovsdb.Record {
	t.Helper()
	var acls []second.ACL
	var sets []second.AddressSet
	var groups []second.PortGroup
	var switches []second.LogicalSwitch
	var ports []second.LogicalSwitchPort
	ctx, cancel := context.WithTimeout(t.Context(), wait.Patience)
	defer cancel()
	for _, list := range []any{&acls, &sets, &groups, &switches, &ports} {
		if err := j.client.List(ctx, list); err != nil {
			t.Fatal(err)
		}
	}
	held := map[string][]string{}
	hold := func(acls []string, table, name string) {
		for _, a := range acls {
			held[a] = append(held[a], table+" "+name)
		}
	}
	for i := range groups {
		hold(groups[i].ACLs, nb.TablePortGroup, groups[i].Name)
	}
	for i := range switches {
		hold(switches[i].ACLs, nb.TableSwitch, switches[i].Name)
	}
	out := map[string]ovsdb.Record{}
	add := func(table, uuid string, ids map[string]string, r ovsdb.Record) {
		r["external_ids"] = full(ids)
		if r.Policy() == "" {
			return // a row of others
		}
		key := table + " " + r.ID()
		for out[key] != nil {
			key += " again " + uuid
		}
		out[key] = r
	}
	aclIDs, portNames := map[string]string{}, map[string]string{}
	for i := range acls {
		a := &acls[i]
		aclIDs[a.UUID] = a.ExternalIDs[nb.KeyID]
		add(nb.TableACL, a.UUID, a.ExternalIDs, ovsdb.Record{"action": a.Action, "direction": a.Direction, "label": float64(a.Label), "log": a.Log,
			"match": a.Match, "meter": optional(a.Meter), "name": optional(a.Name), "options": full(a.Options), "priority": float64(a.Priority),
			"severity": optional(a.Severity), "tier": float64(a.Tier), "sample_est": optional(a.SampleEst), "sample_new": optional(a.SampleNew),
			"(hangs on)": slices.Sorted(slices.Values(held[a.UUID]))})
	}
	for i := range ports {
		portNames[ports[i].UUID] = ports[i].Name
	}
	for i := range sets {
		s := &sets[i]
		add(nb.TableAddressSet, s.UUID, s.ExternalIDs, ovsdb.Record{"name": s.Name, "addresses": ovsdb.Column(s.Addresses)})
	}
	for i := range groups {
		g := &groups[i]
		add(nb.TablePortGroup, g.UUID, g.ExternalIDs, ovsdb.Record{"name": g.Name, "acls": ovsdb.Column(names(g.ACLs, aclIDs)),
			"ports": ovsdb.Column(names(g.Ports, portNames))})
	}
	return out
}

func optional(s *string) any {
	if s == nil {
		return []string{}
	}
	return *s
}

func full(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

func names(uuids []string, of map[string]string) []string {
	out := make([]string, len(uuids))
	for i, u := range uuids {
		out[i] = of[u]
	}
	return out
}
