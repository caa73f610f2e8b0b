package terminal

import (
	"bytes"
	"io"
	"os"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/term"
)

// escWait is how long a lone Esc is waited behind. A terminal writes the bytes of any other
// key at once, so that they come with it. Bubble Tea waits 50 ms, and cannot be told
// otherwise: a filter would end visibly later than any other key shows.
const escWait = 15 * time.Millisecond

// A lone Esc, and the same key as terminals write it that leave nothing to guess.
var lone, sure = []byte{0x1b}, []byte("\x1b[27u")

// Input is the terminal's input, in which a lone Esc is known for one soon.
type Input struct {
	*os.File
	waitForMore func(f *os.File, wait time.Duration) bool // something comes within that time

	paste pasteFilter
}

// NewInput makes a Input of in, nil for the process's own input; of what is no terminal it
// makes nil.
func NewInput(in io.Reader) *Input {
	f, ok := in.(*os.File)
	if in == nil {
		f, ok = os.Stdin, true
	}
	if !ok || !term.IsTerminal(f.Fd()) {
		return nil
	}
	return &Input{File: f, waitForMore: inputComes}
}

// Read reads from the file. An Esc that nothing follows says so, and pasted text is cleaned
// and ends where nothing follows it.
func (k *Input) Read(b []byte) (int, error) {
	if len(b) < 2*len(pasteEnd) { // no room to say anything
		return k.File.Read(b)
	}
	n, err := k.File.Read(b[copy(b, k.paste.held) : len(b)-len(pasteEnd)])
	n = len(k.paste.passInput(b[:len(k.paste.held)+n]))
	switch {
	case err != nil:
	case bytes.Equal(b[:n], lone) && !k.waitForMore(k.File, escWait):
		n = copy(b, sure)
		k.paste = pasteFilter{}
	case k.paste.open && !k.waitForMore(k.File, pasteWait):
		n += copy(b[n:], pasteEnd)
		k.paste = pasteFilter{}
	case k.paste.open && n == 0:
		return k.Read(b)
	}
	return n, err
}

// The sequences that a terminal writes around pasted text.
const pasteBegin, pasteEnd = "\x1b[200~", "\x1b[201~"

const (
	// pasteWait is how long a paste may stand still. A terminal that never ends one would
	// have every later key pasted, ctrl+c too.
	pasteWait = time.Second
	// pasteMost bounds one paste, in bytes; a line to type in takes less.
	pasteMost = 64 << 10
)

// pasteFilter makes pasted text what Bubble Tea takes at once: it reads what it cannot tell
// again from its beginning with every further piece.
type pasteFilter struct {
	open  bool
	begun int    // how much of pasteBegin came last
	size  int    // of what was let through
	held  []byte // the beginning of what the next piece goes on with
}

// passInput rewrites a piece of input in place and returns it. Pasted text is let through up
// to pasteMost, without escapes, other control characters and what is no UTF-8.
func (p *pasteFilter) passInput(in []byte) []byte {
	out := in[:0]
	for len(in) > 0 {
		if !p.open {
			p.beginOutside(in[0])
			out, in = append(out, in[0]), in[1:]
			continue
		}
		if end := min(len(in), len(pasteEnd)); string(in[:end]) == pasteEnd[:end] {
			if end < len(pasteEnd) {
				break
			}
			out, in = append(out, pasteEnd...), in[end:]
			*p = pasteFilter{}
			continue
		}
		if !utf8.FullRune(in) {
			break
		}
		r, n := utf8.DecodeRune(in)
		if !(r == utf8.RuneError && n == 1) && (!unicode.IsControl(r) || isBlank(r)) && p.size+n <= pasteMost {
			out = append(out, in[:n]...)
			p.size += n
		}
		in = in[n:]
	}
	p.held = bytes.Clone(in)
	return out
}

// beginOutside follows the bytes outside of pasted text.
func (p *pasteFilter) beginOutside(c byte) {
	switch c {
	case pasteBegin[p.begun]:
		p.begun++
	case pasteBegin[0]:
		p.begun = 1
	default:
		p.begun = 0
	}
	if p.begun == len(pasteBegin) {
		*p = pasteFilter{open: true}
	}
}

// isBlank says whether a control character is a space between words or lines.
func isBlank(r rune) bool { return r == '\t' || r == '\n' || r == '\r' || r == '\u0085' }
