package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/model/ovn/nb"
	"rung/sources/nbdb"
)

// UUID is the _uuid of a row.
type UUID string

// Datum is a column's value: elements sorted by key.
type Datum []Element

// Element is an element of a set or an entry of a map, as JSON of the protocol. Value is empty in a set.
type Element struct{ Key, Value string }

func (d Datum) findKey(key string) (int, bool) {
	return slices.BinarySearchFunc(d, key, func(e Element, key string) int { return strings.Compare(e.Key, key) })
}

// hasElement reports whether d has an element. For a map, e may have the key alone.
func (d Datum) hasElement(e Element) bool {
	at, ok := d.findKey(e.Key)
	return ok && (e.Value == "" || e.Value == d[at].Value)
}

// unionWith adds o's elements; existing keys keep their values.
func (d Datum) unionWith(o Datum) Datum {
	out := append(make(Datum, 0, len(d)+len(o)), d...)
	for _, e := range o {
		if at, ok := out.findKey(e.Key); !ok {
			out = slices.Insert(out, at, e)
		}
	}
	return out
}

// without removes o's elements.
func (d Datum) without(o Datum) Datum {
	out := slices.Clone(d)
	for _, e := range o {
		if out.hasElement(e) {
			at, _ := out.findKey(e.Key)
			out = slices.Delete(out, at, at+1)
		}
	}
	return out
}

// diffTo returns the difference from d to o in the notation of update2: elements in only one of them, and map
// keys with changed values, with the new value.
func (d Datum) diffTo(o Datum, c *Column) Datum {
	if c.Max == 1 && c.Value == nil {
		return o
	}
	// Large sets usually differ little.
	for len(d) > 0 && len(o) > 0 && d[0] == o[0] {
		d, o = d[1:], o[1:]
	}
	out := slices.DeleteFunc(slices.Clone(o), d.hasElement)
	for _, e := range d {
		if _, stays := o.findKey(e.Key); !stays {
			out = append(out, e)
		}
	}
	out.sortKeys()
	return out
}

func (d Datum) sortKeys() {
	slices.SortFunc(d, func(a, b Element) int { return strings.Compare(a.Key, b.Key) })
}

// zeroAtoms are the default column values of an insert, by type.
var zeroAtoms = map[string]string{"integer": "0", "boolean": "false", "string": `""`,
	"uuid": uuidAtom("00000000-0000-0000-0000-000000000000")}

func defaultDatum(c *Column) Datum {
	if c.Min == 0 || c.Value != nil {
		return nil
	}
	return Datum{{Key: zeroAtoms[c.Key.Type]}}
}

const uuidStart, uuidEnd = `["uuid","`, `"]`

// uuidAtom returns the atom of a reference to a row.
func uuidAtom(u UUID) string { return uuidStart + string(u) + uuidEnd }

// atomUUID returns the UUID in a reference's atom.
func atomUUID(atom string) UUID { return UUID(atom[len(uuidStart) : len(atom)-len(uuidEnd)]) }

// appendDatum appends a value in RFC 7047's notation.
func appendDatum(b []byte, d Datum, c *Column) []byte {
	switch {
	case c.Value != nil:
		b = append(b, `["map",[`...)
	case len(d) == 1:
		return append(b, d[0].Key...)
	default:
		b = append(b, `["set",[`...)
	}
	for _, e := range d {
		b = nbdb.AppendComma(b)
		if c.Value == nil {
			b = append(b, e.Key...)
		} else {
			b = append(append(append(append(append(b, '['), e.Key...), ','), e.Value...), ']')
		}
	}
	return append(b, `]]`...)
}

// operationError is an error of an operation or a commit, in OVSDB's two parts.
type operationError struct{ code, details string }

func (f *operationError) Error() string { return f.code + ": " + f.details }

func constraintError(format string, args ...any) error {
	return &operationError{"constraint violation", fmt.Sprintf(format, args...)}
}

func syntaxError(format string, args ...any) error {
	return &operationError{"syntax error", fmt.Sprintf(format, args...)}
}

// datumReader reads values decoded by encoding/json, with numbers as json.Number.
type datumReader struct {
	names func(string) UUID // resolves named UUIDs
	// anySize accepts any number of elements; keysOnly accepts a set of keys for a map.
	anySize, keysOnly bool
}

// readDatum reads a column's value.
func (r datumReader) readDatum(v any, c *Column) (Datum, error) {
	elements := []any{v}
	tag, tagged := splitTag(v)
	switch {
	case tag == "map" && c.Value != nil, tag == "set" && (c.Value == nil || r.keysOnly):
		list, ok := tagged.([]any)
		if !ok {
			return nil, syntaxError("a %s needs a list", tag)
		}
		elements = list
	case c.Value != nil:
		return nil, syntaxError("%v is not a map", v)
	}
	d := make(Datum, len(elements))
	for i, key := range elements {
		var err error
		if c.Value != nil && tag == "map" {
			pair, _ := key.([]any)
			if len(pair) != 2 {
				return nil, syntaxError("%v is not a pair", key)
			}
			key = pair[0]
			if d[i].Value, err = r.readAtom(pair[1], c.Value); err != nil {
				return nil, err
			}
		}
		if d[i].Key, err = r.readAtom(key, &c.Key); err != nil {
			return nil, err
		}
	}
	d.sortKeys()
	if err := d.checkKeys(); err != nil || r.anySize {
		return d, err
	}
	return d, checkSize(c, d)
}

// checkKeys rejects duplicate keys.
func (d Datum) checkKeys() error {
	for i := 1; i < len(d); i++ {
		if d[i-1].Key == d[i].Key {
			return syntaxError("duplicate %s", d[i].Key)
		}
	}
	return nil
}

func checkSize(c *Column, d Datum) error {
	if n := len(d); n < c.Min || (c.Max >= 0 && n > c.Max) {
		return constraintError("%d values are not between the minimum of %d and the maximum of %d", n, c.Min, c.Max)
	}
	return nil
}

// splitTag splits [tag, value]; the tag is "" for other values.
func splitTag(v any) (tag string, value any) {
	if list, _ := v.([]any); len(list) == 2 {
		tag, _ = list[0].(string)
		return tag, list[1]
	}
	return "", nil
}

// readAtom reads an element and returns it as JSON.
func (r datumReader) readAtom(v any, b *BaseType) (string, error) {
	switch x := v.(type) {
	case json.Number:
		n, err := strconv.ParseInt(string(x), 10, 64)
		if err != nil {
			f, _ := x.Float64() // some clients write 1.0
			n = int64(f)
			if float64(n) != f {
				break
			}
		}
		if b.Type == "integer" {
			return strconv.FormatInt(n, 10), b.checkRange(n)
		}
	case bool:
		if b.Type == "boolean" {
			return strconv.FormatBool(x), nil
		}
	case string:
		if b.Type == "string" {
			return string(nbdb.AppendString(nil, x)), b.checkText(x)
		}
	case []any:
		tag, value := splitTag(x)
		text, _ := value.(string)
		switch u := UUID(strings.ToLower(text)); {
		case b.Type != "uuid":
		case tag == "uuid" && nb.IsUUID(string(u)):
			return uuidAtom(u), nil
		case tag == "named-uuid" && text != "":
			return uuidAtom(r.names(text)), nil
		}
	}
	return "", syntaxError("%v is not of type %s", v, b.Type)
}

func (b *BaseType) checkRange(n int64) error {
	if b.MinInteger != nil && n < *b.MinInteger || b.MaxInteger != nil && n > *b.MaxInteger {
		return constraintError("%d is not in the valid range", n)
	}
	return nil
}

func (b *BaseType) checkText(s string) error {
	if b.MaxLength != nil && len(s) > *b.MaxLength {
		return constraintError("%q is longer than %d bytes", s, *b.MaxLength)
	}
	if len(b.Enum) == 2 {
		if allowed, _ := b.Enum[1].([]any); !slices.Contains(allowed, any(s)) {
			return constraintError("%s is not one of the allowed values %v", s, allowed)
		}
	}
	return nil
}
