package manifests

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"rung/sources/manifests/yamltree"
)

// replaceText puts a document's new text in place of the old one.
func (r *rewriter) replaceText(e Edit, p *documentPiece, at [2]int) error {
	if p.list {
		return errors.New("is an item of a List: it has no text of its own")
	}
	text := withoutSeparator(e.Text)
	now, err := r.oneObject(text, "the new text", false)
	if err != nil {
		return err
	}
	obj, _ := now.objs[0].(map[string]any)
	if !sameObject(obj, e.Key) {
		return errors.New("the new text is another object")
	}
	if p.json {
		text = bytes.TrimSpace(text)
	}
	oldText := r.text[p.body:p.end]
	if !p.json && bytes.HasSuffix(oldText, []byte("\n")) && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text[:len(text):len(text)], r.lineEnd()...)
	}
	if p.start == p.body && yamltree.IsMarker(oldText, "---") {
		text = append([]byte("---"+r.lineEnd()), text...)
	}
	r.wanted[at] = obj
	r.splices = append(r.splices, textSplice{p.body, p.end, string(text)})
	return nil
}

// oneObject is the piece that a text is, which what names: one object, with json one of JSON.
func (r *rewriter) oneObject(text []byte, what string, json bool) (documentPiece, error) {
	switch now, _ := cutPieces(r.name, text); {
	case len(now) != 1 || now[0].list || len(now[0].objs) != 1:
		return documentPiece{}, errors.New(what + " is not one object")
	case json && !now[0].json:
		return documentPiece{}, errors.New("the file is JSON and " + what + " is not")
	default:
		return now[0], nil
	}
}

// withoutSeparator is a document's text without its separator line.
func withoutSeparator(text []byte) []byte {
	if docs, json, _ := yamltree.CutDocuments("", text); len(docs) == 1 && !json {
		return text[docs[0].Body:docs[0].End]
	}
	return text
}

// removeDocument takes a document out, with its separator line.
func (r *rewriter) removeDocument(p *documentPiece) {
	end := p.end
	if r.json {
		end = yamltree.LineEnd(r.text, end)
		if !yamltree.IsBlank(r.text[p.end:end]) {
			end = p.end
		}
	}
	r.splices = append(r.splices, textSplice{p.start, end, ""})
}

// appendDocument adds a document at the end of the file.
func (r *rewriter) appendDocument(e Edit) error {
	text := e.Text
	if len(text) == 0 {
		obj, err := UntypedTree(e.Object)
		if err != nil {
			return err
		}
		if r.json {
			text = []byte(documentStyle{asJSON: true, step: 2, eol: "\n"}.jsonText(obj, 0) + "\n")
		} else {
			text = yamltree.Marshal(obj)
		}
	}
	text = withoutSeparator(text)
	now, err := r.oneObject(text, "the new text", r.json)
	if err != nil {
		return err
	}
	r.wanted[[2]int{len(r.pieces) + len(r.appended), 0}] = now.objs[0]
	r.appended = append(r.appended, text)
	return nil
}

func appendDocument(text, doc []byte, eol string, json bool) []byte {
	if eol == "\r\n" && !bytes.Contains(doc, []byte("\r\n")) {
		doc = bytes.ReplaceAll(doc, []byte("\n"), []byte("\r\n"))
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, eol...)
	}
	if !json && !yamltree.IsBlank(text) {
		text = append(append(text, "---"...), eol...)
	}
	return append(text, doc...)
}

// verifyText reads the new text and holds it against what was meant: every object
// an edit was about means what it should, every other one what it did, and text
// that could not be read is untouched.
func (r *rewriter) verifyText(text []byte) error {
	now, _ := cutPieces(r.name, text)
	fail := func(why string) error { return &EditError{File: r.name, Why: why} }
	next := 0
	for i := range r.pieces {
		p := &r.pieces[i]
		for _, want := range r.restored[[2]int{i, -1}] {
			if next >= len(now) || len(now[next].objs) != 1 || now[next].list || !equalValues(now[next].objs[0], want) {
				return fail("the restored document would not be read back as it was")
			}
			next++
		}
		if !p.list && r.removed[[2]int{i, 0}] {
			continue
		}
		if next >= len(now) {
			return fail("the edit would take out a document it is not about")
		}
		q := &now[next]
		next++
		if p.root == nil {
			if q.root != nil || !bytes.Equal(bytes.TrimSpace(r.text[p.body:p.end]), bytes.TrimSpace(text[q.body:q.end])) {
				return fail(fmt.Sprintf("the edit would change document %d, which it is not about", i))
			}
			continue
		}
		if err := r.verifyObjects(i, p, q); err != nil {
			return err
		}
	}
	for i := range r.appended {
		want := r.wanted[[2]int{len(r.pieces) + i, 0}]
		if next >= len(now) || len(now[next].objs) != 1 || !equalValues(now[next].objs[0], want) {
			return fail("the new document would not be read back as it is")
		}
		next++
	}
	if next != len(now) {
		return fail("the edit would add a document")
	}
	return nil
}

func (r *rewriter) verifyObjects(doc int, p, q *documentPiece) error {
	fail := func(why string) error { return &EditError{File: r.name, Why: fmt.Sprintf("document %d: %s", doc, why)} }
	j := 0
	restored := func(at [2]int) error {
		for _, want := range r.restored[at] {
			if j >= len(q.objs) || !equalValues(q.objs[j], want) {
				return fail("the restored item would not be read back as it was")
			}
			j++
		}
		return nil
	}
	for i := range p.objs {
		at := [2]int{doc, i}
		if err := restored(at); err != nil {
			return err
		}
		if r.removed[at] {
			continue
		}
		// Of another object not even a form changes.
		want, same, why := p.objs[i], reflect.DeepEqual, "the edit would change another object: they share text through an anchor"
		if touched, is := r.wanted[at]; is {
			want, same, why = touched, equalValues, "the edit cannot be made on the object's own text alone (an anchor, or an unusual form)"
		}
		if j >= len(q.objs) || !same(q.objs[j], want) {
			return fail(why)
		}
		j++
	}
	if err := restored([2]int{doc, len(p.objs)}); err != nil {
		return err
	}
	if j != len(q.objs) {
		return fail("the edit would add an object")
	}
	return nil
}
