package manifests

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"rung/sources/manifests/yamltree"
)

// objectDiffer turns the difference between two values of an object into splices of
// the text the first was read from.
type objectDiffer struct {
	*yamltree.Layout
	documentStyle
	splices []textSplice
	way     []yamltree.PathStep
}

// valueSlot is where a value stands.
type valueSlot struct {
	// key and colon are set for a field: the node of its name and the offset
	// behind the colon.
	key   *yaml.Node
	colon int
	// flow says the parent is in flow style; indent is the column of the parent.
	flow   bool
	indent int
}

// cannotError is a change that cannot be made by touching only what it is about.
type cannotError struct{ field, why string }

func (c *cannotError) Error() string {
	if c.field == "" {
		return c.why
	}
	return c.field + ": " + c.why
}

func (d *objectDiffer) newCannot(why string) error {
	return &cannotError{yamltree.PathText(d.way, false), why}
}

func (d *objectDiffer) addSplice(start, end int, text string) {
	d.splices = append(d.splices, textSplice{start, end, text})
}

// withStep runs f one step further down, for the path in errors.
func (d *objectDiffer) withStep(s yamltree.PathStep, f func() error) error {
	d.way = append(d.way, s)
	err := f()
	d.way = d.way[:len(d.way)-1]
	return err
}

// changeValue changes the node n, which means old, so that it means want.
func (d *objectDiffer) changeValue(n *yaml.Node, old, want any, s valueSlot) error {
	if equalValues(old, want) {
		return nil
	}
	switch w := want.(type) {
	case map[string]any:
		o, ok := old.(map[string]any)
		if ok && n.Kind == yaml.MappingNode && len(n.Content) > 0 && len(w) > 0 {
			return d.changeMapping(n, o, w, s)
		}
	case []any:
		o, ok := old.([]any)
		if ok && n.Kind == yaml.SequenceNode && len(n.Content) == len(o) && len(o) > 0 && len(w) > 0 {
			return d.changeList(n, o, w, s)
		}
	}
	return d.replaceValue(n, want, s)
}

// fieldPair is a field of a mapping node.
type fieldPair struct {
	key, value        *yaml.Node
	start, colon, end int
}

// fieldsOf finds the fields of a mapping node in the text.
func (d *objectDiffer) fieldsOf(n *yaml.Node) ([]fieldPair, error) {
	ps := make([]fieldPair, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		p := fieldPair{key: n.Content[i], value: n.Content[i+1], start: d.Offset(n.Content[i])}
		keyEnd, ok := d.EndOffset(p.key, -1)
		if !ok || keyEnd > len(d.Text) {
			return nil, d.newCannot("is written in a way that cannot be edited")
		}
		p.colon = d.SkipSpace(keyEnd)
		if p.colon < len(d.Text) && d.Text[p.colon] == ':' {
			p.colon++
		} else {
			p.colon = -1 // {a, b}: a field without a colon
		}
		indent := -1
		if n.Style&yaml.FlowStyle == 0 {
			indent = d.Column(p.start)
		}
		p.end, ok = d.EndOffset(p.value, indent)
		if !ok {
			return nil, d.newCannot("is written in a way that cannot be edited")
		}
		p.end = max(p.end, p.colon, keyEnd)
		ps = append(ps, p)
	}
	return ps, nil
}

// changeMapping changes the fields of a mapping that stays one.
func (d *objectDiffer) changeMapping(n *yaml.Node, old, want map[string]any, s valueSlot) error {
	ps, err := d.fieldsOf(n)
	if err != nil {
		return err
	}
	flow := n.Style&yaml.FlowStyle != 0
	gone := make([]bool, len(ps))
	var added []string
	for _, k := range slices.SortedFunc(maps.Keys(want), yamltree.CompareFields) {
		w := want[k]
		if o, ok := old[k]; ok && equalValues(o, w) || !ok && isDefault(old, k, w) {
			continue
		}
		i := slices.IndexFunc(ps, func(p fieldPair) bool { return p.key.Value == k })
		if i < 0 {
			added = append(added, k)
			continue
		}
		err := d.withStep(yamltree.FieldStep(k), func() error {
			if ps[i].colon < 0 {
				return d.newCannot("is written in a way that cannot be edited")
			}
			return d.changeValue(ps[i].value, old[k], w, valueSlot{key: ps[i].key, colon: ps[i].colon, flow: flow,
				indent: d.Column(ps[0].start)})
		})
		if err != nil {
			return err
		}
	}
	for k, o := range old {
		if _, stays := want[k]; stays || o == nil || isDefault(want, k, o) {
			continue
		}
		i := slices.IndexFunc(ps, func(p fieldPair) bool { return p.key.Value == k })
		if i < 0 {
			return d.withStep(yamltree.FieldStep(k), func() error { return d.newCannot("comes from a merge key and cannot be taken out here") })
		}
		gone[i] = true
	}
	switch {
	case !slices.Contains(gone, false) && !flow && len(added) > 0:
		d.replaceBlock(ps[0].start, ps[len(ps)-1].end, want)
		return nil
	case !slices.Contains(gone, false):
		return d.replaceValue(n, want, s)
	}
	if flow {
		spans := make([][2]int, len(ps))
		for i, p := range ps {
			spans[i] = [2]int{p.start, p.end}
		}
		col := d.Column(d.FirstOnLine(ps[0].start))
		var texts []string
		for _, k := range added {
			name := yamltree.ScalarText(k)
			if d.JSON {
				name = d.jsonText(k, 0)
			}
			texts = append(texts, name+": "+d.inlineText(want[k], col))
		}
		return d.changeFlow(spans, gone, map[int][]string{len(ps): texts})
	}
	if err := d.removeFields(ps, gone); err != nil {
		return err
	}
	for _, k := range added {
		d.addLines(ps[len(ps)-1].end, d.blockText(map[string]any{k: want[k]}, d.Column(ps[0].start)))
	}
	return nil
}

// removeFields takes fields out of a block mapping, with their lines. The first
// field may share its line with the dash of a list.
func (d *objectDiffer) removeFields(ps []fieldPair, gone []bool) error {
	i := 0
	if !d.OnlySpaceBefore(ps[0].start) && gone[0] {
		for i < len(ps) && gone[i] {
			i++
		}
		to := ps[i].start
		for j := range i {
			if strings.Contains(string(d.Text[ps[j].end:ps[j+1].start]), "#") {
				to = ps[0].end // comments between stay where they are
				i = 1
				break
			}
		}
		d.addSplice(ps[0].start, to, "")
	}
	for ; i < len(ps); i++ {
		if !gone[i] {
			continue
		}
		if !d.OnlySpaceBefore(ps[i].start) {
			return d.newCannot("is written in a way that cannot be edited")
		}
		d.addSplice(d.LineStart(ps[i].start), d.NextLine(ps[i].end), "")
	}
	return nil
}

// addLines puts lines behind the line p is on.
func (d *objectDiffer) addLines(p int, lines string) {
	at := d.NextLine(p)
	if at == len(d.Text) && (at == 0 || d.Text[at-1] != '\n') {
		d.addSplice(at, at, d.eol+lines)
		return
	}
	d.addSplice(at, at, lines+d.eol)
}

// replaceValue writes a value anew where n stood.
func (d *objectDiffer) replaceValue(n *yaml.Node, want any, s valueSlot) error {
	start := d.Offset(n)
	end, ok := d.EndOffset(n, s.indent)
	if !ok {
		return d.newCannot("is written in a way that cannot be edited")
	}
	col := d.Column(d.FirstOnLine(start))
	text := d.scalarText(n, want, col)
	unwritten := start == end
	block := n.Style&yaml.FlowStyle == 0 && (n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode)
	switch {
	case unwritten && s.key == nil:
		return d.newCannot("is written in a way that cannot be edited")
	case unwritten && !s.flow && isCollection(want):
		d.addLines(s.colon, d.blockText(want, s.indent+d.step))
	case unwritten:
		d.addSplice(s.colon, s.colon, " "+text)
	case block && n.Anchor != "":
		return d.newCannot("is written in a way that cannot be edited")
	case block && isCollection(want):
		d.replaceBlock(start, end, want)
	case block && s.key != nil:
		d.addSplice(s.colon, s.colon, " "+text)
		d.addSplice(d.LineStart(start), d.NextLine(end), "")
	default:
		d.addSplice(start, end, text)
	}
	return nil
}

// replaceBlock writes a collection in block style over the one from start to end.
func (d *objectDiffer) replaceBlock(start, end int, want any) {
	d.addSplice(start, end, strings.TrimLeft(d.blockText(want, d.Column(start)), " "))
}

// isCollection says whether a value is a mapping or list with something in it.
func isCollection(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return false
}
