package nbdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/sources/retry"
)

// Conn is the connection to one zone's database. It satisfies the reconciler's
// Zone. Run it once.
type Conn struct {
	cfg     Config
	current atomic.Pointer[northboundSession] // nil unless synced
}

// Dial makes a connection that Run will keep up. Nothing happens before Run.
func Dial(cfg Config) *Conn { return &Conn{cfg: cfg.withDefaults()} }

// Name is the zone's name.
func (c *Conn) Name() string { return c.cfg.Name }

// Endpoint is the printable address.
func (c *Conn) Endpoint() string { return words.CleanText(c.cfg.Addr) }

// errResync ends a session because somebody asked for a fresh snapshot.
var errResync = errors.New("reading all rows again")

// errClosed ends a session that has done its work.
var errClosed = errors.New("closed")

// Resync drops the connection, if there is one, so that everything is read
// afresh.
func (c *Conn) Resync() {
	if s := c.current.Load(); s != nil {
		s.failSession(errResync)
	}
}

// Run connects, hands the snapshot and then every change to sink, and starts
// again whenever the connection is lost, until ctx ends. Sink is called from
// this goroutine only; it may take its time (changes are gathered meanwhile)
// but must not wait for a Transact of the same connection. Run returns when all
// its goroutines have ended.
//
// While there is no connection, Conn is ConnDialling (none so far), ConnLost
// or ConnDenied, and Error says why. Attempts counts from the last success.
func (c *Conn) Run(ctx context.Context, sink func(model.ZoneUpdate)) {
	c.cfg.keepConnected(ctx, func(state model.ConnState, attempts int, reason string) {
		sink(model.ZoneUpdate{Conn: state, At: time.Now(), Attempts: attempts, Error: reason})
	}, func(ctx context.Context) (func() error, error) {
		n, err := openNorthbound(ctx, &c.cfg)
		if err != nil {
			return nil, err
		}
		return func() error { return c.serveRows(ctx, n, sink) }, nil
	})
}

// keepConnected connects and serves, again and again, until ctx ends; tell says how it stands
// whenever there is no connection.
func (c *Config) keepConnected(ctx context.Context, tell func(state model.ConnState, attempts int, reason string),
	connect func(context.Context) (serve func() error, err error)) {
	log := c.Log.With("zone", c.Name, "addr", c.Addr)
	down := model.ConnDialling
	attempts := 0
	again := retry.Backoff(c.BackoffMin, c.BackoffMax)
	tell(down, 0, "")
	for {
		attempts++
		serve, err := connect(ctx)
		if err == nil {
			log.Debug("connected", "attempts", attempts)
			began := time.Now()
			attempts = 0
			err = serve()
			down = model.ConnLost
			if time.Since(began) >= c.BackoffMax || errors.Is(err, errResync) {
				again = retry.Backoff(c.BackoffMin, c.BackoffMax)
			}
		}
		if ctx.Err() != nil {
			return
		}
		log.Debug("no connection", "attempts", attempts, "err", err)
		state := down
		if errors.Is(err, fs.ErrPermission) {
			state = model.ConnDenied
		}
		tell(state, attempts, words.CleanText(err.Error()))
		if errors.Is(err, errResync) {
			continue
		}
		if !retry.Sleep(ctx, again.Step()) {
			return
		}
	}
}

// serveRows hands a session's rows to the sink until it ends, and says why it did.
func (c *Conn) serveRows(ctx context.Context, n *northboundSession, sink func(model.ZoneUpdate)) error {
	server := c.cfg.Server
	if server == "" {
		server = nb.Database + " " + n.version
	}
	// The changes since the snapshot are in db already.
	db, _, seq := n.takeNews()
	c.current.Store(n)
	defer c.current.Store(nil)
	sink(model.ZoneUpdate{Conn: model.ConnSynced, At: time.Now(), Server: server, DB: db, Resync: true, Error: n.rowsAside()})
	n.noteDelivered(seq)
	aside := n.rowsAside()
	return n.serveSink(ctx, func() uint64 {
		db, ch, seq := n.takeNews()
		if now := n.rowsAside(); len(ch) > 0 || now != aside {
			aside = now
			sink(model.ZoneUpdate{Conn: model.ConnSynced, At: time.Now(), Server: server, DB: db, Changes: ch, Error: aside})
		}
		return seq
	})
}

// Transact sends the operations as one transaction and waits for the answer, and then
// until the sink has been told what the transaction changed: a caller that looks at the
// rows afterwards sees its own writes. The values in the operations must not be changed
// afterwards.
//
// ErrNotConnected means nothing was sent. model.ErrRefused means the server did nothing
// and would refuse again; the results then say which operation failed. model.ErrWait
// means a wait was not met, and nothing was done either. After any other error the
// outcome is unknown and the connection is dropped, so that a Resync shows it.
func (c *Conn) Transact(ctx context.Context, ops []nb.Op) ([]nb.OpResult, error) {
	return c.Send(ctx, ops)()
}

// Send is Transact in two steps: it returns when the operations were written to the
// connection, or will not be, and what it returns waits for what Transact returns and
// has to be called. The server does what was sent in the order of the calls, if one
// follows on the other. The outcome of what was sent behind a transaction whose own is
// unknown is unknown, too.
func (c *Conn) Send(ctx context.Context, ops []nb.Op) (wait func() ([]nb.OpResult, error)) {
	say := func(err error) error {
		if err != nil {
			err = fmt.Errorf("writing to zone %s: %w", c.cfg.Name, err)
		}
		return err
	}
	without := func(err error) func() ([]nb.OpResult, error) {
		return func() ([]nb.OpResult, error) { return nil, say(err) }
	}
	if len(ops) == 0 {
		return without(nil)
	}
	buf := buffers.Get().(*[]byte)
	var err error
	rows := &sentRows{}
	release := c.cfg.Slot()
	*buf, err = appendOps((*buf)[:0], ops, rows)
	release()
	defer func() {
		if cap(*buf) <= keepBuffer {
			buffers.Put(buf)
		}
	}()
	if err != nil {
		return without(err)
	}
	s := c.current.Load()
	if s == nil {
		return without(ErrNotConnected)
	}
	answer := s.sendTransaction(ctx, *buf, ops, rows)
	return func() ([]nb.OpResult, error) {
		res, err := answer()
		return res, say(err)
	}
}

// buffers hold operations on their way; keepBuffer is the largest kept, in bytes.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const keepBuffer = 64 << 10

// perMegabyte is the time that a megabyte of operations adds to the time limit of a
// transaction.
const perMegabyte = time.Second

// sendTransaction sends a transaction that makes these rows; the answer is waited for by what
// it returns.
func (s *northboundSession) sendTransaction(ctx context.Context, params []byte, ops []nb.Op, rows *sentRows) func() ([]nb.OpResult, error) {
	own := s.cfg.TransactTimeout + time.Duration(len(params)>>20)*perMegabyte
	limit := s.addOwed(own) // those before it come first
	limited, cancel := context.WithTimeout(ctx, limit)
	var res []nb.OpResult
	var failed error
	s.written.beginWrite(rows)
	request := s.sendRequest("transact", params, limit, func(result []byte) error {
		res, failed = readResults(result, ops)
		return nil
	})
	return func() ([]nb.OpResult, error) {
		defer cancel()
		err := s.waitAnswer(limited, request)
		s.addOwed(-own)
		s.written.endWrite(rows)
		var refused *refusedRequest
		switch {
		case errors.As(err, &refused):
			return nil, fmt.Errorf("%w: %w", model.ErrRefused, err)
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			err = fmt.Errorf("%w: a transaction got no answer within %v", ErrSilent, limit)
		case err == nil:
			err = failed
		}
		if err != nil && !errors.Is(err, model.ErrRefused) && !errors.Is(err, model.ErrWait) {
			s.failSession(fmt.Errorf("the outcome of a transaction is unknown: %w", err))
			return nil, err
		}
		s.waitDelivered(limited)
		return res, err
	}
}

// addOwed adds to the time that the transactions under way may take, and returns the sum.
func (s *session) addOwed(d time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owed += d
	return s.owed
}

// Read reads one snapshot over a connection of its own and hangs up, whether Run
// is running or not.
func (c *Conn) Read(ctx context.Context) (*nb.DB, error) {
	s, err := openNorthbound(ctx, &c.cfg)
	if err != nil {
		return nil, err
	}
	defer s.close(errClosed)
	return s.wholeSnapshot()
}

// Connect opens a connection of its own, for a reader that speaks the protocol itself.
func (c *Conn) Connect(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.ConnectTimeout)
	defer cancel()
	conn, err := c.cfg.Dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", c.cfg.Addr, err)
	}
	return conn, nil
}
