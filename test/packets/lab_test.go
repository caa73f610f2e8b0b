package packets_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"rung/compiler"
	"rung/model"
	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/reconciler"
	"rung/sources/acllog"
	"rung/sources/nbdb"
	"rung/sources/sandbox"
	"rung/test/install"
	"rung/test/lab"
	"rung/test/wait"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The zones and pods of the lab. Ports take longest to come, so the pods keep theirs
// from cluster to cluster; what they are there, and whether they are, is drawn.
var (
	zoneNames  = []string{"n1", "n2"}
	namespaces = []string{"a", "b", "c"}
)

const podsEach = 2 // of a namespace, in a zone

// place is a pod's port and addresses.
type place struct {
	zone, namespace, name, lport string
	v4, v6                       netip.Addr
}

func places() (out []place) {
	for z, zone := range zoneNames {
		for n, ns := range namespaces {
			for i := range podsEach {
				host, name := 10+n*podsEach+i, fmt.Sprintf("%s%d", zone, i)
				out = append(out, place{zone: zone, namespace: ns, name: name, lport: nb.PortName(ns, name),
					v4: netip.AddrFrom4([4]byte{10, 244, byte(z + 1), byte(host)}), v6: netip.MustParseAddr(fmt.Sprintf("fd01:0:0:%d::%d", z+1, host))})
			}
		}
	}
	return out
}

// service is the address, of the family of the pod's, of the Service that has the pod
// alone.
func (p *place) service(addr netip.Addr) netip.Addr {
	b := addr.AsSlice()
	if addr.Is4() {
		b[1] = 96
	} else {
		b[1] = 2
	}
	out, _ := netip.AddrFromSlice(b)
	return out
}

// The addresses of a zone's management port and of the node itself.
func management(n int) []string {
	return []string{fmt.Sprintf("10.244.%d.2", n+1), fmt.Sprintf("fd01:0:0:%d::2", n+1)}
}
func hostAddrs(n int) []string {
	return []string{fmt.Sprintf("172.18.0.%d", n+2), fmt.Sprintf("fc00:18::%d", n+2)}
}

// world is the lab with a reconciler on each zone.
type world struct {
	tools *sandbox.Tools
	zones map[string]*node
	// What put compiled last.
	cluster *model.Cluster
	desired *compiler.Desired
}

// node is one zone.
type node struct {
	*sandbox.Zone
	rec   *reconciler.Reconciler
	steps uint64
	wake  chan struct{}
	read  int64 // of the log
}

func start(tb testing.TB) *world {
	tb.Helper()
	return startWith(tb, places())
}

// startWith starts the lab with those pods.
func startWith(tb testing.TB, pods []place) *world {
	tb.Helper()
	w := &world{tools: install.OVN(tb, sandbox.FindTools), zones: map[string]*node{}}
	dir, err := os.MkdirTemp("", "p") // short: sockets have to fit
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		sandbox.RemoveLeftover(dir)
		if err := os.Remove(dir); err != nil {
			tb.Errorf("the lab left something: %v", err)
		}
	})
	cfg := lab.Config{Dir: dir}
	for n, name := range zoneNames {
		zc := sandbox.ZoneConfig{Name: name, MeterRate: 1_000_000, Management: management(n),
			Subnets: []netip.Prefix{netip.MustParsePrefix(fmt.Sprintf("10.244.%d.0/24", n+1)), netip.MustParsePrefix(fmt.Sprintf("fd01:0:0:%d::/64", n+1))}}
		for _, a := range hostAddrs(n) {
			zc.Host = append(zc.Host, netip.MustParseAddr(a))
		}
		cfg.Zones = append(cfg.Zones, zc)
	}
	lab, err := lab.Start(tb.Context(), w.tools, cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(lab.Close)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	tb.Cleanup(func() { cancel(); running.Wait() })
	for _, z := range lab.Zones() {
		seed(tb, z, pods)
		n := &node{Zone: z, wake: make(chan struct{}, 1)}
		n.rec = reconciler.NewZone(reconciler.Config{Zone: nbdb.Dial(nbdb.Config{Name: z.Name(), Addr: z.NB()}), Mode: reconciler.Write,
			OnState: func(*model.ZoneState) {
				select {
				case n.wake <- struct{}{}:
				default:
				}
			}})
		running.Go(func() { n.rec.Run(ctx) })
		w.zones[z.Name()] = n
	}
	return w
}

// seed writes what OVN-Kubernetes has besides policies: the pods' ports, the groups of
// their namespaces, and for each pod the load balancer of a Service of its own.
func seed(tb testing.TB, z *sandbox.Zone, pods []place) {
	tb.Helper()
	db, err := nbdb.Dial(nbdb.Config{Addr: z.NB(), AnyName: true}).Read(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	var ops []nb.Op
	var all, balancers []nb.Ref
	groups := map[string][]nb.Ref{}
	for i, p := range pods {
		if p.zone != z.Name() {
			continue
		}
		id := fmt.Sprint("port", i)
		ops = append(ops, sandbox.PodPortOp(id, z.Name(), p.lport, p.namespace, "uid-"+p.name, fmt.Sprint(sandbox.DeriveMAC(p.v4.String(), ""), " ", p.v4, " ", p.v6)))
		all = append(all, nb.Ref{Name: id})
		groups[p.namespace] = append(groups[p.namespace], nb.Ref{Name: id})
		lb := fmt.Sprint("lb", i)
		ops = append(ops, sandbox.InsertOp("Load_Balancer", lb, map[string]any{"name": lb, "options": map[string]string{"hairpin_snat_ip": "169.254.169.5 fd69::5"},
			"vips": map[string]string{p.service(p.v4).String(): p.v4.String(), p.service(p.v6).String(): p.v6.String()}}))
		balancers = append(balancers, nb.Ref{Name: lb})
	}
	for ns, ports := range groups {
		ids := sandbox.NamespaceIDs(ns)
		ops = append(ops, sandbox.InsertOp(nb.TablePortGroup, "", map[string]any{"name": nb.HashedName(ids[nb.KeyID]), "external_ids": ids, "ports": ports}))
	}
	ops = append(ops, nb.Op{Kind: nb.OpMutate, Table: nb.TableSwitch, UUID: db.SwitchByName(z.Name()).UUID,
		Mutations: []nb.Mutation{{Column: "ports", Insert: true, Refs: all}, {Column: "load_balancer", Insert: true, Refs: balancers}}})
	if err := z.Transact(tb.Context(), ops...); err != nil {
		tb.Fatal(err)
	}
}

// put has Rung compile a cluster and write its rows, and returns when they are flows.
func (w *world) put(ctx context.Context, objects []model.Object, options compiler.Options) error {
	cluster, changes := (*model.Cluster)(nil).Upsert(objects, nil)
	desired, _ := compiler.New(options).Apply(cluster, changes)
	w.cluster, w.desired = cluster, desired
	ctx, cancel := context.WithTimeout(ctx, wait.Patience)
	defer cancel()
	for _, n := range w.zones {
		n.steps++
		n.rec.SetDesired(desired, nil, true)
	}
	return w.each(func(n *node) error {
		for why := n.behind(desired); why != ""; why = n.behind(desired) {
			select {
			case <-n.wake:
			case <-ctx.Done():
				return fmt.Errorf("zone %s: %s: %w", n.Name(), why, ctx.Err())
			}
		}
		_, err := n.WaitSynced(ctx)
		return err
	})
}

// each does something in all zones, side by side.
func (w *world) each(do func(n *node) error) error {
	errs := make([]error, len(zoneNames))
	var wg sync.WaitGroup
	for i, name := range zoneNames {
		wg.Go(func() { errs[i] = do(w.zones[name]) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// behind says what the zone's rows still lack, "" when they are those desired.
func (n *node) behind(desired *compiler.Desired) string {
	s := n.rec.State()
	switch {
	case s.Steps < n.steps || s.Judging:
		return fmt.Sprintf("step %d of %d is judged", s.Steps, n.steps)
	case !s.IsCurrent():
		return "the database is not read: " + s.Error
	}
	for c := range desired.Policies() {
		if in := s.Policies[c.Key]; in == nil && c.Key.Kind != model.KindNetpolNode {
			return c.Key.String() + " is not judged"
		}
	}
	for k, in := range s.Policies {
		if !in.InSync && in.None == nil {
			return fmt.Sprintf("%s has %d rows missing, %d extra, %d different: %s", k, in.Missing, in.Extra, in.Different, in.Error)
		}
	}
	return ""
}

// logged are the ACL lines that ovn-controller wrote since the last call.
func (n *node) logged() ([]logline.Line, error) {
	f, err := os.Open(n.LogFile())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := f.Seek(n.read, io.SeekStart); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	n.read += int64(len(text))
	var out []logline.Line
	for line := range strings.Lines(string(text)) {
		l, err := acllog.Parse(line)
		if errors.Is(err, acllog.ErrNotACL) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, line)
		}
		out = append(out, l)
	}
	return out, nil
}
