//go:build unix

package terminal

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// reads is all that a Input makes of an input that is read in pieces.
func reads(t *testing.T, size int, input string) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		defer w.Close()
		_, _ = io.WriteString(w, input)
	}()
	k := &Input{File: r, waitForMore: func(*os.File, time.Duration) bool { return true }}
	var out strings.Builder
	for b := make([]byte, size); ; {
		n, err := k.Read(b)
		out.Write(b[:n])
		if err != nil {
			return out.String()
		}
	}
}

// Bubble Tea is given pasted text that it takes at once, whatever was pasted and wherever
// it is cut: bounded, valid, without escapes but those around it.
func TestPasteIsBounded(t *testing.T) {
	for _, junk := range []string{"x", "\x1b]0;", "\x1b", "\xff\xc3", "\x1b[200~", "\x1b[201", "\u009b7", "\x00", "é\xf0\x9f"} {
		for size, much := range map[int]int{16: 1 << 17, 17: 1 << 17, 4096: 1 << 20} {
			text := reads(t, size, "k"+pasteBegin+strings.Repeat(junk, much/len(junk))+pasteEnd)
			inner, begun := strings.CutPrefix(text, "k"+pasteBegin)
			inner, ended := strings.CutSuffix(inner, pasteEnd)
			if !begun || !ended || len(inner) > pasteMost || strings.Contains(inner, "\x1b") || !utf8.ValidString(inner) {
				t.Errorf("%q read by %d: %d bytes, begins %.30q", junk, size, len(text), text)
			}
		}
	}
}

// What is no escape is pasted as it is, at whatever byte it was cut, and keys around it
// are keys.
func TestPasteStays(t *testing.T) {
	const text = "\x1b[A" + pasteBegin + "blue/web-0\té😀\r\nline two\n" + pasteEnd + "\x1b[B\x01"
	for size := 12; size < 80; size++ {
		if got := reads(t, size, text); got != text {
			t.Errorf("read by %d: %q, want %q", size, got, text)
		}
	}
}

// A paste behind which nothing comes is over, and what comes then is a key.
func TestPasteEnds(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	k := &Input{File: r, waitForMore: func(_ *os.File, wait time.Duration) bool {
		if wait != pasteWait {
			t.Errorf("waited %s", wait)
		}
		return false
	}}
	b := make([]byte, 4096)
	for _, c := range []struct{ in, want string }{
		{pasteBegin + "blue\x1b[20", pasteBegin + "blue" + pasteEnd},
		{"\x03", "\x03"},
	} {
		if _, err := w.WriteString(c.in); err != nil {
			t.Fatal(err)
		}
		if n, err := k.Read(b); err != nil || string(b[:n]) != c.want {
			t.Errorf("%q %v, want %q", b[:n], err, c.want)
		}
	}
}
