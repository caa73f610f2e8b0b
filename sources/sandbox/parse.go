package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"rung/sources/nbdb"
)

// opFailure is an error of an operation or a commit, in OVSDB's two parts.
type opFailure struct{ code, details string }

func (f *opFailure) Error() string { return f.code + ": " + f.details }

func constraintError(format string, args ...any) error {
	return &opFailure{"constraint violation", fmt.Sprintf(format, args...)}
}

func syntaxError(format string, args ...any) error {
	return &opFailure{"syntax error", fmt.Sprintf(format, args...)}
}

// valueReader reads values; names resolves named UUIDs.
type valueReader struct {
	*nbdb.Lexer
	names func(string) UUID
}

// readDatum reads a value of a column. With loose, sizes do not matter (a mutation's
// argument); with keysOnly, a set of keys will do for a map.
func (r *valueReader) readDatum(c *Column, loose, keysOnly bool) (Datum, error) {
	var d Datum
	var bad error
	note := func(err error) {
		if bad == nil {
			bad = err
		}
	}
	element := func() {
		a, err := r.readAtom(&c.Key)
		note(err)
		d.Keys = append(d.Keys, a)
	}
	tag := ""
	if r.Peek() == '[' {
		tag = r.peekTag()
	}
	switch {
	case tag == "map" && c.Value != nil:
		d.Values = []Atom{}
		r.readPair(func() {
			r.Array(func() {
				n := 0
				r.Array(func() {
					switch n++; n {
					case 1:
						element()
					case 2:
						v, err := r.readAtom(c.Value)
						note(err)
						d.Values = append(d.Values, v)
					default:
						r.Fail("a pair")
					}
				})
				if n != 2 {
					r.Fail("a pair")
				}
			})
		})
	case tag == "set" && (c.Value == nil || keysOnly):
		r.readPair(func() { r.Array(element) })
	case c.Value == nil:
		element()
	default:
		r.Fail("a map")
	}
	if err := r.Err(); err != nil {
		return d, syntaxError("%v", err)
	}
	if bad != nil {
		return d, bad
	}
	if len(d.Keys) == 0 {
		d.Keys, d.Values = nil, nil
	}
	if err := d.normalise(); err != nil {
		return d, syntaxError("%v", err)
	}
	if !loose {
		return d, checkSize(c, d)
	}
	return d, nil
}

func checkSize(c *Column, d Datum) error {
	if n := len(d.Keys); n < c.Min || (c.Max >= 0 && n > c.Max) {
		return constraintError("%d values are not between the minimum of %d and the maximum of %d", n, c.Min, c.Max)
	}
	return nil
}

// peekTag looks at the first element of the array that comes next.
func (r *valueReader) peekTag() (tag string) {
	probe := *r.Lexer
	probe.Array(func() {
		if probe.Peek() == '"' {
			tag = string(probe.String())
		}
		probe.Fail("no more")
	})
	return tag
}

// readPair reads [tag, value] after tag was looked at.
func (r *valueReader) readPair(value func()) {
	n := 0
	r.Array(func() {
		switch n++; n {
		case 1:
			r.String()
		case 2:
			value()
		default:
			r.Fail("two elements")
		}
	})
	if n != 2 {
		r.Fail("two elements")
	}
}

func (r *valueReader) readAtom(b *BaseType) (Atom, error) {
	switch b.Type {
	case "integer":
		v := int64(r.Int())
		if (b.MinInt != nil && v < *b.MinInt) || (b.MaxInt != nil && v > *b.MaxInt) {
			return v, constraintError("%d is not in the valid range %s", v, rangeText(b))
		}
		return v, nil
	case "boolean":
		return r.Bool(), nil
	case "uuid":
		var u UUID
		tag := ""
		if r.Peek() == '[' {
			tag = r.peekTag()
		}
		r.readPair(func() {
			switch text := string(r.String()); {
			case tag == "uuid" && isUUID(text):
				u = UUID(strings.ToLower(text))
			case tag == "named-uuid" && r.names != nil && text != "":
				u = r.names(text)
			default:
				r.Fail("a uuid")
			}
		})
		return u, nil
	}
	s := string(r.String())
	if b.MaxLength != nil && len(s) > *b.MaxLength {
		return s, constraintError("%q is longer than %d bytes", s, *b.MaxLength)
	}
	if b.Enum != nil && !slices.Contains(b.Enum, Atom(s)) {
		return s, constraintError("%s is not one of the allowed values %v", s, b.Enum)
	}
	return s, nil
}

func rangeText(b *BaseType) string {
	lo, hi := "", ""
	if b.MinInt != nil {
		lo = fmt.Sprint(*b.MinInt)
	}
	if b.MaxInt != nil {
		hi = fmt.Sprint(*b.MaxInt)
	}
	return lo + " to " + hi
}

// isUUID says whether a text is a UUID in its usual form: uuid takes others as well.
func isUUID(s string) bool { return len(s) == 36 && uuid.Validate(s) == nil }
