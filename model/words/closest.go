package words

import (
	"slices"
	"strings"
)

// Closest returns the name that was most likely meant by a text that is none of them: with letters
// missing, wrong, swapped or too many, or the beginning of it. It is empty where none is similar.
func Closest(text string, names []string) string {
	text = strings.ToLower(text)
	best, least := "", max(1, len(text)/3)+1
	for _, name := range names {
		d := EditDistance(text, strings.ToLower(name), least)
		if d >= least && len(text) > 2 && strings.HasPrefix(strings.ToLower(name), text) {
			d = least - 1
		}
		if d < least {
			best, least = name, d
		}
	}
	return best
}

// ClosestNamed is Closest among names of which some begin with a namespace, as "blue/web-0". One
// that has the text behind its namespace goes first: it was named without.
func ClosestNamed(text string, names []string) string {
	bare := make([]string, len(names))
	for i, name := range names {
		bare[i] = name[strings.LastIndexByte(name, '/')+1:]
		if bare[i] == text {
			return name
		}
	}
	if name := Closest(text, names); name != "" || strings.Contains(text, "/") {
		return name
	}
	if i := slices.Index(bare, Closest(text, bare)); i >= 0 {
		return names[i]
	}
	return ""
}

// DidYouMean is "; did you mean: NAME" for what ClosestNamed finds, empty for none.
func DidYouMean(text string, names []string) string {
	if name := ClosestNamed(text, names); name != "" {
		return "; did you mean: " + name
	}
	return ""
}

// EditDistance is how many letters of a text have to be put in, taken out, changed or swapped with
// the next until it is the other one; most where it is that or more.
func EditDistance(a, b string, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most {
		return most
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			change := 1
			if a[i] == b[j] {
				change = 0
			}
			row[j+1] = min(last[j]+change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], most)
}
