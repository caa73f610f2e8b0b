package edit

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"rung/sources/manifests/yamltree"
)

// differ turns the difference between two values of an object into splices of
// the text the first was read from.
type differ struct {
	*yamltree.Layout
	style
	splices []splice
	way     []yamltree.Step
}

// slot is where a value stands.
type slot struct {
	// key and colon are set for a field: the node of its name and the offset
	// behind the colon.
	key   *yaml.Node
	colon int
	// flow says the parent is in flow style; indent is the column of the parent.
	flow   bool
	indent int
}

// cannot is a change that cannot be made by touching only what it is about.
type cannot struct{ field, why string }

func (c *cannot) Error() string {
	if c.field == "" {
		return c.why
	}
	return c.field + ": " + c.why
}

func (d *differ) cannot(why string) error { return &cannot{yamltree.Path(d.way, false), why} }

func (d *differ) splice(start, end int, text string) {
	d.splices = append(d.splices, splice{start, end, text})
}

// at runs f one step further down, for the path in errors.
func (d *differ) at(s yamltree.Step, f func() error) error {
	d.way = append(d.way, s)
	err := f()
	d.way = d.way[:len(d.way)-1]
	return err
}

// value changes the node n, which means old, so that it means want.
func (d *differ) value(n *yaml.Node, old, want any, s slot) error {
	if equal(old, want) {
		return nil
	}
	switch w := want.(type) {
	case map[string]any:
		o, ok := old.(map[string]any)
		if ok && n.Kind == yaml.MappingNode && len(n.Content) > 0 && len(w) > 0 {
			return d.mapping(n, o, w, s)
		}
	case []any:
		o, ok := old.([]any)
		if ok && n.Kind == yaml.SequenceNode && len(n.Content) == len(o) && len(o) > 0 && len(w) > 0 {
			return d.list(n, o, w, s)
		}
	}
	return d.replace(n, want, s)
}

// pair is a field of a mapping node.
type pair struct {
	key, value        *yaml.Node
	start, colon, end int
}

// pairs finds the fields of a mapping node in the text.
func (d *differ) pairs(n *yaml.Node) ([]pair, error) {
	ps := make([]pair, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		p := pair{key: n.Content[i], value: n.Content[i+1], start: d.Pos(n.Content[i])}
		keyEnd, ok := d.End(p.key, -1)
		if !ok || keyEnd > len(d.Text) {
			return nil, d.cannot("is written in a way that cannot be edited")
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
		p.end, ok = d.End(p.value, indent)
		if !ok {
			return nil, d.cannot("is written in a way that cannot be edited")
		}
		p.end = max(p.end, p.colon, keyEnd)
		ps = append(ps, p)
	}
	return ps, nil
}

// mapping changes the fields of a mapping that stays one.
func (d *differ) mapping(n *yaml.Node, old, want map[string]any, s slot) error {
	ps, err := d.pairs(n)
	if err != nil {
		return err
	}
	flow := n.Style&yaml.FlowStyle != 0
	gone := make([]bool, len(ps))
	var added []string
	for _, k := range slices.SortedFunc(maps.Keys(want), yamltree.CompareFields) {
		w := want[k]
		if o, ok := old[k]; ok && equal(o, w) || !ok && isDefault(old, k, w) {
			continue
		}
		i := slices.IndexFunc(ps, func(p pair) bool { return p.key.Value == k })
		if i < 0 {
			added = append(added, k)
			continue
		}
		err := d.at(yamltree.Field(k), func() error {
			if ps[i].colon < 0 {
				return d.cannot("is written in a way that cannot be edited")
			}
			return d.value(ps[i].value, old[k], w, slot{key: ps[i].key, colon: ps[i].colon, flow: flow,
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
		i := slices.IndexFunc(ps, func(p pair) bool { return p.key.Value == k })
		if i < 0 {
			return d.at(yamltree.Field(k), func() error { return d.cannot("comes from a merge key and cannot be taken out here") })
		}
		gone[i] = true
	}
	switch {
	case !slices.Contains(gone, false) && !flow && len(added) > 0:
		d.over(ps[0].start, ps[len(ps)-1].end, want)
		return nil
	case !slices.Contains(gone, false):
		return d.replace(n, want, s)
	}
	if flow {
		spans := make([][2]int, len(ps))
		for i, p := range ps {
			spans[i] = [2]int{p.start, p.end}
		}
		col := d.Column(d.FirstOnLine(ps[0].start))
		var texts []string
		for _, k := range added {
			name := yamltree.Scalar(k)
			if d.JSON {
				name = d.jsonText(k, 0)
			}
			texts = append(texts, name+": "+d.inline(want[k], col))
		}
		return d.flow(spans, gone, map[int][]string{len(ps): texts})
	}
	if err := d.removeFields(ps, gone); err != nil {
		return err
	}
	for _, k := range added {
		d.addLines(ps[len(ps)-1].end, d.block(map[string]any{k: want[k]}, d.Column(ps[0].start)))
	}
	return nil
}

// removeFields takes fields out of a block mapping, with their lines. The first
// field may share its line with the dash of a list.
func (d *differ) removeFields(ps []pair, gone []bool) error {
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
		d.splice(ps[0].start, to, "")
	}
	for ; i < len(ps); i++ {
		if !gone[i] {
			continue
		}
		if !d.OnlySpaceBefore(ps[i].start) {
			return d.cannot("is written in a way that cannot be edited")
		}
		d.splice(d.LineStart(ps[i].start), d.NextLine(ps[i].end), "")
	}
	return nil
}

// addLines puts lines behind the line p is on.
func (d *differ) addLines(p int, lines string) {
	at := d.NextLine(p)
	if at == len(d.Text) && (at == 0 || d.Text[at-1] != '\n') {
		d.splice(at, at, d.eol+lines)
		return
	}
	d.splice(at, at, lines+d.eol)
}

// replace writes a value anew where n stood.
func (d *differ) replace(n *yaml.Node, want any, s slot) error {
	start := d.Pos(n)
	end, ok := d.End(n, s.indent)
	if !ok {
		return d.cannot("is written in a way that cannot be edited")
	}
	col := d.Column(d.FirstOnLine(start))
	text := d.scalar(n, want, col)
	unwritten := start == end
	block := n.Style&yaml.FlowStyle == 0 && (n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode)
	switch {
	case unwritten && s.key == nil:
		return d.cannot("is written in a way that cannot be edited")
	case unwritten && !s.flow && collection(want):
		d.addLines(s.colon, d.block(want, s.indent+d.step))
	case unwritten:
		d.splice(s.colon, s.colon, " "+text)
	case block && n.Anchor != "":
		return d.cannot("is written in a way that cannot be edited")
	case block && collection(want):
		d.over(start, end, want)
	case block && s.key != nil:
		d.splice(s.colon, s.colon, " "+text)
		d.splice(d.LineStart(start), d.NextLine(end), "")
	default:
		d.splice(start, end, text)
	}
	return nil
}

// over writes a collection in block style over the one from start to end.
func (d *differ) over(start, end int, want any) {
	d.splice(start, end, strings.TrimLeft(d.block(want, d.Column(start)), " "))
}

// collection says whether a value is a mapping or list with something in it.
func collection(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return false
}
