package nbdb

import (
	"maps"
	"slices"
	"unique"

	"rung/model/ovn/nb"
	"rung/model/words"
)

// internClean cleans and interns: zones hold the same names and addresses over and
// over.
func internClean(b []byte) string {
	s := string(b)
	if !isClean(b) {
		s = words.CleanText(s)
	}
	return unique.Make(s).Value()
}

// isClean says whether a text certainly stays as it is when it is cleaned: nearly
// everything is plain ASCII.
func isClean(b []byte) bool {
	for _, c := range b {
		if c < 0x20 || c > 0x7e {
			return false
		}
	}
	return true
}

func (d *rowDecoder) readString() string { return d.sentText(d.String()) }

// readTagged reads [tag, value] and leaves the value to the callback of its tag.
func (d *rowDecoder) readTagged(read func(tag string)) {
	n, tag := 0, ""
	d.Array(func() {
		switch n {
		case 0:
			tag = string(d.String())
		case 1:
			read(tag)
		default:
			d.Fail("two elements")
		}
		n++
	})
	if n != 2 {
		d.Fail("two elements")
	}
}

func (d *rowDecoder) readUUID() (id string) {
	d.readTagged(func(tag string) {
		if tag != "uuid" {
			d.Fail("a uuid")
			return
		}
		id = d.readString()
		if !nb.IsUUID(id) {
			d.Fail("a reference that is a UUID")
		}
	})
	return id
}

// readSet reads a set: ["set", […]] or, for a set of one, its element.
func (d *rowDecoder) readSet(old []string, delta bool, element func() string) []string {
	s := d.readElements(element)
	if delta {
		s, _ = toggleMembers(nil, old, s)
		return trimSlice(s)
	}
	return slices.Clone(s)
}

// readElements reads what a set holds, sorted; the next call overwrites the result. It is
// nil when there are none.
func (d *rowDecoder) readElements(element func() string) []string {
	d.scratch = d.scratch[:0]
	one := true
	if d.Peek() == '[' {
		// Look ahead for the tag: a lone uuid is an array, too.
		probe := *d.Lexer
		probe.Array(func() {
			one = one && string(probe.String()) != "set"
			probe.Fail("no more")
		})
	}
	if one {
		d.scratch = append(d.scratch, element())
	} else {
		d.readTagged(func(string) { d.Array(func() { d.scratch = append(d.scratch, element()) }) })
	}
	if len(d.scratch) == 0 {
		return nil
	}
	if !slices.IsSorted(d.scratch) {
		slices.Sort(d.scratch)
	}
	return d.scratch
}

// toggleMembers makes a set of the members of old that are not in diff, and those of diff that
// are not in old; all are sorted. Most sets are large and differ by little: the
// stretches in between are copied as they are. The set goes into a slice that is given.
func toggleMembers(into, old, diff []string) (now []string, step nb.MemberStep) {
	now = slices.Grow(into[:0], len(old)+len(diff))
	for _, s := range diff {
		at, there := slices.BinarySearch(old, s)
		now = append(now, old[:at]...)
		old = old[at:]
		if there {
			old = old[1:]
			step.Removed = append(step.Removed, s)
		} else {
			now = append(now, s)
			step.Added = append(step.Added, s)
		}
	}
	return append(now, old...), step
}

// trimSlice is a slice that nobody changes any more, without much room behind it; nil
// when it is empty.
func trimSlice(s []string) []string {
	switch {
	case len(s) == 0:
		return nil
	case cap(s)-len(s) > len(s)/8:
		return slices.Clone(s)
	}
	return s
}

// readMap reads a map of strings. In a delta an entry equal to old's is one
// that went.
func (d *rowDecoder) readMap(old map[string]string, delta bool) map[string]string {
	if !delta && len(d.sent) > 0 {
		probe := *d.Lexer
		if m, ok := d.sentValue(probe.Span()); ok {
			*d.Lexer = probe
			return m
		}
	}
	m := map[string]string{}
	if delta {
		m = maps.Clone(old)
		if m == nil {
			m = map[string]string{}
		}
	}
	d.readPairs(func(k, v string) {
		if have, ok := m[k]; delta && ok && have == v {
			delete(m, k)
		} else {
			m[k] = v
		}
	})
	if len(m) == 0 {
		return nil
	}
	return m
}

// readPairs reads a map of strings.
func (d *rowDecoder) readPairs(take func(key, value string)) {
	d.readTagged(func(tag string) {
		if tag != "map" {
			d.Fail("a map")
			return
		}
		d.Array(func() {
			n, k := 0, ""
			d.Array(func() {
				switch n++; n {
				case 1:
					k = d.readString()
				case 2:
					take(k, d.readString())
				default:
					d.Fail("a pair")
				}
			})
		})
	})
}

// readOptional reads a value that may be absent, i.e. an empty set.
func (d *rowDecoder) readOptional(read func()) {
	if d.Peek() != '[' {
		read()
		return
	}
	d.readTagged(func(tag string) {
		if tag != "set" {
			d.Fail("a set")
			return
		}
		d.Array(read)
	})
}

// optionalText reads a string that may be absent; blank says that it is there and
// empty.
func (d *rowDecoder) optionalText() (s string, blank bool) {
	d.readOptional(func() {
		s = d.readString()
		blank = s == ""
	})
	return s, blank
}

func (d *rowDecoder) optionalUUID() string {
	if ids := d.readSet(nil, false, d.readUUID); len(ids) > 0 {
		return ids[0]
	}
	return ""
}
