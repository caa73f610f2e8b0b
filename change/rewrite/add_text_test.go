package rewrite

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rung/change"
	"rung/model"
	"rung/sources/manifests/yamltree"
)

// Each document of texts that are put together has the place that it has in its own file.
func TestAddText(t *testing.T) {
	texts := []string{"a: 1\n", "a: 1", "---\na: 1\n", "# licence\n---\na: 1\n---\nb: 2\n", "\r\n--- # first\r\na: 1\r\n---\r\n---\r\nb: 2", "", "# nothing\n", "-----\n", "a: 1\n...\n"}
	places := func(name string, text []byte) (out []string) {
		docs, _, _ := yamltree.CutDocuments("", text)
		for i, d := range docs {
			if !yamltree.IsBlank(text[d.Body:d.End]) {
				out = append(out, fmt.Sprintf("%s:%d (%d)", name, bytes.Count(text[:d.Body], []byte("\n"))+1, i))
			}
		}
		return out
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		var m change.Mutation
		var want, got []string
		for i := range 1 + r.IntN(5) {
			name, text := fmt.Sprint("f", i), []byte(texts[r.IntN(len(texts))])
			AddText(&m, name, text)
			want = append(want, places(name, text)...)
		}
		docs, _, _ := yamltree.CutDocuments("", m.YAML)
		for i, d := range docs {
			if yamltree.IsBlank(m.YAML[d.Body:d.End]) {
				continue
			}
			errs := []model.Broken{{Origin: model.Origin{Line: firstLine(m.YAML, d.Body), Doc: i}}}
			m.PlaceErrors(errs)
			got = append(got, fmt.Sprintf("%s:%d (%d)", errs[0].Origin.File, errs[0].Origin.Line, errs[0].Origin.Doc))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q\n got %q\nwant %q", m.YAML, got, want)
		}
	}
}

// firstLine is the line of an offset.
func firstLine(text []byte, at int) int { return bytes.Count(text[:at], []byte("\n")) + 1 }
