package engine

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
	"rung/sources/nbdb/second"
)

// SecondRead is how Rung's own client and libovsdb's agree on a zone's rows. Err says why
// there is no answer.
type SecondRead struct {
	Zone string
	*second.Result
	Err error
}

// secondAtOnce is how many zones are read through libovsdb at a time: it needs several
// times the memory.
const secondAtOnce = 2

// SecondReads reads zones once more through libovsdb, each in a child process that is
// this program with the arguments, a socket behind them, and runs SecondReader.
func (e *Engine) SecondReads(ctx context.Context, zones []string, child ...string) []SecondRead {
	out := make([]SecondRead, len(zones))
	slots := make(chan struct{}, secondAtOnce)
	var wg sync.WaitGroup
	for i, zone := range zones {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			out[i].Zone = zone
			out[i].Result, out[i].Err = e.secondRead(ctx, zone, child)
		})
	}
	wg.Wait()
	return out
}

// RowDifference is what the two have otherwise.
type RowDifference = second.Difference

// SecondReader is what a child of SecondReads runs.
var SecondReader = second.Child

// connector is a zone whose database another client can read.
type connector interface {
	Connect(ctx context.Context) (net.Conn, error)
}

func (e *Engine) secondRead(ctx context.Context, name string, child []string) (*second.Result, error) {
	zone, followed, err := e.zones.Open(name)
	if err != nil {
		return nil, err
	}
	c, ok := zone.(connector)
	if !ok {
		return nil, errors.New("libovsdb reads databases of servers, and this is a file")
	}
	cfg := second.Config{Connect: c.Connect, Command: second.Self(child...)}
	if !followed {
		return cfg.Compare(ctx, func(ctx context.Context, take func(*nb.DB)) error { return followOnce(ctx, zone, take) })
	}
	if z := e.Revision().Zone(name); z == nil || z.SyncedAt.IsZero() {
		return nil, errNeverRead // the answer that this one is for has waited for it
	}
	for n := 1; ; n++ {
		r, err := cfg.Compare(ctx, e.followed(name))
		if n == secondTries || !errors.Is(err, errNoRows) || !e.back(ctx, name) {
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
	// secondTries is how often a zone is read whose connection is lost meanwhile, and
	// backWithin how long it may take to be there again.
	secondTries = 3
	backWithin  = 15 * time.Second
)

// back waits until a zone is connected again, and says whether it is.
func (e *Engine) back(ctx context.Context, name string) bool {
	ctx, cancel := context.WithTimeout(ctx, backWithin)
	defer cancel()
	return e.Wait(ctx, func(r *revision.Revision) bool {
		z := r.Zone(name)
		return z != nil && z.Conn == model.ConnSynced
	}) == nil
}

// followed hands on the rows of a zone that the engine follows, as they are published.
func (e *Engine) followed(name string) func(context.Context, func(*nb.DB)) error {
	return func(ctx context.Context, take func(*nb.DB)) error {
		ticks, stop := e.Subscribe()
		defer stop()
		for {
			switch z := e.Revision().Zone(name); {
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
