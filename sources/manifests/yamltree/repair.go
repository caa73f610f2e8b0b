package yamltree

import (
	"bytes"
	"maps"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"
)

const (
	// maxRepairText is the largest text, in bytes, that is checked beyond its first mistake; handwritten ones
	// are far smaller.
	maxRepairText = 64 << 10
	// maxRepairs bounds the mended mistakes of one text.
	maxRepairs = 8
)

// ParseRepaired reads invalid YAML as probably intended, to report all mistakes at once. Each faulty line is
// indented like another, gets its colon, or loses its value. wrong has these lines' errors, from the first on.
// root is nil if a mistake cannot be mended; then only the first error is certain.
func ParseRepaired(text []byte, limit int) (root *yaml.Node, wrong []*SyntaxError) {
	if len(text) > maxRepairText {
		return nil, nil
	}
	for range maxRepairs {
		read, e := parseOnce(text)
		if e == nil {
			if read == nil || len(wrong) == 0 {
				return nil, nil
			}
			flat, err := Flatten(read, text, limit)
			if err != nil {
				return nil, nil
			}
			return flat, wrong
		}
		text = repairFirst(text, e)
		if text == nil {
			return nil, nil
		}
		wrong = append(wrong, e)
	}
	return nil, nil
}

// repairFirst mends the line of a text's first mistake, so that the text parses, at least down to the line where
// the mistake shows; nil if it cannot. The error gets the line to change.
func repairFirst(text []byte, e *SyntaxError) []byte {
	errorWhereShown(text, e)
	if mended := findRepair(text, nil, e); mended != nil {
		return mended
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	at := e.Line - 1
	if at < 0 || at >= len(lines) {
		return nil
	}
	above, below := lines[:at+1], bytes.Join(lines[at+1:], nil)
	if mended := findRepair(bytes.Join(above, nil), lines, e); mended != nil {
		return append(mended, below...)
	}
	for _, line := range tabsReplaced(lines, at) {
		if mended := withLine(lines, at, line); parseFailure(mended) == "" {
			return mended
		}
	}
	if line := withoutValue(lines[at]); line != nil && parseFailure(withLine(above, at, line)) == "" {
		e.CutKey = string(bytes.Trim(line, " -:\n"))
		return withLine(lines, at, line)
	}
	return nil
}

// tabsReplaced returns the forms of a line with tabs, indented with spaces like other lines.
func tabsReplaced(lines [][]byte, at int) (forms [][]byte) {
	line := bytes.TrimLeft(lines[at], " \t")
	if !bytes.Contains(lines[at][:len(lines[at])-len(line)], []byte("\t")) {
		return nil
	}
	for _, n := range slices.Sorted(maps.Keys(countIndents(lines))) {
		forms = append(forms, append(bytes.Repeat([]byte(" "), n), line...))
	}
	return forms
}

var keyOfLine = regexp.MustCompile(`^\s*(?:- +)*[^\s#:\[{"'][^:]*:(?:\s)`)

// withoutValue returns the line of a key without its value; nil for other lines.
func withoutValue(line []byte) []byte {
	key := keyOfLine.Find(line)
	if key == nil || len(bytes.TrimSpace(line)) == len(bytes.TrimSpace(key)) {
		return nil
	}
	return append(bytes.TrimRight(bytes.Clone(key), " \t\r\n"), '\n')
}
