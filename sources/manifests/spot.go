package manifests

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"rung/model"

	"rung/sources/manifests/yamltree"
)

// RemovedSpot is where an object stood that was taken out of a file: between which others,
// and its own text.
type RemovedSpot struct {
	Object DocumentRef
	Doc    int
	// Item is its place in a List, -1 for an object with a document of its own.
	Item int
	// Text is its document without the separator line, or the lines of
	// the item; empty where an item has no lines of its own.
	Text []byte `json:",omitempty"`
	// Above and Below are its neighbours, the nearest first: documents, or items of
	// its List.
	Above []DocumentRef `json:",omitempty"`
	Below []DocumentRef `json:",omitempty"`
}

// DocumentRef names a document or an item: by its object, and what holds none by its text.
type DocumentRef struct {
	Kind      string `json:",omitempty"`
	Namespace string `json:",omitempty"`
	Name      string `json:",omitempty"`
	Sum       string `json:",omitempty"`
}

// Label names it for people, empty where it has no name.
func (r DocumentRef) Label() string {
	switch {
	case r.Name == "":
		return ""
	case r.Kind == listKind:
		return "the List with " + r.Name
	}
	return model.Key{Kind: model.Kind(r.Kind), Namespace: r.Namespace, Name: r.Name}.Label()
}

// NamesKey says whether it is the object with the key.
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
	// near is how many neighbours are kept on either side.
	near = 8
)

// refOf names an object of a tree; the zero DocumentRef is none.
func refOf(obj any) DocumentRef {
	o, _ := obj.(map[string]any)
	md, _ := o["metadata"].(map[string]any)
	r := DocumentRef{}
	r.Kind = string(KindOfTree(o))
	r.Namespace, _ = md["namespace"].(string)
	r.Name, _ = md["name"].(string)
	if r.Name == "" {
		return DocumentRef{}
	}
	return r
}

// refOf names a document.
func (p *documentPiece) refOf(text []byte) DocumentRef {
	body := text[p.body:p.end]
	switch {
	case p.list && len(p.objs) > 0:
		first := refOf(p.objs[0])
		return DocumentRef{Kind: listKind, Namespace: first.Namespace, Name: first.Name}
	case !p.list && len(p.objs) == 1:
		if r := refOf(p.objs[0]); r != (DocumentRef{}) {
			return r
		}
	}
	if yamltree.IsBlank(body) {
		return DocumentRef{}
	}
	sum := sha256.Sum256(body)
	return DocumentRef{Sum: hex.EncodeToString(sum[:8])}
}

// documentRefs name the documents of a text.
func documentRefs(ps []documentPiece, text []byte) []DocumentRef {
	out := make([]DocumentRef, len(ps))
	for i := range ps {
		out[i] = ps[i].refOf(text)
	}
	return out
}

// itemRefs name the objects of a document.
func (p *documentPiece) itemRefs() []DocumentRef {
	out := make([]DocumentRef, len(p.objs))
	for i, o := range p.objs {
		out[i] = refOf(o)
	}
	return out
}

// removedSpots are the places of the objects of one text that are not in another.
func removedSpots(name string, before, after []byte) (out []RemovedSpot) {
	before, after = bytes.TrimPrefix(before, yamltree.BOM), bytes.TrimPrefix(after, yamltree.BOM)
	was, _ := cutPieces(name, before)
	is, _ := cutPieces(name, after)
	stays := map[DocumentRef]int{}
	for i := range is {
		for _, r := range is[i].itemRefs() {
			stays[r]++
		}
	}
	docs := documentRefs(was, before)
	for i := range was {
		p := &was[i]
		items := p.itemRefs()
		for j, r := range items {
			if r == (DocumentRef{}) {
				continue
			}
			if stays[r] > 0 {
				stays[r]--
				continue
			}
			s := RemovedSpot{Object: r, Doc: i, Item: -1}
			if p.list {
				s.Item, s.Text = j, itemText(before, p, j)
				s.Above, s.Below = neighboursOf(items, j)
			} else {
				s.Text = slices.Clone(before[p.body:p.end])
				s.Above, s.Below = neighboursOf(docs, i)
			}
			out = append(out, s)
		}
	}
	return out
}

// neighboursOf are the neighbours of one in a list, the nearest first.
func neighboursOf(all []DocumentRef, at int) (above, below []DocumentRef) {
	for i := at - 1; i >= 0 && len(above) < near; i-- {
		above = append(above, all[i])
	}
	for i := at + 1; i < len(all) && len(below) < near; i++ {
		below = append(below, all[i])
	}
	return above, below
}

// placeBetween finds the place of something that stood between neighbours in a list of
// today: the index it comes before. ok is false when none of them is there.
func placeBetween(all, above, below []DocumentRef) (at int, ok bool) {
	for side, neighbours := range [][]DocumentRef{above, below} {
		for _, r := range neighbours {
			if i := slices.Index(all, r); i >= 0 && r != (DocumentRef{}) {
				return i + 1 - side, true
			}
		}
	}
	return len(all), false
}
