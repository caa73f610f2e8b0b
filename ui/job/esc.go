package job

import (
	"bytes"
	"io"
	"os"
	"time"

	"github.com/charmbracelet/x/term"
)

// escWait is how long a lone Esc is waited behind. A terminal writes the bytes of any other
// key at once, so that they come with it. Bubble Tea waits 50 ms, and cannot be told
// otherwise: a filter would end visibly later than any other key shows.
const escWait = 15 * time.Millisecond

// A lone Esc, and the same key as terminals write it that leave nothing to guess.
var lone, sure = []byte{0x1b}, []byte("\x1b[27u")

// Keys is the terminal's input, in which a lone Esc is known for one soon.
type Keys struct {
	*os.File
	more func(f *os.File, wait time.Duration) bool // something comes within that time

	paste paste
}

// NewKeys makes Keys of in, nil for the process's own input; of what is no terminal it
// makes nil.
func NewKeys(in io.Reader) *Keys {
	f, ok := in.(*os.File)
	if in == nil {
		f, ok = os.Stdin, true
	}
	if !ok || !term.IsTerminal(f.Fd()) {
		return nil
	}
	return &Keys{File: f, more: comes}
}

// Read is that of the file. An Esc that nothing follows says so, and pasted text is cleaned
// and ends where nothing follows it.
func (k *Keys) Read(b []byte) (int, error) {
	if len(b) < 2*len(pasteEnd) { // no room to say anything
		return k.File.Read(b)
	}
	n, err := k.File.Read(b[copy(b, k.paste.held) : len(b)-len(pasteEnd)])
	n = len(k.paste.pass(b[:len(k.paste.held)+n]))
	switch {
	case err != nil:
	case bytes.Equal(b[:n], lone) && !k.more(k.File, escWait):
		n = copy(b, sure)
		k.paste = paste{}
	case k.paste.open && !k.more(k.File, pasteWait):
		n += copy(b[n:], pasteEnd)
		k.paste = paste{}
	case k.paste.open && n == 0:
		return k.Read(b)
	}
	return n, err
}

// plain is the file behind an input, which programs in front of the terminal need.
func plain(in io.Reader) io.Reader {
	if k, ok := in.(*Keys); ok {
		return k.File
	}
	return in
}
