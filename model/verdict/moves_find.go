package verdict

// finder finds the ways of Moves.
type finder struct {
	m       *Moves
	g       *grid
	byFrom  []set
	mine    [2]set              // terms of the policy, by stage
	walkOf  [2]map[string]int32 // by terms
	resting map[int32]int32     // walks without the policy, by result: they never change
	raw     []byte
}

func newFinder(m *Moves, c *Classes, mine [2]set) *finder {
	f := &finder{m: m, byFrom: make([]set, len(c.classes)), mine: mine, resting: map[int32]int32{},
		walkOf: [2]map[string]int32{{}, {}}}
	f.g = newGrid(c, f.find)
	return f
}

func (f *finder) pair(a, b int32) {
	c := f.g.c
	how, ok := c.mode(a, b)
	if !ok {
		return
	}
	near, far := c.pairs(a, b)
	var at cutting
	if how == leaving {
		at.cut = c.classes[b].cut
	}
	switch {
	case how == leaving && c.ownNodeMatters(b):
		f.add(a, b, how, far, at)
		at.own = true
		f.add(a, b, how, near, at)
	case how != farAway || !c.sensitive(a, b):
		f.add(a, b, how, near+far, at)
	default:
		f.add(a, b, farAway, far, at)
		f.add(a, b, sameNode, near, at)
	}
}

// add counts the pairs of two classes by the terms of their walks, as Classes.between has
// them.
func (f *finder) add(a, b int32, how mode, pairs int, at cutting) {
	if pairs == 0 {
		return
	}
	f.m.ways[wayOf{f.g.way(a, b, how), at}] += pairs
}

// find is the walk through some terms.
func (f *finder) find(kind walkKind, met set) int32 {
	stage := kind.stage()
	f.raw = rawSet(f.raw[:0], met)
	if id, known := f.walkOf[stage][string(f.raw)]; known {
		return id
	}
	k := &wayWalk{stage: stage}
	met.each(func(i int32) {
		if f.mine[stage].has(i) {
			k.moved = append(k.moved, i)
		} else {
			k.rest = append(k.rest, i)
		}
	})
	terms, list := f.m.x.terms[stage], k.rest
	if f.m.there {
		list = merged(k.rest, k.moved, terms)
	}
	k.before = f.m.results.of(list, terms, k.moved, k.rest)
	id, known := f.resting[k.before]
	if len(k.moved) > 0 || !known {
		id = int32(len(f.m.walks))
		f.m.walks = append(f.m.walks, k)
		if len(k.moved) == 0 {
			k.rest = nil // nobody asks again
			f.resting[k.before] = id
		}
	}
	f.walkOf[stage][string(f.raw)] = id
	return id
}
