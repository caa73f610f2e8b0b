package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// languageLimits hold how hard the English may be to read, in sentences of a thousand. "pointing"
// are sentences in which a third of the words point at something instead of naming it; "odd" are
// sentences with one of oddTurns; "resembling" are function comments that begin "X is" or "X has",
// where a verb would say what the function does. Every number is only ever lowered.
var languageLimits = map[string]int{
	"comments pointing":            26,
	"comments odd":                 9,
	"function comments resembling": 12,
	"texts pointing":               51,
	"texts odd":                    12,
	"documents pointing":           18,
	"documents odd":                11,
}

// pointingWords name nothing: the reader finds out what each of them means.
var pointingWords = regexp.MustCompile(`\b(?:which|that|what|whose|whom|these|those|this|where|who|one|ones|it|its|there|they|them|is|are|was|be|of|so|as|than` +
	`|other|others|another|such|beside|besides|behind|stands?|told|tell|nobody|somebody)\b`)

// oddTurns are turns of phrase that English has plainer words for.
var oddTurns = regexp.MustCompile(strings.Join([]string{
	`, (?:nil|none|empty|zero|-1|false|0|nothing)(?: \w+){0,3} (?:where|without|when|for)\b`,
	`\bwhere (?:it|there|that|one|they|nobody|nothing|none)\b`,
	`\b(?:is|are) (?:told|meant|wanted|to be|no)\b`,
	`\bthat there (?:is|are)\b`, `\bof (?:one|those|all|what) (?:that|which|of)\b`,
	`\bas (?:it|they|one) (?:is|are|stands?)\b`, `\bbesides?\b`, `\bin vain\b`, `\bcomes? to\b`, `\ball the same\b`,
	`\bone that\b`, `\bthose (?:that|of|which|who)\b`, `\bthat of\b`, `\bso many\b`, `\bin its place\b`,
	`\bwhat (?:is|are|was|there)\b`, `\bsays? whether\b`,
}, "|"))

// resembling is a comment that says what the result of a function is.
var resembling = regexp.MustCompile(`\A\S+ (?:is|are|was|says?|has|have|holds)\b`)

// sentenceEnd is where one sentence ends and the next begins.
var sentenceEnd = regexp.MustCompile(`[.;:!?]\s+`)

// formatVerb is a place of a format that a value is printed at.
var formatVerb = regexp.MustCompile(`%[-+#0-9.\[\]]*[a-zA-Z]`)

// sentences returns the sentences of at least eight words.
func sentences(text string) (out []string) {
	for _, s := range sentenceEnd.Split(text, -1) {
		if len(strings.Fields(s)) >= 8 {
			out = append(out, s)
		}
	}
	return out
}

func points(sentence string) bool {
	return 3*len(pointingWords.FindAllString(strings.ToLower(sentence), -1)) >= len(strings.Fields(sentence))
}

// perMille returns n as a share of all, in thousandths.
func perMille(n, all int) int { return 1000 * n / all }

func odd(sentence string) bool { return oddTurns.MatchString(strings.ToLower(sentence)) }

// language counts the sentences of one kind of text.
type language struct{ sentences, pointing, odd int }

func (l *language) add(t *testing.T, where, text string) {
	for _, s := range sentences(text) {
		l.sentences++
		if points(s) {
			l.pointing++
			t.Logf("%s: pointing: %s", where, s)
		}
		if odd(s) {
			l.odd++
			t.Logf("%s: odd: %s", where, s)
		}
	}
}

// TestPlainEnglish holds the tree to languageLimits. With -v it names every sentence it counted.
func TestPlainEnglish(t *testing.T) {
	var comments, texts, docs language
	functions, like := 0, 0
	for _, f := range source(t) {
		if !isProgram(f) || f.generated() {
			continue
		}
		for _, c := range f.ast.Comments {
			comments.add(t, fmt.Sprintf("%s:%d", f.path, f.fset.Position(c.Pos()).Line), c.Text())
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc != nil {
				functions++
				if resembling.MatchString(fn.Doc.Text()) {
					like++
					t.Logf("%s:%d: resembling: %s", f.path, f.fset.Position(fn.Pos()).Line, fn.Doc.Text())
				}
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil && strings.Count(text, " ") >= 5 {
					texts.add(t, fmt.Sprintf("%s:%d", f.path, f.fset.Position(lit.Pos()).Line), formatVerb.ReplaceAllString(text, "X"))
				}
			}
			return true
		})
	}
	for _, d := range documents(t) {
		if d.markdown() && !strings.HasPrefix(d.path, "test/") && !strings.Contains(d.path, "testdata/") {
			for _, p := range paragraphs(d.text) {
				docs.add(t, d.path, p)
			}
		}
	}
	is := map[string]int{"function comments resembling": perMille(like, functions)}
	for kind, l := range map[string]language{"comments": comments, "texts": texts, "documents": docs} {
		if l.sentences == 0 {
			t.Fatalf("no %s read", kind)
		}
		is[kind+" pointing"], is[kind+" odd"] = perMille(l.pointing, l.sentences), perMille(l.odd, l.sentences)
	}
	for what, limit := range languageLimits {
		if is[what] > limit {
			t.Errorf("%s: %d of 1,000, more than %d: name things, and say what a function does (-v lists the sentences)", what, is[what], limit)
		}
		t.Logf("%s: %d of 1,000", what, is[what])
	}
}

// paragraphs returns the running text of a document, without headings, tables and code.
func paragraphs(text string) []string {
	var out []string
	var now []string
	code := false
	for line := range strings.Lines(text + "\n\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if code || line == "" || slices.ContainsFunc([]string{"#", "|", "```", "!"}, func(mark string) bool { return strings.HasPrefix(line, mark) }) {
			if len(now) > 0 {
				out = append(out, strings.Join(now, " "))
			}
			now = nil
			continue
		}
		now = append(now, line)
	}
	return out
}

func TestLanguageIsMeasured(t *testing.T) {
	for text, want := range map[string][2]bool{
		"Reload reads the file again and returns the rows that changed since.":                   {false, false},
		"It is one of those that are as they were where there is one.":                           {true, true},
		"Compare returns the differing rows by zone and table, empty without a desired row yet.": {false, true},
		"That which is of it is.": {false, false}, // too short
	} {
		var got [2]bool
		for _, s := range sentences(text) {
			got[0], got[1] = got[0] || points(s), got[1] || odd(s)
		}
		if got != want {
			t.Errorf("%q: pointing and odd are %v, want %v", text, got, want)
		}
	}
	if got := perMille(17, 1000); got != 17 {
		t.Errorf("17 of 1,000 are %d", got)
	}
	if got := paragraphs("# A\n\nOne\ntwo.\n\n```\ncode\n```\n| a |\nThree."); !slices.Equal(got, []string{"One two.", "Three."}) {
		t.Errorf("paragraphs: %q", got)
	}
	for comment, want := range map[string]bool{"X is the row.": true, "X has rows.": true, "X returns the row.": false, "isX reports whether it is.": false} {
		if got := resembling.MatchString(comment); got != want {
			t.Errorf("%q: resembling is %v", comment, got)
		}
	}
}
