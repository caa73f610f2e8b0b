package manifests

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"rung/model"
	"rung/sources/manifests/yamltree"
)

// RemovedSpot is the former place of an object removed from a file: its neighbours and its own text.
type RemovedSpot struct {
	Object DocumentRef
	Doc    int
	// Item is its index in a List, or -1 for an object with its own document.
	Item int
	// Text is its document without the separator line, or the item's lines; empty if it shares lines.
	Text []byte `json:",omitempty"`
	// Above and Below are its neighbours, nearest first: documents, or items of its List.
	Above []DocumentRef `json:",omitempty"`
	Below []DocumentRef `json:",omitempty"`
}

// DocumentRef names a document or an item by its object, or by its text if it holds no object.
type DocumentRef struct {
	Kind      string `json:",omitempty"`
	Namespace string `json:",omitempty"`
	Name      string `json:",omitempty"`
	Sum       string `json:",omitempty"`
}

// Label returns a name for people; empty if it has none.
func (r DocumentRef) Label() string {
	switch {
	case r.Name == "":
		return ""
	case r.Kind == listKind:
		return "the List with " + r.Name
	}
	return model.Key{Kind: model.Kind(r.Kind), Namespace: r.Namespace, Name: r.Name}.Label()
}

// NamesKey reports whether it names the object with the key.
func (r DocumentRef) NamesKey(k model.Key) bool {
	return r.Name == k.Name && (r.Kind == "" || r.Kind == string(k.Kind)) &&
		(r.Namespace == k.Namespace || r.Namespace == "" && k.Namespace == "default")
}

func (s *RemovedSpot) sizeBytes() int {
	n := len(s.Text)
	for _, r := range slices.Concat([]DocumentRef{s.Object}, s.Above, s.Below) {
		n += len(r.Kind) + len(r.Namespace) + len(r.Name) + len(r.Sum)
	}
	return n
}

const (
	listKind = "List"
	// neighboursKept is the number of neighbours kept on each side.
	neighboursKept = 8
)

// treeRef returns the reference to an object of a tree; zero if it has no name.
func treeRef(obj any) DocumentRef {
	o, _ := obj.(map[string]any)
	u := unstructured.Unstructured{Object: o}
	if u.GetName() == "" {
		return DocumentRef{}
	}
	return DocumentRef{Kind: string(KindOfTree(o)), Namespace: u.GetNamespace(), Name: u.GetName()}
}

// treeRef returns the reference to a document.
func (p *documentPiece) documentRef() DocumentRef {
	switch {
	case p.list && len(p.objs) > 0:
		first := treeRef(p.objs[0])
		return DocumentRef{Kind: listKind, Namespace: first.Namespace, Name: first.Name}
	case !p.list && len(p.objs) == 1:
		if r := treeRef(p.objs[0]); r != (DocumentRef{}) {
			return r
		}
	}
	if yamltree.IsBlank(p.bodyText()) {
		return DocumentRef{}
	}
	sum := sha256.Sum256(p.bodyText())
	return DocumentRef{Sum: hex.EncodeToString(sum[:8])}
}

// documentRefs returns references to the documents of a text.
func documentRefs(ps []*documentPiece) (out []DocumentRef) {
	for _, p := range ps {
		out = append(out, p.documentRef())
	}
	return out
}

// itemRefs returns references to the objects of a document.
func (p *documentPiece) itemRefs() (out []DocumentRef) {
	for _, o := range p.objs {
		out = append(out, treeRef(o))
	}
	return out
}

// removedSpots returns the places of the objects that are in before but not in after.
func removedSpots(name string, before, after []byte) (out []RemovedSpot) {
	was, _, _ := cutPieces(name, bytes.TrimPrefix(before, yamltree.BOM))
	is, _, _ := cutPieces(name, bytes.TrimPrefix(after, yamltree.BOM))
	stays := map[DocumentRef]int{}
	for _, p := range is {
		for _, r := range p.itemRefs() {
			stays[r]++
		}
	}
	docs := documentRefs(was)
	for i, p := range was {
		items := p.itemRefs()
		for j, r := range items {
			switch {
			case r == (DocumentRef{}):
				continue
			case stays[r] > 0:
				stays[r]--
				continue
			}
			s := RemovedSpot{Object: r, Doc: i, Item: -1}
			if p.list {
				s.Item, s.Text = j, p.itemText(j)
				s.Above, s.Below = nearestNeighbours(items, j)
			} else {
				s.Text = slices.Clone(p.bodyText())
				s.Above, s.Below = nearestNeighbours(docs, i)
			}
			out = append(out, s)
		}
	}
	return out
}

// nearestNeighbours returns the neighbours of an entry, nearest first.
func nearestNeighbours(all []DocumentRef, at int) (above, below []DocumentRef) {
	above = slices.Clone(all[max(0, at-neighboursKept):at])
	slices.Reverse(above)
	return above, slices.Clone(all[at+1 : min(len(all), at+1+neighboursKept)])
}
