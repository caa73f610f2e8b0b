package reconciler_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/bench"
	"rung/bench/workload"
	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/reconciler"
	"rung/test/install"
)

// recorder keeps the transactions that go to a zone's connection.
type recorder struct {
	reconciler.Zone
	mu  sync.Mutex
	txs [][]nb.Op
}

func (r *recorder) Transact(ctx context.Context, ops []nb.Op) ([]nb.OpResult, error) {
	r.mu.Lock()
	r.txs = append(r.txs, slices.Clone(ops))
	r.mu.Unlock()
	return r.Zone.Transact(ctx, ops)
}

func (r *recorder) Resync() { r.Zone.(reconciler.Resyncer).Resync() }

func (r *recorder) taken() [][]nb.Op {
	r.mu.Lock()
	defer r.mu.Unlock()
	txs := r.txs
	r.txs = nil
	return txs
}

// columnsText are the rows of a compile that hold a pod: the names of address sets
// and of port groups.
func columnsText(c *model.Cluster, zone string, p *model.Pod) (sets, groups map[string]bool) {
	sets, groups = map[string]bool{}, map[string]bool{}
	d := compiler.Compile(c, compiler.Options{})
	for u := range d.Policies() {
		rows := d.RowsOfUnit(u.Key, zone, nil)
		for _, s := range rows.AddressSets {
			if slices.Contains(s.Addresses, p.IPs[0]) {
				sets[s.Name] = true
			}
		}
		if g := rows.PortGroup; g != nil && slices.Contains(g.Ports, nb.PortName(p.Namespace, p.Name)) {
			groups[g.Name] = true
		}
	}
	return sets, groups
}

// write is what one operation does, in names.
type write struct {
	Table, Row, Column string
	Insert             bool
	What               string
}

// A pod that comes, is labelled anew or goes costs one mutate of one member for
// each address set it enters or leaves, one mutate of one port for each port
// group, and all of them are one transaction.
func TestPodTraffic(t *testing.T) {
	for _, program := range []string{"ovsdb-server", "ovsdb-tool"} {
		install.Server(t, program)
	}
	size := workload.Size{Nodes: 1, Namespaces: 10, Pods: 200, Policies: 20, Rules: 12, Peers: 3, Seed: 5}
	cluster, err := workload.Cluster(size)
	if err != nil {
		t.Fatal(err)
	}
	var later []*model.Pod
	for p := range cluster.Pods() {
		later = append(later, workload.Pod(size, size.Pods+len(later), p.Labels))
		if len(later) == 6 {
			break
		}
	}
	var rec *recorder
	pipe, err := bench.NewPipeline(t.Context(), bench.Config{Cluster: cluster, Later: later,
		Wrap: func(z reconciler.Zone) reconciler.Zone { rec = &recorder{Zone: z}; return rec }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := pipe.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	pipe.Start(t.Context())
	if err := pipe.Idle(ctx); err != nil {
		t.Fatal(err)
	}
	rec.taken()

	// step compares what was written with how two compiles of whole clusters
	// differ for the pod.
	total := 0
	step := func(what string, p *model.Pod, upsert []model.Object, remove ...model.Key) {
		t.Helper()
		hadSets, hadGroups := columnsText(pipe.Cluster, pipe.Zone, p)
		s := pipe.Step(upsert, remove...)
		if !s.Delta.IsEmpty() {
			if _, err := s.Seen(ctx); err != nil {
				t.Fatal(err)
			}
		}
		if err := pipe.Idle(ctx); err != nil {
			t.Fatal(err)
		}
		sets, groups := columnsText(pipe.Cluster, pipe.Zone, p)
		var want []write
		differ := func(table, column, what string, had, has map[string]bool) {
			for name := range had {
				if !has[name] {
					want = append(want, write{table, name, column, false, what})
				}
			}
			for name := range has {
				if !had[name] {
					want = append(want, write{table, name, column, true, what})
				}
			}
		}
		differ(nb.TableAddressSet, "addresses", p.IPs[0], hadSets, sets)
		differ(nb.TablePortGroup, "ports", nb.PortName(p.Namespace, p.Name), hadGroups, groups)
		txs := rec.taken()
		if transactions := min(len(want), 1); len(txs) != transactions {
			t.Fatalf("%s %s: %d transactions for %d rows", what, p.Name, len(txs), len(want))
		}
		var got []write
		for _, op := range slices.Concat(txs...) {
			got = append(got, writeOf(t, pipe.Observer.DB(), op))
		}
		byName := func(a, b write) int { return strings.Compare(a.Table+a.Row, b.Table+b.Row) }
		slices.SortFunc(want, byName)
		slices.SortFunc(got, byName)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %s (-want +written)\n%s", what, p.Name, diff)
		}
		total += len(got)
	}
	for i, p := range later {
		other := *p
		other.Labels = later[(i+1)%len(later)].Labels
		step("added", p, []model.Object{p})
		step("labelled anew", p, []model.Object{&other})
		step("deleted", p, nil, p.Key)
	}
	if total < 60 {
		t.Errorf("only %d rows were written: the pods are in too few sets to prove anything", total)
	}
	if err := pipe.Check(); err != nil {
		t.Error(err)
	}
}

// writeOf is an operation that must be a mutate of one member.
func writeOf(t *testing.T, db *nb.DB, op nb.Op) write {
	t.Helper()
	if op.Kind != nb.OpMutate || len(op.Mutations) != 1 {
		t.Fatalf("not one mutation: %+v", op)
	}
	m := op.Mutations[0]
	w := write{Table: op.Table, Column: m.Column, Insert: m.Insert}
	switch row := db.Row(op.Table, op.UUID).(type) {
	case *nb.AddressSet:
		w.Row = row.Name
	case *nb.PortGroup:
		w.Row = row.Name
	}
	switch {
	case len(m.Strings) == 1 && len(m.Refs) == 0:
		w.What = m.Strings[0]
	case len(m.Refs) == 1 && len(m.Strings) == 0:
		w.What = db.Port(m.Refs[0].UUID).Name
	default:
		t.Fatalf("not one member: %+v", op)
	}
	return w
}
