package words

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// integer is what can be counted with.
type integer interface{ ~int | ~int32 | ~uint64 }

// Count is "1 pod", "12 pods", "3 policies".
func Count[N integer](n N, one string) string {
	return Form(n, "1 "+one, strconv.FormatInt(int64(n), 10)+" "+Plural(one))
}

// Total is Count for what may be many: "12,345 pods".
func Total[N integer](n N, one string) string {
	return Form(n, "1 "+one, Thousands(n)+" "+Plural(one))
}

// Thousands is a number with commas: "12,345".
func Thousands[N integer](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Form is the one or the other form of a word or a sentence: Form(n, "is", "are").
func Form[N integer](n N, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Plural is the regular plural of a word, or of the last of several: "policies",
// "addresses", "more rows".
func Plural(one string) string {
	if s, ok := strings.CutSuffix(one, "y"); ok && !strings.HasSuffix(s, "a") && !strings.HasSuffix(s, "e") {
		return s + "ies"
	}
	if strings.HasSuffix(one, "s") {
		return one + "es"
	}
	return one + "s"
}

// OrNone is the text, or "none" where there is none.
func OrNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// List is "a", "a and b", "a, b and c", and beyond most names "a, b and 4 more".
func List(names []string, most int) string {
	if n := len(names); n > 1 && n <= most {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return Cut(names, ", ", most)
}

// Cut joins names, and counts those beyond most: "a; b and 4 more".
func Cut(names []string, between string, most int) string {
	if n := len(names) - most; n > 0 {
		return strings.Join(names[:most], between) + " and " + strconv.Itoa(n) + " more"
	}
	return strings.Join(names, between)
}

// Few is "a, b, c", and beyond shown names "a, b and 4 more"; a single one beyond is
// named: that takes no more room than to count it.
func Few(names []string, shown int) string { return Cut(names, ", ", single(names, shown)) }

// Some is Few written as a sentence: "a, b and c".
func Some(names []string, shown int) string { return List(names, single(names, shown)) }

// single is shown, or one more where that is all there are.
func single(names []string, shown int) int {
	if len(names) == shown+1 {
		return shown + 1
	}
	return shown
}

// Size is a number of bytes: "512 B", "3.4 MiB".
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

// Tally is "12 in sync, 1 behind": what is counted by state.
func Tally[K ~string](states map[K]int) string {
	var parts []string
	for _, s := range slices.Sorted(maps.Keys(states)) {
		parts = append(parts, fmt.Sprintf("%d %s", states[s], s))
	}
	return strings.Join(parts, ", ")
}
