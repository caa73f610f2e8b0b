package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"

	"rung/model/ovn/nb"
	"rung/sources/nbdb/jsonrpc"
	"rung/sources/sandbox/memdb"
)

// peer is one client of a built-in server.
type peer struct {
	b        *builtin
	rpc      *jsonrpc.Conn
	monitors map[string]*monitor // by id as JSON; guarded by b.dbmu; nil once hung up

	mu     sync.Mutex
	out    [][]byte
	behind int // bytes in out

	wake chan struct{}
	done chan struct{}
	once sync.Once
}

func newPeer(b *builtin, c net.Conn) *peer {
	return &peer{b: b, rpc: jsonrpc.New(c, b.stall), monitors: map[string]*monitor{},
		wake: make(chan struct{}, 1), done: make(chan struct{})}
}

// end hangs up; it never waits.
func (p *peer) end() {
	p.once.Do(func() {
		close(p.done)
		_ = p.rpc.Close()
	})
}

// send queues a message. Whoever is too far behind is cut off: the others, and
// the transaction that caused the message, do not wait for it.
func (p *peer) send(msg []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.behind += len(msg)
	if p.behind > p.b.queue {
		p.end()
		return
	}
	p.out = append(p.out, msg)
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *peer) write() {
	defer p.end()
	for {
		select {
		case <-p.done:
			return
		case <-p.wake:
		}
		p.mu.Lock()
		out := p.out
		p.out = nil
		p.mu.Unlock()
		for _, msg := range out {
			if !p.b.open(p.done) || p.rpc.Write(msg) != nil {
				return
			}
			p.mu.Lock()
			p.behind -= len(msg)
			p.mu.Unlock()
		}
	}
}

func (p *peer) read() {
	defer p.b.forget(p)
	defer p.end()
	for {
		m, err := p.rpc.Read()
		if err != nil || !p.b.open(p.done) {
			return
		}
		if m.Method == "" {
			continue
		}
		reply, err := p.handle(m)
		switch {
		case m.ID == nil, reply == nil && err == nil:
		case err != nil:
			p.send(jsonrpc.ErrorReply(m.ID, jsonrpc.AppendString(nil, err.Error())))
		default:
			p.send(jsonrpc.Reply(m.ID, reply))
		}
	}
}

// handle answers a request; the reply to a transaction it queues itself.
func (p *peer) handle(m jsonrpc.Message) ([]byte, error) {
	switch m.Method {
	case "echo":
		return append([]byte(nil), m.Params...), nil
	case "list_dbs":
		return json.Marshal([]string{nb.Database})
	case "get_schema":
		if _, err := params(m.Params, 1); err != nil {
			return nil, err
		}
		return p.b.schema, nil
	case "transact":
		return nil, p.transact(m)
	case "monitor", "monitor_cond", "monitor_cond_since":
		return nil, p.monitor(m)
	case "monitor_cancel":
		return p.cancel(m.Params)
	case "set_db_change_aware":
		return []byte("{}"), nil
	}
	return nil, fmt.Errorf("unknown method")
}

// params splits the parameters and checks the first to be our database.
func params(raw []byte, atLeast int) ([]json.RawMessage, error) {
	var ps []json.RawMessage
	if err := json.Unmarshal(raw, &ps); err != nil || len(ps) < atLeast {
		return nil, fmt.Errorf("syntax error: at least %d parameters are due", atLeast)
	}
	var db string
	if err := json.Unmarshal(ps[0], &db); err != nil || db != nb.Database {
		return nil, fmt.Errorf("unknown database")
	}
	return ps, nil
}

// transact runs a transaction, tells every monitor, and then its client.
func (p *peer) transact(m jsonrpc.Message) error {
	ps, err := params(m.Params, 1)
	if err != nil {
		return err
	}
	b := p.b
	b.dbmu.Lock()
	defer b.dbmu.Unlock()
	results, changes := b.db.Transact(ps[1:])
	if len(changes) > 0 {
		b.publish(changes)
	}
	if m.ID != nil {
		p.send(jsonrpc.Reply(m.ID, results))
	}
	return nil
}

// publish queues a commit's changes for all monitors. The caller holds dbmu.
func (b *builtin) publish(changes []memdb.Change) {
	b.mu.Lock()
	peers := slices.Collect(maps.Keys(b.peers))
	b.mu.Unlock()
	for _, p := range peers {
		for _, mon := range p.monitors {
			if msg := mon.notification(b.db, changes); msg != nil {
				p.send(msg)
			}
		}
	}
}
