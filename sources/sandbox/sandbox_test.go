package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"rung/model"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
	"rung/sources/nbdb"
	"rung/test/servers"
	"rung/test/wait"
)

// asChild is set in a process that a test started to kill it.
var asChild func()

// RunAsChild sets asChild for the tests outside the package.
func RunAsChild(f func()) { asChild = f }

func TestMain(m *testing.M) {
	if ListenLate() {
		os.Exit(1)
	}
	if asChild != nil {
		asChild()
	}
	goleak.VerifyTestMain(m)
}

// realServer is the ovsdb-server of this machine; a test that needs one ends
// without it, or fails where RUNG_REQUIRE_SERVERS says that it has to be there.
func realServer(t testing.TB) string {
	t.Helper()
	program, err := findServer(runtime.GOOS, ServerAuto)
	if err != nil || program == "" {
		if os.Getenv("RUNG_REQUIRE_SERVERS") == "1" {
			t.Fatal("no ovsdb-server on PATH")
		}
		t.Skip("no ovsdb-server on PATH: the part with a real server does not run")
	}
	return program
}

// A system that cannot run an ovsdb-server says so in one line, and has the built-in one.
func TestNoServersOnWindows(t *testing.T) {
	if program, err := findServer("windows", ServerAuto); program != "" || err != nil {
		t.Errorf("auto: %q, %v", program, err)
	}
	_, err := findServer("windows", "/usr/sbin/ovsdb-server")
	if err == nil || !strings.HasPrefix(err.Error(), "on Windows the sandbox runs neither ovsdb-server nor OVN: ") {
		t.Errorf("%v", err)
	}
}

// onBoth runs a test on a real and on a built-in server.
func onBoth(t *testing.T, test func(t *testing.T, server string)) {
	t.Run("builtin", func(t *testing.T) { test(t, ServerBuiltin) })
	t.Run("real", func(t *testing.T) { test(t, realServer(t)) })
}

// start starts a sandbox in a short-lived folder of memory, where there is
// such a thing.
func start(t testing.TB, cfg Config) *Sandbox {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = shortDir(t)
	}
	if cfg.Zones == nil {
		cfg.Zones = []string{"ovn-worker"}
	}
	cfg.Listen = servers.Listen
	s, err := Start(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func shortDir(t testing.TB) string {
	t.Helper()
	base := ""
	if fi, err := os.Stat("/dev/shm"); err == nil && fi.IsDir() {
		base = "/dev/shm"
	}
	dir, err := os.MkdirTemp(base, "rung-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

// watcher follows a zone.
type watcher struct {
	t    testing.TB
	conn *nbdb.Conn
	mu   sync.Mutex
	all  []model.ZoneUpdate
	db   *nb.DB
	news chan struct{}
}

func follow(t testing.TB, s *Sandbox, zone string, cfg nbdb.Config) *watcher {
	t.Helper()
	cfg.Name, cfg.Addr = zone, s.Endpoints()[zone]
	w := &watcher{t: t, conn: nbdb.Dial(cfg), news: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.conn.Run(ctx, func(u model.ZoneUpdate) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.all = append(w.all, u)
			if u.DB != nil {
				w.db = u.DB
			}
			select {
			case w.news <- struct{}{}:
			default:
			}
		})
	}()
	t.Cleanup(func() { cancel(); <-done })
	w.until("synced", func(u []model.ZoneUpdate, db *nb.DB) bool { return db.Global() != nil })
	return w
}

// until waits for updates to be as they should.
func (w *watcher) until(what string, ok func(all []model.ZoneUpdate, db *nb.DB) bool) {
	w.t.Helper()
	deadline := time.After(wait.Patience)
	for {
		w.mu.Lock()
		all, db := w.all, w.db
		w.mu.Unlock()
		if ok(all, db) {
			return
		}
		select {
		case <-w.news:
		case <-time.After(50 * time.Millisecond):
		case <-deadline:
			w.t.Fatalf("never %s; last updates: %+v", what, all[max(0, len(all)-3):])
		}
	}
}

func (w *watcher) rows() *nb.DB {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.db
}

func (w *watcher) mark() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.all)
}

func (w *watcher) transact(ops ...nb.Op) []nb.OpResult {
	w.t.Helper()
	res, err := w.conn.Transact(context.Background(), ops)
	if err != nil {
		w.t.Fatal(err)
	}
	return res
}

// tool runs one of OVS's own programs.
func tool(t testing.TB, name string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("RUNG_REQUIRE_SERVERS") == "1" {
			t.Fatalf("no %s on PATH", name)
		}
		t.Skipf("no %s on PATH", name)
	}
	cmd := exec.Command(path, append([]string{"--timeout=10"}, args...)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, args, err, stderr.String())
	}
	return string(out)
}

func pod(namespace, name, node string, ips ...string) *model.Pod {
	return &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: namespace, Name: name}, UID: name + "-uid"},
		NodeName: node, Phase: "Running", IPs: ips}
}

func cluster(objects ...model.Object) *model.Cluster {
	c, _ := (*model.Cluster)(nil).Upsert(objects, nil)
	return c
}

// aclOps inserts a port group with an ACL per action.
func aclOps(group string, ports []nb.Ref, actions ...string) []nb.Op {
	var ops []nb.Op
	var refs []nb.Ref
	for i, a := range actions {
		id := fmt.Sprintf("acl%d", i)
		ops = append(ops, nb.Op{Kind: nb.OpInsert, Table: nb.TableACL, UUIDName: id, Row: map[string]any{
			"action": a, "direction": nb.ToLport, "priority": 100 + i, "match": "ip4", "tier": 1, "log": false,
			"name": group + a, "meter": nb.LoggingMeter, "external_ids": map[string]string{nb.KeyID: group + ":" + a}}})
		refs = append(refs, nb.Ref{Name: id})
	}
	return append(ops, nb.Op{Kind: nb.OpInsert, Table: nb.TablePortGroup, UUIDName: "pg", Row: map[string]any{
		"name": group, "ports": ports, "acls": refs}})
}

func TestStartAndSeed(t *testing.T) {
	onBoth(t, func(t *testing.T, server string) {
		began := time.Now()
		s := start(t, Config{Server: server, Zones: []string{"a", "b", "c"}, ForeignRows: true})
		t.Logf("%s: three zones in %v", s.Describe(), time.Since(began))
		if d := s.Describe(); (d == ServerBuiltin) != (server == ServerBuiltin) || (d != ServerBuiltin && !strings.HasPrefix(d, "ovsdb-server ")) {
			t.Error(d)
		}
		for zone, addr := range s.Endpoints() {
			if addr != "unix:"+filepath.Join(s.Dir(), zone+".sock") {
				t.Error(addr)
			}
			db, err := nbdb.Dial(nbdb.Config{Addr: addr, AnyName: true}).Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			m := db.MeterByName(nb.LoggingMeter)
			if db.Global().Name != zone || m == nil || !m.Fair || m.Unit != "pktps" || len(m.Bands) != 1 {
				t.Errorf("%+v, %+v", db.Global(), m)
			} else if b := db.Band(m.Bands[0]); b == nil || b.Rate != 20 || b.BurstSize != 0 || b.Action != "drop" {
				t.Errorf("%+v", b)
			}
			sw := db.SwitchByName(zone)
			if sw == nil || len(sw.Ports) != 2 || len(sw.ACLs) != 0 {
				t.Fatalf("%+v", sw)
			}
			// The check value of ovn-kubernetes.md#hashed-names.
			if pg := db.PortGroupByName("a13298398610555951118"); pg == nil || len(pg.ACLs) != 0 || len(pg.Ports) != 1 {
				t.Errorf("%+v", pg)
			}
		}
	})
}

// Without rows of others the switch has the node's ports all the same, and the
// groups that they form: what is compiled hangs on them.
func TestSeedAlone(t *testing.T) {
	s := start(t, Config{Server: ServerBuiltin, Zones: []string{"a"}})
	db := follow(t, s, "a", nbdb.Config{}).rows()
	for group, port := range map[string]string{"a13298398610555951118": "k8s-a", "a4743249366342378346": "stor-a"} {
		pg := db.PortGroupByName(group)
		if pg == nil || len(pg.Ports) != 1 || db.Port(pg.Ports[0]).Name != port || len(pg.ACLs) != 0 {
			t.Errorf("%s: %+v", port, pg)
		}
	}
	if acls := slices.Collect(db.ACLs()); len(acls) > 0 {
		t.Errorf("%+v", acls)
	}
}

// The rows of others are as OVN-Kubernetes writes them, with the node's addresses,
// and match no packet: no port is in their groups.
func TestForeignRows(t *testing.T) {
	node := &model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: "a"}}, MgmtIPs: []string{"10.128.2.2", "fd01::2"}}
	s := start(t, Config{Server: ServerBuiltin, Zones: []string{"a"}, ForeignRows: true, Node: func(zone string) *model.Node {
		if zone != "a" {
			t.Errorf("asked for %s", zone)
		}
		return node
	}})
	db := follow(t, s, "a", nbdb.Config{}).rows()
	if got := db.PortByName("k8s-a").Addresses; !slices.Equal(got, []string{"0a:58:0a:80:02:02 10.128.2.2 fd01::2"}) {
		t.Error(got)
	}
	var got []string
	forms := map[nb.Form]int{}
	for a := range db.ACLs() {
		if _, err := match.Parse(a.Match); err != nil {
			t.Errorf("%s: %v", a.Match, err)
		}
		forms[nb.OwnerOfRow(a).Form]++
		if a.Tier == 0 {
			got = append(got, fmt.Sprint(strings.TrimPrefix(a.ID(), "default-network-controller:"), " ", a.Priority, " ", a.Stage(), " ", a.Action, " ", a.Match))
		}
		if a.Log || a.Meter != nb.LoggingMeter || (a.Tier < 2) != (a.ExternalIDs[NoteKey] == NoteValue) {
			t.Errorf("%+v", a)
		}
	}
	slices.Sort(got)
	// ovn-kubernetes.md#tier-0.
	if d := cmp.Diff([]string{
		"UDNIsolation:AllowHostARPPrimaryUDN:Egress 1001 from-lport allow inport == @a8747502060113802905 && (( arp && arp.tpa == 10.128.2.2 ) || ( nd && nd.target == fd01::2 ))",
		"UDNIsolation:AllowHostARPPrimaryUDN:Ingress 1001 to-lport allow outport == @a8747502060113802905 && (( arp && arp.spa == 10.128.2.2 ) || ( nd && nd.target == fd01::2 ))",
		"UDNIsolation:AllowHostPrimaryUDN:Ingress 1001 to-lport allow-related outport == @a8747502060113802905 && (ip4.src==10.128.2.2 || ip6.src==fd01::2)",
		"UDNIsolation:DenyPrimaryUDN:Egress 1000 from-lport drop inport == @a8747502060113802905",
		"UDNIsolation:DenyPrimaryUDN:Ingress 1000 to-lport drop outport == @a8747502060113802905",
	}, got); d != "" {
		t.Error(d)
	}
	for g := range db.PortGroups() {
		if f := nb.OwnerOfRow(g).Form; (f == nb.FormLegacy || g.Name == "a8747502060113802905") && len(g.Ports) > 0 {
			t.Errorf("%+v", g)
		} else {
			forms[f]++
		}
	}
	for s := range db.AddressSets() {
		forms[nb.OwnerOfRow(s).Form]++
	}
	// Of 2023: two ACLs, two sets, a group. Tier 0: five ACLs and a group, and the
	// two groups of the cluster. Known, which the reconciler writes: none.
	if d := cmp.Diff(map[nb.Form]int{nb.FormLegacy: 5, nb.FormRecognised: 8}, forms); d != "" {
		t.Error(d)
	}
}
