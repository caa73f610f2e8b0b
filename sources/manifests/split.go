package manifests

import (
	"bytes"
)

// document is one YAML document in a file's text.
type document struct {
	start int // of its separator line, or of its text when it has none
	body  int // where the text after a bare separator line begins
	end   int
	line  int // lines before body
}

// splitDocuments cuts a YAML stream at its document markers, so that a broken
// document does not hide the others. A marker at the start of a line is never
// part of a scalar (YAML 1.2, 9.1.2). Parts without any content before the first
// marker are no documents.
func splitDocuments(text []byte) []document {
	var docs []document
	cur := document{}
	explicit := false // cur began with a marker
	line := 0
	flush := func(end int) {
		cur.end = end
		if explicit || !blank(text[cur.body:end]) {
			docs = append(docs, cur)
		}
	}
	for pos := 0; pos < len(text); {
		eol := lineEnd(text, pos)
		l := text[pos:eol]
		switch {
		case isMarker(l, "---"):
			flush(pos)
			cur = document{start: pos, body: pos, line: line}
			explicit = true
			if blank(l[3:]) {
				cur.body, cur.line = eol, line+1
			}
		case isMarker(l, "..."):
			flush(eol)
			cur = document{start: eol, body: eol, line: line + 1}
			explicit = false
		}
		pos = eol
		line++
	}
	flush(len(text))
	return docs
}

// lineEnd is the offset behind the line break that ends the line at pos.
func lineEnd(text []byte, pos int) int {
	if i := bytes.IndexByte(text[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(text)
}

func isMarker(line []byte, mark string) bool {
	if len(line) < 3 || string(line[:3]) != mark {
		return false
	}
	return len(line) == 3 || line[3] == ' ' || line[3] == '\t' || line[3] == '\r' || line[3] == '\n'
}

// blank says whether text has nothing but space, comments, directives and end
// markers.
func blank(text []byte) bool {
	for len(text) > 0 {
		eol := lineEnd(text, 0)
		l := bytes.TrimSpace(text[:eol])
		if len(l) > 0 && l[0] != '#' && text[0] != '%' && !isMarker(text[:eol], "...") {
			return false
		}
		text = text[eol:]
	}
	return true
}

// part is one item of a List in a document's text, dash included.
type part struct {
	start, end int // in the document's text
	line       int // lines before it in the document's text
}

// splitList cuts a List written in block style, as kubectl prints it, into its
// head (everything but the items) and its items, without parsing: the items are
// then parsed side by side, and a broken one does not hide the others. ok is
// false when the text is not of that form; the caller then parses it whole, as
// it does when an item does not parse (it may use an anchor of another).
func splitList(text []byte) (head []byte, items []part, ok bool) {
	key, indent, line := -1, -1, 0
	pos := 0
	for ; pos < len(text); line++ {
		eol := lineEnd(text, pos)
		l := text[pos:eol]
		if key < 0 {
			if bytes.HasPrefix(l, []byte("items:")) && blank(l[6:]) {
				key = pos
				head = append(head, text[:pos]...)
			}
			pos = eol
			continue
		}
		n := leading(l)
		switch rest := bytes.TrimSpace(l); {
		case len(rest) == 0 || rest[0] == '#':
		case indent < 0:
			if !isDash(l[n:]) {
				return nil, nil, false
			}
			indent = n
			items = append(items, part{start: pos, line: line})
		case n == indent && isDash(l[n:]):
			items[len(items)-1].end = pos
			items = append(items, part{start: pos, line: line})
		case n < indent || n == 0:
			if n > 0 {
				return nil, nil, false
			}
			items[len(items)-1].end = pos
			return append(head, text[pos:]...), items, !bytes.Contains(text[pos:], []byte("\nitems:"))
		case n == indent:
			return nil, nil, false
		}
		pos = eol
	}
	if len(items) == 0 {
		return nil, nil, false
	}
	items[len(items)-1].end = len(text)
	return head, items, true
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
