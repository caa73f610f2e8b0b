package zones

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/reconciler"
	"rung/revision"
	libovsdb "rung/sources/nbdb/second"
)

// ZoneReading is how Rung's own client and libovsdb's agree on a zone's rows. Err says why
// there is no answer.
type ZoneReading struct {
	Zone string
	*libovsdb.Result
	Err error
}

// atOnce is how many zones are read through libovsdb at a time: it needs several
// times the memory.
const atOnce = 2

// ReadZones reads zones once more through libovsdb, each in a child process that is
// this program with the arguments, a socket behind them, and runs Reader.
func ReadZones(ctx context.Context, z *Set, names []string, child ...string) []ZoneReading {
	out := make([]ZoneReading, len(names))
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i, zone := range names {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			out[i].Zone = zone
			out[i].Result, out[i].Err = readZone(ctx, z, zone, child)
		})
	}
	wg.Wait()
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
		return nil, errors.New("libovsdb reads databases of servers, and this is a file")
	}
	cfg := libovsdb.Config{Connect: c.Connect, Command: libovsdb.SelfCommand(child...)}
	if !watched {
		return cfg.CompareRows(ctx, func(ctx context.Context, take func(*nb.DB)) error { return followOnce(ctx, zone, take) })
	}
	if st := z.Revision().Zone(name); st == nil || st.SyncedAt.IsZero() {
		return nil, errNeverRead // the answer that this one is for has waited for it
	}
	for n := 1; ; n++ {
		r, err := cfg.CompareRows(ctx, followedRows(z, name))
		if n == tries || !errors.Is(err, errNoRows) || !waitConnected(ctx, z, name) {
			return r, err
		}
	}
}

var (
	// errNoRows says that there is nothing to compare with.
	errNoRows = errors.New("the client that Rung has itself is not connected")
	// errNeverRead says that there never was.
	errNeverRead = errors.New("the client that Rung has itself could not read it")
)

const (
	// tries is how often a zone is read whose connection is lost meanwhile, and
	// backWithin how long it may take to be there again.
	tries      = 3
	backWithin = 15 * time.Second
)

// waitConnected waits until a zone is connected again, and says whether it is.
func waitConnected(ctx context.Context, set *Set, name string) bool {
	ctx, cancel := context.WithTimeout(ctx, backWithin)
	defer cancel()
	return set.WaitFor(ctx, func(r *revision.Revision) bool {
		z := r.Zone(name)
		return z != nil && z.Conn == model.ConnSynced
	}) == nil
}

// followedRows hands on the rows of a zone that the engine follows, as they are published.
func followedRows(set *Set, name string) func(context.Context, func(*nb.DB)) error {
	return func(ctx context.Context, take func(*nb.DB)) error {
		ticks, stop := set.Subscribe()
		defer stop()
		for {
			switch z := set.Revision().Zone(name); {
			case z == nil:
				return errors.New("the zone has gone")
			case z.Conn == model.ConnLost || z.Conn == model.ConnDenied:
				return fmt.Errorf("%w: %s", errNoRows, z.Error)
			case z.DB != nil:
				take(z.DB)
			}
			select {
			case <-ctx.Done():
				return nil
			case <-ticks:
			}
		}
	}
}

// followOnce follows a zone that nobody else does.
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
