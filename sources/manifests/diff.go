package manifests

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
	"go.yaml.in/yaml/v3"

	"rung/sources/manifests/yamltree"
)

// objectDiffer turns the difference between two values of an object into edits of the first value's text. It
// assumes usual formatting: the caller parses the new text again.
type objectDiffer struct {
	*yamltree.Layout
	documentStyle
	edits []udiff.Edit
}

// valuePlace is the place of a value.
type valuePlace struct {
	path  []yamltree.PathStep
	colon int // offset behind the field's colon, or -1 without
	// flow means the parent is in flow style; indent is the column of a block parent, or -1 for none.
	flow   bool
	indent int
}

// rootPlace is the place of a document's root.
var rootPlace = valuePlace{colon: -1, indent: -1}

// cannot returns the error of a change that would touch other text.
func (s valuePlace) cannot(why string) error {
	if len(s.path) > 0 {
		why = yamltree.PathText(s.path, false) + ": " + why
	}
	return errors.New(why)
}

const unusualForm = "has an unusual form that Rung cannot edit"

// textEntry is a field of a mapping or an element of a list. It starts at its name, dash or value.
type textEntry struct {
	name       string
	value      *yaml.Node
	start, end int
	at         valuePlace
}

func newDiffer(text []byte, root *yaml.Node, json bool) *objectDiffer {
	l := yamltree.NewLayout(text, json)
	return &objectDiffer{Layout: l, documentStyle: detectStyle(root, l)}
}

func (d *objectDiffer) addEdit(start, end int, text string) {
	d.edits = append(d.edits, udiff.Edit{Start: start, End: end, New: text})
}

// gap returns the text between an entry and a later one.
func (d *objectDiffer) gap(a, b textEntry) []byte { return d.Text[min(a.end, b.start):b.start] }

func isFlow(n *yaml.Node) bool { return n.Style&yaml.FlowStyle != 0 }

// findEntries finds the fields or elements of a node in the text.
func (d *objectDiffer) findEntries(n *yaml.Node, at valuePlace) (es []textEntry) {
	named := n.Kind == yaml.MappingNode
	slot := valuePlace{colon: -1, flow: isFlow(n), indent: -1}
	for i := 0; i < len(n.Content); i++ {
		e := textEntry{start: d.Offset(n.Content[i])}
		step := yamltree.PathStep{Index: i}
		if !named && !slot.flow {
			e.start = d.DashOffset(n, i)
		}
		if i == 0 && !slot.flow {
			slot.indent = d.Column(e.start)
		}
		e.at = slot
		if named {
			e.name = n.Content[i].Value
			step = yamltree.FieldStep(e.name)
			e.end = d.End(n.Content[i], -1)
			if p := d.SkipSpace(e.end); p < len(d.Text) && d.Text[p] == ':' { // not {a, b}
				e.at.colon, e.end = p+1, p+1
			}
			i++
		}
		e.value = n.Content[i]
		e.at.path = append(slices.Clip(at.path), step)
		e.end = max(e.end, e.start+1, d.End(e.value, slot.indent))
		es = append(es, e)
	}
	return es
}

// changeValue changes the node n from the value old to want.
func (d *objectDiffer) changeValue(n *yaml.Node, old, want any, at valuePlace) error {
	if equalValues(old, want) {
		return nil
	}
	switch w := want.(type) {
	case map[string]any:
		if o, ok := old.(map[string]any); ok && n.Kind == yaml.MappingNode && len(n.Content) > 0 && len(w) > 0 {
			return d.changeMapping(n, o, w, at)
		}
	case []any:
		if o, ok := old.([]any); ok && n.Kind == yaml.SequenceNode && len(n.Content) == len(o) && len(o) > 0 && len(w) > 0 {
			return d.changeList(n, o, w, at)
		}
	}
	return d.replaceValue(n, want, at)
}

// changeMapping changes the fields of a mapping that stays a mapping.
func (d *objectDiffer) changeMapping(n *yaml.Node, old, want map[string]any, at valuePlace) error {
	es := d.findEntries(n, at)
	find := func(name string) int { return slices.IndexFunc(es, func(e textEntry) bool { return e.name == name }) }
	gone := make([]bool, len(es))
	var added []string
	for _, k := range slices.SortedFunc(maps.Keys(want), yamltree.CompareFields) {
		w := want[k]
		o, had := old[k]
		i := find(k)
		switch {
		case had && equalValues(o, w) || !had && isDefault(old, k, w):
		case i >= 0:
			if err := d.changeValue(es[i].value, o, w, es[i].at); err != nil {
				return err
			}
		case isFlow(n):
			col := d.Indent(es[0].start)
			added = append(added, d.inlineText(k, col)+": "+d.inlineText(w, col))
		default:
			added = append(added, d.blockText(map[string]any{k: w}, es[0].at.indent))
		}
	}
	for k, o := range old {
		if _, stays := want[k]; stays || o == nil || isDefault(want, k, o) {
			continue
		}
		i := find(k)
		if i < 0 {
			at.path = append(slices.Clip(at.path), yamltree.FieldStep(k))
			return at.cannot("comes from a merge key and cannot be removed here")
		}
		gone[i] = true
	}
	return d.changeEntries(n, es, gone, map[int][]string{len(es): added}, want, at)
}

// changeList changes the elements of a list that stays a list.
func (d *objectDiffer) changeList(n *yaml.Node, old, want []any, at valuePlace) error {
	if len(old)*len(want) > maxAlign {
		return at.cannot("is too long to be edited")
	}
	es := d.findEntries(n, at)
	gone := make([]bool, len(old))
	added := map[int][]string{}
	next := 0 // index of the old element behind an added one
	for _, st := range AlignLists(old, want) {
		switch {
		case st.New < 0:
			gone[st.Old] = true
		case st.Old < 0:
			added[next] = append(added[next], d.elementText(es, want[st.New]))
			continue
		default:
			if err := d.changeValue(es[st.Old].value, old[st.Old], want[st.New], es[st.Old].at); err != nil {
				return err
			}
		}
		next = st.Old + 1
	}
	return d.changeEntries(n, es, gone, added, want, at)
}

// elementText writes a value as a new element of a list.
func (d *objectDiffer) elementText(others []textEntry, v any) string {
	if others[0].at.flow {
		return d.inlineText(v, d.Indent(others[0].start))
	}
	return d.blockText([]any{v}, others[0].at.indent)
}

// changeEntries removes entries of a collection and adds texts, keyed by the following entry, to mean want.
func (d *objectDiffer) changeEntries(n *yaml.Node, es []textEntry, gone []bool, added map[int][]string, want any, at valuePlace) error {
	switch {
	case !slices.Contains(gone, false):
		return d.replaceValue(n, want, at)
	case isFlow(n):
		return d.changeFlow(es, gone, added, at)
	}
	first := 0
	if gone[0] && !d.OnlySpaceBefore(es[0].start) {
		// It shares its line with a list's dash: move the next entry there, unless a comment stays there.
		first = slices.Index(gone, false)
		to := es[first].start
		if bytes.IndexByte(d.gap(es[0], es[first]), '#') >= 0 {
			first, to = 1, es[0].end
		}
		d.addEdit(es[0].start, to, "")
	}
	for i := range len(es) + 1 {
		for _, lines := range added[i] {
			switch {
			case i > 0:
				d.addLines(es[i-1].end, lines)
			case at.colon < 0 || d.LineStart(at.colon) == d.LineStart(es[0].start):
				return at.cannot(unusualForm)
			default:
				d.addLines(at.colon, lines) // above the first entry's comments
			}
		}
		if i < first || i == len(es) || !gone[i] {
			continue
		}
		if !d.OnlySpaceBefore(es[i].start) {
			return at.cannot(unusualForm)
		}
		d.addEdit(d.LineStart(es[i].start), d.NextLine(es[i].end), "")
	}
	return nil
}

// changeFlow removes and adds entries of a flow collection, commas included; at least one stays.
func (d *objectDiffer) changeFlow(es []textEntry, gone []bool, added map[int][]string, at valuePlace) error {
	last := len(es) - 1
	sep := ", "
	if d.OnlySpaceBefore(es[0].start) {
		sep = "," + d.eol + strings.Repeat(" ", d.Column(es[0].start))
	} else if d.JSON && d.step == 0 && last > 0 && !bytes.Contains(d.gap(es[0], es[1]), []byte(" ")) {
		sep = ","
	}
	var texts []string // added since the last kept entry
	behind := 0        // index behind that entry
	for i := range es {
		texts = append(texts, added[i]...)
		if gone[i] {
			continue
		}
		text := strings.Join(append(texts, ""), sep)
		if err := d.replaceEntries(es[behind:i+1], es[behind].start, es[i].start, text, at); err != nil {
			return err
		}
		texts, behind = nil, i+1
	}
	text := strings.Join(slices.Concat([]string{""}, texts, added[last+1]), sep)
	return d.replaceEntries(es[behind-1:], es[behind-1].end, es[last].end, text, at)
}

// replaceEntries replaces entries of a flow collection by a text, unless there are comments between them.
func (d *objectDiffer) replaceEntries(es []textEntry, start, end int, text string, at valuePlace) error {
	for i := 1; i < len(es) && !d.JSON; i++ {
		if bytes.IndexByte(d.gap(es[i-1], es[i]), '#') >= 0 {
			return at.cannot("has comments that the removal would delete")
		}
	}
	if start < end || text != "" {
		d.addEdit(start, end, text)
	}
	return nil
}

// addLines inserts lines below the line of p.
func (d *objectDiffer) addLines(p int, lines string) {
	at := d.NextLine(p)
	if at == len(d.Text) && (at == 0 || d.Text[at-1] != '\n') {
		d.addEdit(at, at, d.eol+lines)
		return
	}
	d.addEdit(at, at, lines+d.eol)
}

// replaceValue writes a new value over the node n.
func (d *objectDiffer) replaceValue(n *yaml.Node, want any, at valuePlace) error {
	start, end := d.Offset(n), d.End(n, at.indent)
	unwritten := start == end
	block := len(n.Content) > 0 && !isFlow(n)
	if block {
		start = d.findEntries(n, at)[0].start
	}
	text := d.scalarText(n, want, d.Indent(start))
	switch {
	case unwritten && at.colon < 0, block && n.Anchor != "" && !isCollection(want):
		return at.cannot(unusualForm)
	case unwritten && !at.flow && isCollection(want):
		d.addLines(at.colon, d.blockText(want, at.indent+d.step))
	case unwritten:
		d.addEdit(at.colon, at.colon, " "+text)
	case block && isCollection(want):
		d.addEdit(start, end, strings.TrimLeft(d.blockText(want, d.Column(start)), " "))
	case block && at.colon >= 0:
		d.addEdit(at.colon, at.colon, " "+text)
		d.addEdit(d.LineStart(start), d.NextLine(end), "")
	default:
		d.addEdit(start, end, text)
	}
	return nil
}

// isCollection reports whether a value is a non-empty mapping or list.
func isCollection(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return false
}
