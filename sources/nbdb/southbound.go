package nbdb

import (
	"context"
	"sync/atomic"
	"time"

	"rung/model"
	"rung/model/ovn/sb"
)

// SouthboundUpdate is what a Southbound connection delivers: its state, and with
// ConnSynced the database.
type SouthboundUpdate struct {
	Conn     model.ConnState
	At       time.Time
	Attempts int
	Error    string
	Server   string // the database and its schema's version
	DB       *sb.DB
}

// Southbound is the connection to one zone's Southbound database, of which the logical
// flows of ACLs and what they need are read (sb.DB); nothing is ever written. Run it
// once.
//
// Memory follows from the ACLs and not from the database: the server is asked for the
// flows of the ACL stages only, by conditions on external_ids:stage-name, so that of
// half a million flows those of the other stages are never sent.
type Southbound struct {
	cfg     Config
	current atomic.Pointer[southbound] // nil unless synced
}

// DialSouthbound makes a connection that Run will keep up. Nothing happens before Run. Of
// cfg what is about names of zones, tables, sharing and transactions is not used.
func DialSouthbound(cfg Config) *Southbound {
	cfg.Share = nil
	return &Southbound{cfg: cfg.withDefaults()}
}

// Run connects, hands the database to sink, and again whenever it changed, and starts
// anew whenever the connection is lost, until ctx ends. Sink is called from this
// goroutine only and may take its time. Run returns when all its goroutines have ended.
func (c *Southbound) Run(ctx context.Context, sink func(SouthboundUpdate)) {
	c.cfg.keep(ctx, func(state model.ConnState, attempts int, reason string) {
		sink(SouthboundUpdate{Conn: state, At: time.Now(), Attempts: attempts, Error: reason})
	}, func(ctx context.Context) (func() error, error) {
		s, err := openSouthbound(ctx, &c.cfg)
		if err != nil {
			return nil, err
		}
		return func() error { return c.serve(ctx, s, sink) }, nil
	})
}

func (c *Southbound) serve(ctx context.Context, s *southbound, sink func(SouthboundUpdate)) error {
	c.current.Store(s)
	defer c.current.Store(nil)
	tell := func() uint64 {
		db, seq := s.now()
		sink(SouthboundUpdate{Conn: model.ConnSynced, At: time.Now(), Server: sb.Database + " " + s.version, DB: db})
		return seq
	}
	s.told(tell())
	return s.serve(ctx, tell)
}

// Resync drops the connection, if there is one, so that everything is read afresh.
func (c *Southbound) Resync() {
	if s := c.current.Load(); s != nil {
		s.fail(errResync)
	}
}

// Read reads one snapshot over a connection of its own and hangs up.
func (c *Southbound) Read(ctx context.Context) (*sb.DB, error) {
	s, err := openSouthbound(ctx, &c.cfg)
	if err != nil {
		return nil, err
	}
	defer s.close(errClosed)
	db, _ := s.now()
	return db, nil
}

// southbound is a session on a Southbound database.
type southbound struct {
	*session
	db *sb.DB // with the session's lock; only the reader writes it
}

func openSouthbound(ctx context.Context, cfg *Config) (*southbound, error) {
	s := &southbound{}
	under, err := open(ctx, cfg, s)
	if err != nil {
		return nil, err
	}
	s.session = under
	return s, nil
}

func (*southbound) database() string { return sb.Database }

func (*southbound) requests(schema []byte) ([]byte, string, error) {
	return requests(schema, sb.Database, watchedSouthbound)
}

func (s *southbound) take(updates []byte, _ bool) (publish func(), err error) {
	ch, err := southboundChanges(updates, s.db)
	if err != nil {
		return nil, err
	}
	db := s.db.Apply(ch)
	return func() { s.db = db }, nil
}

// now is the database and the seq up to which it is.
func (s *southbound) now() (*sb.DB, uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.db, s.seq
}
