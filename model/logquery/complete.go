package logquery

import (
	"iter"
	"slices"
	"strings"
)

// Complete finds how an expression goes on: with a field, or with one of the values that
// are known of it or that the lines have. It is the whole expression, empty for nothing.
func Complete(text string, lines iter.Seq[*Line]) string {
	all := Completions(text, 1, lines)
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// Completions are the ways in which the last word of an expression can go on, at most so
// many, each as the whole expression.
func Completions(text string, most int, lines iter.Seq[*Line]) (out []string) {
	toks := lex(text)
	if len(toks) == 0 || toks[len(toks)-1].open || toks[len(toks)-1].at+len(toks[len(toks)-1].text) != len(text) {
		return nil
	}
	word := strings.TrimPrefix(toks[len(toks)-1].text, "!")
	add := func(begin, whole string) bool { // false: enough
		if len(whole) > len(begin) && strings.HasPrefix(whole, begin) && !strings.ContainsFunc(whole, special) {
			if s := text + whole[len(begin):]; !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
		return len(out) < most
	}
	name, value, ok := splitField(word)
	if !ok {
		for _, f := range fields {
			if word != "" && !add(word, f.name+":") {
				break
			}
		}
		return out
	}
	f := fieldOf(name)
	if f == nil {
		return nil
	}
	begin := value[strings.LastIndexByte(value, ',')+1:]
	if f.end != nil {
		for _, arrow := range []string{"->", "→"} {
			if i := strings.LastIndex(begin, arrow); i >= 0 {
				begin = begin[i+len(arrow):]
			}
		}
	}
	begin = strings.TrimPrefix(begin, "=")
	for _, w := range f.words {
		if !add(begin, w) {
			return out
		}
	}
	if f.values == nil || lines == nil {
		return out
	}
	for l := range lines {
		for _, v := range f.values(l) {
			if !add(begin, v) {
				return out
			}
		}
	}
	return out
}

// special says whether a character of a value would have to stand in quotes.
func special(r rune) bool { return strings.ContainsRune(` ,"→`, r) }
