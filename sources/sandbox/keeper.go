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

// rowKeeper writes what in a zone's database is not Rung's: the first rows, the
// ports of the zone's pods, the port groups of their namespaces, the addresses
// of the node's management port, the rows of other networks. It compares them with the objects when these
// change and after a lost connection; it does not watch over rows that others change.
type rowKeeper struct {
	zone      string
	conn      *nbdb.Conn
	seed      []nb.Op
	log       *slog.Logger
	firstMgmt []string // the addresses that the management port has at first
	lab       bool     // packets are put in

	mu        sync.Mutex
	db        *nb.DB
	synced    bool
	fault     string        // why nothing can be read or written now
	ready     chan struct{} // closed when the first rows are there
	isReady   bool
	objects   *Standing         // nil until some were told
	madeFor   map[string]string // name → uid of the pod the port was made for
	groups    map[string]string // namespaces that had a port group, with its name
	segmented bool              // there are networks besides the default one, or were
	isolation string            // the text of the ACLs of tier 0 that were written
	wake      chan struct{}
}

// keptTables are the tables of its zone that a keeper reads.
var keptTables = []string{nb.TableGlobal, nb.TablePort, nb.TableSwitch, nb.TableMeter, nb.TablePortGroup}

func newKeeper(zone string, seed []nb.Op, log *slog.Logger, conn nbdb.Config) *rowKeeper {
	// The keeper cares for ports and their groups alone: no second copy of ACLs
	// and address sets, which are most of the rows.
	conn.Name, conn.Log, conn.Tables = zone, log, keptTables
	return &rowKeeper{zone: zone, seed: seed, log: log.With("zone", zone), conn: nbdb.Dial(conn),
		madeFor: map[string]string{}, groups: map[string]string{}, ready: make(chan struct{}), wake: make(chan struct{}, 1)}
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
		k.wakeKeeper()
	}
}

func (k *rowKeeper) wakeKeeper() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// putObjects says what objects there are.
func (k *rowKeeper) putObjects(s *Standing) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.objects = s
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

// noteWritten notes the outcome; it says whether there may be more to do. Transact
// has let the sink know the rows as they are now, so that what is left is found
// by comparing again.
func (k *rowKeeper) noteWritten(isolation string, err error) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case errors.Is(err, model.ErrRefused) && k.isReady:
		return false // somebody's row is in the way; the next change tries again
	case err != nil:
		k.fault = err.Error()
		return k.synced
	case isolation != "":
		k.isolation = isolation
	}
	return true
}
