package nbdb

import (
	"maps"
	"slices"
	"unique"

	"rung/model/ovn/nb"
	"rung/model/words"
)

// internClean cleans and interns a string, since zones repeat the same names and addresses.
func internClean(b []byte) string {
	s := string(b)
	if !isClean(b) {
		s = words.CleanText(s)
	}
	return unique.Make(s).Value()
}

// isClean reports whether cleaning certainly keeps the text: nearly all text is printable ASCII.
func isClean(b []byte) bool {
	for _, c := range b {
		if c < 0x20 || c > 0x7e {
			return false
		}
	}
	return true
}

func (d *rowDecoder) readString() string { return internClean(d.String()) }

// readTagged reads [tag, value]; read must read the value.
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

// readSet reads a set: ["set", […]] or the only element.
func (d *rowDecoder) readSet(old []string, delta bool, element func() string) []string {
	s := d.readElements(element)
	if delta {
		s, _ = toggleMembers(nil, old, s)
		return trimSlice(s)
	}
	return slices.Clone(s)
}

// readElements reads a set's elements, sorted, nil if empty. The next call overwrites the result.
func (d *rowDecoder) readElements(element func() string) []string {
	d.scratch = d.scratch[:0]
	one := true
	if d.Peek() == '[' {
		// Look ahead for the tag: a single uuid is an array too.
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

// toggleMembers returns the symmetric difference of old and diff, all sorted, and the step from old. Large
// sets differ by little, so the runs in between are copied whole. It reuses the memory of into.
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

// trimSlice returns s, copied if it has much spare capacity; nil if empty. s must not change afterwards.
func trimSlice(s []string) []string {
	switch {
	case len(s) == 0:
		return nil
	case cap(s)-len(s) > len(s)/8:
		return slices.Clone(s)
	}
	return s
}

// readMap reads a map of strings. In a delta, an entry equal to old's was deleted.
func (d *rowDecoder) readMap(old map[string]string, delta bool) map[string]string {
	m := map[string]string{}
	if delta {
		maps.Copy(m, old)
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

// readOptional reads a value that may be absent, that is, an empty set.
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

// optionalText reads an optional string; blank means present but empty.
func (d *rowDecoder) optionalText() (s string, blank bool) {
	d.readOptional(func() {
		s = d.readString()
		blank = s == ""
	})
	return s, blank
}

func (d *rowDecoder) optionalUUID() string {
	return append(d.readElements(d.readUUID), "")[0]
}
