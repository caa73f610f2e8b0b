package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"rung/model/words"
	"rung/sources/nbdb"
)

// patience is how long a peer may read nothing.
const patience = 5 * time.Second

// socketClient is a connection to a socket that speaks OVS's JSON-RPC: a database server's, or a daemon's
// control socket.
type socketClient struct {
	conn   *nbdb.RPCConn
	notify func(method string, params []byte) // called by the reader

	mu      sync.Mutex
	nextID  uint64
	replies map[uint64]func(result []byte, err error) // called by the reader
	err     error                                     // why it ended
	done    chan struct{}
}

func dialSocket(ctx context.Context, socket string, notify func(string, []byte)) (*socketClient, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	k := &socketClient{conn: nbdb.NewRPCConn(c, patience), notify: notify, replies: map[uint64]func([]byte, error){},
		done: make(chan struct{})}
	go k.readMessages()
	return k, nil
}

// closeClient ends the connection and waits for its reader.
func (k *socketClient) closeClient() {
	_ = k.conn.Close()
	<-k.done
}

func (k *socketClient) readMessages() {
	defer close(k.done)
	for {
		m, err := k.conn.Read()
		if err != nil {
			k.endClient(err)
			return
		}
		switch {
		case m.Method == "echo" && m.ID != nil:
			_ = k.conn.Write(nbdb.ReplyText(m.ID, m.Params)) // a failed write ends the next Read
		case m.Method != "":
			if k.notify != nil {
				k.notify(m.Method, m.Params)
			}
		default:
			k.handleAnswer(m)
		}
	}
}

func (k *socketClient) handleAnswer(m nbdb.Message) {
	id, _ := strconv.ParseUint(string(m.ID), 10, 64) // ids begin with 1
	k.mu.Lock()
	f := k.replies[id]
	delete(k.replies, id)
	k.mu.Unlock()
	switch {
	case f == nil:
	case m.Error == nil:
		f(m.Result, nil)
	default:
		var said string
		if json.Unmarshal(m.Error, &said) != nil {
			said = string(m.Error)
		}
		f(nil, errors.New(words.CleanText(said)))
	}
}

func (k *socketClient) endClient(err error) {
	_ = k.conn.Close()
	k.mu.Lock()
	k.err = err
	waiting := k.replies
	k.replies = nil // no later request is added
	k.mu.Unlock()
	for _, f := range waiting {
		f(nil, err)
	}
}

// sendRequest sends a request. The reader calls then once, with a view of the result or an error.
func (k *socketClient) sendRequest(method string, params []byte, then func(result []byte, err error)) {
	k.mu.Lock()
	if k.err != nil {
		err := k.err
		k.mu.Unlock()
		then(nil, err)
		return
	}
	k.nextID++
	id := k.nextID
	k.replies[id] = then
	k.mu.Unlock()
	if k.conn.WriteRequest(id, method, params) != nil {
		_ = k.conn.Close() // the reader ends and fails all pending requests
	}
}

// callMethod sends a request and waits for the result.
func (k *socketClient) callMethod(ctx context.Context, method string, params []byte) ([]byte, error) {
	type reply struct {
		result []byte
		err    error
	}
	got := make(chan reply, 1)
	k.sendRequest(method, params, func(result []byte, err error) { got <- reply{append([]byte(nil), result...), err} })
	select {
	case r := <-got:
		return r.result, r.err
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for the answer to %s: %w", method, ctx.Err())
	}
}

// controlSockets holds the connections to the control sockets of a zone's daemons.
type controlSockets struct {
	zone *Zone

	mu      sync.Mutex
	clients map[string]*socketClient
	ended   bool
}

// connectDaemon returns the connection to a daemon's control socket; it connects if needed.
func (c *controlSockets) connectDaemon(ctx context.Context, name string) (*socketClient, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return nil, fmt.Errorf("zone %s is closed", c.zone.cfg.Name)
	}
	if k := c.clients[name]; k != nil {
		select {
		case <-k.done:
		default:
			return k, nil
		}
	}
	for _, n := range zoneProcesses {
		if n.name != name {
			continue
		}
		k, err := dialSocket(ctx, c.zone.filePath(n.file+".ctl"), nil)
		if err != nil {
			return nil, fmt.Errorf("zone %s: asking %s: %w", c.zone.cfg.Name, name, err)
		}
		c.clients[name] = k
		return k, nil
	}
	return nil, fmt.Errorf("zone %s has no process %q", c.zone.cfg.Name, name)
}

func (c *controlSockets) closeAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for _, k := range c.clients {
		k.closeClient()
	}
}

// Control runs an ovs-appctl(8) command on a daemon and returns its output.
func (z *Zone) Control(ctx context.Context, daemon, command string, args ...string) (string, error) {
	k, err := z.control.connectDaemon(ctx, daemon)
	if err != nil {
		return "", err
	}
	params, _ := json.Marshal(append([]string{}, args...)) // strings cannot fail
	out, err := k.callMethod(ctx, command, params)
	if err != nil {
		return "", fmt.Errorf("zone %s: %s of %s: %w", z.cfg.Name, command, daemon, err)
	}
	var text string
	if err := json.Unmarshal(out, &text); err != nil {
		return "", fmt.Errorf("zone %s: the answer to %s: %w", z.cfg.Name, command, err)
	}
	return text, nil
}
