package manifests

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
	"go.yaml.in/yaml/v3"

	"rung/sources/manifests/yamltree"
)

// AlignedPair is a step from an old list to a new one.
type AlignedPair struct {
	Old, New int // indexes; -1 for an added (Old) or a removed (New) element
}

// AlignLists matches the elements of two lists: equal ones first, as many as can be in order, then,
// between these, those that stand at the same place.
func AlignLists(old, want []any) (out []AlignedPair) {
	var distinct []any
	numbers := func(list []any) []string {
		out := make([]string, len(list))
		for i, v := range list {
			n := slices.IndexFunc(distinct, func(d any) bool { return equalValues(d, v) })
			if n < 0 {
				n, distinct = len(distinct), append(distinct, v)
			}
			out[i] = strconv.Itoa(n)
		}
		return out
	}
	i, j := 0, 0
	end := lcs.Diff{End: len(want), ReplEnd: len(old)}
	for _, d := range append(lcs.DiffLines(numbers(want), numbers(old)), end) {
		for ; i < d.ReplEnd && j < d.End; i, j = i+1, j+1 {
			out = append(out, AlignedPair{i, j})
		}
		for ; i < d.ReplEnd; i++ {
			out = append(out, AlignedPair{i, -1})
		}
		for ; j < d.End; j++ {
			out = append(out, AlignedPair{-1, j})
		}
	}
	return out
}

// maxAlign bounds the work of aligning two lists; API lists have 100 elements.
const maxAlign = 4_000_000

// changeList changes the elements of a list that stays one.
func (d *objectDiffer) changeList(n *yaml.Node, old, want []any, s valueSlot) error {
	if len(old)*len(want) > maxAlign {
		return d.newCannot("is too long to be edited")
	}
	flow := n.Style&yaml.FlowStyle != 0
	steps := AlignLists(old, want)
	gone := make([]bool, len(old))
	added := map[int][]any{} // by the old element they come before
	before := len(old)
	for i := len(steps) - 1; i >= 0; i-- {
		switch st := steps[i]; {
		case st.New < 0:
			gone[st.Old] = true
			before = st.Old
		case st.Old < 0:
			added[before] = append([]any{want[st.New]}, added[before]...)
		default:
			before = st.Old
		}
	}
	indent := -1
	if !flow {
		indent = d.Column(d.DashOffset(n, 0))
	}
	for _, st := range steps {
		if st.Old < 0 || st.New < 0 {
			continue
		}
		err := d.withStep(yamltree.PathStep{Index: st.Old}, func() error {
			return d.changeValue(n.Content[st.Old], old[st.Old], want[st.New], valueSlot{flow: flow, indent: indent})
		})
		if err != nil {
			return err
		}
	}
	if len(added) == 0 && !slices.Contains(gone, true) {
		return nil
	}
	if !slices.Contains(gone, false) && len(added) == 0 {
		return d.replaceValue(n, want, s)
	}
	spans := make([][2]int, len(n.Content))
	for i, e := range n.Content {
		end, ok := d.EndOffset(e, indent)
		if !ok {
			return d.newCannot("is written in a way that cannot be edited")
		}
		spans[i] = [2]int{d.Offset(e), end}
	}
	if flow {
		texts := map[int][]string{}
		col := d.Column(d.FirstOnLine(spans[0][0]))
		for at, vs := range added {
			for _, v := range vs {
				texts[at] = append(texts[at], d.inlineText(v, col))
			}
		}
		return d.changeFlow(spans, gone, texts)
	}
	return d.blockList(n, spans, gone, added, s)
}

func (d *objectDiffer) blockList(n *yaml.Node, spans [][2]int, gone []bool, added map[int][]any, s valueSlot) error {
	col := d.Column(d.DashOffset(n, 0))
	for i := range spans {
		p := d.DashOffset(n, i)
		if !d.OnlySpaceBefore(p) {
			return d.newCannot("is written in a way that cannot be edited")
		}
		spans[i][0] = p
	}
	for i := range len(spans) + 1 {
		for _, v := range added[i] {
			lines := d.blockText([]any{v}, col)
			switch {
			case i > 0:
				d.addLines(spans[i-1][1], lines)
			case s.key == nil || d.LineIndex(s.colon) == d.LineIndex(spans[0][0]):
				return d.newCannot("is written in a way that cannot be edited")
			default:
				// Above the comments of the element that was the first.
				d.addLines(s.colon, lines)
			}
		}
		if i < len(spans) && gone[i] {
			d.addSplice(d.LineStart(spans[i][0]), d.NextLine(spans[i][1]), "")
		}
	}
	return nil
}

// changeFlow removes and adds elements of a flow collection, commas included. added
// holds the texts that come before an element, by its index; behind the last one
// under len(spans). At least one element stays, or something is added.
func (d *objectDiffer) changeFlow(spans [][2]int, gone []bool, added map[int][]string) error {
	n := len(spans)
	sep := ", "
	if d.OnlySpaceBefore(spans[0][0]) {
		sep = "," + d.eol + strings.Repeat(" ", d.Column(spans[0][0]))
	} else if d.JSON && d.step == 0 && n > 1 && !strings.Contains(string(d.Text[spans[0][1]:spans[1][0]]), " ") {
		sep = ","
	}
	if !slices.Contains(gone, false) {
		// All go and others come: write them over the old ones.
		var all []string
		for i := range n + 1 {
			all = append(all, added[i]...)
		}
		d.addSplice(spans[0][0], spans[n-1][1], strings.Join(all, sep))
		return nil
	}
	for i := 0; i < n; i++ {
		if !gone[i] {
			continue
		}
		j := i
		for j+1 < n && gone[j+1] {
			j++
		}
		from, to, gaps := spans[i][0], 0, spans
		if j+1 < n {
			to, gaps = spans[j+1][0], spans[i:j+2]
		} else {
			from, to, gaps = spans[i-1][1], spans[j][1], spans[i-1:j+1]
		}
		for k := 1; k < len(gaps) && !d.JSON; k++ {
			if strings.Contains(string(d.Text[gaps[k-1][1]:gaps[k][0]]), "#") {
				return d.newCannot("has comments that would go with what is taken out")
			}
		}
		d.addSplice(from, to, "")
		i = j
	}
	for i := range n + 1 {
		if len(added[i]) == 0 {
			continue
		}
		// Before the next element that stays, else behind the last one.
		next := i
		for next < n && gone[next] {
			next++
		}
		text := strings.Join(added[i], sep)
		if next < n {
			d.addSplice(spans[next][0], spans[next][0], text+sep)
		} else {
			d.addSplice(spans[n-1][1], spans[n-1][1], sep+text)
		}
	}
	return nil
}

// removeItem takes the item with an index out of a List's items.
func (d *objectDiffer) removeItem(items *yaml.Node, i int, s valueSlot) error {
	if i < 0 || i >= len(items.Content) {
		return fmt.Errorf("the List has no item %d", i)
	}
	indexes := make([]any, len(items.Content))
	for j := range indexes {
		indexes[j] = int64(j)
	}
	if len(indexes) == 1 {
		return d.replaceValue(items, []any{}, s)
	}
	return d.changeList(items, indexes, slices.Delete(slices.Clone(indexes), i, i+1), s)
}
