package yamltree

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"sort"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// far are messages about a mistake for which the parser names the line where the mapping,
// the list or the text begins that the mistake is in, which may be far above.
var far = map[string]bool{
	"did not find expected key": true, "did not find expected '-' indicator": true,
	"found a tab character that violates indentation": true,
}

// early are the messages whose line the parser counts from 0.
var early = map[string]bool{
	"did not find expected ',' or ']'": true, "did not find expected ',' or '}'": true,
	"did not find expected node content": true, "did not find expected <document start>": true,
	"found undefined tag handle": true, "found duplicate %YAML directive": true,
	"found duplicate %TAG directive": true, "found incompatible YAML document": true,
}

var unknownAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)

// placed gives an error of the parser the line that somebody has to change.
func placed(text []byte, e *Error) *Error {
	e = located(text, e)
	mend(text, e)
	return e
}

// located gives an error of the parser the line where it shows.
func located(text []byte, e *Error) *Error {
	at := -1 // the offset of what is wrong
	switch m := unknownAnchor.FindStringSubmatch(e.Msg); {
	case far[e.Msg]:
		if n := firstFailing(text, e.Msg); n > 0 {
			e.Line = n
			return e
		}
	case early[e.Msg]:
		// What is not closed shows at the end, where there is nothing to look at.
		e.Line = min(e.Line+1, 1+bytes.Count(bytes.TrimRight(text, " \t\r\n"), []byte("\n")))
	case m != nil:
		alias := regexp.MustCompile(`(?m)(?:^|[\s\[{,])\*` + regexp.QuoteMeta(m[1]) + `(?:$|[\s\]},])`)
		if i := alias.FindIndex(text); i != nil {
			at = i[1] - 1
		}
	case e.Line == 0:
		at = unprintable(text)
	}
	if at >= 0 {
		e.Line = 1 + bytes.Count(text[:at], []byte("\n"))
	}
	return e
}

// firstFailing is the line with which a text begins to fail with a message, 0 when that
// cannot be told. It is the line of the mistake: what was cut off before it fails in
// another way, if at all.
func firstFailing(text []byte, msg string) int {
	ends := []int{0}
	for i, c := range text {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	if ends[len(ends)-1] != len(text) {
		ends = append(ends, len(text))
	}
	const many = 1 << 16 // lines; no text that somebody writes has them
	if len(ends) > many {
		return 0
	}
	n := sort.Search(len(ends), func(n int) bool { return failure(text[:ends[n]]) == msg })
	if n == len(ends) {
		return 0
	}
	return n
}

// failure is what the parser says about a text, empty when nothing.
func failure(text []byte) string {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var n yaml.Node
		switch err := dec.Decode(&n); {
		case errors.Is(err, io.EOF):
			return ""
		case err != nil:
			return yamlError(err).Msg
		}
	}
}

// unprintable is the offset of the first byte that no YAML may hold, -1 when there is none.
func unprintable(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && size <= 1,
			r < ' ' && r != '\t' && r != '\n' && r != '\r',
			r >= 0x7f && r < 0xa0 && r != 0x85:
			return i
		}
		i += size
	}
	return -1
}
