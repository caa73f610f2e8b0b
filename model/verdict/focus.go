package verdict

// focus is the connections that some terms match: those from some ends to others. Of all
// other terms only those count that match some of them, so that a change is worked out among
// the ends that it is about.
type focus struct {
	from, to set // of ends
	// outFrom and outTo say that addresses of no pod are among them.
	outFrom, outTo bool
}

func newFocus(ends int) *focus { return &focus{from: newSet(ends), to: newSet(ends)} }

// classesAbout are the classes of the ends of the connections that some terms match, by stage.
func classesAbout(x *Index, some [2]set) *Classes {
	f := newFocus(len(x.ends))
	for stage, terms := range x.terms {
		some[stage].each(func(i int32) { f.add(x, &terms[i]) })
	}
	return classesOf(nil, nil, f, x)[0]
}

// add takes in the connections that a term matches.
func (f *focus) add(x *Index, t *term) {
	from, to := x.conds[t.from], x.conds[t.to]
	f.from.or(from.set)
	f.to.or(to.set)
	f.outFrom, f.outTo = f.outFrom || from.outside(), f.outTo || to.outside()
}

// conds are the conditions of terms that may match some of the connections: of their sources
// and of their destinations.
func (f *focus) conds(x *Index) (from, to set) {
	from, to = newSet(len(x.conds)), newSet(len(x.conds))
	source, target := make([]bool, len(x.conds)), make([]bool, len(x.conds))
	for i, k := range x.conds {
		source[i] = k.set.meets(f.from) || f.outFrom && k.outside()
		target[i] = k.set.meets(f.to) || f.outTo && k.outside()
	}
	for _, terms := range x.terms {
		for i := range terms {
			t := &terms[i]
			if !source[t.from] || !target[t.to] {
				continue
			}
			from.add(t.from)
			to.add(t.to)
			if t.outPort > 0 {
				to.add(t.outPort - 1)
			}
		}
	}
	return from, to
}

// outside are those conditions that addresses outside are asked about, at the side where they
// are.
func (f *focus) outside(from, to set) set {
	out := make(set, len(from))
	if f.outFrom {
		out.or(from)
	}
	if f.outTo {
		out.or(to)
	}
	return out
}

// facts are the conditions that each end of the connections meets, at the side where it is.
func (f *focus) facts(x *Index, from, to set) []set {
	words := (len(x.conds) + 63) / 64
	out := make([]set, len(x.ends))
	all := make(set, 0, words*64)
	for e := range out {
		if !f.has(int32(e)) {
			continue
		}
		if len(all)+words > cap(all) {
			all = make(set, 0, words*64)
		}
		all = all[:len(all)+words]
		out[e] = all[len(all)-words : len(all) : len(all)]
	}
	for _, k := range x.conds {
		source, target := from.has(k.id), to.has(k.id)
		if !source && !target {
			continue
		}
		met := make(set, len(k.set))
		for w, has := range k.set {
			if source {
				met[w] |= has & f.from[w]
			}
			if target {
				met[w] |= has & f.to[w]
			}
		}
		met.each(func(e int32) { out[e].add(k.id) })
	}
	return out
}

// has says whether an end is one of theirs.
func (f *focus) has(e int32) bool { return f.from.has(e) || f.to.has(e) }
