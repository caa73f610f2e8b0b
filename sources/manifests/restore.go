package manifests

import (
	"bytes"
	"errors"
	"slices"

	"go.yaml.in/yaml/v3"

	"rung/sources/manifests/yamltree"
)

// ErrNoPlace says that an object cannot go back to where it stood: the List it was an
// item of is gone.
var ErrNoPlace = errors.New("the List it stood in is gone")

// RestorePlace is where a Restore puts an object: behind Above and before Below, which are
// zero where nothing with a name stands there.
type RestorePlace struct {
	Above, Below DocumentRef
	// HasNeighbour says that a neighbour of old is there still, or that nothing else is; the
	// object goes to the end otherwise.
	HasNeighbour bool
}

// PlaceOf says where a Restore puts an object in a text.
func PlaceOf(name string, text []byte, s RemovedSpot) (RestorePlace, error) {
	r := rewriter{name: name, text: bytes.TrimPrefix(text, yamltree.BOM)}
	r.pieces, r.json = cutPieces(name, r.text)
	if s.Item < 0 {
		docs := documentRefs(r.pieces, r.text)
		at, ok := placeBetween(docs, s.Above, s.Below)
		return placeAmong(docs, at, ok), nil
	}
	_, items, at, ok, err := r.listOf(s)
	return placeAmong(items, at, ok), err
}

func placeAmong(all []DocumentRef, at int, ok bool) RestorePlace {
	p := RestorePlace{HasNeighbour: ok || len(all) == 0}
	if at > 0 {
		p.Above = all[at-1]
	}
	if at < len(all) {
		p.Below = all[at]
	}
	return p
}

// listOf finds the List an item goes back to, its items, and the item it comes
// before: the List with a neighbour of it, else the one without items at its place.
func (r *rewriter) listOf(s RemovedSpot) (doc int, items []DocumentRef, at int, ok bool, err error) {
	spare := -1
	for i := range r.pieces {
		p := &r.pieces[i]
		if !p.list {
			continue
		}
		items = p.itemRefs()
		at, ok = placeBetween(items, s.Above, s.Below)
		if ok {
			return i, items, at, true, nil
		}
		if i == s.Doc || len(items) == 0 && spare < 0 {
			spare = i
		}
	}
	if spare < 0 {
		return 0, nil, 0, false, ErrNoPlace
	}
	items = r.pieces[spare].itemRefs()
	return spare, items, len(items), false, nil
}

// restoreObject puts an object back to where it stood.
func (r *rewriter) restoreObject(e Edit) error {
	if e.Spot == nil {
		return errors.New("it is not known where it stood")
	}
	if e.Spot.Item >= 0 {
		return r.restoreItem(e)
	}
	at, _ := placeBetween(documentRefs(r.pieces, r.text), e.Spot.Above, e.Spot.Below)
	text := withoutSeparator(e.Spot.Text)
	now, err := r.oneObject(text, "its text", r.json)
	if err != nil {
		return err
	}
	if at == len(r.pieces) {
		return r.appendDocument(Edit{Text: text})
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text[:len(text):len(text)], r.lineEnd()...)
	}
	next := &r.pieces[at]
	marked := next.start != next.body || yamltree.IsMarker(r.text[next.body:next.end], "---")
	switch {
	case r.json:
	case !marked:
		text = append(text[:len(text):len(text)], "---"+r.lineEnd()...)
	case !yamltree.IsBlank(r.text[:next.start]):
		text = append([]byte("---"+r.lineEnd()), text...)
	}
	r.restored[[2]int{at, -1}] = append(r.restored[[2]int{at, -1}], now.objs[0])
	r.splices = append(r.splices, textSplice{next.start, next.start, string(text)})
	return nil
}

// restoreItem puts an item back into its List: with its own lines where the others
// are written as it was, else written like them.
func (r *rewriter) restoreItem(e Edit) error {
	doc, _, at, _, err := r.listOf(*e.Spot)
	if err != nil {
		return err
	}
	obj, err := UntypedTree(e.Object)
	if err != nil {
		return err
	}
	p := &r.pieces[doc]
	d := r.newDiffer(p)
	node, s := d.itemsOf(p.root)
	switch own := d.ownLines(node, e.Spot.Text); {
	case len(p.objs) != len(node.Content):
		return d.newCannot("is written in a way that cannot be edited")
	case len(node.Content) == 0 && s.key == nil:
		return ErrNoPlace
	case len(node.Content) == 0:
		err = d.replaceValue(node, []any{obj}, s)
	case own != nil && at > 0:
		if end, ok := d.EndOffset(node.Content[at-1], d.Column(d.DashOffset(node, 0))); ok {
			next, text := d.NextLine(end), string(own)
			if next > 0 && d.Text[next-1] != '\n' {
				text = d.eol + text
			}
			d.addSplice(next, next, text)
			obj = itemObject(own)
		} else {
			err = d.newCannot("is written in a way that cannot be edited")
		}
	case own != nil && d.OnlySpaceBefore(d.DashOffset(node, 0)):
		start := d.LineStart(d.DashOffset(node, 0))
		d.addSplice(start, start, string(own))
		obj = itemObject(own)
	default:
		old := make([]any, len(node.Content))
		for i := range old {
			old[i] = int64(i)
		}
		err = d.changeList(node, old, slices.Insert(slices.Clone(old), at, any(obj)), s)
	}
	if err != nil {
		return err
	}
	r.restored[[2]int{doc, at}] = append(r.restored[[2]int{doc, at}], obj)
	r.takeSplices(p, d)
	return nil
}

// ownLines are the lines of an item where they can stand among those of a list, nil
// where they cannot.
func (d *objectDiffer) ownLines(items *yaml.Node, text []byte) []byte {
	if len(text) == 0 || d.JSON || len(items.Content) == 0 || items.Style&yaml.FlowStyle != 0 {
		return nil
	}
	dash := d.DashOffset(items, 0)
	if itemObject(text) == nil || !d.OnlySpaceBefore(dash) || d.Column(dash) != len(text)-len(bytes.TrimLeft(text, " ")) {
		return nil
	}
	if text[len(text)-1] != '\n' {
		text = append(text[:len(text):len(text)], d.eol...)
	}
	return text
}

// itemObject is the object of an item's lines, nil when they are not one.
func itemObject(text []byte) map[string]any {
	root, _, err := yamltree.Parse(text)
	if err != nil || root == nil || root.Kind != yaml.SequenceNode || len(root.Content) != 1 {
		return nil
	}
	flat, err := yamltree.Flatten(root, text, yamltree.DefaultAliasNodes)
	if err != nil {
		return nil
	}
	obj, _ := yamltree.JSONValue(flat.Content[0]).(map[string]any)
	return obj
}

// itemText are the lines of an item of a List, nil where it shares them.
func itemText(text []byte, p *documentPiece, i int) []byte {
	body := text[p.body:p.end]
	l := yamltree.NewLayout(body, p.json)
	d := &objectDiffer{Layout: l, documentStyle: styleOf(p.root, l)}
	items, _ := d.itemsOf(p.root)
	if p.json || items.Kind != yaml.SequenceNode || items.Style&yaml.FlowStyle != 0 || i >= len(items.Content) {
		return nil
	}
	dash := d.DashOffset(items, i)
	end, ok := d.EndOffset(items.Content[i], d.Column(d.DashOffset(items, 0)))
	if !ok || !d.OnlySpaceBefore(dash) {
		return nil
	}
	return bytes.Clone(body[d.LineStart(dash):d.NextLine(end)])
}
