package widget

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/sahilm/fuzzy"

	"rung/themes"
)

// LineFilter decides which lines are shown. The zero value shows all.
type LineFilter struct {
	Text string // as typed
	// Err is the error of the expression, empty if valid; an invalid text is searched literally.
	Err     string
	re      *regexp.Regexp
	literal string
	fuzzy   string
	inverse bool
	fold    bool
}

// maxFilter bounds the length of a filter, in bytes.
const maxFilter = 1000

// ParseFilter parses a filter: a regular expression, "!" before it to invert, "-f " before it for letters in
// order. Case counts only if there is an upper-case letter. It never fails: see LineFilter.Err.
func ParseFilter(text string) LineFilter {
	f := LineFilter{Text: text}
	if len(text) > maxFilter {
		f.Err = "too long"
		text = text[:maxFilter]
	}
	if rest, ok := strings.CutPrefix(text, "!"); ok {
		f.inverse, text = true, rest
	}
	if rest, ok := strings.CutPrefix(text, "-f "); ok {
		f.fuzzy = strings.TrimSpace(rest)
		return f
	}
	if text == "" || text == "-f" {
		return LineFilter{Text: f.Text}
	}
	f.fold = strings.IndexFunc(text, unicode.IsUpper) < 0
	if regexp.QuoteMeta(text) == text {
		f.literal = text
		return f
	}
	expr := text
	if f.fold {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		f.Err = strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		f.literal = text
		return f
	}
	f.re = re
	return f
}

// IsEmpty reports whether the filter shows everything.
func (f LineFilter) IsEmpty() bool { return f.re == nil && f.literal == "" && f.fuzzy == "" }

// MatchesText reports whether the filter shows a line with that text.
func (f LineFilter) MatchesText(s string) bool {
	if f.IsEmpty() {
		return true
	}
	return f.isHit(s) != f.inverse
}

func (f LineFilter) isHit(s string) bool {
	switch {
	case f.re != nil:
		return f.re.MatchString(s)
	case f.fuzzy != "":
		return len(fuzzy.FindNoSort(f.fuzzy, []string{s})) > 0
	case f.fold:
		return strings.Contains(strings.ToLower(s), f.literal)
	}
	return strings.Contains(s, f.literal)
}

// MatchSpans returns the matching byte ranges of a text; none for inverse and fuzzy filters.
func (f LineFilter) MatchSpans(s string) [][]int {
	switch {
	case f.inverse || f.IsEmpty() || f.fuzzy != "":
		return nil
	case f.re != nil:
		return f.re.FindAllStringIndex(s, 100)
	}
	hay := s
	if f.fold {
		hay = strings.ToLower(s)
		if len(hay) != len(s) {
			return nil // a letter changed its length: ranges would be wrong
		}
	}
	var out [][]int
	for at := 0; len(out) < 100; {
		i := strings.Index(hay[at:], f.literal)
		if i < 0 {
			break
		}
		out = append(out, []int{at + i, at + i + len(f.literal)})
		at += i + len(f.literal)
	}
	return out
}

// HighlightMatches highlights the matches of a filter in a line.
func HighlightMatches(l Line, f LineFilter, st *themes.StyleSet) Line {
	hits := f.MatchSpans(l.String())
	if len(hits) == 0 {
		return l
	}
	var out Line
	at := 0
	for _, s := range l {
		for text := s.Text; text != ""; {
			for len(hits) > 0 && hits[0][1] <= at {
				hits = hits[1:]
			}
			n, style := len(text), s.Style
			if len(hits) > 0 {
				switch from, to := hits[0][0]-at, hits[0][1]-at; {
				case from > 0:
					n = min(n, from)
				default:
					n, style = min(n, to), st.Match
				}
			}
			out = append(out, Span{text[:n], style})
			text = text[n:]
			at += n
		}
	}
	return out
}
