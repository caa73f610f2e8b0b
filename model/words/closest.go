package words

import (
	"slices"
	"strings"
)

// Closest returns the name most similar to a mistyped text: with letters missing, wrong, swapped or added, or
// its beginning. It is empty if none is similar.
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

// ClosestNamed is Closest for names of which some begin with a namespace, as "blue/web-0". It prefers a name
// that equals the text without its namespace.
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

// DidYouMean returns "; did you mean: NAME" for the result of ClosestNamed, or "".
func DidYouMean(text string, names []string) string {
	if name := ClosestNamed(text, names); name != "" {
		return "; did you mean: " + name
	}
	return ""
}

// EditDistance returns how many letters must be inserted, deleted, changed or swapped with the next to turn
// one text into the other. It returns most if that many or more are needed.
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
			change := Choose(a[i] == b[j], 0, 1)
			row[j+1] = min(last[j]+change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], most)
}
