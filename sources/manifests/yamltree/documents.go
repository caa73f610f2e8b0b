package yamltree

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document is one document in a file's text.
type Document struct {
	Start int // of its separator line, or of its text if it has none
	Body  int // start of the text behind a bare separator line
	End   int
	Line  int // lines before Body
	// Root is the document's tree if the whole text is JSON, with lines counted from the start of the text.
	Root *yaml.Node
}

// CutDocuments cuts a text into its documents: consecutive JSON values if the name or the text indicates JSON,
// else documents of a YAML stream. A file named .json must hold JSON. json reports whether the text is JSON.
func CutDocuments(name string, text []byte) (docs []Document, json bool, err error) {
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

// splitDocuments cuts a YAML stream at its document markers, so that a broken document does not hide the
// others. A marker at the start of a line is never part of a scalar (YAML 1.2, 9.1.2). Empty parts before the
// first marker are dropped.
func splitDocuments(text []byte) []Document {
	var docs []Document
	cur := Document{}
	explicit := false // cur began with a marker
	line := 0
	flush := func(end int) {
		cur.End = end
		if explicit || !IsBlank(text[cur.Body:end]) {
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
			if IsBlank(l[3:]) {
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

// LineEnd returns the offset behind the line break of the line at pos.
func LineEnd(text []byte, pos int) int {
	if i := bytes.IndexByte(text[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(text)
}

func IsMarker(line []byte, mark string) bool {
	return bytes.HasPrefix(line, []byte(mark)) && (len(line) == len(mark) || isSpace(line[len(mark)]))
}

// IsBlank reports whether text has only space, comments, directives and end markers.
func IsBlank(text []byte) bool {
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

// leadingSpaces counts the spaces at the start of a line.
func leadingSpaces(l []byte) int { return len(l) - len(bytes.TrimLeft(l, " ")) }

func isDash(l []byte) bool { return IsMarker(l, "-") }

// ListKind is the kind of items in a typed List: the API server omits their kind and apiVersion.
type ListKind struct{ ApiVersion, Kind string }

// ReadListKind reports whether a tree is a List, and its items' default kind.
func ReadListKind(n *yaml.Node) (ListKind, bool) {
	kind := TextAt(n, "kind")
	base, ok := strings.CutSuffix(kind, "List")
	is := Get(n, "items")
	if !ok || is == nil && base != "" || is != nil && is.Kind != yaml.SequenceNode && !IsNull(is) {
		return ListKind{}, false
	}
	if base == "" {
		return ListKind{}, true
	}
	return ListKind{TextAt(n, "apiVersion"), base}, true
}

// itemPart is one item of a List in a document's text, dash included.
type itemPart struct {
	Start, End int // in the document's text
	Line       int // lines before it in the document's text
}

// SplitList cuts a List in block style, as printed by kubectl, into its items without parsing them. They are
// then parsed in parallel, and a broken one does not hide the others. ok is false for other forms; the caller
// then parses the text whole. It does the same if an item does not parse, since it may use another's anchor.
func SplitList(text []byte) (k ListKind, items []itemPart, ok bool) {
	head, items, ok := cutItems(text)
	if !ok {
		return k, nil, false
	}
	root, err := ParseYAML(head)
	if err != nil || root == nil || root.Kind != yaml.MappingNode {
		return k, nil, false
	}
	root.Content = append(root.Content, stringNode("items"), &yaml.Node{Kind: yaml.SequenceNode})
	k, ok = ReadListKind(root)
	return k, items, ok
}

// cutItems cuts a List into its items and its head: everything but the items.
func cutItems(text []byte) (head []byte, items []itemPart, ok bool) {
	key, indent, line := -1, -1, 0
	pos := 0
	for ; pos < len(text); line++ {
		eol := LineEnd(text, pos)
		l := text[pos:eol]
		if key < 0 {
			if bytes.HasPrefix(l, []byte("items:")) && IsBlank(l[6:]) {
				key = pos
				head = append(head, text[:pos]...)
			}
			pos = eol
			continue
		}
		n := leadingSpaces(l)
		switch rest := bytes.TrimSpace(l); {
		case len(rest) == 0 || rest[0] == '#':
		case indent < 0:
			if !isDash(l[n:]) {
				return nil, nil, false
			}
			indent = n
			items = append(items, itemPart{Start: pos, Line: line})
		case n == indent && isDash(l[n:]):
			items[len(items)-1].End = pos
			items = append(items, itemPart{Start: pos, Line: line})
		case n < indent || n == 0:
			if n > 0 {
				return nil, nil, false
			}
			items[len(items)-1].End = pos
			return append(head, text[pos:]...), items, !bytes.Contains(text[pos:], []byte("\nitems:"))
		case n == indent:
			return nil, nil, false
		}
		pos = eol
	}
	if len(items) == 0 {
		return nil, nil, false
	}
	items[len(items)-1].End = len(text)
	return head, items, true
}
