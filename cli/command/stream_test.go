package command

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
)

// TestLongList: an object with a long list is the JSON that it would be in one piece, indented for one
// answer and on one line where answers follow each other; what was not considered is in it.
func TestLongList(t *testing.T) {
	a := NewApp(t.Context(), strings.NewReader(""), io.Discard, io.Discard)
	type cell struct {
		From string `json:"from"`
		N    int    `json:"n"`
	}
	for _, cells := range [][]cell{nil, {{"a", 1}}, {{"a<b", 1}, {"\u009b2J", 2}, {"c", 3}}} {
		for _, omitted := range [][]model.Omission{nil, {{Code: model.OmittedAll, Why: "nothing was judged"}}} {
			l := &LongList{Head: map[string]any{"port": 80, "ends": []string{"x"}}, Key: "cells", N: len(cells), Item: func(i int) any { return &cells[i] }}
			ans := &Answer{Items: l, NotConsidered: omitted}
			a.Flags.Output = "json"
			for _, compact := range []bool{false, true} {
				var out bytes.Buffer
				if err := a.writeAnswer(&out, ans, compact); err != nil {
					t.Fatal(err)
				}
				if lines := bytes.Count(out.Bytes(), []byte("\n")); compact != (lines == 1) {
					t.Errorf("compact %v has %d lines", compact, lines)
				}
				if strings.Contains(out.String(), "\u009b") {
					t.Error("a control character is in it as it is")
				}
				var got struct {
					Port    int             `json:"port"`
					Ends    []string        `json:"ends"`
					Cells   []cell          `json:"cells"`
					Omitted json.RawMessage `json:"not_considered"`
				}
				if err := json.Unmarshal(out.Bytes(), &got); err != nil {
					t.Fatalf("compact %v: %v\n%s", compact, err, out.String())
				}
				if diff := cmp.Diff(append([]cell{}, cells...), got.Cells); diff != "" || got.Port != 80 || len(got.Ends) != 1 || (len(omitted) > 0) != (len(got.Omitted) > 0) {
					t.Errorf("compact %v: -want +got\n%s%s", compact, diff, out.String())
				}
			}
		}
	}
}
