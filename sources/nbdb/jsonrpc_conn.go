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

// MaxMessage is the longest message taken, in bytes. A snapshot of a zone of
// 10,000 pods under 10,000 rules is about a tenth of it.
const MaxMessage = 512 << 20

// keepBuffer is the largest buffer kept between messages, in bytes: those of a
// single change are below it, and a connection that stands still holds no more.
const keepRPCBuffer = 64 << 10

// stretch is how many bytes of a string are looked through at once.
const stretch = 256

// lastWords is how long, once a write failed, Read waits for what the peer may have
// said before it hung up.
const lastWords = time.Second

// largeBuffers keeps the buffers of large messages that came through: while rows are written
// or read, the next is not far.
var largeBuffers sync.Pool

// mostBuffer is the largest that is handed on, in bytes.
const mostBuffer = 8 << 20

// takeBuffer is a buffer of that size, which may have more room behind it.
func takeBuffer(n int) []byte {
	if n > keepRPCBuffer {
		if b, ok := largeBuffers.Get().(*[]byte); ok && cap(*b) >= n {
			return (*b)[:n]
		}
	}
	return make([]byte, n)
}

func giveBuffer(b []byte) {
	if cap(b) > keepRPCBuffer && cap(b) <= mostBuffer {
		largeBuffers.Put(&b)
	}
}

// Errors of a connection.
var (
	ErrTooLong = errors.New("message is too long")
	ErrSyntax  = errors.New("not JSON-RPC")
)

// Message is one JSON-RPC object; the raw fields are views into a buffer that
// the next Read reuses. A request has a Method and an ID, a notification a
// Method, a reply an ID.
type Message struct {
	Method string
	ID     []byte // raw JSON; nil when absent or null
	Params []byte
	Result []byte
	Error  []byte // raw JSON; nil when absent or null
}

// Conn is a stream of messages. One goroutine reads; any number may write.
type RPCConn struct {
	c          net.Conn
	patience   func() time.Duration // with a peer that takes nothing
	wmu        sync.Mutex
	out        []byte                // requests are put together here; wmu guards it
	writeError atomic.Pointer[error] // why the first write failed
	begunAt    time.Time
	lastByte   atomic.Int64  // when the last byte came, as nanoseconds since began
	reads      atomic.Uint64 // how often bytes came

	buf        []byte
	start, end int
	max        int
}

// New is NewWithPatience with one patience, writeTimeout.
func New(c net.Conn, writeTimeout time.Duration) *RPCConn {
	return NewWithPatience(c, func() time.Duration { return writeTimeout })
}

// NewWithPatience wraps a connection. After a write that failed no other is tried, because
// half a message may be out. One that made no headway for as long as patience said when
// it was tried closes the connection: it may be asked at any time, and a peer that has
// much to do before it reads on may be given more. Otherwise the peer has hung up, and
// often said why before: a TLS server refuses a certificate by an alert, and the write
// may notice first. Read then returns that, or, when nothing comes, why the write
// failed. So whoever reads ends soon after a failed write, for the same reason whatever
// was noticed first.
func NewWithPatience(c net.Conn, patience func() time.Duration) *RPCConn {
	return &RPCConn{c: c, patience: patience, begunAt: time.Now(), buf: make([]byte, 16<<10), max: MaxMessage}
}

// Close closes the connection; readers and writers return.
func (c *RPCConn) Close() error { return c.c.Close() }

// Silence is how long no byte has come, and reads how often some did: it
// changes with every sign of life, however coarse the clock.
func (c *RPCConn) Silence() (d time.Duration, reads uint64) {
	return time.Since(c.begunAt) - time.Duration(c.lastByte.Load()), c.reads.Load()
}

// CountAsRead counts as a byte read: the reader was busy with a message.
func (c *RPCConn) CountAsRead() {
	c.lastByte.Store(int64(time.Since(c.begunAt)))
	c.reads.Add(1)
}

// headway is how much of a message has to be taken before patience ends.
const headway = 64 << 10

// Write sends the message; no other comes in between.
func (c *RPCConn) Write(msg []byte) error {
	c.wmu.Lock()
	defer c.wmu.Unlock()
	return c.writeParts(msg)
}

// WriteRequest sends a request; params are not kept. Large ones are sent from where
// they are.
func (c *RPCConn) WriteRequest(id uint64, method string, params []byte) error {
	c.wmu.Lock()
	defer c.wmu.Unlock()
	if len(params) <= headway {
		c.out = append(append(appendRequest(c.out[:0], id, method), params...), '}')
		return c.writeParts(c.out)
	}
	c.out = appendRequest(c.out[:0], id, method)
	return c.writeParts(c.out, params, []byte{'}'})
}

// writeParts sends the parts of a message, for whoever holds wmu.
func (c *RPCConn) writeParts(msg ...[]byte) error {
	if why := c.writeError.Load(); why != nil {
		return *why
	}
	size := 0
	for _, part := range msg {
		size += len(part)
	}
	for _, rest := range msg {
		for len(rest) > 0 {
			part := rest[:min(len(rest), headway)]
			if err := c.c.SetWriteDeadline(time.Now().Add(c.patience())); err != nil {
				return c.noteBroken(fmt.Errorf("setting the write deadline: %w", err))
			}
			if _, err := c.c.Write(part); err != nil {
				return c.noteBroken(fmt.Errorf("sending %d bytes: %w", size, err))
			}
			rest = rest[len(part):]
		}
	}
	return nil
}

// noteBroken notes why a write failed and has Read end soon. It returns that error.
func (c *RPCConn) noteBroken(why error) error {
	c.writeError.Store(&why) // before the reader can notice anything
	if errors.Is(why, os.ErrDeadlineExceeded) || c.c.SetReadDeadline(time.Now().Add(lastWords)) != nil {
		_ = c.c.Close()
	}
	return why
}

// readError is the error of a read that failed, or that of the write which had failed
// before when the peer said nothing more.
func (c *RPCConn) readError(err error) error {
	ours := errors.Is(err, net.ErrClosed) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, os.ErrDeadlineExceeded)
	if why := c.writeError.Load(); why != nil && ours {
		return *why
	}
	return fmt.Errorf("reading: %w", err)
}

// Read returns the next message. Params and Result end where they should and are
// otherwise not looked at: whoever reads them finds what is wrong in them.
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
		// A large message came through: give its buffer back.
		b, was := make([]byte, keepRPCBuffer), c.buf
		c.end = copy(b, c.buf[c.start:c.end])
		c.buf, c.start = b, 0
		giveBuffer(was)
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
			// Most of a snapshot is strings: a stretch at once, short enough that
			// one of nothing but escapes does not take its square.
			rest := c.buf[i:min(i+stretch, c.end)]
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

// fillBuffer reads more bytes after c.end and returns by how much the bytes from
// c.start on were moved to the front of the buffer.
func (c *RPCConn) fillBuffer() (moved int, err error) {
	if c.end == len(c.buf) {
		switch {
		case c.start > len(c.buf)/2:
			moved = c.start
			c.end = copy(c.buf, c.buf[c.start:c.end])
			c.start = 0
		case c.end-c.start >= c.max:
			return 0, fmt.Errorf("%w: more than %d bytes", ErrTooLong, c.max)
		case cap(c.buf) >= 2*len(c.buf):
			c.buf = c.buf[:2*len(c.buf)]
		default:
			b, was := takeBuffer(2*len(c.buf)), c.buf
			moved = c.start
			c.end = copy(b, c.buf[c.start:c.end])
			c.buf, c.start = b, 0
			giveBuffer(was)
		}
	}
	n, err := c.c.Read(c.buf[c.end:])
	if n > 0 {
		c.end += n
		c.CountAsRead()
		return moved, nil
	}
	if err == nil {
		return moved, nil
	}
	return moved, c.readError(err)
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

// RequestText is a request; params is a JSON array.
func RequestText(id uint64, method string, params []byte) []byte {
	return slices.Concat(appendRequest(nil, id, method), params, []byte{'}'})
}

// appendRequest appends a request up to its params.
func appendRequest(b []byte, id uint64, method string) []byte {
	b = append(b, `{"id":`...)
	b = strconv.AppendUint(b, id, 10)
	b = append(b, `,"method":`...)
	b = AppendString(b, method)
	return append(b, `,"params":`...)
}

// NotificationText is a request without an id: no reply comes.
func NotificationText(method string, params []byte) []byte {
	return slices.Concat(AppendString([]byte(`{"id":null,"method":`), method), []byte(`,"params":`), params, []byte{'}'})
}

// ReplyText answers the request with that id; result is JSON.
func ReplyText(id, result []byte) []byte {
	return slices.Concat([]byte(`{"id":`), id, []byte(`,"error":null,"result":`), result, []byte{'}'})
}

// ErrorReply answers the request with that id by an error; e is JSON.
func ErrorReply(id, e []byte) []byte {
	return slices.Concat([]byte(`{"id":`), id, []byte(`,"result":null,"error":`), e, []byte{'}'})
}

// AppendComma appends the comma before another element, none before the first.
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
