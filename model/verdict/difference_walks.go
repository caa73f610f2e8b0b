package verdict

import (
	"encoding/binary"
	"slices"
)

// side is one of the two indexes of a differ.
type side struct {
	c    *Classes
	d    *differ
	at   int // 0 before the change, 1 after it
	grid *grid
	// walkOf are the walks that were met, by stage and terms.
	walkOf [2]map[string]int32

	names []string // of rules: equal for a rule that is in both, empty when not known yet
	byOf  []int32  // of rules: the id as a single decider, -1 when not known yet
	by    map[int32][]int32
	list  []int32
	raw   []byte
	hits  []hit // of the last walk, kept for the next
}

func newSide(d *differ, c *Classes, at int) *side {
	s := &side{c: c, d: d, at: at, walkOf: [2]map[string]int32{{}, {}},
		names: make([]string, len(c.x.rules)), byOf: make([]int32, len(c.x.rules)), by: map[int32][]int32{}}
	for i := range s.byOf {
		s.byOf[i] = -1
	}
	s.grid = newGrid(c, s.find)
	return s
}

// name is equal for a rule that is in both indexes, though others of its policy may come
// before it.
func (s *side) name(rule int32) string {
	if s.names[rule] == "" {
		r := &s.c.x.rules[rule]
		s.names[rule] = r.key.String() + "\x00" + string(r.direction) + "\x00" + string(r.action)
		if r.policy != nil {
			s.names[rule] += "\x00" + ruleContent(r.policy.Rule(r.direction, r.rule))
		}
	}
	return s.names[rule]
}

// decided is one walk: its verdict, and who decides, as an id.
type decided struct {
	verdict Verdict
	by      int32
}

// portWalk is one walk: what becomes of each run of ports, by protocol.
type portWalk struct {
	runs [len(protocols)][]portRun
}

// portRun is a run of ports, which ends where the next begins.
type portRun struct {
	lo uint16
	decided
}

// ruling is what becomes of a run of ports at each walk.
type ruling struct {
	PortRange
	verdict Verdict
	walks   [3]decided
}

// decisions are those of three walks, for every port.
type decisions struct {
	list []ruling
}

// find is the walk through some terms.
func (s *side) find(kind walkKind, met set) int32 {
	stage := kind.stage()
	s.raw = rawSet(s.raw[:0], met)
	if id, known := s.walkOf[stage][string(s.raw)]; known {
		return id
	}
	s.list = s.list[:0]
	met.each(func(i int32) { s.list = append(s.list, i) })
	w, terms := &portWalk{}, s.c.x.terms[stage]
	for proto := range w.runs {
		for _, lo := range edgesOf(int8(proto), terms, s.list) {
			w.runs[proto] = append(w.runs[proto], portRun{lo, s.walk(s.list, terms, int8(proto), lo)})
		}
	}
	s.d.noteUse(s, stage, s.list, w)
	for proto, runs := range w.runs {
		w.runs[proto] = slices.CompactFunc(runs, func(a, b portRun) bool { return a.decided == b.decided })
	}
	id := s.d.number(w)
	s.walkOf[stage][string(s.raw)] = id
	return id
}

// decisions are those of the connections from a class to another, as Classes.between has
// their walks.
func (s *side) decisions(a, b int32, how mode) *decisions {
	way := s.grid.way(a, b, how)
	p := s.d.ways[way]
	if p == nil {
		p = s.d.together(way)
		s.d.ways[way] = p
	}
	return p
}

// number is equal for walks, of either side, of which the same becomes.
func (d *differ) number(w *portWalk) int32 {
	d.raw = d.raw[:0]
	for _, runs := range w.runs {
		d.raw = binary.LittleEndian.AppendUint16(d.raw, uint16(len(runs)))
		for _, r := range runs {
			d.raw = append(binary.LittleEndian.AppendUint16(d.raw, r.lo), byte(OutcomeOf(r.verdict)))
			d.raw = binary.LittleEndian.AppendUint32(d.raw, uint32(r.by))
		}
	}
	id, known := d.walkIDs[string(d.raw)]
	if !known {
		id = int32(len(d.walks))
		d.walkIDs[string(d.raw)] = id
		d.walks = append(d.walks, w)
	}
	return id
}

// together is what becomes of each port in three walks; -1 is none.
func (d *differ) together(way [3]int32) *decisions {
	p := &decisions{}
	for proto := range protocols {
		var edges []uint16
		for _, id := range way {
			if id >= 0 {
				for _, run := range d.walks[id].runs[proto] {
					edges = append(edges, run.lo)
				}
			}
		}
		slices.Sort(edges)
		edges = slices.Compact(edges)
		var at [3]int
		for i, lo := range edges {
			r := ruling{PortRange: PortRange{protocols[proto], lo, lastPort}, verdict: Allow}
			if protocols[proto] == ICMP {
				r.Hi = 0
			} else if i+1 < len(edges) {
				r.Hi = edges[i+1] - 1
			}
			for k, id := range way {
				if r.walks[k] = (decided{Allow, -1}); id < 0 {
					continue
				}
				runs := d.walks[id].runs[proto]
				for at[k]+1 < len(runs) && runs[at[k]+1].lo <= lo {
					at[k]++
				}
				r.walks[k] = runs[at[k]].decided
				r.verdict = worse(r.verdict, r.walks[k].verdict)
			}
			if n := len(p.list); n > 0 && p.list[n-1].Protocol == r.Protocol && p.list[n-1].verdict == r.verdict && p.list[n-1].walks == r.walks {
				p.list[n-1].Hi = r.Hi
				continue
			}
			p.list = append(p.list, r)
		}
	}
	return p
}

// walk is one walk through the tiers, and who decides it.
func (s *side) walk(list []int32, terms []term, proto int8, port uint16) decided {
	k := collect(list, terms, proto, port, s.hits[:0])
	s.hits = k.hits
	if len(k.hits) == 0 || !k.open && k.last == passes {
		return decided{Allow, -1}
	}
	if !k.open {
		v := Allow
		if k.last == drops {
			v = Deny
		}
		// All of the last priority decide alike.
		first, last := len(k.hits)-1, len(k.hits)-1
		for first > 0 && k.hits[first-1].with(&k.hits[last]) {
			first--
		}
		if first == last {
			return decided{v, s.single(terms[k.hits[last].ref].rule)}
		}
		var refs []int32
		for _, h := range k.hits[first:] {
			refs = append(refs, h.ref)
		}
		return decided{v, s.several(rulesOf(terms, refs))}
	}
	how := settle(k.hits)
	return decided{how.verdict, s.several(rulesOf(terms, how.decided))}
}

func (s *side) single(rule int32) int32 {
	if s.byOf[rule] < 0 {
		s.byOf[rule] = s.id(s.name(rule), []int32{rule})
	}
	return s.byOf[rule]
}

func (s *side) several(rules []int32) int32 {
	if len(rules) == 1 {
		return s.single(rules[0])
	}
	name := ""
	for _, r := range rules {
		name += s.name(r) + "\x02"
	}
	return s.id(name, rules)
}

func (s *side) id(name string, rules []int32) int32 {
	id, known := s.d.ids[name]
	if !known {
		id = int32(len(s.d.ids))
		s.d.ids[name] = id
	}
	if s.by[id] == nil {
		s.by[id] = rules
	}
	return id
}

// deciders are what an id stands for.
func (s *side) deciders(id int32) (out []Decider) {
	if id < 0 {
		return nil
	}
	for _, i := range s.by[id] {
		out = append(out, s.c.x.ruleDecider(i))
	}
	return out
}
