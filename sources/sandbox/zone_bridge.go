package sandbox

import (
	"context"
	"maps"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"rung/model/ovn/nb"
	"rung/model/words"
)

// plugRetryPause is the wait before ports are compared again after a failed write.
const plugRetryPause = 100 * time.Millisecond

// vif is a logical port that needs a port on br-int.
type vif struct {
	name, mac string
	addrs     []netip.Addr
	version   string // iface-id-ver, or empty for a pod without a UID
	versioned bool
	up        bool
}

// removedPort is a port with a deleted row, kept until ovs-vswitchd releases its pipe.
type removedPort struct {
	port *bridgePort
	cfg  int64 // the next_cfg that removed it
}

// zoneBridge is br-int, whose ports follow the zone's logical ports.
type zoneBridge struct {
	zone *Zone

	mu    sync.Mutex
	ports map[string]*bridgePort // by logical port
	drop  []removedPort
	need  int64 // the next_cfg that includes every port
	next  int   // the next interface number; used only by plugPorts
}

// firstRows returns the first rows of the vswitch database.
func (b *zoneBridge) firstRows() []map[string]any {
	z := b.zone
	return []map[string]any{
		insertValue("Interface", "iface", map[string]any{"name": "br-int", "type": "internal"}),
		insertValue("Port", "port", map[string]any{"name": "br-int", "interfaces": namedRef("iface")}),
		insertValue("Bridge", "bridge",
			map[string]any{"name": "br-int", "ports": namedRef("port"), "datapath_type": "dummy", "fail_mode": "secure"}),
		insertValue("Open_vSwitch", "all", map[string]any{"bridges": namedRef("bridge"), "next_cfg": 1,
			"external_ids": mapValue(map[string]string{"system-id": z.cfg.Name, "hostname": z.cfg.Name, "ovn-remote": z.SB(),
				"ovn-encap-type": "geneve", "ovn-encap-ip": "127.0.0.1", "ovn-monitor-all": "true"})}),
	}
}

func insertValue(table, name string, row map[string]any) map[string]any {
	return map[string]any{"op": "insert", "table": table, "uuid-name": name, "row": row}
}

// bridgePorts returns the operation that inserts a port of br-int, or deletes it.
func bridgePorts(mutator string, port any) map[string]any {
	return map[string]any{"op": "mutate", "table": "Bridge", "where": []any{[]any{"name", "==", "br-int"}},
		"mutations": []any{[]any{"ports", mutator, jsonSet(port)}}}
}

// plugPorts keeps br-int's ports in step with the logical ports, until ctx ends.
func (b *zoneBridge) plugPorts(ctx context.Context) {
	for {
		_, _, one := b.zone.nb.currentRows()
		_, _, two := b.zone.vs.currentRows()
		var again <-chan time.Time
		if err := b.plugOnce(ctx); err != nil {
			again = time.After(plugRetryPause)
		}
		select {
		case <-ctx.Done():
			return
		case <-one:
		case <-two:
		case <-again:
		}
	}
}

// wantedVIFs returns the logical ports without a type, by name. ok is false if the rows may be outdated.
func (b *zoneBridge) wantedVIFs() (out map[string]vif, ok bool) {
	tables, synced, _ := b.zone.nb.currentRows(nb.TablePort)
	if !synced {
		return nil, false
	}
	out = map[string]vif{}
	for _, r := range tables[0] {
		if r.stringAt("type") != "" || r.stringAt("name") == "" {
			continue
		}
		v := vif{name: r.stringAt("name"), up: r.boolAt("up")}
		v.version, v.versioned = r.mapAt("options")["iface-id-ver"]
		for _, text := range r.stringsAt("addresses") {
			for i, word := range strings.Fields(text) {
				if a, err := netip.ParseAddr(word); err == nil {
					v.addrs = append(v.addrs, a)
				} else if i == 0 && v.mac == "" {
					v.mac = word
				}
			}
		}
		out[v.name] = v
	}
	return out, true
}

// pluggedPorts returns the interface rows of br-int's ports by logical port, and the first unused number.
func (b *zoneBridge) pluggedPorts() (out map[string]tableRow, next int, ok bool) {
	tables, synced, _ := b.zone.vs.currentRows("Interface")
	if !synced {
		return nil, 0, false
	}
	out = map[string]tableRow{}
	for _, r := range tables[0] {
		digits, isPort := strings.CutPrefix(r.stringAt("name"), "p")
		n, err := strconv.Atoi(digits)
		if !isPort || err != nil {
			continue
		}
		next = max(next, n+1)
		out[r.mapAt("external_ids")["iface-id"]] = r
	}
	return out, next, true
}

// externalIDs returns the external_ids of the port's interface.
func (v vif) externalIDs() map[string]string {
	ids := map[string]string{"iface-id": v.name}
	if v.versioned {
		ids["iface-id-ver"] = v.version
	}
	return ids
}

// plugOnce compares and writes once. Only it changes b.ports.
func (b *zoneBridge) plugOnce(ctx context.Context) error {
	want, ok1 := b.wantedVIFs()
	have, next, ok2 := b.pluggedPorts()
	if !ok1 || !ok2 {
		return nil // a change will follow
	}
	b.closeReleased()
	if err := b.routeSwitches(ctx, want); err != nil {
		return err
	}
	// Numbers are never reused: ovs-vswitchd would take a replaced interface for the old one, and write to the
	// old pipe.
	b.next = max(b.next, next)
	var ops []map[string]any
	fresh := map[string]*bridgePort{}
	undo := func() {
		for _, p := range fresh {
			_ = os.Remove(p.path)
			p.closePipe()
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		v := want[name]
		r, there := have[name]
		iface := r.stringAt("name")
		if !there {
			iface = "p" + strconv.Itoa(b.next)
			b.next++
		}
		if !there || b.findPort(name) == nil {
			p, err := newPort(b.zone, name, iface)
			if err != nil {
				undo()
				return err
			}
			fresh[name] = p
		}
		if there {
			if fresh[name] != nil {
				// The answer to a write was lost: the row exists, its pipe does not. Any change makes
				// ovs-vswitchd open the new pipe.
				ops = append(ops, map[string]any{"op": "comment", "comment": "the pipe of " + iface})
			}
			if uuid := b.findUUID("Interface", iface); uuid != "" && !samePort(r, v) {
				ops = append(ops, map[string]any{"op": "update", "table": "Interface", "where": whereUUID(uuid),
					"row": map[string]any{"external_ids": mapValue(v.externalIDs())}})
			}
			continue
		}
		ops = append(ops, insertValue("Interface", "i"+iface, map[string]any{"name": iface, "type": "dummy",
			"external_ids": mapValue(v.externalIDs()), "options": mapValue(map[string]string{"tx_pcap": fresh[name].path})}),
			insertValue("Port", "o"+iface, map[string]any{"name": iface, "interfaces": namedRef("i" + iface)}),
			bridgePorts("insert", namedRef("o"+iface)))
	}
	var gone []string
	for name, r := range have {
		if _, wanted := want[name]; wanted {
			continue
		}
		if uuid := b.findUUID("Port", r.stringAt("name")); uuid != "" {
			gone, ops = append(gone, name), append(ops, bridgePorts("delete", uuidRef(uuid)))
		}
	}
	if len(ops) == 0 {
		return nil
	}
	cfg, err := b.zone.vs.raiseNumber(ctx, "Open_vSwitch", "next_cfg", ops...)
	if err != nil {
		undo()
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.need = cfg
	maps.Copy(b.ports, fresh)
	for _, name := range gone {
		if p := b.ports[name]; p != nil {
			b.drop = append(b.drop, removedPort{p, cfg})
			delete(b.ports, name)
		}
	}
	return nil
}

// samePort reports whether an interface has the ids of the logical port; ovn-controller adds others.
func samePort(r tableRow, v vif) bool {
	ids := r.mapAt("external_ids")
	have := maps.Clone(ids)
	maps.Copy(have, v.externalIDs())
	return maps.Equal(ids, have)
}

// closeReleased closes the pipes that ovs-vswitchd has released. Before that it may still open them, and would
// block without a reader.
func (b *zoneBridge) closeReleased() {
	cfg := b.currentCfg()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drop = slices.DeleteFunc(b.drop, func(l removedPort) bool {
		if l.cfg > cfg {
			return false
		}
		_ = os.Remove(l.port.path)
		l.port.closePipe()
		return true
	})
}

// currentCfg returns the number of the last configuration that ovs-vswitchd applied.
func (b *zoneBridge) currentCfg() int64 {
	tables, _, _ := b.zone.vs.currentRows("Open_vSwitch")
	for _, r := range tables[0] {
		return r.intAt("cur_cfg")
	}
	return 0
}

func (b *zoneBridge) findUUID(table, name string) string {
	tables, _, _ := b.zone.vs.currentRows(table)
	for uuid, r := range tables[0] {
		if r.stringAt("name") == name {
			return uuid
		}
	}
	return ""
}

// newPodPort returns the port of a logical port, nil if there is none yet.
func (b *zoneBridge) findPort(lport string) *bridgePort {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ports[lport]
}

// unfinishedText describes an unfinished port, "" if all are bound and deleted ones are gone.
func (b *zoneBridge) unfinishedText() string {
	want, ok1 := b.wantedVIFs()
	have, _, ok2 := b.pluggedPorts()
	if !ok1 || !ok2 {
		return "a database is not connected"
	}
	for name, v := range want {
		switch {
		case have[name] == nil:
			return "port " + name + " is not on br-int"
		case b.findPort(name) == nil:
			return "port " + name + " has no pipe"
		case have[name].intAt("ofport") <= 0 || !v.up:
			return "port " + name + " is not bound"
		}
	}
	for name := range have {
		if _, ok := want[name]; !ok {
			return "port " + name + " is still on br-int"
		}
	}
	b.mu.Lock()
	need := b.need
	b.mu.Unlock()
	return words.Choose(b.currentCfg() < need, "ovs-vswitchd is behind", "")
}
