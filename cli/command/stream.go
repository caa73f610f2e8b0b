package command

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"

	"rung/engine/trace"
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

// AnswerItems are the answers to many questions. They are worked out while they are written, a few at a time
// on all cores: ten thousand answers with their text would need a hundred megabytes.
type AnswerItems struct {
	N    int
	Item func(i int) AnswerItem // called once for each i, from any goroutine
	End  func()                 // called after the last item
}

// itemsAtOnce is how many items are worked out, and then written, at a time.
const itemsAtOnce = 256

// writeEach formats every item and passes the texts on in order. form is called from any goroutine.
func (it *AnswerItems) writeEach(form func(o AnswerItem) ([]byte, error), to func(i int, text []byte) error) error {
	texts, errs := make([][]byte, itemsAtOnce), make([]error, itemsAtOnce)
	for from := 0; from < it.N; from += itemsAtOnce {
		n := min(itemsAtOnce, it.N-from)
		trace.RunParallel(n, func(i int) { texts[i], errs[i] = form(it.Item(from + i)) })
		for i := range n {
			err := errs[i]
			if err == nil {
				err = to(from+i, texts[i])
			}
			if err != nil {
				return err
			}
		}
	}
	it.End()
	return nil
}

// writeJSON writes the items as encodeJSON writes a list.
func (it *AnswerItems) writeJSON(w io.Writer, compact bool) error {
	first, between, last := "[\n  ", ",\n  ", "\n]\n"
	if compact {
		first, between, last = "[", ",", "]\n"
	}
	if it.N == 0 {
		first, last = "[", "]\n"
	}
	out := bytes.NewBufferString(first)
	err := it.writeEach(func(o AnswerItem) ([]byte, error) {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if !compact {
			enc.SetIndent("  ", "  ")
		}
		if err := enc.Encode(o); err != nil {
			return nil, fmt.Errorf("write JSON: %w", err)
		}
		return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
	}, func(i int, text []byte) error {
		if i > 0 {
			out.WriteString(between)
		}
		out.Write(text)
		if i%itemsAtOnce != itemsAtOnce-1 {
			return nil
		}
		_, err := w.Write(words.CleanJSON(out.Bytes()))
		out.Reset()
		return err
	})
	if err != nil {
		return err
	}
	out.WriteString(last)
	_, err = w.Write(words.CleanJSON(out.Bytes()))
	return err
}

func (it *AnswerItems) itemsText(wide bool) (string, error) {
	var out strings.Builder
	err := it.writeEach(func(o AnswerItem) ([]byte, error) {
		var b strings.Builder
		o.WriteText(&b, wide, true)
		return []byte(b.String()), nil
	}, func(_ int, text []byte) error {
		_, err := out.Write(text)
		return err
	})
	return out.String(), err
}

// makeAll works out all items in parallel and returns them in order.
func (it *AnswerItems) makeAll() []AnswerItem {
	out := make([]AnswerItem, it.N)
	trace.RunParallel(it.N, func(i int) { out[i] = it.Item(i) })
	it.End()
	return out
}

// AnswerItem prints the answer to one question, as one line if brief.
type AnswerItem interface {
	WriteText(b *strings.Builder, wide, brief bool)
}
