package manifests

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/sources/manifests/yamltree"
)

// EditOp is the kind of an Edit.
type EditOp string

// The edits.
const (
	// Set changes an object so that it means Object, touching only what
	// differs; status and what the server keeps in metadata stay.
	EditSet EditOp = "set"
	// Text replaces the text of an object's document by Text, as an editor
	// that was given Policy.YAML returns it. The object must have a document of
	// its own; for an item of a List use Set.
	Text EditOp = "text"
	// Delete takes an object out: its document, or its item of a List.
	Delete EditOp = "delete"
	// Append adds a document at the end: Text, or Object when Text is empty.
	Append EditOp = "append"
	// Restore puts an object back to where it stood, as Spot says, with its own text;
	// an item of a List that cannot have that is written anew from Object.
	Restore EditOp = "restore"
)

// Edit is one change of a file. Key and Origin name the object as it was read;
// Append needs neither, Restore no Origin.
type Edit struct {
	Op     EditOp
	Key    model.Key
	Origin model.Origin
	// Object is a typed policy, an *unstructured.Unstructured or a
	// map[string]any as encoding/json makes it, integers as int64.
	Object any
	Text   []byte
	Spot   *RemovedSpot
}

// EditError says why an edit cannot be made. Nothing was written.
type EditError struct {
	File  string
	Key   model.Key
	Field string // empty when it is not about one
	Why   string
	err   error
}

func (e *EditError) Unwrap() error { return e.err }

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

// documentPiece is one document of a file being edited.
type documentPiece struct {
	start, body, end int
	root             *yaml.Node // nil when empty or not readable
	json             bool
	objs             []any // its objects as trees; nil for an item that is null
	list             bool
}

// cutPieces cuts a text as manifests are read; json says it is JSON as a whole.
func cutPieces(name string, text []byte) (ps []documentPiece, json bool) {
	docs, json, _ := yamltree.CutDocuments(name, text) // where it fails there are none
	for _, doc := range docs {
		p := documentPiece{start: doc.Start, body: doc.Body, end: doc.End}
		t := text[p.body:p.end]
		p.root, p.json, _ = yamltree.Parse(t) // nil: kept as text
		p.readObjects(t)
		ps = append(ps, p)
	}
	return ps, json
}

// readObjects fills in the piece's objects.
func (p *documentPiece) readObjects(text []byte) {
	if p.root == nil {
		return
	}
	flat, err := yamltree.Flatten(p.root, text, yamltree.DefaultAliasNodes)
	if err != nil {
		p.root = nil
		return
	}
	_, p.list = yamltree.ListKindOf(flat)
	if !p.list {
		p.objs = []any{yamltree.JSONValue(flat)}
		return
	}
	for _, e := range yamltree.ItemsAt(flat, "items") {
		p.objs = append(p.objs, yamltree.JSONValue(e))
	}
}

// rewriteText makes the edits on a file's text. Everything the edits are not about
// stays byte for byte, which is checked before the text is given out.
func rewriteText(name string, text []byte, edits []Edit) ([]byte, error) {
	body := bytes.TrimPrefix(text, yamltree.BOM)
	bom := len(text) - len(body)
	r := rewriter{name: name, text: body, wanted: map[[2]int]any{}, removed: map[[2]int]bool{}, restored: map[[2]int][]any{}}
	r.pieces, r.json = cutPieces(name, body)
	for _, e := range edits {
		if err := r.makeEdit(e); err != nil {
			ee := &EditError{File: name, Key: e.Key, Why: err.Error(), err: err}
			var c *cannotError
			if errors.As(err, &c) {
				ee.Field, ee.Why = c.field, c.why
			}
			return nil, ee
		}
	}
	out, err := applySplices(body, r.splices)
	if err != nil {
		return nil, &EditError{File: name, Why: err.Error()}
	}
	for _, a := range r.appended {
		out = appendDocument(out, a, r.lineEnd(), r.json)
	}
	if err := r.verifyText(out); err != nil {
		return nil, err
	}
	return append(text[:bom:bom], out...), nil
}

type rewriter struct {
	name     string
	text     []byte
	pieces   []documentPiece
	json     bool // the file is JSON as a whole
	splices  []textSplice
	appended [][]byte
	// wanted holds what objects must mean afterwards, gone those that must not be
	// there, by document and item.
	wanted  map[[2]int]any
	removed map[[2]int]bool
	// restored are objects that come before an item, by document and item; item -1 stands
	// for the document.
	restored map[[2]int][]any
}

func (r *rewriter) lineEnd() string {
	if bytes.Contains(r.text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

func (r *rewriter) makeEdit(e Edit) error {
	switch e.Op {
	case Append:
		return r.appendDocument(e)
	case Restore:
		return r.restoreObject(e)
	}
	doc, item := e.Origin.Doc, max(e.Origin.Item, 0)
	if doc < 0 || doc >= len(r.pieces) || item >= len(r.pieces[doc].objs) || r.pieces[doc].list != (e.Origin.Item >= 0) {
		return errors.New("is not where it was read")
	}
	p := &r.pieces[doc]
	old, _ := p.objs[item].(map[string]any)
	if kind, _ := old["kind"].(string); p.list && strings.HasSuffix(kind, "List") {
		return errors.New("is in a List within a List: change the file by hand")
	}
	if !sameObject(old, e.Key) {
		return errors.New("another object stands where it was read")
	}
	at := [2]int{doc, item}
	switch e.Op {
	case Text:
		return r.replaceText(e, p, at)
	case Delete:
		r.removed[at] = true
		if !p.list {
			r.removeDocument(p)
			return nil
		}
		d := r.newDiffer(p)
		itemsNode, s := d.itemsOf(p.root)
		if err := d.removeItem(itemsNode, item, s); err != nil {
			return err
		}
		r.takeSplices(p, d)
		return nil
	case EditSet:
		return r.setObject(e, p, at, old)
	}
	return fmt.Errorf("unknown edit %q", e.Op)
}

// sameObject says whether a tree is the object with the key.
func sameObject(obj map[string]any, k model.Key) bool {
	md, _ := obj["metadata"].(map[string]any)
	name, _ := md["name"].(string)
	ns, _ := md["namespace"].(string)
	_, typed := obj["kind"].(string) // items of typed Lists have none
	return name == k.Name && (ns == k.Namespace || ns == "" && k.Namespace == "default" || k.Namespace == "") &&
		(!typed || KindOfTree(obj) == k.Kind)
}

func (r *rewriter) newDiffer(p *documentPiece) *objectDiffer {
	text := r.text[p.body:p.end]
	l := yamltree.NewLayout(text, p.json)
	return &objectDiffer{Layout: l, documentStyle: styleOf(p.root, l)}
}

func (r *rewriter) takeSplices(p *documentPiece, d *objectDiffer) {
	for _, s := range d.splices {
		r.splices = append(r.splices, textSplice{s.start + p.body, s.end + p.body, s.text})
	}
}

// itemsOf finds the items of a List and where they stand.
func (d *objectDiffer) itemsOf(root *yaml.Node) (*yaml.Node, valueSlot) {
	s := valueSlot{flow: root.Style&yaml.FlowStyle != 0}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != "items" {
			continue
		}
		s.key = root.Content[i]
		if end, ok := d.EndOffset(s.key, -1); ok {
			s.colon = d.SkipSpace(end) + 1
		}
		s.indent = d.Column(d.Offset(s.key))
		return root.Content[i+1], s
	}
	return &yaml.Node{Kind: yaml.SequenceNode}, s
}

// RewritePolicyText changes the text of one policy, as Policy.YAML holds it, so that the
// policy means object (see Edit.Object). Only the text of what differs is
// touched; comments and order stay. It is an *Error when that cannot be
// done without touching more.
func RewritePolicyText(text []byte, k model.Key, object any) ([]byte, error) {
	return rewriteText("", text, []Edit{{Op: EditSet, Key: k, Origin: model.Origin{Item: -1}, Object: object}})
}

// RewritePolicy is a policy that means another typed object, in its own text, so that comments and
// order stay; where that cannot be done, in a text made anew. It is judged by the CRDs of by.
func RewritePolicy(old *model.Policy, object any, by Options) (*model.Policy, []model.Broken, error) {
	want, err := FromObject(object, old.Origin)
	if err != nil {
		return nil, nil, err
	}
	if text, err := RewritePolicyText([]byte(old.YAML), old.Key, object); err == nil {
		if now, broken := by.ParsePolicy(text); now != nil && model.SameContent(now, want) {
			return now, broken, nil
		}
	}
	now, broken := by.ParsePolicy([]byte(want.YAML))
	return now, broken, nil
}

// PolicyOfObject is a policy that means a typed object: in the text of the old one, or in a text made anew where
// old is nil. The error says what is wrong with it.
func PolicyOfObject(old *model.Policy, object metav1.Object) (*model.Policy, error) {
	var next *model.Policy
	var broken []model.Broken
	if old != nil {
		var err error
		if next, broken, err = RewritePolicy(old, object, Options{}); err != nil {
			return nil, err
		}
	} else {
		made, err := FromObject(object, model.Origin{Item: -1})
		if err != nil {
			return nil, err
		}
		next, broken = ParsePolicy([]byte(made.YAML))
	}
	for _, b := range broken {
		if b.IsError() {
			return nil, errors.New(b.String())
		}
	}
	if next == nil {
		return nil, errors.New("the text is no policy")
	}
	return next, nil
}
