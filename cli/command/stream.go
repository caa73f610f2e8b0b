package command

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"rung/engine/trace"
	"rung/model/words"
)

// LongList is a list too long to hold in memory as text. Its elements are worked out while they are written, a
// few at a time on all cores: ten thousand answers with their text would need a hundred megabytes.
type LongList struct {
	// Object around the list, and the list's name in it; nil for a list alone.
	Head any
	Key  string
	N    int
	Item func(i int) any // called once for each i, from any goroutine
	End  func()          // called after the last item, unless nil
}

// AnswerItem is an element with a text: the answer to one question, as one line if brief.
type AnswerItem interface {
	WriteText(b *strings.Builder, wide, brief bool)
}

// itemsAtOnce is how many items are worked out, and then written, at a time.
const itemsAtOnce = 256

// writeEach formats every item and passes the texts on in order. form is called from any goroutine.
func (l *LongList) writeEach(form func(item any) ([]byte, error), to func(i int, text []byte) error) error {
	texts, errs := make([][]byte, itemsAtOnce), make([]error, itemsAtOnce)
	for from := 0; from < l.N; from += itemsAtOnce {
		n := min(itemsAtOnce, l.N-from)
		trace.RunParallel(n, func(i int) { texts[i], errs[i] = form(l.Item(from + i)) })
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
	l.finish()
	return nil
}

func (l *LongList) finish() {
	if l.End != nil {
		l.End()
	}
}

// writeJSON writes a list alone as encodeJSON does, and a list in an object with each element on its own line;
// compact puts all on one line.
func (l *LongList) writeJSON(a *App, w io.Writer, omitted []OmissionOut, compact bool) error {
	open, before, last, end := "[", "\n  ", "\n", "]\n"
	if l.Head != nil {
		head, err := encodeJSON(a.addOmissions(l.Head, omitted), compact)
		if err != nil {
			return err
		}
		head = bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(head), []byte("}")))
		open, before, last, end = fmt.Sprintf("%s,\n  %q: [", head, l.Key), "\n    ", "\n  ", "]\n}\n"
		if compact {
			open, end = fmt.Sprintf("%s,%q:[", head, l.Key), "]}\n"
		}
	}
	if compact {
		before, last = "", ""
	}
	if l.N == 0 {
		last = ""
	}
	out := bytes.NewBufferString(open)
	flush := func() error {
		_, err := w.Write(words.CleanJSON(out.Bytes()))
		out.Reset()
		return err
	}
	err := l.writeEach(func(item any) ([]byte, error) {
		text, err := encodeJSON(item, compact || l.Head != nil)
		return bytes.ReplaceAll(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"), []byte("\n  ")), err
	}, func(i int, text []byte) error {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(before)
		out.Write(text)
		if i%itemsAtOnce < itemsAtOnce-1 {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	out.WriteString(last + end)
	return flush()
}

// itemsText returns the texts of the answers in the list, one below the other.
func (l *LongList) itemsText(wide bool) (string, error) {
	var out strings.Builder
	err := l.writeEach(func(item any) ([]byte, error) {
		var b strings.Builder
		item.(AnswerItem).WriteText(&b, wide, true)
		return []byte(b.String()), nil
	}, func(_ int, text []byte) error {
		_, err := out.Write(text)
		return err
	})
	return out.String(), err
}

// wholeValue works out all items in parallel. It returns them in order, or alone if the caller needs only
// them, else with the object around them.
func (l *LongList) wholeValue(alone bool) any {
	items := make([]any, l.N)
	trace.RunParallel(l.N, func(i int) { items[i] = l.Item(i) })
	l.finish()
	if alone || l.Head == nil {
		return items
	}
	return jsonObject{{"", l.Head}, {l.Key, items}}
}
