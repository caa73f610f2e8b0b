package sandbox

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"sync"

	"rung/model"
	"rung/model/nb"
	"rung/sources/nbdb"
)

// keeper writes what in a zone's database is not Rung's: the first rows, and
// the ports of the zone's pods. Like OVN-Kubernetes' pod handler it acts on pods
// and, after a lost connection, on all of them; it does not watch over rows that
// others change.
type keeper struct {
	zone string
	conn *nbdb.Conn
	seed []nb.Op
	log  *slog.Logger

	mu      sync.Mutex
	db      *nb.DB
	synced  bool
	ready   chan struct{} // closed when the first rows are there
	isReady bool
	want    map[string]port
	made    map[string]string // name → uid of the pod the port was made for
	dirty   map[string]struct{}
	wake    chan struct{}
}

// port is the port a pod should have.
type port struct {
	uid       string
	namespace string
	address   string
}

// keptTables are what a keeper has to know of its zone.
var keptTables = []string{nb.TableGlobal, nb.TablePort, nb.TableSwitch, nb.TableMeter}

func newKeeper(zone string, seed []nb.Op, log *slog.Logger, conn nbdb.Config) *keeper {
	// The keeper cares for ports alone: no second copy of the rows.
	conn.Name, conn.Log, conn.Tables = zone, log, keptTables
	return &keeper{zone: zone, seed: seed, log: log.With("zone", zone),
		conn: nbdb.Dial(conn),
		want: map[string]port{}, made: map[string]string{}, dirty: map[string]struct{}{},
		ready: make(chan struct{}), wake: make(chan struct{}, 1)}
}

// sink takes the connection's updates.
func (k *keeper) sink(u model.ZoneUpdate) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.synced = u.Conn == model.ConnSynced
	if u.DB != nil {
		k.db = u.DB
	}
	if u.Resync {
		for name := range k.want {
			k.dirty[name] = struct{}{}
		}
		for name := range k.made {
			k.dirty[name] = struct{}{}
		}
		k.poke()
	}
}

func (k *keeper) poke() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// put says what port a name should have; ok false means none.
func (k *keeper) put(name string, p port, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if ok {
		k.want[name] = p
	} else {
		delete(k.want, name)
	}
	k.dirty[name] = struct{}{}
	k.poke()
}

// replace says what all ports should be.
func (k *keeper) replace(want map[string]port) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for name := range k.want {
		k.dirty[name] = struct{}{}
	}
	for name := range want {
		k.dirty[name] = struct{}{}
	}
	k.want = want
	k.poke()
}

// seeded waits until the first rows are there.
func (k *keeper) seeded(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	select {
	case <-k.ready:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("seeding zone %s: %w", k.zone, ctx.Err())
	}
}

// run writes whatever is to be written, and tries again what failed.
func (k *keeper) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.wake:
		}
		for again := true; again; {
			ops, owners := k.ops()
			if len(ops) == 0 {
				break
			}
			_, err := k.conn.Transact(ctx, ops)
			again = k.wrote(owners, err)
			if err != nil {
				k.log.Debug("writing ports", "err", err)
				if !sleep(ctx, restartAfter) {
					return
				}
			}
		}
	}
}

// ops are the operations that are due, and for the ports they are for the uid of
// the pod that each will have been made for, if it is there then. The pod may be
// another one before the operations are done.
func (k *keeper) ops() (ops []nb.Op, owners map[string]string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.synced {
		return nil, nil // a Resync will come and wake us
	}
	if k.db.Global() == nil {
		return k.seed, nil
	}
	if !k.isReady {
		k.isReady = true
		close(k.ready)
	}
	sw := k.db.SwitchByName(k.zone)
	if sw == nil {
		return nil, nil
	}
	owners = map[string]string{}
	var add []nb.Ref
	var remove []nb.Ref
	for i, name := range slices.Sorted(maps.Keys(k.dirty)) {
		want, wanted := k.want[name]
		owners[name] = want.uid
		live := k.db.PortByName(name)
		switch {
		case live == nil && wanted:
			id := "port" + strconv.Itoa(i)
			ops = append(ops, nb.Op{Kind: nb.OpInsert, Table: nb.TablePort, UUIDName: id, Row: map[string]any{
				"name": name, "addresses": []string{want.address}, "port_security": []string{want.address},
				"options":      map[string]string{"requested-chassis": k.zone, "iface-id-ver": want.uid},
				"external_ids": map[string]string{"namespace": want.namespace, "pod": "true"}}})
			add = append(add, nb.Ref{Name: id})
		case live == nil || live.ExternalIDs["pod"] != "true":
		case !wanted, k.made[name] != "" && k.made[name] != want.uid:
			owners[name] = k.made[name]
			remove = append(remove, nb.Ref{UUID: live.UUID})
		case len(live.Addresses) != 1 || live.Addresses[0] != want.address:
			ops = append(ops, nb.Op{Kind: nb.OpUpdate, Table: nb.TablePort, UUID: live.UUID, Row: map[string]any{
				"addresses": []string{want.address}, "port_security": []string{want.address}}})
		}
	}
	for _, m := range []nb.Mutation{{Column: "ports", Insert: true, Refs: add}, {Column: "ports", Refs: remove}} {
		if len(m.Refs) > 0 {
			ops = append(ops, nb.Op{Kind: nb.OpMutate, Table: nb.TableSwitch, UUID: sw.UUID, Mutations: []nb.Mutation{m}})
		}
	}
	if len(ops) == 0 {
		clear(k.dirty)
	}
	return ops, owners
}

// wrote notes the outcome; it says whether there may be more to do. Transact
// has let the sink know the rows as they are now, so that what is left is found
// by comparing again.
func (k *keeper) wrote(owners map[string]string, err error) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if errors.Is(err, model.ErrRefused) && len(owners) > 0 {
		// Somebody's row is in the way; the next change of the pod tries again.
		for name := range owners {
			delete(k.dirty, name)
		}
		return false
	}
	if err != nil {
		return k.synced
	}
	for name, uid := range owners {
		if uid != "" && k.db.PortByName(name) != nil {
			k.made[name] = uid
		} else {
			delete(k.made, name)
		}
	}
	return true
}

// macOf is the hardware address that OVN-Kubernetes derives from an address:
// 0a:58 and an IPv4 address, or the beginning of the SHA-256 of an IPv6 one.
// Where there is no address, other text serves.
func macOf(ip, otherwise string) string {
	var b [4]byte
	switch a, err := netip.ParseAddr(ip); {
	case err == nil && a.Unmap().Is4():
		b = a.Unmap().As4()
	case err == nil:
		b16 := a.As16()
		h := sha256.Sum256(b16[:])
		copy(b[:], h[:])
	default:
		h := sha256.Sum256([]byte(otherwise))
		copy(b[:], h[:])
	}
	return fmt.Sprintf("0a:58:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3])
}
