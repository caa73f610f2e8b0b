package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/sources/nbdb"
	"rung/test/install"
)

// Replay serves the databases of many zones from one snapshot: to every client
// the rows that the zone should have, each zone with UUIDs of its own, and
// afterwards nothing but answers to echo and what Toggle changes. It stands for
// zones at rest, where real servers would need a gigabyte each for being read at
// once.
type Replay struct {
	dir    string
	schema []byte
	shared []replayRow // of all zones
	groups map[string][]replayGroup
	ctx    context.Context
	stop   context.CancelFunc
	wg     sync.WaitGroup

	mu       sync.Mutex
	altered  map[string]map[string]bool // ids of ACLs that read otherwise, by zone
	reads    map[string]time.Time       // when a snapshot was handed out last
	monitors map[*nbdb.RPCConn]monitored
}

// monitored lists the tables and columns that a client has a monitor of.
type monitored struct {
	zone string
	id   []byte // the monitor's
}

// replayRow is a row as <table-updates2> holds it; uuid is without what tells
// zones apart.
type replayRow struct {
	table, id, uuid string
	body, other     []byte // other: altered, of ACLs
}

// replayGroup is a port group's part that differs between zones.
type replayGroup struct {
	uuid  string
	names []string
	row   *nb.PortGroup
	acls  []string // uuids
}

// NewReplay compiles the cluster and listens for each of its nodes.
func NewReplay(ctx context.Context, c *model.Cluster) (*Replay, error) {
	root, err := install.Root()
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(filepath.Join(root, "sources", "sandbox", "ovn-nb.ovsschema"))
	if err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	var schema bytes.Buffer // on one line
	if err := json.Compact(&schema, raw); err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	dir, err := os.MkdirTemp("", "rung-zones-") // short: it holds sockets
	if err != nil {
		return nil, fmt.Errorf("making the folder of the sockets: %w", err)
	}
	r := &Replay{dir: dir, schema: schema.Bytes(), groups: map[string][]replayGroup{}, altered: map[string]map[string]bool{},
		reads: map[string]time.Time{}, monitors: map[*nbdb.RPCConn]monitored{}}
	r.ctx, r.stop = context.WithCancel(ctx)
	r.compile(c)
	for n := range c.Nodes() {
		var lc net.ListenConfig
		ln, err := lc.Listen(ctx, "unix", filepath.Join(dir, n.Name))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("zone %s: %w", n.Name, err), r.Close())
		}
		r.wg.Go(func() { r.accept(ln, n.Name) })
		context.AfterFunc(r.ctx, func() { _ = ln.Close() })
	}
	return r, nil
}

// Addr is the address of a zone's database.
func (r *Replay) Addr(zone string) string { return "unix:" + filepath.Join(r.dir, zone) }

// Alter makes one ACL, by its id, read otherwise in a zone from the next read on.
func (r *Replay) Alter(zone, id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.altered[zone] == nil {
		r.altered[zone] = map[string]bool{}
	}
	r.altered[zone][id] = true
}

// Sent is when a zone's snapshot was handed out last; zero when it never was.
func (r *Replay) Sent(zone string) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reads[zone]
}

// Close hangs up on everybody.
func (r *Replay) Close() error {
	r.stop()
	r.wg.Wait()
	return os.RemoveAll(r.dir)
}

// compile writes down the rows.
func (r *Replay) compile(c *model.Cluster) {
	d := compiler.Compile(c, compiler.Options{})
	n := 0
	uuid := func() string { // 28 characters after the zone's eight
		n++
		return fmt.Sprintf("-0000-4000-8000-%012x", n)
	}
	for p := range d.Policies() {
		rows := d.RowsOfUnit(p.Key, "", nil)
		var acls []string
		for _, a := range rows.ACLs {
			row := replayRow{table: nb.TableACL, id: a.ID(), uuid: uuid(), body: encodeRow(a)}
			b := *a
			b.Match += " && ip.ttl > 1"
			row.other = encodeRow(&b)
			acls = append(acls, row.uuid)
			r.shared = append(r.shared, row)
		}
		for _, s := range rows.AddressSets {
			r.shared = append(r.shared, replayRow{table: nb.TableAddressSet, uuid: uuid(), body: encodeRow(s)})
		}
		if rows.PortGroup == nil {
			continue
		}
		at := uuid()
		for node := range c.Nodes() {
			g := replayGroup{uuid: at, row: rows.PortGroup, acls: acls, names: d.LogicalPorts(p, node.Name, nil)}
			r.groups[node.Name] = append(r.groups[node.Name], g)
		}
	}
}

func encode(v any) []byte {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and numbers
	}
	return out
}

// encodeRow writes the columns of a compiled row as the server does.
func encodeRow(row nb.Row) []byte {
	out := map[string]any{}
	for _, c := range nb.Columns(row) {
		switch v := c.Value.(type) {
		case nb.Optional:
			out[c.Name] = v
			if v == "" {
				out[c.Name] = ovsSet(nil)
			}
		case []string:
			out[c.Name] = ovsSet(v)
		case map[string]string:
			out[c.Name] = ovsMap(v)
		default:
			out[c.Name] = v
		}
	}
	return encode(out)
}

func ovsSet(in []string) any {
	if len(in) == 1 {
		return in[0]
	}
	return []any{"set", append([]string{}, in...)}
}

func ovsMap(m map[string]string) any {
	pairs := make([][2]string, 0, len(m))
	for k, v := range m {
		pairs = append(pairs, [2]string{k, v})
	}
	return []any{"map", pairs}
}

func (r *Replay) accept(ln net.Listener, zone string) {
	for {
		c, err := ln.Accept()
		if err != nil {
			return // closed
		}
		r.wg.Go(func() {
			defer context.AfterFunc(r.ctx, func() { _ = c.Close() })()
			defer func() { _ = c.Close() }()
			r.serve(c, zone)
		})
	}
}

// serve answers one client until it hangs up.
func (r *Replay) serve(c net.Conn, zone string) {
	rpc := nbdb.NewRPCConn(c, 10*time.Second)
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.monitors, rpc)
	}()
	for {
		m, err := rpc.Read()
		if err != nil {
			return
		}
		switch m.Method {
		case "get_schema":
			err = rpc.Write(nbdb.ReplyText(m.ID, r.schema))
		case "list_dbs":
			err = rpc.Write(nbdb.ReplyText(m.ID, encode([]string{nb.Database})))
		case "echo":
			err = rpc.Write(nbdb.ReplyText(m.ID, m.Params))
		case "monitor_cond":
			// The ids are views that the next Read overwrites.
			if err = r.follow(rpc, zone, m.Params); err == nil {
				err = r.snapshot(c, append([]byte(nil), m.ID...), zone)
			}
		case "":
		default:
			err = rpc.Write(nbdb.ErrorReply(m.ID, []byte(`"unknown method"`)))
		}
		if err != nil {
			return
		}
	}
}

// follow notes a client that gets its snapshot next.
func (r *Replay) follow(rpc *nbdb.RPCConn, zone string, params []byte) error {
	var ps []json.RawMessage
	if err := json.Unmarshal(params, &ps); err != nil || len(ps) < 2 {
		return fmt.Errorf("zone %s: a monitor without an id", zone)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.monitors[rpc] = monitored{zone, ps[1]}
	return nil
}

// ToggleKey is the key of NB_Global's external_ids that says how many updates there
// were.
const ToggleKey = "bench-update"

// Toggle sends an update to everybody who follows a zone and has its snapshot: a pod
// comes into the first so many sets or, every second time, goes out of them. Call n
// counts from 0.
func (r *Replay) Toggle(sets, n int) error {
	r.mu.Lock()
	monitors := maps.Clone(r.monitors)
	r.mu.Unlock()
	for rpc, m := range monitors {
		prefix := zonePrefix(m.zone)
		params := fmt.Appendf(nil, `[%s,{%q:{"%s%s":{"modify":{"external_ids":["map",[[%q,"%d"]]]}}},%q:{`,
			m.id, nb.TableGlobal, prefix, globalUUID, ToggleKey, n+1, nb.TableAddressSet)
		left := sets
		for i := range r.shared {
			if row := &r.shared[i]; row.table == nb.TableAddressSet && left > 0 {
				left--
				if left < sets-1 {
					params = append(params, ',')
				}
				params = fmt.Appendf(params, `"%s%s":{"modify":{"addresses":"192.0.2.1"}}`, prefix, row.uuid)
			}
		}
		if err := rpc.Write(nbdb.NotificationText("update2", append(params, "}}]"...))); err != nil {
			return fmt.Errorf("zone %s: %w", m.zone, err)
		}
	}
	return nil
}

// globalUUID is the end of NB_Global's UUID; zonePrefix, before it, tells zones apart.
const globalUUID = "-0000-4000-8000-ffffffffffff"

func zonePrefix(zone string) string { return fmt.Sprintf("%08x", hashName(zone)) }

// snapshot sends the rows of a zone.
func (r *Replay) snapshot(c io.Writer, id []byte, zone string) error {
	r.mu.Lock()
	altered := maps.Clone(r.altered[zone])
	r.mu.Unlock()
	w := &rowWriter{w: bufio.NewWriterSize(c, 64<<10), prefix: zonePrefix(zone)}
	w.raw(`{"id":`, string(id), `,"error":null,"result":{`)
	w.table(nb.TableGlobal)
	w.row(globalUUID, encode(map[string]any{"name": zone, "external_ids": ovsMap(nil)}))
	table := ""
	for _, t := range []string{nb.TableACL, nb.TableAddressSet} {
		for i := range r.shared {
			row := &r.shared[i]
			if row.table != t {
				continue
			}
			if table != t {
				w.table(t)
				table = t
			}
			body := row.body
			if row.other != nil && altered[row.id] {
				body = row.other
			}
			w.row(row.uuid, body)
		}
	}
	w.groups(r.groups[zone])
	w.raw("}}}")
	if err := w.w.Flush(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reads[zone] = time.Now()
	return nil
}

// rowWriter writes <table-updates2>; errors come with the flush.
type rowWriter struct {
	w      *bufio.Writer
	prefix string // of the zone's UUIDs
	tables int
	rows   int
}

func (w *rowWriter) raw(parts ...string) {
	for _, p := range parts {
		_, _ = w.w.WriteString(p)
	}
}

func (w *rowWriter) table(name string) {
	w.tables++
	if w.tables > 1 {
		w.raw("},")
	}
	w.rows = 0
	w.raw(`"`, name, `":{`)
}

func (w *rowWriter) row(uuid string, body []byte) {
	w.rows++
	if w.rows > 1 {
		w.raw(",")
	}
	w.raw(`"`, w.prefix, uuid, `":{"initial":`)
	_, _ = w.w.Write(body)
	w.raw("}")
}

// groups writes port groups and the ports they hold.
func (w *rowWriter) groups(groups []replayGroup) {
	ports := map[string]string{}
	refs := func(uuids []string) any {
		out := make([][2]string, len(uuids))
		for i, u := range uuids {
			out[i] = [2]string{"uuid", w.prefix + u}
		}
		return []any{"set", out}
	}
	w.table(nb.TablePortGroup)
	for _, g := range groups {
		uuids := make([]string, len(g.names))
		for i, name := range g.names {
			if ports[name] == "" {
				ports[name] = fmt.Sprintf("-0000-4000-9000-%012x", len(ports)+1)
			}
			uuids[i] = ports[name]
		}
		w.row(g.uuid, encode(map[string]any{"name": g.row.Name, "external_ids": ovsMap(g.row.ExternalIDs),
			"ports": refs(uuids), "acls": refs(g.acls)}))
	}
	w.table(nb.TablePort)
	for name, uuid := range ports {
		w.row(uuid, encode(map[string]any{"name": name, "external_ids": ovsMap(nil)}))
	}
}

func hashName(s string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s))
	return h.Sum32()
}
