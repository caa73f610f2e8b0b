package yamltree

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document is one YAML document in a file's text.
type Document struct {
	Start int // of its separator line, or of its text when it has none
	Body  int // where the text after a bare separator line begins
	End   int
	Line  int // lines before Body
	// Root is the document's tree where the text is JSON as a whole, its lines counted
	// from the start of the text.
	Root *yaml.Node
}

// Documents cuts a text into its documents: JSON values, one behind the other, where
// the name or the text says that it is JSON, else those of a YAML stream. A name that
// says JSON is taken at its word. json says that the text is.
func Documents(name string, text []byte) (docs []Document, json bool, err error) {
	isJSON := strings.HasSuffix(strings.TrimSuffix(strings.ToLower(name), ".gz"), ".json")
	if !isJSON && !looksLikeJSON(text) {
		return splitDocuments(text), false, nil
	}
	roots, offsets, err := parseJSON(text)
	switch {
	case err != nil && isJSON:
		return nil, true, err
	case err != nil:
		return splitDocuments(text), false, nil
	}
	docs = make([]Document, len(roots))
	for i, r := range roots {
		docs[i] = Document{Start: offsets[i][0], Body: offsets[i][0], End: offsets[i][1], Root: r}
	}
	return docs, true, nil
}

// splitDocuments cuts a YAML stream at its document markers, so that a broken
// document does not hide the others. A marker at the start of a line is never
// part of a scalar (YAML 1.2, 9.1.2). Parts without any content before the first
// marker are no documents.
func splitDocuments(text []byte) []Document {
	var docs []Document
	cur := Document{}
	explicit := false // cur began with a marker
	line := 0
	flush := func(end int) {
		cur.End = end
		if explicit || !Blank(text[cur.Body:end]) {
			docs = append(docs, cur)
		}
	}
	for pos := 0; pos < len(text); {
		eol := LineEnd(text, pos)
		l := text[pos:eol]
		switch {
		case IsMarker(l, "---"):
			flush(pos)
			cur = Document{Start: pos, Body: pos, Line: line}
			explicit = true
			if Blank(l[3:]) {
				cur.Body, cur.Line = eol, line+1
			}
		case IsMarker(l, "..."):
			flush(eol)
			cur = Document{Start: eol, Body: eol, Line: line + 1}
			explicit = false
		}
		pos = eol
		line++
	}
	flush(len(text))
	return docs
}

// LineEnd is the offset behind the line break that ends the line at pos.
func LineEnd(text []byte, pos int) int {
	if i := bytes.IndexByte(text[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(text)
}

func IsMarker(line []byte, mark string) bool {
	if len(line) < 3 || string(line[:3]) != mark {
		return false
	}
	return len(line) == 3 || line[3] == ' ' || line[3] == '\t' || line[3] == '\r' || line[3] == '\n'
}

// Blank says whether text has nothing but space, comments, directives and end
// markers.
func Blank(text []byte) bool {
	for len(text) > 0 {
		eol := LineEnd(text, 0)
		l := bytes.TrimSpace(text[:eol])
		if len(l) > 0 && l[0] != '#' && text[0] != '%' && !IsMarker(text[:eol], "...") {
			return false
		}
		text = text[eol:]
	}
	return true
}

// leading counts the spaces a line begins with.
func leading(l []byte) int {
	n := 0
	for n < len(l) && l[n] == ' ' {
		n++
	}
	return n
}

func isDash(l []byte) bool {
	return len(l) > 0 && l[0] == '-' && (len(l) == 1 || l[1] == ' ' || l[1] == '\n' || l[1] == '\r' || l[1] == '\t')
}
