package sandbox

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/sources/nbdb"
	"rung/sources/retry"
)

// rowKeeper writes what in a zone's database is not Rung's: the first rows, the
// ports of the zone's pods, the port groups of their namespaces, the addresses
// of the node's management port. Like OVN-Kubernetes' handlers it acts on objects that change and,
// after a lost connection, on all of them; it does not watch over rows that
// others change.
type rowKeeper struct {
	zone string
	conn *nbdb.Conn
	seed []nb.Op
	log  *slog.Logger

	mu          sync.Mutex
	db          *nb.DB
	synced      bool
	fault       string        // why nothing can be read or written now
	ready       chan struct{} // closed when the first rows are there
	isReady     bool
	wantedPorts map[string]podPort
	madeFor     map[string]string // name → uid of the pod the port was made for
	// groups are the namespaces that are to have a port group, with its name.
	groups    map[string]string
	mgmt      []string  // the management port's addresses; nil: as they are
	firstMgmt []string  // the addresses that it has at first
	networks  *Standing // the networks besides the default one, nil without any
	isolation string    // the text of the ACLs of tier 0 that were written
	lab       bool      // packets are put in
	dirty     dirtyParts
	wake      chan struct{}
}

// dirtyParts holds the parts that have to be compared with the rows: ports by name,
// namespaces, the management port, other networks.
type dirtyParts struct {
	ports, namespaces map[string]struct{}
	mgmt, networks    bool
}

func noteNames[V any](in map[string]struct{}, names map[string]V) {
	for name := range names {
		in[name] = struct{}{}
	}
}

// podPort is the port a pod should have.
type podPort struct {
	uid       string
	namespace string
	address   string
}

// keptTables are the tables of its zone that a keeper reads.
var keptTables = []string{nb.TableGlobal, nb.TablePort, nb.TableSwitch, nb.TableMeter, nb.TablePortGroup}

func newKeeper(zone string, seed []nb.Op, log *slog.Logger, conn nbdb.Config) *rowKeeper {
	// The keeper cares for ports and their groups alone: no second copy of ACLs
	// and address sets, which are most of the rows.
	conn.Name, conn.Log, conn.Tables = zone, log, keptTables
	return &rowKeeper{zone: zone, seed: seed, log: log.With("zone", zone),
		conn:        nbdb.Dial(conn),
		wantedPorts: map[string]podPort{}, madeFor: map[string]string{}, groups: map[string]string{},
		dirty: dirtyParts{ports: map[string]struct{}{}, namespaces: map[string]struct{}{}},
		ready: make(chan struct{}), wake: make(chan struct{}, 1)}
}

// takeUpdate takes the connection's updates.
func (k *rowKeeper) takeUpdate(u model.ZoneUpdate) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.synced, k.fault = u.Conn == model.ConnSynced, u.Error
	if u.DB != nil {
		k.db = u.DB
	}
	if u.Resync {
		noteNames(k.dirty.ports, k.wantedPorts)
		noteNames(k.dirty.ports, k.madeFor)
		noteNames(k.dirty.namespaces, k.groups)
		k.dirty.mgmt, k.dirty.networks = true, true
		k.wakeKeeper()
	}
}

func (k *rowKeeper) wakeKeeper() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// putPort says what port a name should have; ok false means none.
func (k *rowKeeper) putPort(name string, p podPort, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if ok {
		k.wantedPorts[name] = p
	} else {
		delete(k.wantedPorts, name)
	}
	k.dirty.ports[name] = struct{}{}
	k.wakeKeeper()
}

// putNamespace says whether a namespace is there.
func (k *rowKeeper) putNamespace(name string, there bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if there {
		k.groups[name] = nb.HashedName(NamespaceIDs(name)[nb.KeyID])
	} else {
		delete(k.groups, name)
	}
	k.dirty.namespaces[name] = struct{}{}
	k.wakeKeeper()
}

// putManagement says what the management port's addresses are; nil leaves them.
func (k *rowKeeper) putManagement(ips []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.mgmt, k.dirty.mgmt = ips, true
	k.wakeKeeper()
}

// replacePorts says what all ports, namespaces and the management port should be.
func (k *rowKeeper) replacePorts(want map[string]podPort, groups map[string]string, mgmt []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	noteNames(k.dirty.ports, k.wantedPorts)
	noteNames(k.dirty.ports, want)
	noteNames(k.dirty.namespaces, k.groups)
	noteNames(k.dirty.namespaces, groups)
	k.wantedPorts, k.groups = want, groups
	k.mgmt, k.dirty.mgmt = mgmt, true
	k.wakeKeeper()
}

// waitSeeded waits until the first rows are there.
func (k *rowKeeper) waitSeeded(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, StartWithin, errNotSeeded)
	defer cancel()
	select {
	case <-k.ready:
		return nil
	case <-ctx.Done():
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	err := fmt.Errorf("seeding zone %s: %w", k.zone, context.Cause(ctx))
	if k.fault != "" {
		err = fmt.Errorf("%w: %s", err, k.fault)
	}
	return err
}

// errNotSeeded ends the wait for the first rows of a zone.
var errNotSeeded = fmt.Errorf("its database did not take the first rows within %v", StartWithin)

// writeRows writes whatever is to be written, and tries again what failed.
func (k *rowKeeper) writeRows(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.wake:
		}
		for again := true; again; {
			ops, what := k.dueOps()
			if len(ops) == 0 {
				break
			}
			_, err := k.conn.Transact(ctx, ops)
			again = k.noteWritten(what, err)
			if err != nil {
				k.log.Debug("writing the rows of others", "err", err)
				if !retry.Sleep(ctx, RestartAfter) {
					return
				}
			}
		}
	}
}
