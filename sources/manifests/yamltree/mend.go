package yamltree

import (
	"bytes"
	"maps"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"
)

const (
	// mendText is the largest text that is read behind its mistakes, in bytes: what somebody
	// writes by hand is far below.
	mendText = 64 << 10
	// mostMends is how many mistakes of one text are mended.
	mostMends = 8
)

// ParseMending reads a text that is not YAML as it was probably meant, so that all that is wrong
// with it can be told at once: each line with a mistake is indented as another one is, gets its
// colon, or loses its value. The errors are those of these lines, from the first on; without any
// root there was a mistake that cannot be mended, and only the first is sure.
func ParseMending(text []byte, limit int) (root *yaml.Node, wrong []*SyntaxError) {
	if len(text) > mendText {
		return nil, nil
	}
	for range mostMends {
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
		text = mendFirst(text, e)
		if text == nil {
			return nil, nil
		}
		wrong = append(wrong, e)
	}
	return nil, nil
}

// mendFirst is a text with the line of its first mistake mended, so that all of it can be read, or
// what is above the line where the mistake shows; nil where it cannot be. The error gets the line
// that has to be changed.
func mendFirst(text []byte, e *SyntaxError) []byte {
	errorWhereShown(text, e)
	if mended := findMend(text, nil, e); mended != nil {
		return mended
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	at := e.Line - 1
	if at < 0 || at >= len(lines) {
		return nil
	}
	above, below := lines[:at+1], bytes.Join(lines[at+1:], nil)
	if mended := findMend(bytes.Join(above, nil), lines, e); mended != nil {
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

// tabsReplaced are the forms of a line that tabs indent, indented with spaces as others are.
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

// withoutValue is a line of a key without its value, nil where it is none.
func withoutValue(line []byte) []byte {
	key := keyOfLine.Find(line)
	if key == nil || len(bytes.TrimSpace(line)) == len(bytes.TrimSpace(key)) {
		return nil
	}
	return append(bytes.TrimRight(bytes.Clone(key), " \t\r\n"), '\n')
}
