package widget

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"rung/themes"
	"rung/ui/action"
)

var st = themes.BuiltinThemes().FindStyles(themes.Default, true)

// exact fails when a block is not h lines of at most w cells.
func exact(t *testing.T, block string, w, h int) {
	t.Helper()
	if h <= 0 {
		return
	}
	lines := strings.Split(block, "\n")
	if len(lines) != h {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), h, block)
	}
	for _, l := range lines {
		if ansi.StringWidth(l) > max(0, w) {
			t.Fatalf("a line is %d wide, want at most %d: %q", ansi.StringWidth(l), w, l)
		}
	}
}

func TestLine(t *testing.T) {
	l := Line{{"deny ", st.Deny}, {"all", st.Text}}
	tests := []struct {
		w    int
		want string
	}{{10, "deny all  "}, {8, "deny all"}, {7, "deny a…"}, {5, "deny…"}, {4, "den…"}, {1, "…"}, {0, ""}, {-3, ""}}
	for _, tt := range tests {
		if got := ansi.Strip(l.Render(tt.w)); got != tt.want {
			t.Errorf("in %d cells %q, want %q", tt.w, got, tt.want)
		}
	}
	if got := l.SkipCells(6).String(); got != "ll" {
		t.Errorf("skip: %q", got)
	}
	wide := PlainLine("日本語ab")
	for w := range 9 {
		if got := wide.Render(w); ansi.StringWidth(got) != w {
			t.Errorf("wide text in %d cells is %d wide: %q", w, ansi.StringWidth(got), got)
		}
		exact(t, wide.SkipCells(w).Render(5), 5, 1)
	}
	if got := CleanText("a\tb\x1b[31m\nc\x00"); got != "a    b\ufffd[31m c\ufffd" {
		t.Errorf("clean: %q", got)
	}
}

func TestFilter(t *testing.T) {
	tests := []struct {
		filter, text string
		want         bool
	}{
		{"", "anything", true},
		{"blue", "ANP blue-tenant", true},
		{"Blue", "ANP blue-tenant", false},
		{"BLUE", "BLUE", true},
		{"!blue", "ANP blue-tenant", false},
		{"!blue", "ANP red", true},
		{"^anp", "ANP red", true},
		{"a|b", "xxbxx", true},
		{"-f btn", "blue-tenant", true},
		{"-f zz", "blue-tenant", false},
		{"!-f zz", "blue-tenant", true},
		{"[", "a[b", true},
		{"[", "ab", false},
		{"!", "x", true},
		{"-f", "x", true},
		{"-f ", "x", true},
	}
	for _, tt := range tests {
		if got := ParseFilter(tt.filter).MatchesText(tt.text); got != tt.want {
			t.Errorf("%q on %q: %v", tt.filter, tt.text, got)
		}
	}
	if f := ParseFilter("["); f.Err == "" {
		t.Error("a broken expression has no error")
	}
	if diff := cmp.Diff([][]int{{0, 2}, {4, 6}}, ParseFilter("ab").MatchSpans("AB..ab")); diff != "" {
		t.Error(diff)
	}
}

func FuzzFilter(f *testing.F) {
	for _, s := range []string{"", "a", "!a", "-f a b", "[", "(?i)x", "\\", "!!", "-f [", "a{1000}{1000}", "É", "ẞ"} {
		f.Add(s, "some text É ß with [ brackets")
	}
	f.Fuzz(func(t *testing.T, filter, text string) {
		p := ParseFilter(filter)
		p.MatchesText(text)
		for _, s := range p.MatchSpans(text) {
			if s[0] < 0 || s[1] > len(text) || s[0] > s[1] {
				t.Errorf("range %v outside the text", s)
			}
		}
		l := HighlightMatches(PlainLine(text), p, st)
		if l.String() != text {
			t.Errorf("highlighting changed the text: %q", l.String())
		}
	})
}

type thing struct {
	id   string
	n    int
	band bool
}

func things(n int) []thing {
	out := make([]thing, n)
	for i := range out {
		out[i] = thing{id: fmt.Sprintf("thing-%d", i), n: i, band: i%7 == 0}
	}
	return out
}

func newTable() *Table[thing] {
	return &Table[thing]{
		ID: func(x thing) string { return x.id },
		Full: func(x thing) Line {
			if x.band {
				return PlainLine("── band ──")
			}
			return nil
		},
		Skip:  func(x thing) bool { return x.band },
		Fixed: func(x thing) bool { return x.band },
		Columns: []TableColumn[thing]{
			{Title: "NAME", Min: 6, Cell: func(x thing) Line { return PlainLine(x.id) }},
			{Title: "N", Right: true, Cell: func(x thing) Line { return PlainLine(fmt.Sprint(x.n)) }},
			{Title: "MORE", Drop: 1, Cell: func(x thing) Line { return PlainLine("more " + x.id) }},
			{Title: "REST", Drop: 2, Flex: true, Cell: func(x thing) Line { return PlainLine("flexible") }},
		},
	}
}

// A filter of one column; what is no column's title is searched as it stands.
func TestFilterOfOneColumn(t *testing.T) {
	for text, want := range map[string]int{"name=more": 0, "more=more thing-5": 10, "REST=": 51, "name=!thing-5": 41, "none=thing": 0} {
		tb := newTable()
		tb.SetItems(things(60))
		tb.SetFilter(ParseFilter(text))
		if shown, _ := tb.CountLines(); shown != want {
			t.Errorf("%s shows %d rows, want %d", text, shown, want)
		}
	}
}

func TestSelectionIsKeptByIdentity(t *testing.T) {
	tb := newTable()
	tb.SetItems(things(100))
	tb.Render(st, 60, 20)
	if !tb.SelectID("thing-50") {
		t.Fatal("cannot select")
	}
	tb.SetItems(things(60)[5:])
	if got := tb.SelectedID(); got != "thing-50" {
		t.Errorf("after new items %q", got)
	}
	tb.SetFilter(ParseFilter("thing-5"))
	if got := tb.SelectedID(); got != "thing-50" {
		t.Errorf("after a filter %q", got)
	}
	tb.SetFilter(ParseFilter(""))
	tb.Do(action.SortNext)
	tb.Do(action.SortNext)
	tb.Do(action.SortFlip)
	if got := tb.SelectedID(); got != "thing-50" {
		t.Errorf("after sorting %q", got)
	}
	if it, _ := tb.SelectedItem(); tb.Arrangement().Sort != "N" || it.n != 50 {
		t.Errorf("sorted by %q on %v", tb.Arrangement().Sort, it)
	}
	tb.Do(action.Top)
	if it, _ := tb.SelectedItem(); it.n != 59 {
		t.Errorf("the first of the turned order is %d", it.n)
	}
	tb.SetItems(things(3))
	if it, ok := tb.SelectedItem(); !ok || it.band {
		t.Errorf("after its row went the cursor is on %v", it)
	}
	tb.SetItems(nil)
	if _, ok := tb.SelectedItem(); ok {
		t.Error("an empty table has a selection")
	}
}

// Columns go by their worth; one that went before a wider one comes back where it has
// room.
func TestColumnsDropByWorth(t *testing.T) {
	tb := newTable()
	tb.SetItems(things(10))
	for _, tt := range []struct {
		w    int
		want string
	}{{60, "NAME     N  MORE          REST"}, {30, "NAME    N MORE"}, {20, "NAME N REST"}, {12, "NAME   N"}} {
		head, _, _ := strings.Cut(ansi.Strip(tb.Render(st, tt.w, 5)), "\n")
		if got := strings.Join(strings.Fields(head), " "); got != strings.Join(strings.Fields(tt.want), " ") {
			t.Errorf("at %d cells: %q", tt.w, got)
		}
	}
	tb.Wide = true
	head, _, _ := strings.Cut(ansi.Strip(tb.Render(st, 20, 5)), "\n")
	if !strings.Contains(head, "MORE") {
		t.Errorf("wide: %q", head)
	}
}

// TestRandom does anything in any order at any size.
func TestRandom(t *testing.T) {
	ids := []action.ID{action.Down, action.Up, action.HalfDown, action.HalfUp, action.PageDown, action.PageUp, action.Top,
		action.Bottom, action.Left, action.Right, action.Wide, action.SortNext, action.SortPrev, action.SortFlip,
		action.Find, action.FindNext, action.FindPrev, action.Wrap}
	r := rand.New(rand.NewPCG(1, 2))
	tb, doc, tx := newTable(), NewDoc(), &TextView{}
	filters := []string{"", "thing-1", "!1", "nothing", "-f tg", "["}
	for range 6000 {
		w, h := r.IntN(90)-2, r.IntN(30)-1
		switch r.IntN(6) {
		case 0:
			n := r.IntN(60)
			tb.SetItems(things(n))
			var lines []DocLine
			var text []Line
			for i := range n {
				lines = append(lines, DocLine{Line: PlainLine(strings.Repeat("w", r.IntN(120))), Skip: i%5 == 0})
				text = append(text, lines[i].Line)
			}
			doc.SetLines(lines)
			tx.SetLines(text)
		case 1:
			f := ParseFilter(filters[r.IntN(len(filters))])
			tb.SetFilter(f)
			doc.SetFilter(f)
			tx.SetFilter(f)
		case 2:
			if r.IntN(20) == 0 {
			}
		case 3:
			y := r.IntN(40) - 3
			tb.Click(y)
			doc.Click(y)
			tx.Click(y)
		case 4:
			f := ParseFilter(filters[r.IntN(len(filters))])
			tx.FindMatch(f)
			tb.Wheel(r.IntN(9) - 4)
		default:
			id := ids[r.IntN(len(ids))]
			tb.Do(id)
			doc.Do(id)
			tx.Do(id)
		}
		exact(t, tb.Render(st, w, h), w, h)
		exact(t, doc.Render(st, w, h), w, h)
		exact(t, tx.Render(st, w, h), w, h)
	}
}

func TestCursorStaysInSight(t *testing.T) {
	tb := newTable()
	tb.SetItems(things(200))
	for range 400 {
		tb.Do(action.Down)
		if !strings.Contains(tb.Render(st, 40, 10), "▸") {
			t.Fatal("the cursor left the window going down")
		}
	}
	for range 400 {
		tb.Do(action.Up)
		if !strings.Contains(tb.Render(st, 40, 10), "▸") {
			t.Fatal("the cursor left the window going up")
		}
	}
	if !strings.Contains(tb.Render(st, 40, 10), "band") {
		t.Error("the heading before the first row cannot be seen any more")
	}
}

func TestYAML(t *testing.T) {
	text := "# a note\napiVersion: v1 # why\nspec:\n  priority: 34\n  - name: \"a # b\"\n    on: true\n    text: |\n      key: no\n    -x: 1\n"
	var got []string
	for _, l := range YAMLLines(text, st) {
		var b strings.Builder
		for _, s := range l {
			fmt.Fprintf(&b, "<%s>%s", s.Style.Token(), s.Text)
		}
		got = append(got, b.String())
	}
	want := []string{
		"<code-note># a note",
		"<code-key>apiVersion<dim>:<code-text> v1 <code-note># why",
		"<code-key>spec<dim>:",
		"<code-text>  <code-key>priority<dim>:<code-value> 34",
		"<code-text>  <dim>-<code-text> <code-key>name<dim>:<code-text> \"a # b\"",
		"<code-text>    <code-key>on<dim>:<code-value> true",
		"<code-text>    <code-key>text<dim>:<code-text> |",
		"<code-text>      key: no",
		"<code-text>    <code-key>-x<dim>:<code-value> 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, s := range []string{"", "\n\n", ":", "- - - a: b", "{{{", "\x1b[31m: x"} {
		for _, l := range YAMLLines(s, st) {
			exact(t, l.Render(10), 10, 1)
		}
	}
}

func TestOverlayAndBox(t *testing.T) {
	frame := PadBlock([]string{"aaaaaaaaaa", "bbbbbbbbbb", "cc"}, 5)
	box := FrameBox(st, "title that is long", []string{"one", strings.Repeat("x", 30)}, 8)
	exact(t, box, 8, 4)
	got := ansi.Strip(OverlayBox(frame, box, 1, 1, 10))
	want := "aaaaaaaaaa\nb┌─ ti… ┐b\nc│one   │\n │xxxxx…│\n └──────┘"
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Sparkline([]int{0, 5, 10}); got != "▁▄█" {
		t.Errorf("%q", got)
	}
}

func BenchmarkTable(b *testing.B) {
	tb := newTable()
	tb.SetItems(things(10000))
	for b.Loop() {
		tb.Do(action.Down)
		tb.Render(st, 160, 50)
	}
}
