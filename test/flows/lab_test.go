package flows_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/reconciler"
	"rung/sources/manifests"
	"rung/sources/nbdb"
	"rung/sources/sandbox"
	"rung/test/given/troubled"
	"rung/test/install"
	"rung/test/wait"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// seedOf is what the random choices of a run follow from.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	seed := uint64(1)
	if long() {
		seed = uint64(time.Now().UnixNano())
	}
	if s := os.Getenv("RUNG_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("RUNG_SEED=%d", seed)
	return seed
}

func long() bool { return os.Getenv(install.SoakVar) == "1" }

// demo are the objects of the built-in cluster.
func demo(t *testing.T) []model.Object {
	t.Helper()
	res, err := manifests.Read(t.Context(), manifests.Options{FS: troubled.Files, Paths: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	return res.Objects
}

// world is the sandbox on a real OVN with a reconciler on each zone, as rung demo has it.
type world struct {
	t       *testing.T
	box     *sandbox.Sandbox
	zones   []*zone
	cluster *model.Cluster
	comp    *compiler.Compiler
}

// zone is a node with its two databases.
type zone struct {
	name  string
	rec   *reconciler.Reconciler
	conn  *nbdb.Conn // for nb_cfg
	nb    atomic.Pointer[nb.DB]
	sb    atomic.Pointer[flow.DB]
	south string
	steps uint64
	wake  chan struct{}
}

func (z *zone) tick() {
	select {
	case z.wake <- struct{}{}:
	default:
	}
}

func start(t *testing.T, objects []model.Object, options compiler.Options) *world {
	t.Helper()
	tools := install.OVN(t, sandbox.FindTools)
	dir, err := os.MkdirTemp("", "f") // short: sockets have to fit
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Remove(dir); err != nil {
			t.Errorf("the sandbox left something: %v", err)
		}
	})
	w := &world{t: t, comp: compiler.New(options)}
	first, _ := (*model.Cluster)(nil).Upsert(objects, nil)
	var names []string
	for n := range first.Nodes() {
		names = append(names, n.Name)
	}
	w.box, err = sandbox.Start(t.Context(), sandbox.Config{Zones: names, Dir: dir, OVN: tools, OVNOnly: true, ForeignRows: true, Node: first.Node})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.box.Close)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	t.Cleanup(func() { cancel(); running.Wait() })
	for name, at := range w.box.Endpoints() {
		z := &zone{name: name, south: strings.TrimSuffix(at, "nb.sock") + "sb.sock", wake: make(chan struct{}, 1)}
		z.rec = reconciler.NewZone(reconciler.Config{Zone: nbdb.Dial(nbdb.Config{Name: name, Addr: at}), Mode: reconciler.Write,
			OnState: func(*model.ZoneState) { z.tick() }})
		running.Go(func() { z.rec.Run(ctx) })
		z.conn = nbdb.Dial(nbdb.Config{Name: name, Addr: at})
		running.Go(func() {
			z.conn.Run(ctx, func(u model.ZoneUpdate) {
				if u.DB != nil {
					z.nb.Store(u.DB)
				}
				z.tick()
			})
		})
		south := nbdb.DialSouthbound(nbdb.Config{Name: name, Addr: z.south})
		running.Go(func() {
			south.Run(ctx, func(u nbdb.SouthboundUpdate) {
				if u.DB != nil {
					z.sb.Store(u.DB)
				}
				z.tick()
			})
		})
		w.zones = append(w.zones, z)
	}
	slices.SortFunc(w.zones, func(a, b *zone) int { return strings.Compare(a.name, b.name) })
	w.change(objects, nil)
	return w
}

// change has the cluster changed, compiled and given to the zones.
func (w *world) change(upsert []model.Object, remove []model.Key) {
	next, changes := w.cluster.Upsert(upsert, remove)
	desired, _ := w.comp.Apply(next, changes)
	if w.cluster == nil {
		changes = nil
	}
	w.cluster = next
	w.box.SetPods(next, changes)
	for _, z := range w.zones {
		z.steps++
		z.rec.SetDesired(desired, nil, true) // without a delta the step is judged even if it changes no row
	}
}

// until waits until nothing lacks.
func (z *zone) until(ctx context.Context, lacks func() string) error {
	for why := lacks(); why != ""; why = lacks() {
		select {
		case <-z.wake:
		case <-ctx.Done():
			return fmt.Errorf("zone %s: %s: %w", z.name, why, ctx.Err())
		}
	}
	return nil
}

// lacks says what the zone's rows still lack: ports of pods, or what policies ask for.
func (z *zone) lacks(c *model.Cluster) string {
	s := z.rec.State()
	switch {
	case s.Steps < z.steps || s.Judging:
		return fmt.Sprintf("step %d of %d is judged", s.Steps, z.steps)
	case !s.IsCurrent():
		return "the database is not read: " + s.Error
	}
	const others = 2 // ports of the switch: the router's and the node's
	want := others
	for p := range c.Pods() {
		if p.NodeName == z.name && p.CanBeSubject() {
			want++
			if s.DB.PortByName(nb.PortName(p.Namespace, p.Name)) == nil {
				return "no port of pod " + p.Namespace + "/" + p.Name
			}
		}
	}
	if got := len(s.DB.SwitchByName(z.name).Ports); got != want {
		return fmt.Sprintf("%d ports, %d wanted", got, want)
	}
	for k, in := range s.Policies {
		if !in.InSync && in.None == nil {
			return fmt.Sprintf("%s has %d rows missing, %d extra, %d different: %s", k, in.Missing, in.Extra, in.Different, in.Error)
		}
	}
	return ""
}

// raise counts nb_cfg up, and returns when hv_cfg has followed.
func (z *zone) raise(ctx context.Context) error {
	g := z.nb.Load().Global()
	next := g.Written.Cfg + 1
	if _, err := z.conn.Transact(ctx, []nb.Op{{Kind: nb.OpUpdate, Table: nb.TableGlobal, UUID: g.UUID, Row: map[string]any{"nb_cfg": int(next)}}}); err != nil {
		return fmt.Errorf("zone %s: raising nb_cfg: %w", z.name, err)
	}
	return z.until(ctx, func() string {
		if p := z.nb.Load().Global(); p.Done.Cfg < next {
			return fmt.Sprintf("nb_cfg %d, sb_cfg %d, hv_cfg %d", p.Written.Cfg, p.Made.Cfg, p.Done.Cfg)
		}
		return ""
	})
}

// written waits until the rows of all zones are those wanted and a snapshot of both
// databases is there.
func (w *world) written(ctx context.Context) error {
	for _, z := range w.zones {
		if err := z.until(ctx, func() string {
			if z.nb.Load().Global() == nil || z.sb.Load().Global() == nil {
				return "a database was not read"
			}
			return z.lacks(w.cluster)
		}); err != nil {
			return err
		}
	}
	return nil
}

// bounded is a context that ends with the patience of tests.
func bounded(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), wait.Patience)
}

// rawFlow is a logical flow as the Southbound database has it, of whatever stage.
type rawFlow struct{ uuid, stage, hint string }

// raw asks the Southbound database for all its flows, past Rung's own reading of it.
func (z *zone) raw(ctx context.Context) ([]rawFlow, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, "unix", strings.TrimPrefix(z.south, "unix:"))
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if _, err := c.Write([]byte(`{"id":1,"method":"transact","params":["OVN_Southbound",{"op":"select","table":"Logical_Flow","where":[],"columns":["_uuid","external_ids"]}]}`)); err != nil {
		return nil, err
	}
	var answer struct {
		Result []struct {
			Rows []struct {
				UUID [2]string `json:"_uuid"`
				IDs  [2]any    `json:"external_ids"`
			}
		}
	}
	if err := json.NewDecoder(c).Decode(&answer); err != nil {
		return nil, err
	}
	var out []rawFlow
	for _, r := range answer.Result[0].Rows {
		f := rawFlow{uuid: r.UUID[1]}
		for _, pair := range r.IDs[1].([]any) {
			kv := pair.([]any)
			switch kv[0] {
			case "stage-name":
				f.stage = kv[1].(string)
			case "stage-hint":
				f.hint = kv[1].(string)
			}
		}
		out = append(out, f)
	}
	return out, nil
}
