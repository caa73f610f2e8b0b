package nbdb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"rung/model/words"
	"rung/sources/retry"
)

// sessionRows holds the rows of a session's database, Northbound or Southbound. Only the session calls it, and
// takeUpdates only from its reader's goroutine.
type sessionRows interface {
	// databaseName returns the database's name.
	databaseName() string
	// monitorRequest reads a reply to get_schema. It returns monitor_cond's parameter for the tables and
	// columns to read, and the schema's version.
	monitorRequest(schema []byte) (request []byte, version string, err error)
	// takeUpdates reads <table-updates2>: the snapshot, then each update. The session calls publish with its
	// lock held, to make the result visible.
	takeUpdates(updates []byte, snapshot bool) (publish func(), err error)
}

// session represents one connection from dialling to its end.
type session struct {
	cfg       *Config
	rows      sessionRows
	rpc       *RPCConn
	wg        sync.WaitGroup
	isWorking atomic.Bool // the reader is working on a message

	version string // of the schema

	mu           sync.Mutex
	calls        map[uint64]*pendingCall
	nextID       uint64
	totalTimeout time.Duration // time limit of all transactions under way
	err          error         // why the session ended
	seq          uint64        // counts received updates
	handed       uint64        // the seq that the sink has received
	news         chan struct{} // closed when handed changes, then replaced

	ended      chan struct{} // closed when the session ended
	wakeSink   chan struct{} // holds one token while there are undelivered updates
	deliverNow chan struct{} // holds one token while a caller waits for delivery
}

// pendingCall is a request waiting for its reply. The reader's goroutine processes the reply: it is a view
// into the reader's buffer, and updates after a snapshot need the snapshot in place.
type pendingCall struct {
	id    uint64
	reply func(result []byte) error
	done  chan error // buffered
	// patience is how long the server may be silent over it: it does one thing at a time.
	patience time.Duration
}

// openSession dials, checks the schema and reads the snapshot into the rows that of returns for the session.
func openSession(ctx context.Context, cfg *Config, of func(*session) sessionRows) error {
	release, err := cfg.Limit.TakeSlot(ctx)
	if err != nil {
		return fmt.Errorf("connecting to %s: %w", cfg.Addr, err)
	}
	defer release()
	dialCtx, cancel := context.WithTimeout(ctx, cfg.ConnectTimeout)
	defer cancel()
	c, err := cfg.Dial(dialCtx)
	if err != nil {
		return fmt.Errorf("connecting to %s: %w", cfg.Addr, err)
	}
	s := &session{cfg: cfg, calls: map[uint64]*pendingCall{},
		ended: make(chan struct{}), news: make(chan struct{}), wakeSink: make(chan struct{}, 1), deliverNow: make(chan struct{}, 1)}
	s.rows, s.rpc = of(s), NewPatientRPCConn(c, s.unreadLimit)
	s.wg.Add(2)
	go s.readMessages()
	go s.probeServer()
	if err = s.setUpSession(ctx, dialCtx); err != nil {
		s.close(err)
	}
	return err
}

func (s *session) setUpSession(ctx, dialCtx context.Context) error {
	var monitor []byte
	schema := AppendString([]byte{'['}, s.rows.databaseName())
	err := s.callServer(dialCtx, "get_schema", append(schema, ']'), 0, func(result []byte) (err error) {
		monitor, s.version, err = s.rows.monitorRequest(result)
		return err
	})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = fmt.Errorf("%w for %v", ErrSilent, s.cfg.ConnectTimeout)
	}
	if err != nil {
		return fmt.Errorf("reading the schema of %s: %w", s.cfg.Addr, err)
	}
	leave, err := s.cfg.Share.enterSnapshot(ctx) // the server answers, so the snapshot will not take long
	if err != nil {
		return fmt.Errorf("reading the rows of %s: %w", s.cfg.Addr, err)
	}
	defer leave()
	params := AppendString([]byte{'['}, s.rows.databaseName())
	params = append(append(append(params, `,"rung",`...), monitor...), ']')
	// A large snapshot over a slow line takes time; silence ends the session much earlier.
	limited, cancel := context.WithTimeout(ctx, snapshotWithin)
	defer cancel()
	err = s.callServer(limited, "monitor_cond", params, snapshotPatience*s.cfg.Probe, func(result []byte) error {
		publish, err := s.rows.takeUpdates(result, true)
		if err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		publish()
		return nil
	})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = fmt.Errorf("%w: the rows did not arrive within %v", ErrSilent, snapshotWithin)
	}
	if err != nil {
		return fmt.Errorf("reading the rows of %s: %w", s.cfg.Addr, err)
	}
	return nil
}

// snapshotWithin limits the snapshot while bytes arrive, so that a slow server cannot keep a slot of Limit
// forever.
const snapshotWithin = 10 * time.Minute

// snapshotPatience multiplies Probe for the silence before a snapshot.
const snapshotPatience = 3

// callServer sends a request and waits until its reply has been processed.
func (s *session) callServer(ctx context.Context, method string, params []byte, patience time.Duration,
	reply func([]byte) error) error {
	return s.waitAnswer(ctx, s.sendRequest(method, params, patience, reply))
}

// sendRequest sends a request; waitAnswer waits until its reply has been processed.
func (s *session) sendRequest(method string, params []byte, patience time.Duration, reply func([]byte) error) *pendingCall {
	c := &pendingCall{reply: reply, done: make(chan error, 1), patience: patience}
	s.mu.Lock()
	if s.err != nil {
		c.done <- s.err
		s.mu.Unlock()
		return c
	}
	s.nextID++
	c.id = s.nextID
	s.calls[c.id] = c
	s.mu.Unlock()
	// If sending fails, the reader ends the session, perhaps with a better reason.
	_ = s.rpc.WriteRequest(c.id, method, params)
	return c
}

func (s *session) waitAnswer(ctx context.Context, c *pendingCall) error {
	select {
	case err := <-c.done:
		return err
	case <-ctx.Done():
		s.mu.Lock()
		_, waiting := s.calls[c.id]
		delete(s.calls, c.id)
		s.mu.Unlock()
		if !waiting {
			return <-c.done // the reply is being processed, or the session ended
		}
		return ctx.Err()
	}
}

// failSession ends the session; the first reason stays.
func (s *session) failSession(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	s.err = err
	close(s.ended)
	_ = s.rpc.Close()
	for _, c := range s.calls {
		c.done <- err
	}
	s.calls = nil
}

// close ends the session and waits for its goroutines.
func (s *session) close(err error) {
	s.failSession(err)
	s.wg.Wait()
}

func (s *session) readMessages() {
	defer s.wg.Done()
	for {
		m, err := s.rpc.Read()
		if err == nil {
			s.isWorking.Store(true)
			err = s.handleMessage(m)
			s.rpc.CountAsRead()
			s.isWorking.Store(false)
		}
		if err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) { // of a write: reads have no deadline
				err = fmt.Errorf("%w: it read no data for %v", ErrSilent, s.unreadLimit())
			}
			s.failSession(err)
			return
		}
	}
}

func (s *session) handleMessage(m Message) error {
	switch {
	case m.Method == "update2":
		defer s.cfg.Slot()()
		return s.takeUpdate(m.Params)
	case m.Method == "echo" && m.ID != nil:
		_ = s.rpc.Write(ReplyText(m.ID, m.Params)) // the reader reports a failed write
	case m.Method == "monitor_canceled":
		return errors.New("the server closed the database")
	case m.Method != "" && m.ID != nil:
		_ = s.rpc.Write(ErrorReply(m.ID, []byte(`"unknown method"`)))
	case m.Method == "":
		return s.handReply(m)
	}
	return nil // an unused notification
}

// handReply passes a reply to its caller.
func (s *session) handReply(m Message) error {
	var id uint64
	if err := json.Unmarshal(m.ID, &id); err != nil {
		return nil // the reply to another client's request
	}
	s.mu.Lock()
	c := s.calls[id]
	delete(s.calls, id)
	s.mu.Unlock()
	if c == nil {
		return nil // the caller no longer waits
	}
	if m.Error != nil {
		c.done <- rpcError(m.Error)
		return nil
	}
	release := s.cfg.Slot()
	err := c.reply(m.Result)
	release()
	c.done <- err
	return nil
}

// takeUpdate processes one update2 notification, which has whole transactions.
func (s *session) takeUpdate(params []byte) error {
	var publish func()
	n := 0
	l := NewLexer(params)
	var err error
	l.Array(func() {
		raw := l.Span()
		n++
		if n == 2 && err == nil {
			publish, err = s.rows.takeUpdates(raw, false)
		}
	})
	if err == nil {
		err = l.End()
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	if publish != nil {
		publish()
	}
	s.seq++
	s.mu.Unlock()
	retry.Wake(s.wakeSink)
	return nil
}

// serveSink calls hand after new updates, at most once per Coalesce. It returns the reason when the session
// ends. hand returns the seq that the sink has received.
func (s *session) serveSink(ctx context.Context, hand func() (seq uint64)) error {
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			s.close(ctx.Err())
			return ctx.Err()
		case <-s.ended:
			s.close(errClosed)
			return s.err
		case <-s.wakeSink:
		}
		if d := s.cfg.Coalesce - time.Since(last); d > 0 {
			select {
			case <-time.After(d):
			case <-s.deliverNow:
			case <-s.ended: // deliver the collected changes
			case <-ctx.Done():
			}
		}
		s.noteDelivered(hand())
		last = time.Now()
	}
}

// noteDelivered records that the sink has received all updates up to seq.
func (s *session) noteDelivered(seq uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handed = seq
	close(s.news)
	s.news = make(chan struct{})
}

// waitDelivered waits until the sink has received all updates so far.
func (s *session) waitDelivered(ctx context.Context) {
	s.mu.Lock()
	last := s.seq
	s.mu.Unlock()
	for {
		s.mu.Lock()
		handed, news := s.handed, s.news
		s.mu.Unlock()
		if handed >= last {
			return
		}
		retry.Wake(s.deliverNow)
		select {
		case <-news:
		case <-s.ended:
			return
		case <-ctx.Done():
			return
		}
	}
}

// rpcError returns the error of a JSON-RPC reply: a string, or an object with error and details.
func rpcError(raw []byte) error {
	var o struct{ Error, Details string }
	var s string
	switch {
	case json.Unmarshal(raw, &s) == nil:
	case json.Unmarshal(raw, &o) == nil && o.Details != "":
		s = o.Error + ": " + o.Details
	case o.Error != "":
		s = o.Error
	default:
		s = string(raw)
	}
	return &refusedRequest{words.CleanText(s)}
}

// refusedRequest is the error of a request that the server rejected.
type refusedRequest struct{ text string }

func (r *refusedRequest) Error() string { return "the server says: " + r.text }
