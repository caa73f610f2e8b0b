package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/themes"
)

// sheetOf is a sheet with a text in every place there is.
func sheetOf(text string) *page.Sheet {
	cell := page.Cell{Sign: page.Span{Text: text, Role: themes.Warn}, Text: text, Role: themes.Deny, More: page.Line{{Text: text, Role: themes.Dim}}}
	grid := page.Grid{Title: text, Columns: []page.GridColumn{{Key: "a", Title: text, Help: text}, {Key: "b", Title: text, Right: true, NoSort: true}},
		Rows: []page.GridRow{{Cells: []page.Cell{cell, cell}, Keys: []string{text, "1" + text}}, {Cells: []page.Cell{cell, cell}, Under: true}}}
	return &page.Sheet{Title: text, About: []page.Fact{{Name: text, Text: page.Line{{Text: text}}}}, Sections: []page.Section{{Key: "one", Title: text,
		Lines: []page.Line{{{Text: text, Role: themes.OK}}}, Grids: []page.Grid{grid, {Title: text, Empty: text}},
		Map: &page.Map{Rows: []string{text, "b"}, Kinds: []page.MapKind{{Key: "allow", Text: text, Sign: page.Span{Role: themes.Allow}}, {Key: "deny", Text: "deny"}}, Cells: []int8{0, 1, -1, 1}}}}}
}

// tree are the elements of a page with the names of their attributes, and its texts.
func tree(t *testing.T, text string) (elements []string, texts string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		switch n.Type {
		case html.ElementNode:
			line := n.Data
			for _, a := range n.Attr {
				line += " " + a.Key
			}
			elements = append(elements, line)
		case html.TextNode:
			texts += n.Data
		case html.CommentNode:
			t.Errorf("a comment: %q", n.Data)
		}
	}
	return elements, texts
}

// FuzzHTML: whatever a text says, the page has the elements and attributes that it has with another text,
// and shows it.
func FuzzHTML(f *testing.F) {
	for _, text := range []string{"name", `<script>hit()</script>`, `"><img src=x onerror=hit()>`, "'", "&amp;", "</table>", "\u202eevil\x00\x1b[31m", "<!--", "a\nb", "]]>", "Ελληνικά 中文 العربية"} {
		f.Add(text)
	}
	want, _ := tree(&testing.T{}, HTML(sheetOf("xxxx")))
	f.Fuzz(func(t *testing.T, text string) {
		if strings.TrimSpace(text) == "" {
			return // a sign without a text is left out
		}
		page := HTML(sheetOf(text))
		got, texts := tree(t, page)
		if shown := strings.ReplaceAll(words.Escape(text), "\r", ""); !strings.Contains(strings.ReplaceAll(texts, "\r", ""), shown) {
			t.Errorf("%q is not shown", shown)
		}
		if diff := cmp.Diff(withoutSort(want), withoutSort(got)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	})
}

// withoutSort leaves out an attribute that only some texts have.
func withoutSort(elements []string) []string {
	return model.MapList(elements, func(e string) string {
		return strings.ReplaceAll(strings.ReplaceAll(e, " data-sort", ""), "table class", "table")
	})
}

// A map says the same as a list: who reaches all is said so, and rows that are alike are one.
func TestMapGrid(t *testing.T) {
	const a, d, m = 0, 1, 2
	kinds := []page.MapKind{{Key: "allow", Text: "allow"}, {Key: "deny", Text: "deny"}, {Key: "mixed", Text: "mixed"}, {Key: "unknown", Text: "unknown"}}
	names := []string{"v", "w", "x", "y", "z"}
	g := MapAsTable(&page.Map{Rows: names, Kinds: kinds, Cells: []int8{
		d, d, d, d, d,
		d, d, d, d, d,
		a, d, d, d, d,
		a, m, d, d, -1,
		-1, -1, -1, -1, a,
	}})
	var got []string
	for _, c := range g.Columns {
		got = append(got, c.Title)
	}
	for _, r := range g.Rows {
		got = append(got, strings.Join(cellTexts(&r), "|"))
	}
	want := []string{"FROM", "ALLOW", "DENY", "MIXED", "NO CONNECTIONS", "v, w||all 5||", "x|v|all 5 but v||", "y|v|x, y|w|z", "z|z|||all 5 but z"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A map is drawn cell by cell: each cell of each kind is in the rectangles of that kind, and in no others.
func TestMapIsDrawn(t *testing.T) {
	m := &page.Map{Rows: []string{"a", "b", "c"}, Kinds: []page.MapKind{{Key: "x"}, {Key: "y"}}, Cells: []int8{0, 0, 1, 1, 0, -1, 0, 0, 0}}
	drawn := make([]int8, len(m.Cells))
	for i := range drawn {
		drawn[i] = -1
	}
	for kind := range m.Kinds {
		for box := range strings.SplitSeq(strings.Trim(kindPath(m, kind, 100, 50), "Mz"), "zM") {
			var x, y, w, h, back int
			if n, err := fmt.Sscanf(box, "%d %dh%dv%dh-%d", &x, &y, &w, &h, &back); n != 5 || w != back || h != cellSize {
				t.Fatalf("%q: %v", box, err)
			}
			for i := range w / cellSize {
				at := (y-50)/cellSize*3 + (x-100)/cellSize + i
				if drawn[at] >= 0 {
					t.Errorf("cell %d is drawn twice", at)
				}
				drawn[at] = int8(kind)
			}
		}
	}
	if diff := cmp.Diff(m.Cells, drawn); diff != "" {
		t.Error(diff)
	}
}

// Markdown has each row on one line, whatever is in it.
func TestMarkdownIsOneLineARow(t *testing.T) {
	text := Markdown(sheetOf("a|b\nc `d` <e> # [f]"))
	for line := range strings.SplitSeq(text, "\n") {
		if cells := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "|---") && (cells < 3 || cells > 5) {
			t.Errorf("%d cells: %s", cells, line)
		}
	}
	if strings.Contains(text, "<e>") || strings.Contains(text, "\n# [") {
		t.Errorf("markdown reads the text:\n%s", text)
	}
}
