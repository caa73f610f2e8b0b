package command

import (
	"strings"
	"testing"

	"rung/model/words"
	"rung/pages/page"
)

// Numbers have commas where people read them, and none in files for programs.
func TestNumbersForProgramsHaveNoCommas(t *testing.T) {
	table := &page.Table[int]{Columns: []page.Column[int]{
		{Key: "rows", Title: "ROWS", Cell: func(n int) page.Cell { return page.Cell{Text: words.Thousands(n)} }},
		{Key: "places", Title: "PLACES", Cell: func(int) page.Cell { return page.Cell{Text: "80,8080"} }},
	}}
	ans := TableAnswer(&App{}, nil, table, []int{1234567, 12})
	if got, want := ans.CSV(), "rows,places\n1234567,\"80,8080\"\n12,\"80,8080\"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := TableText(table, []int{1234567}, false, 0); !strings.Contains(got, "1,234,567  ") {
		t.Errorf("the table for people: %q", got)
	}
}

// Text in markdown is text: a forge makes no link, mention, element or emphasis of it.
func TestMarkdownText(t *testing.T) {
	for text, want := range map[string]string{
		"a_b *c* `d` ~~e~~ | [f](g) # h":           "a\\_b \\*c\\* \\`d\\` \\~\\~e\\~\\~ \\| \\[f\\](g) \\# h",
		"<b>&lt;b&gt;":                             "&lt;b&gt;&amp;lt;b&amp;gt;",
		"@octocat https://e.example www.e.example": "@<!-- -->octocat https&#58;//e.example www&#46;e.example",
	} {
		if got := MarkdownText(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}
