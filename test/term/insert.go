package term

import (
	"bytes"

	"github.com/charmbracelet/x/ansi"
)

// inserts rewrites what a program writes in insert mode (ANSI mode 4), which the
// emulator does not know: text that shifts the rest of its line becomes
// room made for it (ICH) and the text. Programs use the mode on terminals of
// which they know little, as with TERM=dumb.
type inserts struct {
	rest []byte // the beginning of a sequence that is not whole yet
	text []byte // what was written in the mode so far
	on   bool
}

// draw returns what the emulator is to draw of the next bytes.
func (i *inserts) draw(data []byte) []byte {
	if len(i.rest) == 0 && !i.on && !bytes.Contains(data, []byte("\x1b[4h")) && partial(data, ansi.SetModeInsertReplace) == 0 {
		return data // the usual case
	}
	data = append(i.rest, data...)
	i.rest = nil
	var out []byte
	for {
		end, into := ansi.SetModeInsertReplace, &out
		if i.on {
			end, into = ansi.ResetModeInsertReplace, &i.text
		}
		before, after, found := bytes.Cut(data, []byte(end))
		if !found {
			n := len(data) - partial(data, end)
			*into = append(*into, data[:n]...)
			i.rest = append(i.rest, data[n:]...)
			return out
		}
		*into = append(*into, before...)
		if i.on {
			out = append(out, ansi.InsertCharacter(ansi.StringWidth(string(i.text)))...)
			out = append(out, i.text...)
			i.text = nil
		}
		i.on, data = !i.on, after
	}
}

// partial is how many bytes at the end of data begin seq without being all of
// it.
func partial(data []byte, seq string) int {
	for n := min(len(seq)-1, len(data)); n > 0; n-- {
		if bytes.HasSuffix(data, []byte(seq[:n])) {
			return n
		}
	}
	return 0
}
