package yamltree

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ListKind is what the items of a typed List are when they do not say it: the
// API server leaves kind and apiVersion out.
type ListKind struct{ ApiVersion, Kind string }

// AsList says whether a tree is a List, and what its items are by default.
func AsList(n *yaml.Node) (ListKind, bool) {
	kind := Str(n, "kind")
	base, ok := strings.CutSuffix(kind, "List")
	is := Get(n, "items")
	if !ok || is == nil && base != "" || is != nil && is.Kind != yaml.SequenceNode && !IsNull(is) {
		return ListKind{}, false
	}
	if base == "" {
		return ListKind{}, true
	}
	return ListKind{Str(n, "apiVersion"), base}, true
}

// part is one item of a List in a document's text, dash included.
type part struct {
	Start, End int // in the document's text
	Line       int // lines before it in the document's text
}

// SplitList cuts a List written in block style, as kubectl prints it, into its items,
// without parsing these: they are then parsed side by side, and a broken one does not
// hide the others. ok is false when the text is not of that form; the caller then
// parses it whole, as it does when an item does not parse (it may use an anchor of
// another).
func SplitList(text []byte) (k ListKind, items []part, ok bool) {
	head, items, ok := cutItems(text)
	if !ok {
		return k, nil, false
	}
	root, err := ParseYAML(head)
	if err != nil || root == nil || root.Kind != yaml.MappingNode {
		return k, nil, false
	}
	root.Content = append(root.Content, stringNode("items"), &yaml.Node{Kind: yaml.SequenceNode})
	k, ok = AsList(root)
	return k, items, ok
}

// cutItems cuts a List into its head, everything but the items, and these.
func cutItems(text []byte) (head []byte, items []part, ok bool) {
	key, indent, line := -1, -1, 0
	pos := 0
	for ; pos < len(text); line++ {
		eol := LineEnd(text, pos)
		l := text[pos:eol]
		if key < 0 {
			if bytes.HasPrefix(l, []byte("items:")) && Blank(l[6:]) {
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
			items = append(items, part{Start: pos, Line: line})
		case n == indent && isDash(l[n:]):
			items[len(items)-1].End = pos
			items = append(items, part{Start: pos, Line: line})
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
