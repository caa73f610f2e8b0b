package command

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type numberOut struct {
	Number int      `json:"number"`
	Words  []string `json:"words"`
}

func (n *numberOut) WriteText(b *strings.Builder, _, brief bool) { fmt.Fprintln(b, n.Number, brief) }

// Answers that are asked while they are written read as if they had been written together,
// in their order, and each is asked once.
func TestItemsAreTheList(t *testing.T) {
	for _, n := range []int{0, 1, itemsAtOnce - 1, itemsAtOnce, itemsAtOnce + 1, 3*itemsAtOnce + 7} {
		list := []AnswerItem{}
		for i := range n {
			list = append(list, &numberOut{i, []string{"<a> & \u202eb", "ä\x07"}})
		}
		for _, output := range []string{"json", "yaml", "table"} {
			for _, compact := range []bool{false, true} {
				asked, ended := make([]int, n), 0
				it := &LongList{N: n, Item: func(i int) any { asked[i]++; return list[i] }, End: func() { ended++ }}
				var got, want bytes.Buffer
				a := &App{Flags: globalFlags{Output: output}}
				whole := &Answer{Value: list, Text: func(wide bool) string {
					var b strings.Builder
					for _, o := range list {
						o.WriteText(&b, wide, true)
					}
					return b.String()
				}}
				if err := errors.Join(a.writeAnswer(&got, &Answer{Items: it}, compact), a.writeAnswer(&want, whole, compact)); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want.String(), got.String()); diff != "" {
					t.Errorf("%d, %s, compact %v: %s", n, output, compact, diff)
				}
				if ended != 1 || slices.ContainsFunc(asked, func(n int) bool { return n != 1 }) {
					t.Errorf("%d, %s: asked %v, ended %d times", n, output, asked, ended)
				}
			}
		}
	}
}

// failingWriter takes nothing after some writes.
type failingWriter struct{ left int }

func (w *failingWriter) Write(p []byte) (int, error) {
	w.left--
	if w.left < 0 {
		return 0, errors.New("nobody reads")
	}
	return len(p), nil
}

// Where nobody reads any more, nothing more is asked.
func TestItemsEndWithTheirReader(t *testing.T) {
	asked := make([]bool, 10*itemsAtOnce)
	it := &LongList{N: len(asked), Item: func(i int) any { asked[i] = true; return &numberOut{} }, End: func() { t.Error("it ended") }}
	if err := it.writeJSON(nil, &failingWriter{left: 1}, nil, false); err == nil {
		t.Fatal("no error")
	}
	if asked[2*itemsAtOnce] {
		t.Error("it went on asking")
	}
}
