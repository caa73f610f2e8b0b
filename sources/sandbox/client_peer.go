package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"

	"rung/model/ovn/nb"
	"rung/sources/nbdb"
	"rung/sources/retry"
)

// clientPeer represents one client of a built-in server.
type clientPeer struct {
	b        *memServer
	rpc      *nbdb.RPCConn
	monitors map[string]*clientMonitor // by id as JSON; guarded by b.dbmu; nil once hung up

	mu          sync.Mutex
	out         [][]byte
	queuedBytes int // bytes in out

	wake chan struct{}
	done chan struct{}
	once sync.Once
}

func newPeer(b *memServer, c net.Conn) *clientPeer {
	return &clientPeer{b: b, rpc: nbdb.NewRPCConn(c, b.stall), monitors: map[string]*clientMonitor{},
		wake: make(chan struct{}, 1), done: make(chan struct{})}
}

// closePeer closes the connection without waiting.
func (p *clientPeer) closePeer() {
	p.once.Do(func() {
		close(p.done)
		_ = p.rpc.Close()
	})
}

// queueMessage queues a message. It disconnects a client with too many unsent bytes, so that other clients and
// transactions never wait for it.
func (p *clientPeer) queueMessage(msg []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queuedBytes += len(msg)
	if p.queuedBytes > p.b.queue {
		p.closePeer()
		return
	}
	p.out = append(p.out, msg)
	retry.Wake(p.wake)
}

func (p *clientPeer) writeMessages() {
	defer p.closePeer()
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
			if p.rpc.Write(msg) != nil {
				return
			}
			p.mu.Lock()
			p.queuedBytes -= len(msg)
			p.mu.Unlock()
		}
	}
}

func (p *clientPeer) readMessages() {
	defer p.b.forgetPeer(p)
	defer p.closePeer()
	for {
		m, err := p.rpc.Read()
		if err != nil {
			return
		}
		if m.Method == "" {
			continue
		}
		reply, err := p.handleRequest(m)
		switch {
		case m.ID == nil, reply == nil && err == nil:
		case err != nil:
			p.queueMessage(nbdb.ErrorReply(m.ID, nbdb.AppendString(nil, err.Error())))
		default:
			p.queueMessage(nbdb.ReplyText(m.ID, reply))
		}
	}
}

// handleRequest answers a request. It queues the replies to transactions and monitors itself.
func (p *clientPeer) handleRequest(m nbdb.Message) ([]byte, error) {
	switch m.Method {
	case "echo":
		return bytes.Clone(m.Params), nil
	case "list_dbs":
		return json.Marshal([]string{nb.Database})
	case "get_schema":
		if _, err := splitParams(m.Params, 1); err != nil {
			return nil, err
		}
		return p.b.schema, nil
	case "transact":
		return nil, p.runTransaction(m)
	case "monitor", "monitor_cond", "monitor_cond_since":
		return nil, p.startMonitor(m)
	case "monitor_cancel":
		return p.cancelMonitor(m.Params)
	case "set_db_change_aware":
		return []byte("{}"), nil
	}
	return nil, fmt.Errorf("unknown method")
}

// splitParams splits the parameters and checks that the first names our database.
func splitParams(raw []byte, atLeast int) ([]json.RawMessage, error) {
	var ps []json.RawMessage
	if err := json.Unmarshal(raw, &ps); err != nil || len(ps) < atLeast {
		return nil, fmt.Errorf("syntax error: at least %d parameters are needed", atLeast)
	}
	var db string
	if err := json.Unmarshal(ps[0], &db); err != nil || db != nb.Database {
		return nil, fmt.Errorf("unknown database")
	}
	return ps, nil
}

// runTransaction runs a transaction, then notifies all monitors, then replies.
func (p *clientPeer) runTransaction(m nbdb.Message) error {
	ps, err := splitParams(m.Params, 1)
	if err != nil {
		return err
	}
	b := p.b
	b.dbmu.Lock()
	defer b.dbmu.Unlock()
	results, changes := b.db.Transact(ps[1:])
	if len(changes) > 0 {
		b.publishChanges(changes)
	}
	if m.ID != nil {
		p.queueMessage(nbdb.ReplyText(m.ID, results))
	}
	return nil
}

// publishChanges queues a commit's changes for all monitors. The caller holds dbmu.
func (b *memServer) publishChanges(changes []RowChange) {
	b.mu.Lock()
	peers := slices.Collect(maps.Keys(b.peers))
	b.mu.Unlock()
	for _, p := range peers {
		for _, mon := range p.monitors {
			if msg := mon.encodeNotification(b.db, changes); msg != nil {
				p.queueMessage(msg)
			}
		}
	}
}
