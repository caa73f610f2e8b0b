package sandbox

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/sources/nbdb"
)

// Atom is an element: int64, bool, string or UUID.
type Atom any

// UUID is the _uuid of a row.
type UUID string

// Datum is a column's value: a sorted set of keys, each with a value in a map.
type Datum struct {
	Keys   []Atom
	Values []Atom // as long as Keys in a map, nil otherwise
}

// compareAtoms orders two elements of a column, which are of one type.
func compareAtoms(a, b Atom) int {
	switch a := a.(type) {
	case int64:
		b, _ := b.(int64)
		return cmp.Compare(a, b)
	case bool:
		b, _ := b.(bool)
		return strings.Compare(strconv.FormatBool(a), strconv.FormatBool(b)) // "false" before "true"
	case string:
		b, _ := b.(string)
		return strings.Compare(a, b)
	case UUID:
		b, _ := b.(UUID)
		return cmp.Compare(a, b)
	}
	return 0
}

func (d Datum) findKey(k Atom) (int, bool) { return slices.BinarySearchFunc(d.Keys, k, compareAtoms) }

func (d Datum) equals(o Datum) bool {
	return equalAtoms(d.Keys, o.Keys) && equalAtoms(d.Values, o.Values)
}

func equalAtoms(a, b []Atom) bool {
	if len(a) != len(b) {
		return false
	}
	return len(a) == 0 || &a[0] == &b[0] || slices.EqualFunc(a, b, sameAtom)
}

func sameAtom(a, b Atom) bool { return compareAtoms(a, b) == 0 }

// sharedPlaces are the places in d of the elements that o has as well, in rising order; of a map,
// o may name keys alone.
func (d Datum) sharedPlaces(o Datum) (at []int) {
	for i, k := range o.Keys {
		if j, ok := d.findKey(k); ok && (o.Values == nil || sameAtom(o.Values[i], d.Values[j])) {
			at = append(at, j)
		}
	}
	return at
}

// unionWith puts o's elements in; a key that is there keeps its value. Sets of
// thousands change by one at a time, so the work is that of finding o's.
func (d Datum) unionWith(o Datum) Datum {
	out, copied := d, false
	for i, k := range o.Keys {
		j, ok := out.findKey(k)
		if ok {
			continue
		}
		if !copied {
			out, copied = d.grownCopy(len(o.Keys)), true
		}
		out.Keys = slices.Insert(out.Keys, j, k)
		if o.Values != nil {
			out.Values = slices.Insert(out.Values, j, o.Values[i])
		}
	}
	return out
}

// grownCopy is a copy with room for n more.
func (d Datum) grownCopy(n int) Datum {
	out := Datum{Keys: append(make([]Atom, 0, len(d.Keys)+n), d.Keys...)}
	if d.Values != nil {
		out.Values = append(make([]Atom, 0, len(d.Keys)+n), d.Values...)
	}
	return out
}

// withoutPlaces takes the elements at some places, in rising order, out.
func (d Datum) withoutPlaces(at []int) Datum {
	switch len(at) {
	case 0:
		return d
	case len(d.Keys):
		return Datum{}
	}
	cut := func(in []Atom) []Atom {
		out, from := make([]Atom, 0, len(in)-len(at)), 0
		for _, i := range at {
			out, from = append(out, in[from:i]...), i+1
		}
		return append(out, in[from:]...)
	}
	out := Datum{Keys: cut(d.Keys)}
	if d.Values != nil {
		out.Values = cut(d.Values)
	}
	return out
}

// diffTo returns the difference that turns d into o, in the notation of update2: the
// elements that are in one of the two, and of a map the keys whose value changed, with
// the new value.
func (d Datum) diffTo(o Datum, c *Column) Datum {
	if c.Max == 1 && c.Value == nil {
		return o
	}
	var out Datum
	take := func(from Datum, i int) {
		out.Keys = append(out.Keys, from.Keys[i])
		if from.Values != nil {
			out.Values = append(out.Values, from.Values[i])
		}
	}
	i, j := 0, 0
	for i < len(d.Keys) || j < len(o.Keys) {
		n := -1
		switch {
		case i == len(d.Keys):
			n = 1
		case j < len(o.Keys):
			n = compareAtoms(d.Keys[i], o.Keys[j])
		}
		switch {
		case n < 0:
			take(d, i)
			i++
		case n > 0:
			take(o, j)
			j++
		default:
			if d.Values != nil && !sameAtom(d.Values[i], o.Values[j]) {
				take(o, j)
			}
			i++
			j++
		}
	}
	return out
}

// normalise sorts, and reports a key that is there twice.
func (d *Datum) normalise() error {
	if d.Values == nil {
		slices.SortFunc(d.Keys, compareAtoms)
	} else {
		at := make([]int, len(d.Keys))
		for i := range at {
			at[i] = i
		}
		slices.SortFunc(at, func(a, b int) int { return compareAtoms(d.Keys[a], d.Keys[b]) })
		keys, values := make([]Atom, len(at)), make([]Atom, len(at))
		for i, j := range at {
			keys[i], values[i] = d.Keys[j], d.Values[j]
		}
		d.Keys, d.Values = keys, values
	}
	for i := 1; i < len(d.Keys); i++ {
		if sameAtom(d.Keys[i-1], d.Keys[i]) {
			return fmt.Errorf("%v is there twice", d.Keys[i])
		}
	}
	return nil
}

// defaultOf is a column's value in a row that was inserted without it.
func defaultOf(c *Column) Datum {
	if c.Min == 0 || c.Value != nil {
		return Datum{}
	}
	switch c.Key.Type {
	case "integer":
		return Datum{Keys: []Atom{int64(0)}}
	case "boolean":
		return Datum{Keys: []Atom{false}}
	case "string":
		return Datum{Keys: []Atom{""}}
	}
	return Datum{Keys: []Atom{UUID("00000000-0000-0000-0000-000000000000")}}
}

// appendDatum writes a value in RFC 7047's notation.
func appendDatum(b []byte, d Datum, c *Column) []byte {
	switch {
	case c.Value != nil:
		b = append(b, `["map",[`...)
		for i, k := range d.Keys {
			b = appendAtom(append(nbdb.AppendComma(b), '['), k)
			b = append(appendAtom(append(b, ','), d.Values[i]), ']')
		}
		return append(b, `]]`...)
	case len(d.Keys) == 1:
		return appendAtom(b, d.Keys[0])
	}
	b = append(b, `["set",[`...)
	for _, k := range d.Keys {
		b = appendAtom(nbdb.AppendComma(b), k)
	}
	return append(b, `]]`...)
}

func appendAtom(b []byte, a Atom) []byte {
	switch a := a.(type) {
	case int64:
		return strconv.AppendInt(b, a, 10)
	case bool:
		return strconv.AppendBool(b, a)
	case string:
		return nbdb.AppendString(b, a)
	case UUID:
		return append(nbdb.AppendString(append(b, `["uuid",`...), string(a)), ']')
	}
	return append(b, "null"...)
}
