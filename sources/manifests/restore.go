package manifests

import (
	"bytes"
	"errors"
	"slices"

	"go.yaml.in/yaml/v3"

	"rung/sources/manifests/yamltree"
)

// ErrNoPlace means an object cannot be put back: the List that held it is gone.
var ErrNoPlace = errors.New("its List is gone")

// RestorePlace is where a Restore puts an object: behind Above and before Below. Each is zero at an end, or
// next to an entry without a name.
type RestorePlace struct {
	Above, Below DocumentRef
	// HasNeighbour means a former neighbour exists, or no entry at all. Otherwise the place is the end.
	HasNeighbour bool

	list *documentPiece // the List for the object, or nil for a separate document
	at   int            // index of the following item or document
}

// FindRestorePlace returns where a Restore puts an object in a text.
func FindRestorePlace(name string, text []byte, s RemovedSpot) (RestorePlace, error) {
	return newRewriter(name, bytes.TrimPrefix(text, yamltree.BOM)).findRestorePlace(s)
}

// findRestorePlace finds the place of an object among the documents, or in a List: one with a neighbour, else
// the one at its former place, else an empty one.
func (r *rewriter) findRestorePlace(s RemovedSpot) (RestorePlace, error) {
	if s.Item < 0 {
		return placeAmong(nil, documentRefs(r.pieces), s), nil
	}
	var spare *documentPiece
	for i, p := range r.pieces {
		if !p.list {
			continue
		}
		if place := placeAmong(p, p.itemRefs(), s); place.HasNeighbour && len(p.objs) > 0 {
			return place, nil
		}
		if i == s.Doc || len(p.objs) == 0 && spare == nil {
			spare = p
		}
	}
	if spare == nil {
		return RestorePlace{}, ErrNoPlace
	}
	return placeAmong(spare, spare.itemRefs(), s), nil
}

// placeAmong finds a place among the present entries: next to a neighbour, else at the end.
func placeAmong(list *documentPiece, all []DocumentRef, s RemovedSpot) RestorePlace {
	place := RestorePlace{HasNeighbour: len(all) == 0, list: list, at: len(all)}
	for side, neighbours := range [][]DocumentRef{s.Above, s.Below} {
		for _, r := range neighbours {
			if i := slices.Index(all, r); i >= 0 && r != (DocumentRef{}) && !place.HasNeighbour {
				place.HasNeighbour, place.at = true, i+1-side
			}
		}
	}
	if place.at > 0 {
		place.Above = all[place.at-1]
	}
	if place.at < len(all) {
		place.Below = all[place.at]
	}
	return place
}

// restoreObject puts an object back at its former place.
func (r *rewriter) restoreObject(e Edit) error {
	if e.Spot == nil {
		return errors.New("its former place is unknown")
	}
	place, err := r.findRestorePlace(*e.Spot)
	switch {
	case err != nil:
		return err
	case e.Spot.Item < 0:
		return r.insertDocument(place.at, e.Spot.Text, "its text")
	}
	obj, err := UntypedTree(e.Object)
	if err != nil {
		return err
	}
	return place.list.insertItem(place.at, obj, e.Spot.Text)
}

// insertItem puts an item into a List: with its own lines if they fit the others, else in their style.
func (p *documentPiece) insertItem(at int, obj map[string]any, own []byte) error {
	want := slices.Insert(slices.Clone(p.objs), at, any(obj))
	return p.changeBody(want, at, func(d *objectDiffer) error {
		field, items, err := d.findItems(p)
		switch {
		case err != nil:
			return err
		case len(items) == 0 && field.at.colon < 0:
			return ErrNoPlace
		case len(items) == 0:
			return d.replaceValue(field.value, want, field.at)
		}
		text := ""
		if meant := itemObject(own); meant != nil && d.fitsItems(items, own) {
			want[at] = meant
			text = string(bytes.TrimRight(own, "\r\n"))
			if at == 0 {
				start := d.LineStart(items[0].start)
				d.addEdit(start, start, text+d.eol)
				return nil
			}
		} else {
			text = d.elementText(items, obj)
		}
		return d.changeEntries(field.value, items, make([]bool, len(items)), map[int][]string{at: {text}}, nil, field.at)
	})
}

// fitsItems reports whether the lines of an item fit among a List's other items.
func (d *objectDiffer) fitsItems(items []textEntry, lines []byte) bool {
	return !d.JSON && !items[0].at.flow && d.OnlySpaceBefore(items[0].start) &&
		items[0].at.indent == len(lines)-len(bytes.TrimLeft(lines, " "))
}

// itemObject returns the object in an item's lines, nil if there is not exactly one.
func itemObject(text []byte) map[string]any {
	root, err := yamltree.ParseFlat(text, yamltree.DefaultAliasNodes)
	if err != nil || root == nil || root.Kind != yaml.SequenceNode || len(root.Content) != 1 {
		return nil
	}
	obj, _ := yamltree.JSONValue(root.Content[0]).(map[string]any)
	return obj
}

// itemText returns the lines of an item of a List, nil if other text shares them.
func (p *documentPiece) itemText(i int) []byte {
	d := newDiffer(p.bodyText(), p.root, p.json)
	field, items, err := d.findItems(p)
	if err != nil || p.json || isFlow(field.value) || !d.OnlySpaceBefore(items[i].start) {
		return nil
	}
	return bytes.Clone(d.Text[d.LineStart(items[i].start):d.NextLine(items[i].end)])
}
