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

// LongList is an object in JSON with a list that is too long to be held in memory as text: it is
// written element by element, each on a line of its own.
type LongList struct {
	// Head is the object without the list, Key the list's name in it.
	Head any
	Key  string
	// Elements are worked out while they are written.
	Elements iter.Seq[any]
}

// streamChunk is how much text is written at once.
const streamChunk = 64 << 10

// writeLongList writes an object with a long list, and what was not considered beside it; compact
// puts all of it on one line.
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
