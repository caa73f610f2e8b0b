package words

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// integer is a type of whole numbers.
type integer interface {
	~int | ~int32 | ~int64 | ~uint32 | ~uint64
}

// Count returns "1 pod", "12 pods", "12,345 policies".
func Count[N integer](n N, one string) string {
	return OneOrMany(n, "1 "+one, Thousands(n)+" "+Plural(one))
}

// Thousands returns a number with commas: "12,345". Every count for people has commas; a number that
// identifies something (a port, a priority, a line) has none.
func Thousands[N integer](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Number returns a number with the digits it needs: "5.05". Use this function for identifiers, such as a
// priority.
func Number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

var grouped = regexp.MustCompile(`^-?[0-9]{1,3}(,[0-9]{3})+$`)

// PlainNumber returns a text for programs: a number without the commas of Thousands, any other text unchanged.
func PlainNumber(text string) string {
	if grouped.MatchString(text) {
		return strings.ReplaceAll(text, ",", "")
	}
	return text
}

// Choose returns one of two computed values.
func Choose[T any](condition bool, yes, no T) T {
	if condition {
		return yes
	}
	return no
}

// Between returns a text with another before and after it, empty if the text is empty.
func Between(before, text, after string) string { return Choose(text == "", "", before+text+after) }

// OneOrMany returns the singular or plural form of a word or sentence: OneOrMany(n, "is", "are").
func OneOrMany[N integer](n N, one, many string) string {
	return Choose(n == 1, one, many)
}

// Plural returns the regular plural of a word, or of the last of several words: "policies", "addresses", "more
// rows".
func Plural(one string) string {
	if s, ok := strings.CutSuffix(one, "y"); ok && !strings.HasSuffix(s, "a") && !strings.HasSuffix(s, "e") {
		return s + "ies"
	}
	if strings.HasSuffix(one, "s") {
		return one + "es"
	}
	return one + "s"
}

// OrNone returns the text, or "none" if it is empty.
func OrNone(s string) string {
	return cmp.Or(s, "none")
}

// List returns "a", "a and b", "a, b and c", and for more than most names "a, b and 4 more".
func List(names []string, most int) string {
	if n := len(names); n > 1 && n <= most {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return JoinAtMost(names, ", ", most)
}

// Either returns "a", "a or b", "a, b or c".
func Either(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
	return strings.Join(names, "")
}

// Slug returns a text in a form allowed in object names.
func Slug(text string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, text), "-")
}

// JoinAtMost joins names, and counts the rest after most: "a; b and 4 more".
func JoinAtMost(names []string, between string, most int) string {
	if n := len(names) - most; n > 0 {
		return strings.Join(names[:most], between) + " and " + Thousands(n) + " more"
	}
	return strings.Join(names, between)
}

// ListFew returns "a, b, c", and for more than shown names "a, b and 4 more". A single further name is listed,
// since counting it takes no less room.
func ListFew(names []string, shown int) string {
	return JoinAtMost(names, ", ", shownOrOneMore(names, shown))
}

// ListSome is ListFew within a sentence: "a, b and c".
func ListSome(names []string, shown int) string { return List(names, shownOrOneMore(names, shown)) }

// shownOrOneMore returns shown, plus one if that covers all names.
func shownOrOneMore(names []string, shown int) int {
	return Choose(len(names) == shown+1, shown+1, shown)
}

// Size returns a number of bytes as text: "512 B", "3.4 MiB".
func Size(n int64) string {
	const unit = 1 << 10
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	size, i := float64(n)/unit, 0
	for ; size >= unit && i < len(sizes)-1; i++ {
		size /= unit
	}
	return fmt.Sprintf("%.1f %ciB", size, sizes[i])
}

const sizes = "KMGT"

// CountByState returns counts by state: "12 in sync, 1 behind".
func CountByState[K ~string](states map[K]int) string {
	var parts []string
	for _, s := range slices.Sorted(maps.Keys(states)) {
		parts = append(parts, Thousands(states[s])+" "+string(s))
	}
	return strings.Join(parts, ", ")
}

// CompareNatural orders text as people expect: "zone2" before "zone10", and "997 rows" before "1,320 rows".
func CompareNatural(a, b string) int {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		if isDigit(a[i]) && isDigit(b[j]) {
			x, y := i, j
			i, j = numberEnd(a, i), numberEnd(b, j)
			for x < i-1 && a[x] == '0' {
				x++
			}
			for y < j-1 && b[y] == '0' {
				y++
			}
			n, m := strings.ReplaceAll(a[x:i], ",", ""), strings.ReplaceAll(b[y:j], ",", "")
			if c := cmp.Or(cmp.Compare(len(n), len(m)), cmp.Compare(n, m)); c != 0 {
				return c
			}
			continue
		}
		if a[i] != b[j] {
			return cmp.Compare(a[i], b[j])
		}
		i++
		j++
	}
	return cmp.Compare(len(a)-i, len(b)-j)
}

// numberEnd returns the end of the number at i, including commas between thousands.
func numberEnd(s string, i int) int {
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	for i+3 < len(s) && s[i] == ',' && isDigit(s[i+1]) && isDigit(s[i+2]) && isDigit(s[i+3]) && (i+4 == len(s) || !isDigit(s[i+4])) {
		i += 4
	}
	return i
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// Age returns a duration in kubectl's form: "4s", "12m", "3h", "2d". A negative one, from another machine's
// clock, counts as 0.
func Age(d time.Duration) string { return duration.ShortHumanDuration(max(d, 0)) }

// Clock returns the time of day, with the date if it is not today.
func Clock(t, now time.Time) string {
	switch {
	case t.IsZero():
		return "never"
	case t.YearDay() == now.YearDay() && t.Year() == now.Year():
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04")
}

// TimeLeft returns a remaining time in one suitable unit: "14 min".
func TimeLeft(d time.Duration) string {
	switch {
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d >= 2*time.Minute:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d s", d/time.Second)
}

// TimeLasted returns an elapsed time in whole units: "12 s", "4 min", "3 h".
func TimeLasted(d time.Duration) string {
	d = max(0, d)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}

// OnNetwork returns " on NETWORK", or "" for the default network, which has no name.
func OnNetwork(network string) string {
	return Choose(network == "", "", " on "+network)
}
