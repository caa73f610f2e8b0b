package job

import (
	"bytes"
	"time"
	"unicode"
	"unicode/utf8"
)

// What a terminal writes around pasted text.
const pasteBegin, pasteEnd = "\x1b[200~", "\x1b[201~"

const (
	// pasteWait is how long a paste may stand still. A terminal that never ends one would
	// have every later key pasted, ctrl+c too.
	pasteWait = time.Second
	// pasteMost bounds one paste, in bytes; a line to type in takes less.
	pasteMost = 64 << 10
)

// paste makes pasted text what Bubble Tea takes at once: it reads what it cannot tell
// again from its beginning with every further piece.
type paste struct {
	open  bool
	begun int    // how much of pasteBegin came last
	size  int    // of what was let through
	held  []byte // the beginning of what the next piece goes on with
}

// pass rewrites a piece of input in place and returns it. Pasted text is let through up
// to pasteMost, without escapes, other control characters and what is no UTF-8.
func (p *paste) pass(in []byte) []byte {
	out := in[:0]
	for len(in) > 0 {
		if !p.open {
			p.begin(in[0])
			out, in = append(out, in[0]), in[1:]
			continue
		}
		if end := min(len(in), len(pasteEnd)); string(in[:end]) == pasteEnd[:end] {
			if end < len(pasteEnd) {
				break
			}
			out, in = append(out, pasteEnd...), in[end:]
			*p = paste{}
			continue
		}
		if !utf8.FullRune(in) {
			break
		}
		r, n := utf8.DecodeRune(in)
		if !(r == utf8.RuneError && n == 1) && (!unicode.IsControl(r) || blank(r)) && p.size+n <= pasteMost {
			out = append(out, in[:n]...)
			p.size += n
		}
		in = in[n:]
	}
	p.held = bytes.Clone(in)
	return out
}

// begin follows the bytes outside of pasted text.
func (p *paste) begin(c byte) {
	switch c {
	case pasteBegin[p.begun]:
		p.begun++
	case pasteBegin[0]:
		p.begun = 1
	default:
		p.begun = 0
	}
	if p.begun == len(pasteBegin) {
		*p = paste{open: true}
	}
}

// blank says whether a control character is a space between words or lines.
func blank(r rune) bool { return r == '\t' || r == '\n' || r == '\r' || r == '\u0085' }
