package command

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"rung/model/words"
)

// LongList is a JSON object with a list too long to hold in memory as text. It is written element by element,
// each on its own line.
type LongList struct {
	// Object without the list; Key is the list's name in it.
	Head any
	Key  string
	// Elements are computed while they are written.
	Elements iter.Seq[any]
}

// streamChunk is the size of a write in bytes.
const streamChunk = 64 << 10

// writeLongList writes an object with a long list, and its omissions; compact puts all on one line.
func writeLongList(a *App, w io.Writer, l *LongList, out []OmissionOut, compact bool) error {
	head, err := encodeJSON(a.addOmissions(l.Head, out), compact)
	if err != nil {
		return err
	}
	key, first, next, last, end := ",\n  %q: [", "\n    ", ",\n    ", "\n  ", "]\n}\n"
	if compact {
		key, first, next, last, end = ",%q:[", "", ",", "", "]}\n"
	}
	head = bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(head), []byte("}")))
	b := bufio.NewWriterSize(w, streamChunk)
	if _, err := fmt.Fprintf(b, "%s"+key, words.CleanJSON(head), l.Key); err != nil {
		return err
	}
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	before := first
	for e := range l.Elements {
		line.Reset()
		if err := enc.Encode(e); err != nil {
			return fmt.Errorf("write JSON: %w", err)
		}
		if _, err := b.WriteString(before); err != nil {
			return err
		}
		if _, err := b.Write(words.CleanJSON(bytes.TrimSuffix(line.Bytes(), []byte("\n")))); err != nil {
			return err
		}
		before = next
	}
	if before != first || compact {
		end = last + end
	}
	if _, err := b.WriteString(end); err != nil {
		return err
	}
	return b.Flush()
}
