package manifests

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"rung/model"
)

// EditOp is what an Edit does.
type EditOp string

// The edits.
const (
	// EditSet changes an object so that it means Object, touching only what
	// differs; status and what the server keeps in metadata stay.
	EditSet EditOp = "set"
	// EditText replaces the text of an object's document by Text, as an editor
	// that was given Policy.YAML returns it. The object must have a document of
	// its own; for an item of a List use EditSet.
	EditText EditOp = "text"
	// EditDelete takes an object out: its document, or its item of a List.
	EditDelete EditOp = "delete"
	// EditAppend adds a document at the end: Text, or Object when Text is empty.
	EditAppend EditOp = "append"
)

// Edit is one change of a file. Key and Origin name the object as it was read;
// EditAppend needs neither.
type Edit struct {
	Op     EditOp
	Key    model.Key
	Origin model.Origin
	// Object is a typed policy, an *unstructured.Unstructured or a
	// map[string]any as encoding/json makes it, integers as int64.
	Object any
	Text   []byte
}

// EditError says why an edit cannot be made. Nothing was written.
type EditError struct {
	File  string
	Key   model.Key
	Field string // empty when it is not about one
	Why   string
}

func (e *EditError) Error() string {
	parts := []string{e.File}
	if e.Key != (model.Key{}) {
		parts = append(parts, e.Key.String())
	}
	if e.Field != "" {
		parts = append(parts, e.Field)
	}
	return strings.Join(append(parts, e.Why), ": ")
}

// piece is one document of a file being edited.
type piece struct {
	start, body, end int
	root             *yaml.Node // nil when empty or not readable
	json             bool
	objs             []any // its objects as trees; nil for an item that is null
	list             bool
}

// pieces cuts a text as Read does; json says it is JSON as a whole.
func pieces(name string, text []byte) (ps []piece, json bool) {
	isJSON := strings.HasSuffix(strings.ToLower(name), ".json")
	if isJSON || looksLikeJSON(text) {
		roots, offsets, err := parseJSON(text)
		if err == nil {
			for i, r := range roots {
				// The tree again, with lines and columns from the piece's start.
				if one, _, err := parseJSON(text[offsets[i][0]:offsets[i][1]]); err == nil && len(one) == 1 {
					r = one[0]
				}
				p := piece{start: offsets[i][0], body: offsets[i][0], end: offsets[i][1], root: r, json: true}
				p.read(text[p.body:p.end])
				ps = append(ps, p)
			}
			return ps, true
		}
		if isJSON {
			return nil, true
		}
	}
	for _, doc := range splitDocuments(text) {
		p := piece{start: doc.start, body: doc.body, end: doc.end}
		t := text[p.body:p.end]
		if looksLikeJSON(t) {
			if roots, _, err := parseJSON(t); err == nil && len(roots) == 1 {
				p.root, p.json = roots[0], true
			}
		}
		if p.root == nil {
			p.root, _ = parseYAML(t) // nil: kept as text
		}
		p.read(t)
		ps = append(ps, p)
	}
	return ps, false
}

// read fills in the piece's objects.
func (p *piece) read(text []byte) {
	if p.root == nil {
		return
	}
	flat, err := flatten(p.root, text, DefaultAliasNodes)
	if err != nil {
		p.root = nil
		return
	}
	if _, p.list = asList(flat); !p.list {
		p.objs = []any{toAny(flat)}
		return
	}
	for _, e := range items(get(flat, "items")) {
		p.objs = append(p.objs, toAny(e))
	}
}

// rewrite makes the edits on a file's text. Everything the edits are not about
// stays byte for byte, which is checked before the text is given out.
func rewrite(name string, text []byte, edits []Edit) ([]byte, error) {
	body := bytes.TrimPrefix(text, utf8BOM)
	bom := len(text) - len(body)
	r := rewriter{name: name, text: body, want: map[[2]int]any{}, gone: map[[2]int]bool{}}
	r.pieces, r.json = pieces(name, body)
	for _, e := range edits {
		if err := r.edit(e); err != nil {
			ee := &EditError{File: name, Key: e.Key, Why: err.Error()}
			var c *cannot
			if errors.As(err, &c) {
				ee.Field, ee.Why = c.field, c.why
			}
			return nil, ee
		}
	}
	if err := sortSplices(r.splices); err != nil {
		return nil, &EditError{File: name, Why: err.Error()}
	}
	out := applySplices(body, r.splices)
	for _, a := range r.appended {
		out = appendDocument(out, a, r.eol(), r.json)
	}
	if err := r.verify(out); err != nil {
		return nil, err
	}
	return append(text[:bom:bom], out...), nil
}

type rewriter struct {
	name     string
	text     []byte
	pieces   []piece
	json     bool // the file is JSON as a whole
	splices  []splice
	appended [][]byte
	// want holds what objects must mean afterwards, gone those that must not be
	// there, by document and item.
	want map[[2]int]any
	gone map[[2]int]bool
}

func (r *rewriter) eol() string {
	if bytes.Contains(r.text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

func (r *rewriter) edit(e Edit) error {
	if e.Op == EditAppend {
		return r.append(e)
	}
	doc, item := e.Origin.Doc, max(e.Origin.Item, 0)
	if doc < 0 || doc >= len(r.pieces) || item >= len(r.pieces[doc].objs) || r.pieces[doc].list != (e.Origin.Item >= 0) {
		return errors.New("is not where it was read")
	}
	p := &r.pieces[doc]
	old, _ := p.objs[item].(map[string]any)
	if !sameObject(old, e.Key) {
		return errors.New("another object stands where it was read")
	}
	at := [2]int{doc, item}
	switch e.Op {
	case EditText:
		return r.replaceText(e, p, at)
	case EditDelete:
		r.gone[at] = true
		if !p.list {
			r.removeDocument(p)
			return nil
		}
		d := r.differ(p)
		itemsNode, s := d.itemsOf(p.root)
		if err := d.removeItem(itemsNode, item, s); err != nil {
			return err
		}
		r.take(p, d)
		return nil
	case EditSet:
		return r.set(e, p, at, old)
	}
	return fmt.Errorf("unknown edit %q", e.Op)
}

// sameObject says whether a tree is the object with the key.
func sameObject(obj map[string]any, k model.Key) bool {
	md, _ := obj["metadata"].(map[string]any)
	name, _ := md["name"].(string)
	ns, _ := md["namespace"].(string)
	kind, typed := obj["kind"].(string) // items of typed Lists have none
	return name == k.Name && (ns == k.Namespace || ns == "" && k.Namespace == "default" || k.Namespace == "") &&
		(!typed || kind == string(k.Kind))
}

func (r *rewriter) differ(p *piece) *differ {
	text := r.text[p.body:p.end]
	l := newLayout(text, p.json)
	return &differ{layout: l, style: styleOf(p.root, l)}
}

func (r *rewriter) take(p *piece, d *differ) {
	for _, s := range d.splices {
		r.splices = append(r.splices, splice{s.start + p.body, s.end + p.body, s.text})
	}
}

// itemsOf finds the items of a List and where they stand.
func (d *differ) itemsOf(root *yaml.Node) (*yaml.Node, slot) {
	s := slot{flow: root.Style&yaml.FlowStyle != 0}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != "items" {
			continue
		}
		s.key = root.Content[i]
		if end, ok := d.end(s.key, -1); ok {
			s.colon = d.skipSpace(end) + 1
		}
		s.indent = d.column(d.pos(s.key))
		return root.Content[i+1], s
	}
	return &yaml.Node{Kind: yaml.SequenceNode}, s
}
