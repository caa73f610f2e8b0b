package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/sources/nbdb"
	"rung/sources/retry"
)

// rowKeeper writes the rows of a zone that are not Rung's: the first rows, pods' ports, port groups of their
// namespaces, the management port's addresses, rows of other networks. It compares them with the objects when
// these change and after a lost connection. It does not watch for changes that others make to the rows.
type rowKeeper struct {
	zone      string
	conn      *nbdb.Conn
	seed      []nb.Op
	log       *slog.Logger
	firstMgmt []string // the management port's initial addresses
	lab       bool     // the zone runs on OVN

	mu        sync.Mutex
	db        *nb.DB
	synced    bool
	fault     string        // why reading or writing fails now
	ready     chan struct{} // closed when the first rows exist
	isReady   bool
	objects   *ClusterNetworks  // nil until SetPods
	madeFor   map[string]string // port name → uid of the pod it was made for
	groups    map[string]string // namespace → its port group's name
	segmented bool              // there are or were networks other than the default one
	isolation string            // the text of the last written tier-0 ACLs
	wake      chan struct{}
}

// keptTables are the tables that a keeper reads.
var keptTables = []string{nb.TableGlobal, nb.TablePort, nb.TableSwitch, nb.TableMeter, nb.TablePortGroup}

func newKeeper(zone string, seed []nb.Op, log *slog.Logger, conn nbdb.Config) *rowKeeper {
	// Only ports and groups are read, to avoid a second copy of ACLs and address sets, which are most of the
	// rows.
	conn.Name, conn.Log, conn.Tables = zone, log, keptTables
	return &rowKeeper{zone: zone, seed: seed, log: log.With("zone", zone), conn: nbdb.Dial(conn),
		madeFor: map[string]string{}, groups: map[string]string{}, ready: make(chan struct{}), wake: make(chan struct{}, 1)}
}

// takeUpdate receives the connection's updates.
func (k *rowKeeper) takeUpdate(u model.ZoneUpdate) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.synced, k.fault = u.Conn == model.ConnSynced, u.Error
	if u.DB != nil {
		k.db = u.DB
	}
	if u.Resync {
		retry.Wake(k.wake)
	}
}

// putObjects sets the objects to follow.
func (k *rowKeeper) putObjects(s *ClusterNetworks) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.objects = s
	retry.Wake(k.wake)
}

// waitSeeded waits until the first rows exist.
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

// errNotSeeded ends the wait for a zone's first rows.
var errNotSeeded = fmt.Errorf("its first rows were not written within %v", StartWithin)

// writeRows writes outstanding changes, and retries failures.
func (k *rowKeeper) writeRows(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.wake:
		}
		for again := true; again; {
			ops, isolation := k.dueOps()
			if len(ops) == 0 {
				break
			}
			_, err := k.conn.Transact(ctx, ops)
			again = k.noteWritten(isolation, err)
			if err != nil {
				k.log.Debug("writing the rows of others", "err", err)
				if !retry.Sleep(ctx, RestartAfter) {
					return
				}
			}
		}
	}
}

// noteWritten records the outcome, and reports whether to compare again. The sink already has the written
// rows, so a comparison finds only the rest.
func (k *rowKeeper) noteWritten(isolation string, err error) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case errors.Is(err, model.ErrRejected) && k.isReady:
		return false // another writer's row is in the way; the next change retries
	case err != nil:
		k.fault = err.Error()
		return k.synced
	case isolation != "":
		k.isolation = isolation
	}
	return true
}
