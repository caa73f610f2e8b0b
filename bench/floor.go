package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"rung/sources/nbdb"
)

// Floor is the least time that transactions take: a server of its own with a copy of
// the rows, to which a bare client sends them as the bytes they were and reads no more
// than the results. The server has as many monitors as in the real run, which ask for
// the same: an observer's, and one in place of Rung's, whose bytes are thrown away.
type Floor struct {
	Server   *Server
	Observer *Observer

	conn, monitor net.Conn
	rpc           *nbdb.RPCConn
	done          chan struct{} // closed when the monitor has ended
}

// NewFloor connects to a server, which is the Floor's from now on. setup is what Rung
// asked for before it wrote.
func NewFloor(ctx context.Context, s *Server, setup [][]byte) (_ *Floor, err error) {
	f := &Floor{Server: s}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("the bare client: %w", err), f.Close())
		}
	}()
	if f.Observer, err = Observe(ctx, s.zone, s.Addr()); err != nil {
		return nil, err
	}
	if f.monitor, err = s.dial(ctx); err != nil {
		return nil, err
	}
	rpc := nbdb.NewRPCConn(f.monitor, bareWithin)
	for _, request := range setup {
		if err := rpc.Write(request); err != nil {
			return nil, err
		}
		if m, err := rpc.Read(); err != nil || m.Error != nil {
			return nil, errors.Join(fmt.Errorf("setting up: %s", m.Error), err)
		}
	}
	f.done = make(chan struct{})
	go func() {
		defer close(f.done)
		_, _ = io.Copy(io.Discard, f.monitor) // until it is closed
	}()
	if f.conn, err = s.dial(ctx); err != nil {
		return nil, err
	}
	f.rpc = nbdb.NewRPCConn(f.conn, bareWithin)
	return f, nil
}

// bareWithin is how long the server may take nothing of what it is sent.
const bareWithin = time.Minute

// Run sends the transactions, one after the other and without waiting for results,
// and returns when it has all results. began is when the first byte went out.
func (f *Floor) Run(transactions [][]byte) (began time.Time, err error) {
	sent := make(chan error, 1)
	began = time.Now()
	go func() {
		for _, t := range transactions {
			if err := f.rpc.Write(t); err != nil {
				sent <- err
				return
			}
		}
		sent <- nil
	}()
	for i := range transactions {
		m, err := f.rpc.Read()
		if err != nil {
			return began, fmt.Errorf("the bare client: %w", errors.Join(err, <-sent))
		}
		if m.Error != nil || bytes.Contains(m.Result, []byte(`"error"`)) {
			_ = f.conn.Close() // what is being sent ends with it
			return began, fmt.Errorf("the bare client: transaction %d: %s%s", i, m.Error, firstError(m.Result))
		}
	}
	return began, <-sent
}

// firstError returns the text of a result from the error on.
func firstError(result []byte) []byte {
	at := max(bytes.Index(result, []byte(`"error"`)), 0)
	return result[at:min(at+300, len(result))]
}

// Close ends everything.
func (f *Floor) Close() error {
	if f.Observer != nil {
		f.Observer.Close()
	}
	var errs []error
	for _, c := range []net.Conn{f.conn, f.monitor} {
		if c != nil {
			errs = append(errs, c.Close())
		}
	}
	if f.done != nil {
		<-f.done
	}
	f.conn, f.monitor = nil, nil
	return errors.Join(errors.Join(errs...), f.Server.Close())
}
