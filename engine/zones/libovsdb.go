package zones

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"golang.org/x/sync/errgroup"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/reconciler"
	"rung/revision"
	libovsdb "rung/sources/nbdb/second"
	"rung/sources/retry"
)

// ZoneReading compares a zone's rows as read by Rung's own client and by libovsdb. Err says why it has no
// answer.
type ZoneReading struct {
	Zone string
	*libovsdb.Result
	Err error
}

// parallelReads bounds the zones read through libovsdb at a time: it needs several times the memory.
const parallelReads = 2

// ReadZones reads zones once more through libovsdb. Each is read in a child process: this program with the
// arguments child, followed by a socket, which runs Reader.
func ReadZones(ctx context.Context, z *Set, names []string, child ...string) []ZoneReading {
	out := make([]ZoneReading, len(names))
	var all errgroup.Group
	all.SetLimit(parallelReads)
	for i, zone := range names {
		all.Go(func() error {
			out[i].Zone = zone
			out[i].Result, out[i].Err = readZone(ctx, z, zone, child)
			return nil
		})
	}
	_ = all.Wait() // every reading has its own error
	return out
}

// RowDifference is one difference between the rows of the two clients.
type RowDifference = libovsdb.Difference

// Reader is the program of a child process of ReadZones.
var Reader = libovsdb.RunChild

// zoneConnector is a zone whose database another client can read.
type zoneConnector interface {
	Connect(ctx context.Context) (net.Conn, error)
}

func readZone(ctx context.Context, z *Set, name string, child []string) (*libovsdb.Result, error) {
	zone, watched, err := z.OpenZone(name)
	if err != nil {
		return nil, err
	}
	c, ok := zone.(zoneConnector)
	if !ok {
		return nil, errors.New("libovsdb reads databases of servers, not files")
	}
	cfg := libovsdb.Config{Connect: c.Connect, Command: libovsdb.SelfCommand(child...)}
	if !watched {
		return cfg.CompareRows(ctx, func(ctx context.Context, take func(*nb.DB)) error { return followOnce(ctx, zone, take) })
	}
	if st := z.Revision().Zone(name); st == nil || st.SyncedAt.IsZero() {
		return nil, errNeverRead // the caller has already waited for it
	}
	for n := 1; ; n++ {
		r, err := cfg.CompareRows(ctx, followedRows(z, name))
		if n == readTries || !errors.Is(err, errNoRows) || !waitConnected(ctx, z, name) {
			return r, err
		}
	}
}

var (
	// errNoRows means that Rung's own client has no rows to compare with.
	errNoRows = errors.New("not connected by Rung's own client")
	// errNeverRead means that Rung's own client never had rows.
	errNeverRead = errors.New("not readable by Rung's own client")
)

const (
	// readTries bounds the readings of a zone that loses its connection meanwhile; reconnectTimeout bounds the wait for
	// its return.
	readTries        = 3
	reconnectTimeout = 15 * time.Second
)

// waitConnected waits until a zone is connected again, and returns whether it is.
func waitConnected(ctx context.Context, set *Set, name string) bool {
	ctx, cancel := context.WithTimeout(ctx, reconnectTimeout)
	defer cancel()
	return set.WaitFor(ctx, func(r *revision.Revision) bool {
		z := r.Zone(name)
		return z != nil && z.Conn == model.ConnSynced
	}) == nil
}

// followedRows hands on the published rows of a zone that the engine follows.
func followedRows(set *Set, name string) func(context.Context, func(*nb.DB)) error {
	return func(ctx context.Context, take func(*nb.DB)) error {
		ticks, stop := set.Subscribe()
		defer stop()
		for ok := true; ok; ok = retry.Await(ctx, ticks) {
			switch z := set.Revision().Zone(name); {
			case z == nil:
				return errors.New("the zone no longer exists")
			case z.Conn == model.ConnLost || z.Conn == model.ConnDenied:
				return fmt.Errorf("%w: %s", errNoRows, z.Error)
			case z.DB != nil:
				take(z.DB)
			}
		}
		return nil
	}
}

// followOnce follows a zone that the engine does not follow.
func followOnce(ctx context.Context, zone reconciler.Zone, take func(*nb.DB)) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	zone.Run(ctx, func(u model.ZoneUpdate) {
		switch {
		case u.DB != nil:
			take(u.DB)
		case u.Attempts > 0 && u.Error != "":
			err = fmt.Errorf("%w: %s", errNoRows, u.Error)
			cancel()
		}
	})
	return err
}
