package yamltree

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"sort"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// startLineMessages are messages for which the parser gives the line where the surrounding mapping, list or text begins.
// That may be far above the mistake.
var startLineMessages = map[string]bool{
	"did not find expected key": true, "did not find expected '-' indicator": true,
	"found a tab character that violates indentation": true,
}

// zeroBasedMessages are the messages whose line the parser counts from 0.
var zeroBasedMessages = map[string]bool{
	"did not find expected ',' or ']'": true, "did not find expected ',' or '}'": true,
	"did not find expected node content": true, "did not find expected <document start>": true,
	"found undefined tag handle": true, "found duplicate %YAML directive": true,
	"found duplicate %TAG directive": true, "found incompatible YAML document": true,
}

var unknownAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)

// errorWhereShown sets the line of a parser error to the place where the mistake shows.
func errorWhereShown(text []byte, e *SyntaxError) {
	at := -1 // offset of the mistake
	switch m := unknownAnchor.FindStringSubmatch(e.Msg); {
	case startLineMessages[e.Msg]:
		if n := firstFailing(text, e.Msg); n > 0 {
			e.Line = n
		}
	case zeroBasedMessages[e.Msg]:
		// An unclosed quote or bracket shows at the end, on a line without text.
		e.Line = min(e.Line+1, 1+bytes.Count(bytes.TrimRight(text, " \t\r\n"), []byte("\n")))
	case m != nil:
		alias := regexp.MustCompile(`(?m)(?:^|[\s\[{,])\*` + regexp.QuoteMeta(m[1]) + `(?:$|[\s\]},])`)
		if i := alias.FindIndex(text); i != nil {
			at = i[1] - 1
		}
	case e.Line == 0:
		at = firstInvalid(text, isUnprintable)
	}
	if at >= 0 {
		e.Line = 1 + bytes.Count(text[:at], []byte("\n"))
	}
}

// firstFailing returns the line from which on a text fails with a message, 0 if unknown. That is the line of
// the mistake: a shorter text fails in another way, if at all.
func firstFailing(text []byte, msg string) int {
	lines := bytes.SplitAfter(text, []byte("\n"))
	const many = 1 << 16 // lines; no handwritten text has as many
	if len(lines) > many {
		return 0
	}
	n := sort.Search(len(lines)+1, func(n int) bool { return parseFailure(bytes.Join(lines[:n], nil)) == msg })
	if n > len(lines) {
		return 0
	}
	return n
}

// parseFailure returns the parser's error message for a text; empty if it parses.
func parseFailure(text []byte) string {
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

// firstInvalid returns the offset of the first byte that is not UTF-8 or begins a bad character, -1 if none.
func firstInvalid(text []byte, isBad func(rune) bool) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 || isBad(r) {
			return i
		}
		i += size
	}
	return -1
}

// isUnprintable reports whether YAML forbids a character.
func isUnprintable(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0 && r != 0x85
}

const (
	// maxRepairBytes bounds the bytes parsed for a mistake's line while a reader waits; handwritten texts are smaller.
	maxRepairBytes = 1 << 20
	// repairLinesAbove is how many lines to try above the line where a mistake shows. repairLinesMore is that
	// number if the line itself would do.
	repairLinesAbove, repairLinesMore = 60, 4
)

// shows are the messages of mistakes that may show one or more lines below the line to change.
var shows = map[string]bool{
	"did not find expected key": true, "did not find expected '-' indicator": true,
	"mapping values are not allowed in this context": true, noColon: true,
}

// noColon is the message for a key without its colon.
const noColon = "could not find expected ':'"

// lineRemedy is a change of one line that makes a whole text parse.
type lineRemedy struct {
	line, worth, far int
	msg              string
	text             []byte
}

// findRepair finds the line to change: the whole text parses once that line is indented like another, or its key
// gets a colon. The parser notices the mistake only later. mended is the text with that line changed. Without
// such a line the error is unchanged. If text is only the beginning of a longer one, all are the lines of the
// whole; then the smallest change that works is taken.
func findRepair(text []byte, all [][]byte, e *SyntaxError) (mended []byte) {
	lines := bytes.SplitAfter(text, []byte("\n"))
	at := e.Line - 1
	if !shows[e.Msg] || at < 0 || at >= len(lines) {
		return nil
	}
	left := maxRepairBytes
	reads := func(i int, line []byte) bool {
		left -= len(text)
		return left >= 0 && parseFailure(withLine(lines, i, line)) == ""
	}
	first := max(0, at-repairLinesAbove)
	around := lines
	if all != nil {
		around = all
	}
	usual := countIndents(around[first:min(len(around), at+repairLinesAbove)])
	var found []lineRemedy
	for i, more := at, repairLinesAbove; i >= first && more > 0 && left > 0; i-- {
		line := bytes.TrimLeft(lines[i], " ")
		if isBlankLine(line) {
			continue
		}
		if with := withColon(lines[i]); (i < at || e.Msg == noColon) && with != nil && reads(i, with) {
			e.Line, e.Msg = i+1, "this line needs a colon after its key"
			return withLine(lines, i, with)
		}
		is := len(lines[i]) - len(line)
		for _, n := range slices.Sorted(maps.Keys(usual)) {
			if moved := append(bytes.Repeat([]byte(" "), n), line...); n != is && reads(i, moved) {
				found = append(found, lineRemedy{i + 1, usual[n] - usual[is], max(n-is, is-n),
					fmt.Sprintf("indented %d, expected %d", is, n), moved})
			}
		}
		switch {
		case len(found) > 0 && found[len(found)-1].line <= at:
			more = 0 // a line above the one where it shows
		case len(found) > 0:
			more = min(more, repairLinesMore)
		}
		more--
	}
	if len(found) == 0 {
		return nil
	}
	// Prefer the change from the rarest to the most usual indentation, then the last line. With all, prefer
	// the smallest change.
	best := slices.MinFunc(found, func(a, b lineRemedy) int {
		if all != nil && a.far != b.far {
			return a.far - b.far
		}
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(b.line, a.line), cmp.Compare(a.far, b.far))
	})
	e.Line, e.Msg = best.line, best.msg
	return withLine(lines, best.line-1, best.text)
}

// withLine returns a text of lines with line i replaced, counted from 0.
func withLine(lines [][]byte, i int, line []byte) []byte {
	return bytes.Join(slices.Concat(lines[:i], [][]byte{line}, lines[i+1:]), nil)
}

// isBlankLine reports whether a line, without its indentation, is empty or a comment.
func isBlankLine(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 || line[0] == '#' }

// countIndents counts the lines by their indentation.
func countIndents(lines [][]byte) map[int]int {
	out := map[int]int{}
	for _, l := range lines {
		if rest := bytes.TrimLeft(l, " "); !isBlankLine(rest) {
			out[len(l)-len(rest)]++
		}
	}
	return out
}

// withColon returns a line with a colon at its end, before its comment; nil if it has one.
func withColon(line []byte) []byte {
	end := len(bytes.TrimRight(line, "\r\n"))
	if i := bytes.Index(line[:end], []byte(" #")); i >= 0 {
		end = i
	}
	end = len(bytes.TrimRight(line[:end], " "))
	if end == 0 || line[end-1] == ':' {
		return nil
	}
	return slices.Concat(line[:end], []byte(":"), line[end:])
}
