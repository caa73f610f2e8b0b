package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/engine/zones"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/sources/nbdb"
	"rung/sources/sandbox"
	"rung/test/given"
	"rung/test/install"
	"rung/test/servers"
	"rung/test/wait"
)

func livePolicies() []string {
	return []string{
		given.ANP("one", 10, "tenant=blue", "in allow tenant=green tcp:80", "in deny *", "out allow 10.0.0.0/8 udp:53"),
		given.ANP("two", 50, "tenant=red", "out deny *"),
		given.BANP("", "in deny tenant=red"),
	}
}

// On the built-in server, too, drift is named within a second and mended.
func TestLiveDriftOnTheBuiltIn(t *testing.T) {
	w := newLiveWorld(t, livePolicies()...)
	nodes := []string{"control", "worker"}
	sb, err := sandbox.Start(t.Context(), sandbox.Config{Zones: nodes, Dir: w.sockets, Server: sandbox.ServerBuiltin, ForeignRows: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sb.Close)
	endpoints := sb.Endpoints()
	writer := func() *liveRun {
		return w.run(func(c *Config) {
			c.NB, c.Reconcile, c.Own = endpoints, true, zones.OwnerOptions{SoleWriter: true, Quiet: time.Millisecond}
		})
	}
	first := writer()
	sb.SetPods(first.until("read", func(r *revision.Revision) bool { return r.Loaded }).Cluster, nil)
	first.until("ports", func(r *revision.Revision) bool {
		z := r.Zone("worker")
		return z != nil && z.DB != nil && z.DB.PortByName("blue_db-0") != nil || z != nil && z.DB != nil && z.DB.PortByName("blue_web-0") != nil
	})
	first.settle(nodes...)
	first.Close()
	before := foreign(w.read("worker"))

	look := w.run(func(c *Config) { c.NB = endpoints })
	look.settle(nodes...)
	conn := nbdb.Dial(nbdb.Config{Name: "worker", Addr: endpoints["worker"]})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	synced := make(chan struct{}, 1)
	go func() {
		defer close(done)
		conn.Run(ctx, func(u model.ZoneUpdate) {
			if u.Resync {
				synced <- struct{}{}
			}
		})
	}()
	defer func() { cancel(); <-done }()
	<-synced
	db := w.read("worker")
	one := func(end string) *nb.ACL { return db.ACLByID(nb.DefaultController + ":AdminNetworkPolicy:one:" + end) }
	group := db.PortGroupByName(nb.HashedName(nb.DefaultController + ":AdminNetworkPolicy:one"))
	var slowest time.Duration
	for _, c := range []struct {
		kind model.DiffKind
		id   string
		op   nb.Op
		// field is the column that differs.
		field string
	}{
		{model.DiffMissing, one("Ingress:0:tcp").ID(), nb.Op{Kind: nb.OpMutate, Table: nb.TablePortGroup, UUID: group.UUID,
			Mutations: []nb.Mutation{{Column: "acls", Refs: []nb.Ref{{UUID: one("Ingress:0:tcp").UUID}}}}}, ""},
		{model.DiffDifferent, one("Ingress:1:None").ID(), nb.Op{Kind: nb.OpUpdate, Table: nb.TableACL, UUID: one("Ingress:1:None").UUID,
			Row: map[string]any{"priority": 7}}, "priority"},
		{model.DiffExtra, "default-network-controller:AdminNetworkPolicy:ghost:Ingress:0:v4", nb.Op{Kind: nb.OpInsert, Table: nb.TableAddressSet,
			Row: map[string]any{"name": "ghost", "external_ids": nb.IDs(nb.DefaultController, nb.OwnerANP, nb.IDPair{Key: nb.KeyName, Value: "ghost"},
				nb.IDPair{Key: nb.KeyDirection, Value: "Ingress"}, nb.IDPair{Key: nb.KeyGressIndex, Value: "0"}, nb.IDPair{Key: nb.KeyIPFamily, Value: "v4"})}}, ""},
	} {
		began := time.Now()
		if _, err := conn.Transact(ctx, []nb.Op{c.op}); err != nil {
			t.Fatal(err)
		}
		look.until(fmt.Sprintf("%s %s", c.kind, c.id), func(r *revision.Revision) bool {
			for _, p := range r.Zone("worker").Policies {
				for _, d := range p.Diffs {
					if d.Kind == c.kind && d.ID == c.id && (c.field == "" || slices.ContainsFunc(d.Fields, func(f model.FieldDiff) bool { return f.Column == c.field && f.Live == "7" })) {
						return true
					}
				}
			}
			return false
		})
		slowest = max(slowest, time.Since(began))
	}
	t.Logf("named within %v", slowest.Round(time.Millisecond))
	rev := writer().settle(nodes...)
	look.settle(nodes...)
	for _, z := range nodes {
		w.compiledAnew(rev.Cluster, z)
	}
	if diff := cmp.Diff(before, foreign(w.read("worker"))); diff != "" {
		t.Errorf("rows of others changed: %s", diff)
	}
}

// Dropped connections, kills and stalls in a burst of changes: in the end the
// rows are those of a fresh compilation.
func TestLiveFaultsInABurst(t *testing.T) {
	w := newLiveWorld(t, livePolicies()...)
	r := w.sandbox()
	nodes := []string{"control", "worker"}
	r.settle(nodes...)
	rng := rand.New(rand.NewPCG(2, 7))
	pick := func(s ...string) string { return s[rng.IntN(len(s))] }
	drops, changes := 0, 60
	if os.Getenv(install.SoakVar) == "1" {
		changes = 150
	}
	for i := range changes {
		name := fmt.Sprint("p", rng.IntN(6))
		p := r.Revision().Cluster.Policy(given.ANPKey(name))
		switch n := rng.IntN(10); {
		case p == nil || n < 5:
			var rules []string
			for range 1 + rng.IntN(3) {
				rules = append(rules, pick("in", "out")+" "+pick("allow", "deny", "pass")+" "+pick("tenant=blue", "tenant=green", "*")+pick("", " tcp:80", " udp:53"))
			}
			rules = append(rules, fmt.Sprintf("out allow 10.9.%d.0/24", i))
			r.change(applied(given.ANP(name, rng.IntN(100), pick("tenant=blue", "tenant=red", ""), rules...)))
		case n < 8:
			if to := int32(rng.IntN(100)); to != p.Priority {
				r.change(movedTo(name, to))
			}
		default:
			r.change(change.Mutation{Op: change.OpDelete, Policy: given.ANPKey(name)})
		}
		if i%10 == 5 {
			drops++
			fault := servers.Drop
			if drops%5 == 0 {
				fault = servers.Kill
			}
			if err := fault(w.address(nodes[drops%2])); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(2 * time.Millisecond)
	}
	began := time.Now()
	rev := r.settle(nodes...)
	t.Logf("%d connections dropped; settled %v after the last change", drops, time.Since(began).Round(time.Millisecond))
	for _, z := range nodes {
		w.compiledAnew(rev.Cluster, z)
	}
	lost := 0
	for _, a := range r.Activity(0) {
		if strings.Contains(a.Error, "outcome unknown") {
			lost++
		}
	}
	t.Logf("%d writes whose outcome was not learnt", lost)
}

// A node that comes gets a zone, one that goes takes its zone with it, and what
// was reported about it.
func TestLiveNodesComeAndGo(t *testing.T) {
	w := newLiveWorld(t, livePolicies()...)
	all := given.Objects()
	cut := strings.Index(all, "---\napiVersion: v1\nkind: Node\nmetadata: {name: control")
	end := cut + 4 + strings.Index(all[cut+4:], "---\n")
	if cut < 0 {
		t.Fatal("no second node")
	}
	fewer := all[:cut] + all[end:]
	w.file("cluster.yaml", fewer)
	r := w.sandbox()
	rev := r.settle("worker")
	w.compiledAnew(rev.Cluster, "worker")
	for range 2 {
		w.file("cluster.yaml", all)
		rev = r.settle("control", "worker")
		w.compiledAnew(rev.Cluster, "control")
		if w.read("control").PortByName("blue_web-0") == nil && w.read("control").PortByName("blue_db-1") == nil {
			t.Error("no pod of the new node has a port")
		}
		r.until("a condition of both zones", func(r *revision.Revision) bool { return len(r.Conditions(given.ANPKey("one"))) == 2 })
		r.change(movedTo("one", 11))
		rev = r.settle("control", "worker")
		w.compiledAnew(rev.Cluster, "control")
		w.compiledAnew(rev.Cluster, "worker")

		w.file("cluster.yaml", fewer)
		rev = r.settle("worker")
		w.compiledAnew(rev.Cluster, "worker")
		if cs := rev.Conditions(given.ANPKey("one")); len(cs) != 1 || cs[0].Type != "Ready-In-Zone-worker" {
			t.Errorf("%+v", cs)
		}
		wait.Within(t, wait.Patience, "the end of the zone's server", func() bool { // no revision comes with it
			_, err := nbdb.Dial(nbdb.Config{Addr: w.address("control"), AnyName: true}).Read(t.Context())
			return err != nil
		})
		r.change(movedTo("one", 10))
	}
	if z := r.Revision().Zone("control"); z != nil {
		t.Errorf("%+v", z)
	}
}

// Without a node there is nothing to write to, and Rung says so until one comes.
func TestLiveNoNode(t *testing.T) {
	w := newLiveWorld(t, livePolicies()...)
	all := given.Objects()
	w.file("cluster.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: blue, labels: {tenant: blue}}\n")
	r := w.sandbox()
	r.until("the problem is told", func(r *revision.Revision) bool {
		return slices.ContainsFunc(r.Sources, func(s model.SourceState) bool { return s.Name == "sandbox" && strings.Contains(s.Error, "no Node") })
	})
	w.file("cluster.yaml", all)
	rev := r.settle("control", "worker")
	w.compiledAnew(rev.Cluster, "worker")
	r.until("the problem is gone", func(r *revision.Revision) bool {
		return !slices.ContainsFunc(r.Sources, func(s model.SourceState) bool { return s.Name == "sandbox" })
	})
}

// A database whose zone is not named is asked for it, for as long as that takes,
// and stands there under its address meanwhile.
func TestLiveUnnamedEndpoint(t *testing.T) {
	w := newLiveWorld(t, livePolicies()...)
	r := w.run(func(c *Config) { c.NB = map[string]string{"": w.address("worker"), "control": w.address("control")} })
	rev := r.until("nobody is there", func(r *revision.Revision) bool {
		z := r.Zone(w.address("worker"))
		return len(r.Zones) == 2 && z != nil && z.Conn == model.ConnLost && z.Error != "" && z.Attempts > 1
	})
	if s := revision.SummarizePolicy(rev, given.ANPKey("one"), r.Now()); s.State != model.StateUnknown || s.Zones != 2 {
		t.Errorf("%+v", s)
	}
	w.sandbox().settle("control", "worker")
	rev = r.settle("control", "worker")
	if rev.Zone("worker").Endpoint != w.address("worker") {
		t.Errorf("%+v", rev.Zone("worker"))
	}
}

// A policy that was just changed is never called in sync before the zones were
// judged anew.
func TestLiveNeverInSyncTooEarly(t *testing.T) {
	w := newLiveWorld(t, livePolicies()...)
	r := w.sandbox()
	r.settle("control", "worker")
	for i := range 40 {
		// Priority and ids stay; only the rows can tell.
		r.change(applied(given.ANP("one", 10, "tenant=blue", "in allow tenant=green tcp:"+fmt.Sprint(80+i), "in deny *")))
		rev := r.until("in sync", func(r2 *revision.Revision) bool {
			return revision.SummarizePolicy(r2, given.ANPKey("one"), r.Now()).State == model.StateInSync
		})
		for _, z := range rev.Zones {
			a := z.DB.ACLByID(nb.DefaultController + ":AdminNetworkPolicy:one:Ingress:0:tcp")
			if a == nil || !strings.Contains(a.Match, fmt.Sprint("==", 80+i)) {
				t.Fatalf("change %d is called in sync in %s with %+v", i, z.Name, a)
			}
		}
	}
}
