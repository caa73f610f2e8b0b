package manifests

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"rung/model"
	"rung/sources/manifests/yamltree"
)

// EditOp is the kind of an Edit.
type EditOp string

// The edits.
const (
	// EditSet changes an object to mean Object, only where it differs. Status and server metadata stay.
	EditSet EditOp = "set"
	// Text replaces the text of an object's document, as edited from Policy.YAML. The object must have a
	// document of its own; for an item of a List use EditSet.
	Text EditOp = "text"
	// Delete removes an object's document, or its item of a List.
	Delete EditOp = "delete"
	// Append adds a document at the end: Text, or Object if Text is empty.
	Append EditOp = "append"
	// Restore puts an object back at Spot with its own text, or in a List, if needed, written from Object.
	Restore EditOp = "restore"
)

// Edit is one change of a file. Key and Origin name the object as read; Append and Restore need no Origin.
type Edit struct {
	Op     EditOp
	Key    model.Key
	Origin model.Origin
	// Object is a typed policy, an *unstructured.Unstructured, or a JSON tree with integers as int64.
	Object any
	Text   []byte
	Spot   *RemovedSpot
}

// rewriteText makes the edits on a file's text: changes, then deletions from the end, so that origins stay
// valid, then additions. All other text stays byte for byte, which is checked before it returns.
func rewriteText(name string, text []byte, edits []Edit) ([]byte, error) {
	body := bytes.TrimPrefix(text, yamltree.BOM)
	bom := len(text) - len(body)
	r := newRewriter(name, body)
	for _, e := range slices.SortedStableFunc(slices.Values(edits), compareEdits) {
		if err := r.makeEdit(e); err != nil {
			if e.Key != (model.Key{}) {
				err = fmt.Errorf("%s: %w", e.Key, err)
			}
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	out, err := r.fileText()
	if err != nil {
		return nil, err
	}
	return append(text[:bom:bom], out...), nil
}

func compareEdits(a, b Edit) int {
	rank := map[EditOp]int{EditSet: 0, Text: 0, Delete: 1, Append: 2, Restore: 2}
	c := cmp.Compare(rank[a.Op], rank[b.Op])
	if c == 0 && a.Op == Delete {
		return cmp.Or(cmp.Compare(b.Origin.Doc, a.Origin.Doc), cmp.Compare(b.Origin.Item, a.Origin.Item))
	}
	return c
}

func (r *rewriter) makeEdit(e Edit) error {
	switch e.Op {
	case Append:
		return r.appendObject(e)
	case Restore:
		return r.restoreObject(e)
	}
	doc, item := e.Origin.Doc, max(e.Origin.Item, 0)
	if doc < 0 || doc >= len(r.pieces) || item >= len(r.pieces[doc].objs) || r.pieces[doc].list != (e.Origin.Item >= 0) {
		return errors.New("is no longer where it was read")
	}
	p := r.pieces[doc]
	old, _ := p.objs[item].(map[string]any)
	if kind, _ := old["kind"].(string); p.list && strings.HasSuffix(kind, "List") {
		return errors.New("is in a List within a List: change the file by hand")
	}
	if !sameObject(old, e.Key) {
		return errors.New("another object is where it was read")
	}
	switch {
	case e.Op == Text:
		return r.replaceText(e, p)
	case e.Op == EditSet:
		return p.setObject(e, item, old)
	case e.Op != Delete:
		return fmt.Errorf("unknown edit %q", e.Op)
	case p.list:
		return p.removeItem(item)
	}
	r.removeDocument(doc)
	return nil
}

// appendObject adds a document at the end of the file.
func (r *rewriter) appendObject(e Edit) error {
	text := e.Text
	if len(text) == 0 {
		obj, err := UntypedTree(e.Object)
		if err != nil {
			return err
		}
		text = yamltree.Marshal(obj)
		if r.json {
			text = []byte(documentStyle{asJSON: true, step: 2, eol: "\n"}.jsonText(obj, 0) + "\n")
		}
	}
	return r.insertDocument(len(r.pieces), text, "the new text")
}

// sameObject reports whether a tree is the object with the key.
func sameObject(obj map[string]any, k model.Key) bool {
	u := unstructured.Unstructured{Object: obj}
	ns := u.GetNamespace()
	return u.GetName() == k.Name && (ns == k.Namespace || ns == "" && k.Namespace == "default" || k.Namespace == "") &&
		(u.GetKind() == "" || KindOfTree(obj) == k.Kind) // items of typed Lists have no kind
}

// changeBody changes a document's text by the edits of f, to mean want; touched is the changed one, or -1.
func (p *documentPiece) changeBody(want []any, touched int, f func(d *objectDiffer) error) error {
	d := newDiffer(p.bodyText(), p.root, p.json)
	if err := f(d); err != nil {
		return err
	}
	text, err := udiff.ApplyBytes(p.bodyText(), d.edits)
	if err != nil {
		return errors.New("two changes touch the same text")
	}
	return p.setBody(text, want, touched)
}

// findItems finds the items field of a List, and each item.
func (d *objectDiffer) findItems(p *documentPiece) (field textEntry, items []textEntry, err error) {
	field = textEntry{value: &yaml.Node{Kind: yaml.SequenceNode}, at: rootPlace}
	fields := d.findEntries(p.root, rootPlace)
	if i := slices.IndexFunc(fields, func(e textEntry) bool { return e.name == "items" }); i >= 0 {
		field = fields[i]
	}
	items = d.findEntries(field.value, field.at)
	if len(items) != len(p.objs) {
		err = field.at.cannot(unusualForm)
	}
	return field, items, err
}

// removeItem removes an item of a List.
func (p *documentPiece) removeItem(i int) error {
	want := slices.Delete(slices.Clone(p.objs), i, i+1)
	return p.changeBody(want, -1, func(d *objectDiffer) error {
		field, items, err := d.findItems(p)
		if err != nil {
			return err
		}
		gone := make([]bool, len(items))
		gone[i] = true
		return d.changeEntries(field.value, items, gone, nil, []any{}, field.at)
	})
}

// RewritePolicy returns a policy that means another typed object. It edits the policy's own text, so that
// comments and order stay, or else renders new text. The CRDs of by validate it.
func RewritePolicy(old *model.Policy, object any, by Options) (*model.Policy, []model.Broken, error) {
	want, err := FromObject(object, old.Origin)
	if err != nil {
		return nil, nil, err
	}
	edit := Edit{Op: EditSet, Key: old.Key, Origin: model.Origin{Item: -1}, Object: object}
	if text, err := rewriteText("", []byte(old.YAML), []Edit{edit}); err == nil {
		if now, broken := by.ParsePolicy(text); now != nil && model.SameContent(now, want) {
			return now, broken, nil
		}
	}
	now, broken := by.ParsePolicy([]byte(want.YAML))
	return now, broken, nil
}

// PolicyOfTree is PolicyOfObject for the object's tree.
func PolicyOfTree(old *model.Policy, kind model.Kind, tree map[string]any) (*model.Policy, error) {
	typed, err := TypedPolicy(kind, tree)
	if err != nil {
		return nil, err
	}
	return PolicyOfObject(old, typed)
}

// PolicyOfObject returns a policy that means a typed object: in the text of old, or in new text if old is nil.
// The error says what is wrong with the object.
func PolicyOfObject(old *model.Policy, object metav1.Object) (*model.Policy, error) {
	var next *model.Policy
	var broken []model.Broken
	var err error
	if old != nil {
		next, broken, err = RewritePolicy(old, object, Options{})
	} else if next, err = FromObject(object, model.Origin{Item: -1}); err == nil {
		next, broken = ParsePolicy([]byte(next.YAML))
	}
	if err != nil {
		return nil, err
	}
	for _, b := range broken {
		if b.IsError() {
			return nil, errors.New(b.String())
		}
	}
	if next == nil {
		return nil, errors.New("the text is not a policy")
	}
	return next, nil
}
