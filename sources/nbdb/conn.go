package nbdb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"sync/atomic"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/sources/retry"
)

// Conn is the connection to one zone's database. It implements the reconciler's Zone. Call Run once.
type Conn struct{ connection }

// connection holds the settings and the session of a connection to either database.
type connection struct {
	cfg     Config
	current atomic.Pointer[session] // nil unless synced
}

// Dial returns a connection that Run keeps up. Nothing happens before Run.
func Dial(cfg Config) *Conn { return &Conn{connection{cfg: cfg.withDefaults()}} }

// Name returns the zone's name.
func (c *Conn) Name() string { return c.cfg.Name }

// Endpoint returns the printable address.
func (c *Conn) Endpoint() string { return words.CleanText(c.cfg.Addr) }

// errResync ends a session because a fresh snapshot was requested.
var errResync = errors.New("reading all rows again")

// errClosed ends a session that is no longer needed.
var errClosed = errors.New("closed")

// Resync drops the connection, if any, so that all rows are read again.
func (c *connection) Resync() {
	if s := c.current.Load(); s != nil {
		s.failSession(errResync)
	}
}

// Run connects, passes the snapshot and then every change to sink, and reconnects whenever the connection is
// lost, until ctx ends. It calls sink only from this goroutine. Sink may be slow (changes are collected
// meanwhile), but must not wait for a Transact of this connection. Run returns when all its goroutines have
// ended.
//
// Without a connection, Conn is ConnDialling (none so far), ConnLost or ConnDenied, and Error has the reason.
// Attempts counts from the last success.
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

// keepConnected connects and serves repeatedly until ctx ends. It calls tell with the state whenever it has no
// connection.
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
		state := words.Choose(errors.Is(err, fs.ErrPermission), model.ConnDenied, down)
		tell(state, attempts, words.CleanText(err.Error()))
		if errors.Is(err, errResync) {
			continue
		}
		if !retry.Sleep(ctx, again.Step()) {
			return
		}
	}
}

// serveRows passes a session's rows to the sink until the session ends, and returns the reason.
func (c *Conn) serveRows(ctx context.Context, n *northboundSession, sink func(model.ZoneUpdate)) error {
	server := cmp.Or(c.cfg.Server, nb.Database+" "+n.version)
	// db includes the changes since the snapshot.
	db, _, seq := n.takeNews()
	c.current.Store(n.session)
	defer c.current.Store(nil)
	sink(model.ZoneUpdate{Conn: model.ConnSynced, At: time.Now(), Server: server, DB: db, Resync: true, Error: n.skippedText()})
	n.noteDelivered(seq)
	aside := n.skippedText()
	return n.serveSink(ctx, func() uint64 {
		db, ch, seq := n.takeNews()
		if now := n.skippedText(); len(ch) > 0 || now != aside {
			aside = now
			sink(model.ZoneUpdate{Conn: model.ConnSynced, At: time.Now(), Server: server, DB: db, Changes: ch, Error: aside})
		}
		return seq
	})
}

// Transact sends the operations as one transaction. It waits for the answer, and until the sink has the
// transaction's changes, so that callers see their own writes. The values in the operations must not be
// changed afterwards.
//
// ErrNotConnected means nothing was sent. model.ErrRejected means the server changed nothing and would reject
// it again; the results name the failed operation. model.ErrWait means a wait was not met, and nothing was
// changed. After any other error the outcome is unknown; the connection is dropped, and the Resync shows it.
func (c *Conn) Transact(ctx context.Context, ops []nb.Op) ([]nb.OpResult, error) {
	return c.Send(ctx, ops)()
}

// Send is Transact in two steps. It returns once the operations are written to the connection, or have failed.
// The returned function waits for Transact's result and must be called. The server runs sequential calls in
// their order. After an unknown outcome, the outcomes of all transactions behind it are unknown too.
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
	release := c.cfg.Slot()
	params, err := Encode(ops)
	release()
	if err != nil {
		return without(err)
	}
	s := c.current.Load()
	if s == nil {
		return without(ErrNotConnected)
	}
	answer := s.sendTransaction(ctx, params, ops)
	return func() ([]nb.OpResult, error) {
		res, err := answer()
		return res, say(err)
	}
}

// perMegabyte extends a transaction's time limit per megabyte of operations.
const perMegabyte = time.Second

// sendTransaction sends a transaction. The returned function waits for the answer.
func (s *session) sendTransaction(ctx context.Context, params []byte, ops []nb.Op) func() ([]nb.OpResult, error) {
	own := s.cfg.TransactTimeout + time.Duration(len(params)>>20)*perMegabyte
	limit := s.addTimeout(own) // includes the transactions before it
	limited, cancel := context.WithTimeout(ctx, limit)
	var res []nb.OpResult
	var failed error
	request := s.sendRequest("transact", params, limit, func(result []byte) error {
		res, failed = readResults(result, ops)
		return nil
	})
	return func() ([]nb.OpResult, error) {
		defer cancel()
		err := s.waitAnswer(limited, request)
		s.addTimeout(-own)
		_, refused := errors.AsType[*refusedRequest](err)
		switch {
		case refused:
			return nil, fmt.Errorf("%w: %w", model.ErrRejected, err)
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			err = fmt.Errorf("%w: a transaction got no answer within %v", ErrSilent, limit)
		case err == nil:
			err = failed
		}
		if err != nil && !errors.Is(err, model.ErrRejected) && !errors.Is(err, model.ErrWait) {
			s.failSession(fmt.Errorf("the outcome of a transaction is unknown: %w", err))
			return nil, err
		}
		s.waitDelivered(limited)
		return res, err
	}
}

// addTimeout adds to the time limit of all transactions under way, and returns the sum.
func (s *session) addTimeout(d time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.totalTimeout += d
	return s.totalTimeout
}

// Read reads one snapshot over a connection of its own and closes it, independently of Run.
func (c *Conn) Read(ctx context.Context) (*nb.DB, error) {
	s, err := openNorthbound(ctx, &c.cfg)
	if err != nil {
		return nil, err
	}
	defer s.close(errClosed)
	return s.wholeSnapshot()
}

// Connect opens a connection of its own, for a reader that speaks OVSDB itself.
func (c *Conn) Connect(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.ConnectTimeout)
	defer cancel()
	conn, err := c.cfg.Dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", c.cfg.Addr, err)
	}
	return conn, nil
}
