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

// escWait is how long to wait for bytes after a lone Esc. A terminal writes the bytes of any other key at
// once. Bubble Tea waits 50 ms, which cannot be changed: a filter would close visibly later than other keys
// act.
const escWait = 15 * time.Millisecond

// A lone Esc, and its unambiguous form.
var loneEsc, unambiguousEsc = []byte{0x1b}, []byte("\x1b[27u")

// Input is the terminal's input with quick detection of a lone Esc.
type Input struct {
	*os.File
	waitForMore func(f *os.File, wait time.Duration) bool // whether input arrives within that time

	paste pasteFilter
}

// NewInput makes an Input of in, nil meaning the process's own input. It returns nil if that is not a
// terminal.
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

// Read reads from the file. A lone Esc is made unambiguous, and pasted text is cleaned and ended after a
// pause.
func (k *Input) Read(b []byte) (int, error) {
	if len(b) < 2*len(pasteEnd) { // no room for additions
		return k.File.Read(b)
	}
	n, err := k.File.Read(b[copy(b, k.paste.held) : len(b)-len(pasteEnd)])
	n = len(k.paste.passInput(b[:len(k.paste.held)+n]))
	switch {
	case err != nil:
	case bytes.Equal(b[:n], loneEsc) && !k.waitForMore(k.File, escWait):
		n = copy(b, unambiguousEsc)
		k.paste = pasteFilter{}
	case k.paste.open && !k.waitForMore(k.File, pasteWait):
		n += copy(b[n:], pasteEnd)
		k.paste = pasteFilter{}
	case k.paste.open && n == 0:
		return k.Read(b)
	}
	return n, err
}

// Sequences that a terminal writes around pasted text.
const pasteBegin, pasteEnd = "\x1b[200~", "\x1b[201~"

const (
	// pasteWait is the longest pause within a paste. A terminal that never ends one would paste every later
	// key, ctrl+c too.
	pasteWait = time.Second
	// pasteMost bounds one paste, in bytes; an input line takes less.
	pasteMost = 64 << 10
)

// pasteFilter cleans pasted text so that Bubble Tea accepts it at once: it parses unrecognized input again
// from its start with every further piece.
type pasteFilter struct {
	open  bool
	begun int    // matched prefix length of pasteBegin
	size  int    // bytes let through
	held  []byte // incomplete bytes for the next piece
}

// passInput rewrites a piece of input in place and returns it. Pasted text passes up to pasteMost, without
// escapes, other control characters and invalid UTF-8.
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

// beginOutside matches bytes outside of pasted text against pasteBegin.
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

// isBlank reports whether a control character separates words or lines.
func isBlank(r rune) bool { return r == '\t' || r == '\n' || r == '\r' || r == '\u0085' }
