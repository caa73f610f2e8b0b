package manifests

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"

	"rung/sources/manifests/yamltree"
)

// documentPiece is a document within an edited file.
type documentPiece struct {
	before []byte // text between the previous document and this one
	text   []byte
	body   int        // start of the text behind the separator line
	root   *yaml.Node // nil if empty or unreadable
	json   bool
	objs   []any // its objects as trees; nil for a null item
	list   bool
}

// cutPieces cuts a text into documents. rest is the text behind them; json means the whole text is JSON.
func cutPieces(name string, text []byte) (ps []*documentPiece, rest []byte, json bool) {
	docs, json, _ := yamltree.CutDocuments(name, text) // no documents on failure
	at := 0
	for _, doc := range docs {
		p := &documentPiece{before: text[at:doc.Start], text: text[doc.Start:doc.End], body: doc.Body - doc.Start}
		p.readObjects()
		ps = append(ps, p)
		at = doc.End
	}
	return ps, text[at:], json
}

func (p *documentPiece) bodyText() []byte { return p.text[p.body:] }

// readObjects fills in the piece's tree and objects.
func (p *documentPiece) readObjects() {
	root, isJSON, err := yamltree.Parse(p.bodyText())
	p.json = isJSON
	if err != nil || root == nil {
		return // kept as text
	}
	flat, err := yamltree.Flatten(root, p.bodyText(), yamltree.DefaultAliasNodes)
	if err != nil {
		return
	}
	p.root = root
	_, p.list = yamltree.ReadListKind(flat)
	if !p.list {
		p.objs = []any{yamltree.JSONValue(flat)}
		return
	}
	for _, e := range yamltree.ItemsAt(flat, "items") {
		p.objs = append(p.objs, yamltree.JSONValue(e))
	}
}

// setBody replaces the document's text, if the new text means the wanted objects: the touched one up to
// defaults, the others exactly.
func (p *documentPiece) setBody(body []byte, want []any, touched int) error {
	q := documentPiece{text: slices.Concat(p.text[:p.body], body), body: p.body, before: p.before}
	q.readObjects()
	if len(q.objs) != len(want) || q.list != p.list {
		return errors.New("the edit would add or remove another object")
	}
	for i, obj := range q.objs {
		switch {
		case i == touched && !equalValues(obj, want[i]):
			return errors.New("the edit cannot be made on the object's own text alone (an anchor, or an unusual form)")
		case i != touched && !reflect.DeepEqual(obj, want[i]):
			return errors.New("the edit would change another object: they share text through an anchor")
		}
	}
	*p = q
	return nil
}

// rewriter is an edited file.
type rewriter struct {
	name   string
	pieces []*documentPiece
	rest   []byte // text behind the last document
	json   bool   // the whole file is JSON
	eol    string
}

func newRewriter(name string, text []byte) *rewriter {
	r := &rewriter{name: name, eol: "\n"}
	if bytes.Contains(text, []byte("\r\n")) {
		r.eol = "\r\n"
	}
	r.pieces, r.rest, r.json = cutPieces(name, text)
	return r
}

// fileText returns the present text of the file, after checking that it parses as its documents.
func (r *rewriter) fileText() ([]byte, error) {
	var out []byte
	for _, p := range r.pieces {
		out = append(append(out, p.before...), p.text...)
	}
	out = append(out, r.rest...)
	docs, _, err := yamltree.CutDocuments(r.name, out)
	same := err == nil && len(docs) == len(r.pieces)
	for i := 0; same && i < len(docs); i++ {
		same = bytes.Equal(bytes.TrimSpace(out[docs[i].Body:docs[i].End]), bytes.TrimSpace(r.pieces[i].bodyText()))
	}
	if !same {
		return nil, fmt.Errorf("%s: the edit would change another document", r.name)
	}
	return out, nil
}

// oneObject parses a text that must be one object, in JSON if json is set. what names the text in errors.
func (r *rewriter) oneObject(text []byte, what string, json bool) (*documentPiece, error) {
	switch now, _, _ := cutPieces(r.name, text); {
	case len(now) != 1 || now[0].list || len(now[0].objs) != 1:
		return nil, errors.New(what + " is not one object")
	case json && !now[0].json:
		return nil, errors.New("the file is JSON but " + what + " is not")
	default:
		return now[0], nil
	}
}

// withoutSeparator returns a document's text without its separator line.
func withoutSeparator(text []byte) []byte {
	if docs, json, _ := yamltree.CutDocuments("", text); len(docs) == 1 && !json {
		return text[docs[0].Body:docs[0].End]
	}
	return text
}

// replaceText replaces a document's text by an object's new text.
func (r *rewriter) replaceText(e Edit, p *documentPiece) error {
	if p.list {
		return errors.New("is an item of a List and has no document of its own")
	}
	text := withoutSeparator(e.Text)
	now, err := r.oneObject(text, "the new text", false)
	if err != nil {
		return err
	}
	if obj, _ := now.objs[0].(map[string]any); !sameObject(obj, e.Key) {
		return errors.New("the new text is another object")
	}
	if p.json {
		text = bytes.TrimSpace(text)
	}
	if bytes.HasSuffix(p.text, []byte("\n")) {
		text = r.endLine(text)
	}
	if p.body == 0 && yamltree.IsMarker(p.text, "---") { // with text behind the marker
		p.text = []byte("---" + r.eol)
		p.body = len(p.text)
	}
	return p.setBody(text, now.objs, 0)
}

// endLine ends the last line of a text.
func (r *rewriter) endLine(text []byte) []byte {
	if len(text) == 0 || text[len(text)-1] == '\n' {
		return text
	}
	return slices.Concat(text, []byte(r.eol))
}

// removeDocument removes a document and its separator line.
func (r *rewriter) removeDocument(i int) {
	next := &r.rest
	if i+1 < len(r.pieces) {
		next = &r.pieces[i+1].before
	}
	if eol := yamltree.LineEnd(*next, 0); r.json && yamltree.IsBlank((*next)[:eol]) {
		*next = (*next)[eol:]
	}
	*next = slices.Concat(r.pieces[i].before, *next)
	r.pieces = slices.Delete(r.pieces, i, i+1)
}

// insertDocument adds a document before another one, or at the end. what names its text in errors.
func (r *rewriter) insertDocument(at int, text []byte, what string) error {
	text = withoutSeparator(text)
	now, err := r.oneObject(text, what, r.json)
	if err != nil {
		return err
	}
	if r.eol == "\r\n" && !bytes.Contains(text, []byte("\r\n")) {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	separator := []byte("---" + r.eol)
	p := &documentPiece{text: text}
	if at < len(r.pieces) {
		next := r.pieces[at]
		p.before, next.before = next.before, nil
		p.text = r.endLine(text)
		if !r.json && next.body == 0 && !yamltree.IsMarker(next.text, "---") {
			next.text, next.body = slices.Concat(separator, next.text), len(separator)
		}
	} else {
		p.before, r.rest = r.endLine(r.rest), nil
		if last := at - 1; last >= 0 && len(p.before) == 0 {
			body := r.pieces[last].bodyText()
			if r.pieces[last].root == nil {
				r.pieces[last].text = r.endLine(r.pieces[last].text)
			} else if err := r.pieces[last].setBody(r.endLine(body), r.pieces[last].objs, -1); err != nil {
				return err
			}
		}
	}
	switch {
	case r.json:
	case at > 0:
		p.text, p.body = slices.Concat(separator, p.text), len(separator)
	default: // comments above belong to the new document
		p.text, p.before = slices.Concat(p.before, p.text), nil
	}
	p.readObjects()
	if len(p.objs) != 1 || !equalValues(p.objs[0], now.objs[0]) {
		return errors.New("the new document would be read back differently")
	}
	r.pieces = slices.Insert(r.pieces, at, p)
	return nil
}
