package nbdb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// MaxMessage is the longest accepted message, in bytes. A snapshot of a zone with 10,000 pods under 10,000
// rules is about a tenth of it.
const MaxMessage = 512 << 20

// keepRPCBuffer is the largest buffer kept between messages, in bytes. Single changes fit in it, and an idle
// connection keeps no more.
const keepRPCBuffer = 64 << 10

// searchStep is how many bytes of a string are searched at once.
const searchStep = 256

// lastMessageWait is how long Read, after a failed write, waits for the peer's last message.
const lastMessageWait = time.Second

// Errors of a connection.
var (
	ErrTooLong = errors.New("message is too long")
	ErrSyntax  = errors.New("not JSON-RPC")
)

// Message is one JSON-RPC object. Its raw fields are views into a buffer that the next Read reuses. A request
// has a Method and an ID, a notification a Method, a reply an ID.
type Message struct {
	Method string
	ID     []byte // raw JSON; nil when absent or null
	Params []byte
	Result []byte
	Error  []byte // raw JSON; nil when absent or null
}

// RPCConn is a stream of messages. One goroutine reads; any number may write.
type RPCConn struct {
	c          net.Conn
	patience   func() time.Duration // how long the peer may read nothing
	wmu        sync.Mutex
	writeError atomic.Pointer[error] // the first write's error
	begunAt    time.Time
	lastByte   atomic.Int64  // time of the last received byte, in nanoseconds since begunAt
	reads      atomic.Uint64 // number of reads with bytes

	buf        []byte
	start, end int
	max        int
}

// NewRPCConn is NewPatientRPCConn with a constant patience, writeTimeout.
func NewRPCConn(c net.Conn, writeTimeout time.Duration) *RPCConn {
	return NewPatientRPCConn(c, func() time.Duration { return writeTimeout })
}

// NewPatientRPCConn wraps a connection. After a failed write no other is tried, because half a message may be
// out. A write without progress for the time that patience returns closes the connection. patience may be
// called at any time; it can give a busy peer more time. Other failed writes mean that the peer hung up, often
// after giving a reason: a TLS server rejects a certificate by an alert. Read then returns that reason, or the
// write's error if none arrives. So the reader ends soon after a failed write, with the same reason whichever
// failed first.
func NewPatientRPCConn(c net.Conn, patience func() time.Duration) *RPCConn {
	return &RPCConn{c: c, patience: patience, begunAt: time.Now(), buf: make([]byte, 16<<10), max: MaxMessage}
}

// Close closes the connection; readers and writers return.
func (c *RPCConn) Close() error { return c.c.Close() }

// Silence returns the time since the last received byte, and the number of reads. The number changes with
// every sign of life, however coarse the clock.
func (c *RPCConn) Silence() (d time.Duration, reads uint64) {
	return time.Since(c.begunAt) - time.Duration(c.lastByte.Load()), c.reads.Load()
}

// CountAsRead counts as a received byte: the reader was busy with a message.
func (c *RPCConn) CountAsRead() {
	c.lastByte.Store(int64(time.Since(c.begunAt)))
	c.reads.Add(1)
}

// writeStep is how many bytes the peer must read within the time that patience returns.
const writeStep = 64 << 10

// WriteRequest sends a request; params are not kept.
func (c *RPCConn) WriteRequest(id uint64, method string, params []byte) error {
	return c.Write(RequestText(id, method, params))
}

// Write sends the whole message before any other.
func (c *RPCConn) Write(msg []byte) error {
	c.wmu.Lock()
	defer c.wmu.Unlock()
	if why := c.writeError.Load(); why != nil {
		return *why
	}
	for part := range slices.Chunk(msg, writeStep) {
		if err := c.c.SetWriteDeadline(time.Now().Add(c.patience())); err != nil {
			return c.noteBroken(fmt.Errorf("setting the write deadline: %w", err))
		}
		if _, err := c.c.Write(part); err != nil {
			return c.noteBroken(fmt.Errorf("sending %d bytes: %w", len(msg), err))
		}
	}
	return nil
}

// noteBroken records and returns the error of a failed write, and makes Read end soon.
func (c *RPCConn) noteBroken(why error) error {
	c.writeError.Store(&why) // before the reader can notice
	if errors.Is(why, os.ErrDeadlineExceeded) || c.c.SetReadDeadline(time.Now().Add(lastMessageWait)) != nil {
		_ = c.c.Close()
	}
	return why
}

// readError returns the error of a failed read, or the earlier error of a write if the peer gave no reason.
func (c *RPCConn) readError(err error) error {
	ours := errors.Is(err, net.ErrClosed) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, os.ErrDeadlineExceeded)
	if why := c.writeError.Load(); why != nil && ours {
		return *why
	}
	return fmt.Errorf("reading: %w", err)
}

// Read returns the next message. It finds the ends of Params and Result without checking them: their reader
// does.
func (c *RPCConn) Read() (Message, error) {
	raw, err := c.nextObject()
	if err != nil {
		return Message{}, err
	}
	return parseMessage(raw)
}

// nextObject returns the bytes of the next JSON object.
func (c *RPCConn) nextObject() ([]byte, error) {
	if len(c.buf) > keepRPCBuffer && c.end-c.start < keepRPCBuffer/2 {
		// A large message is done: free its buffer.
		b := make([]byte, keepRPCBuffer)
		c.end = copy(b, c.buf[c.start:c.end])
		c.buf, c.start = b, 0
	}
	var depth int
	var inString, escaped bool
	for i := c.start; ; i++ {
		for i == c.end {
			moved, err := c.fillBuffer()
			if err != nil {
				return nil, err
			}
			i -= moved
		}
		if escaped {
			escaped = false
			continue
		}
		if inString {
			// Most of a snapshot is strings. A stretch is searched at once, but a short one, so that strings
			// of escapes do not take quadratic time.
			rest := c.buf[i:min(i+searchStep, c.end)]
			n := bytes.IndexByte(rest, '"')
			if n >= 0 {
				rest = rest[:n]
			}
			if at := bytes.IndexByte(rest, '\\'); at >= 0 {
				i, escaped = i+at, true
			} else if n >= 0 {
				i, inString = i+n, false
			} else {
				i += len(rest) - 1
			}
			continue
		}
		b := c.buf[i]
		switch b {
		case '"':
			inString = true
		case '{', '[':
			if depth == 0 {
				if b == '[' {
					return nil, fmt.Errorf("%w: an array where an object was expected", ErrSyntax)
				}
				c.start = i
			}
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				raw := c.buf[c.start : i+1]
				c.start = i + 1
				return raw, nil
			}
		case ' ', '\t', '\r', '\n':
			if depth == 0 {
				c.start = i + 1
			}
			continue
		}
		if depth <= 0 {
			return nil, fmt.Errorf("%w: unexpected %q", ErrSyntax, b)
		}
	}
}

// fillBuffer reads more bytes after c.end. It returns by how much it moved the bytes from c.start to the front
// of the buffer.
func (c *RPCConn) fillBuffer() (moved int, err error) {
	if c.end == len(c.buf) {
		switch {
		case c.start > len(c.buf)/2:
			moved = c.start
			c.end = copy(c.buf, c.buf[c.start:c.end])
			c.start = 0
		case c.end-c.start >= c.max:
			return 0, fmt.Errorf("%w: more than %d bytes", ErrTooLong, c.max)
		default:
			b := make([]byte, 2*len(c.buf))
			moved = c.start
			c.end = copy(b, c.buf[c.start:c.end])
			c.buf, c.start = b, 0
		}
	}
	n, err := c.c.Read(c.buf[c.end:])
	if n > 0 {
		c.end += n
		c.CountAsRead()
		return moved, nil
	}
	if err != nil {
		err = c.readError(err)
	}
	return moved, err
}

func parseMessage(raw []byte) (m Message, err error) {
	l := NewLexer(raw)
	l.Object(func(key []byte) {
		switch string(key) {
		case "method":
			if l.Null() {
				return
			}
			m.Method = string(l.String())
		case "id":
			m.ID = isNotNull(l.Raw())
		case "params":
			m.Params = l.Span()
		case "result":
			m.Result = l.Span()
		case "error":
			m.Error = isNotNull(l.Raw())
		default:
			l.Skip()
		}
	})
	if err := l.End(); err != nil {
		return Message{}, fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	return m, nil
}

func isNotNull(raw []byte) []byte {
	if bytes.Equal(raw, []byte("null")) {
		return nil
	}
	return raw
}

// RequestText returns a request; params is a JSON array.
func RequestText(id uint64, method string, params []byte) []byte {
	b := slices.Grow([]byte(nil), len(params)+len(method)+64)
	b = append(strconv.AppendUint(append(b, `{"id":`...), id, 10), `,"method":`...)
	return append(append(append(AppendString(b, method), `,"params":`...), params...), '}')
}

// NotificationText returns a request without an id, which gets no reply.
func NotificationText(method string, params []byte) []byte {
	return slices.Concat(AppendString([]byte(`{"id":null,"method":`), method), []byte(`,"params":`), params, []byte{'}'})
}

// ReplyText returns the reply to the request with that id; result is JSON.
func ReplyText(id, result []byte) []byte {
	return slices.Concat([]byte(`{"id":`), id, []byte(`,"error":null,"result":`), result, []byte{'}'})
}

// ErrorReply returns the error reply to the request with that id; e is JSON.
func ErrorReply(id, e []byte) []byte {
	return slices.Concat([]byte(`{"id":`), id, []byte(`,"result":null,"error":`), e, []byte{'}'})
}

// AppendComma appends a comma, unless b ends with an opening bracket.
func AppendComma(b []byte) []byte {
	if last := b[len(b)-1]; last == '[' || last == '{' {
		return b
	}
	return append(b, ',')
}

// AppendString appends s as a JSON string.
func AppendString(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= 0x7f {
			q, _ := json.Marshal(s) // a string always marshals
			return append(b, q...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}
