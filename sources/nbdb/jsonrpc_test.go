package nbdb

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// stream is a net.Conn that reads from r.
type stream struct {
	net.Conn
	r io.Reader
}

func (s stream) Read(b []byte) (int, error) { return s.r.Read(b) }

type readRPC struct{ Method, ID, Params, Result, Error string }

func readAll(c *RPCConn) (out []readRPC, err error) {
	for {
		m, err := c.Read()
		if err != nil {
			return out, err
		}
		out = append(out, readRPC{m.Method, string(m.ID), string(m.Params), string(m.Result), string(m.Error)})
	}
}

func TestRead(t *testing.T) {
	big := strings.Repeat(`"x{[\\\"]}y",`, 40000)
	in := `{"id":null,"method":"update2","params":["a",{"T":{}}]}{"id":1,"error":null,"result":{"a":"}"}}
	 {"result":null,"error":{"error":"no"},"id":"x","extra":[1,2]}{"id":7,"result":[` + big + `1]}{"method":"echo","params":[],"id":"e"}`
	want := []readRPC{
		{Method: "update2", Params: `["a",{"T":{}}]`},
		{ID: "1", Result: `{"a":"}"}`},
		{ID: `"x"`, Result: "null", Error: `{"error":"no"}`},
		{ID: "7", Result: `[` + big + `1]`},
		{Method: "echo", ID: `"e"`, Params: "[]"},
	}
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(in), "halves": iotest.HalfReader(strings.NewReader(in)),
		"bytes": iotest.OneByteReader(strings.NewReader(in)),
	} {
		c := NewRPCConn(stream{r: r}, time.Second)
		got, err := readAll(c)
		if !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", name, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d[:min(len(d), 500)])
		}
		if len(c.buf) > keepRPCBuffer {
			t.Errorf("%s: kept a buffer of %d bytes", name, len(c.buf))
		}
	}
}

func TestReadErrors(t *testing.T) {
	for in, want := range map[string]error{
		`[1]`: ErrSyntax, `}`: ErrSyntax, `x`: ErrSyntax, `{"id" 1}`: ErrSyntax, `{"a":tru}`: ErrSyntax,
		"{\x00}": ErrSyntax, `{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`: ErrSyntax,
		`{"a":"b`: io.EOF, `{"a":"` + strings.Repeat("y", 70000): ErrTooLong,
	} {
		c := NewRPCConn(stream{r: strings.NewReader(in)}, time.Second)
		c.max = 64 << 10
		if _, err := c.Read(); !errors.Is(err, want) {
			t.Errorf("%.20q: %v, want %v", in, err, want)
		}
	}
}

// A peer that stopped reading holds a writer no longer than the timeout.
func TestWriteDeadline(t *testing.T) {
	a, b := net.Pipe()
	defer b.Close()
	c := NewRPCConn(a, 20*time.Millisecond)
	err := c.Write(make([]byte, 1<<20))
	var ne net.Error
	if !errors.As(err, &ne) || !ne.Timeout() {
		t.Fatal(err)
	}
	if err := c.Write([]byte("x")); err == nil {
		t.Fatal("the connection should be closed: half a message is out")
	}
}

// What is written as a request is the request, whatever was written before, and
// nothing is kept of what the caller handed over.
func TestWriteRequest(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	c := NewRPCConn(b, time.Second)
	got := make(chan string)
	go func() {
		defer close(got)
		text, err := io.ReadAll(a)
		if err != nil {
			t.Error(err)
		}
		got <- string(text)
	}()
	want := ""
	for i, n := range []int{10, 3, keepRPCBuffer, 5} {
		params := []byte("[" + strings.Repeat("1,", n) + "0]")
		want += string(RequestText(uint64(i), "transact", params))
		if err := c.WriteRequest(uint64(i), "transact", params); err != nil {
			t.Fatal(err)
		}
		clear(params)
	}
	c.Close()
	if text := <-got; text != want {
		t.Errorf("%d bytes came, want %d", len(text), len(want))
	}
}

func TestEnvelopes(t *testing.T) {
	for got, want := range map[string]string{
		string(RequestText(3, "transact", []byte(`["db"]`))): `{"id":3,"method":"transact","params":["db"]}`,
		string(NotificationText("update2", []byte(`[]`))):    `{"id":null,"method":"update2","params":[]}`,
		string(ReplyText([]byte(`"e"`), []byte(`[]`))):       `{"id":"e","error":null,"result":[]}`,
		string(ErrorReply([]byte(`1`), []byte(`"no"`))):      `{"id":1,"result":null,"error":"no"}`,
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for _, s := range []string{"", "plain", `a"b\c`, "line\nend\x00", "grün", "\xff<&>", " "} {
		var back string
		if err := json.Unmarshal(AppendString(nil, s), &back); err != nil || back != strings.ToValidUTF8(s, "�") {
			t.Errorf("%q: %q, %v", s, back, err)
		}
	}
}

func TestLexerScalars(t *testing.T) {
	for in, want := range map[string]int{"1": 1, "-20": -20, "1.0": 1, "1e3": 1000, "4294967295": 4294967295} {
		l := NewLexer([]byte(in))
		if got := l.Int(); got != want || l.End() != nil {
			t.Errorf("%s: %d, %v", in, got, l.End())
		}
	}
	for _, in := range []string{"", "1.5", "x", "99999999999999999999", `"1"`, "1 2"} {
		l := NewLexer([]byte(in))
		l.Int()
		if l.End() == nil {
			t.Errorf("%q is taken for an integer", in)
		}
	}
	l := NewLexer([]byte(` "a\u00e9\n" `))
	if got := string(l.String()); got != "aé\n" || l.End() != nil {
		t.Errorf("%q, %v", got, l.End())
	}
}

// The lexer never panics, and takes what encoding/json takes.
func FuzzLexer(f *testing.F) {
	for _, s := range []string{`{"a":[1,-2.5e3,"x\"y",true,null,{}]}`, `["set",[["uuid","0"]]]`, `[`, `"\`, `{"a":}`, "\x00", ` nul`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		l := NewLexer(b)
		raw := l.Raw()
		if l.End() == nil && len(raw) == 0 {
			t.Errorf("nothing read and no error in %q", b)
		}
		if json.Valid(b) && strings.Count(string(b), "[")+strings.Count(string(b), "{") < maxDepth && l.End() != nil {
			t.Errorf("%q: %v", b, l.End())
		}
		if l.End() == nil {
			s := NewLexer(b)
			if span := s.Span(); string(span) != string(raw) || s.End() != nil {
				t.Errorf("%q: a span of %q, %v", b, span, s.End())
			}
		}
		c := NewRPCConn(stream{r: strings.NewReader(string(b))}, time.Second)
		for {
			if _, err := c.Read(); err != nil {
				break
			}
		}
	})
}
