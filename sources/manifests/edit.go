package manifests

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
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

// rewriteText makes the edits on a file's text: changes first, then deletions from the end on, so that
// all stand where they were read, then additions. Everything the edits are not about stays byte for
// byte, which is checked before the text is given out.
func rewriteText(name string, text []byte, edits []Edit) ([]byte, error) {
	body := bytes.TrimPrefix(text, yamltree.BOM)
	bom := len(text) - len(body)
	r := newRewriter(name, body)
	for _, e := range slices.SortedStableFunc(slices.Values(edits), compareEdits) {
		if err := r.makeEdit(e); err != nil {
			ee := &EditError{Why: err.Error()}
			errors.As(err, &ee)
			ee.File, ee.Key = name, e.Key
			return nil, ee
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
		return errors.New("is not where it was read")
	}
	p := r.pieces[doc]
	old, _ := p.objs[item].(map[string]any)
	if kind, _ := old["kind"].(string); p.list && strings.HasSuffix(kind, "List") {
		return errors.New("is in a List within a List: change the file by hand")
	}
	if !sameObject(old, e.Key) {
		return errors.New("another object stands where it was read")
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

// sameObject says whether a tree is the object with the key.
func sameObject(obj map[string]any, k model.Key) bool {
	md, _ := obj["metadata"].(map[string]any)
	name, _ := md["name"].(string)
	ns, _ := md["namespace"].(string)
	_, typed := obj["kind"].(string) // items of typed Lists have none
	return name == k.Name && (ns == k.Namespace || ns == "" && k.Namespace == "default" || k.Namespace == "") &&
		(!typed || KindOfTree(obj) == k.Kind)
}

// changeBody changes the text of a document's value, or of one of its items (-1 for none), by the splices
// of f. It must mean the wanted objects then.
func (p *documentPiece) changeBody(want []any, touched int, f func(d *objectDiffer) error) error {
	d := newDiffer(p.bodyText(), p.root, p.json)
	if err := f(d); err != nil {
		return err
	}
	text, err := applySplices(p.bodyText(), d.splices)
	if err != nil {
		return err
	}
	return p.setBody(text, want, touched)
}

// itemsOf finds the items of a List: the field, and each of them.
func (d *objectDiffer) itemsOf(p *documentPiece) (field textEntry, items []textEntry, err error) {
	field = textEntry{value: &yaml.Node{Kind: yaml.SequenceNode}, at: rootSlot}
	fields := d.entriesOf(p.root, rootSlot)
	if i := slices.IndexFunc(fields, func(e textEntry) bool { return e.name == "items" }); i >= 0 {
		field = fields[i]
	}
	items = d.entriesOf(field.value, field.at)
	if len(items) != len(p.objs) {
		err = field.at.cannot(unusualForm)
	}
	return field, items, err
}

// removeItem takes an item out of a List.
func (p *documentPiece) removeItem(i int) error {
	want := slices.Delete(slices.Clone(p.objs), i, i+1)
	return p.changeBody(want, -1, func(d *objectDiffer) error {
		field, items, err := d.itemsOf(p)
		if err != nil {
			return err
		}
		gone := make([]bool, len(items))
		gone[i] = true
		return d.changeEntries(field.value, items, gone, nil, []any{}, field.at)
	})
}

// RewritePolicyText changes the text of one policy, as Policy.YAML holds it, so that the
// policy means object (see Edit.Object). Only the text of what differs is
// touched; comments and order stay. It is an *EditError when that cannot be
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
