package verdict

// connectionFocus is the set of connections that some terms match. Only terms that match such a connection
// count, so that a change is worked out among the affected ends.
type connectionFocus struct {
	from, to Set // of ends
	// outFrom and outTo include the addresses of no pod.
	outFrom, outTo bool
}

func newFocus(ends int) *connectionFocus {
	return &connectionFocus{from: NewSet(ends), to: NewSet(ends)}
}

// ClassesAbout returns the classes of the ends of the connections that some terms match, by stage.
func ClassesAbout(x *Index, some [StageCount]Set) *Classes {
	f := newFocus(len(x.Ends))
	for stage, terms := range x.Terms {
		some[stage].Each(func(i int32) { f.addTerm(x, &terms[i]) })
	}
	return new(classGrouping).groupClasses(nil, nil, f, x)[0]
}

func (f *connectionFocus) addTerm(x *Index, t *Term) {
	from, to := x.Conditions[t.From], x.Conditions[t.To]
	f.from.Or(from.Set)
	f.to.Or(to.Set)
	f.outFrom, f.outTo = f.outFrom || from.HoldsOutside(), f.outTo || to.HoldsOutside()
}

// relevantConditions returns the source and destination conditions of terms that may match one of the
// connections.
func (f *connectionFocus) relevantConditions(x *Index) (from, to Set) {
	from, to = NewSet(len(x.Conditions)), NewSet(len(x.Conditions))
	source, target := make([]bool, len(x.Conditions)), make([]bool, len(x.Conditions))
	for i, k := range x.Conditions {
		source[i] = k.Set.Meets(f.from) || f.outFrom && k.HoldsOutside()
		target[i] = k.Set.Meets(f.to) || f.outTo && k.HoldsOutside()
	}
	for _, terms := range x.Terms {
		for i := range terms {
			t := &terms[i]
			if !source[t.From] || !target[t.To] {
				continue
			}
			from.Add(t.From)
			to.Add(t.To)
			if t.OutPort > 0 {
				to.Add(t.OutPort - 1)
			}
		}
	}
	return from, to
}

// outsideConditions returns the conditions to evaluate for outside addresses, at their side.
func (f *connectionFocus) outsideConditions(from, to Set) Set {
	out := make(Set, len(from))
	if f.outFrom {
		out.Or(from)
	}
	if f.outTo {
		out.Or(to)
	}
	return out
}

// endConditions returns the conditions that each end of the connections meets, at its side.
func (f *connectionFocus) endConditions(x *Index, from, to Set) []Set {
	words := (len(x.Conditions) + 63) / 64
	out := make([]Set, len(x.Ends))
	all := make(Set, 0, words*64)
	for e := range out {
		if !f.hasEnd(int32(e)) {
			continue
		}
		if len(all)+words > cap(all) {
			all = make(Set, 0, words*64)
		}
		all = all[:len(all)+words]
		out[e] = all[len(all)-words : len(all) : len(all)]
	}
	for _, k := range x.Conditions {
		source, target := from.Has(k.ID), to.Has(k.ID)
		if !source && !target {
			continue
		}
		met := make(Set, len(k.Set))
		for w, has := range k.Set {
			if source {
				met[w] |= has & f.from[w]
			}
			if target {
				met[w] |= has & f.to[w]
			}
		}
		met.Each(func(e int32) { out[e].Add(k.ID) })
	}
	return out
}

// hasEnd reports whether an end takes part in one of the connections.
func (f *connectionFocus) hasEnd(e int32) bool { return f.from.Has(e) || f.to.Has(e) }
