package verdict

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"rung/model"
	"rung/model/match"
	"rung/model/nb"
)

// Matches are parsed matches of ACLs, each once; several zones may share them. The zero
// value is ready, and safe for concurrent use.
type Matches struct {
	mu     sync.Mutex
	parsed map[string]*parsed
}

// parsed is a match taken apart once.
type parsed struct {
	expr match.Expr // nil: OVN would not understand it either
	// in and out are port groups without whose port, as inport or outport, the match
	// cannot hold; most rows are passed over by that alone.
	in, out string
}

func (m *Matches) parse(text string) *parsed {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.parsed[text]
	if !ok {
		p = &parsed{}
		if e, err := match.Parse(text); err == nil {
			p.expr = e
			p.in, p.out = neededGroups(e)
		}
		if m.parsed == nil {
			m.parsed = map[string]*parsed{}
		}
		m.parsed[text] = p
	}
	return p
}

// Keep forgets the matches that hold nothing for a long time: with more than twice as
// many as there are rows, all.
func (m *Matches) Keep(rows int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.parsed) > 2*rows+1000 {
		clear(m.parsed)
	}
}

// neededGroups finds "inport == @group" and "outport == @group" among the terms that all
// have to hold.
func neededGroups(e match.Expr) (in, out string) {
	terms := []match.Expr{e}
	if and, ok := e.(*match.And); ok {
		terms = and.Terms
	}
	for _, t := range terms {
		c, ok := t.(*match.Cmp)
		if !ok || c.Op != match.EQ || len(c.Values) != 1 || c.Values[0].Kind != match.ConstPortGroup {
			continue
		}
		switch c.Field.Name {
		case "inport":
			in = c.Values[0].Name()
		case "outport":
			out = c.Values[0].Name()
		}
	}
	return in, out
}

// Zone is the rows of one zone in the order in which they decide. It is safe for
// concurrent use and does not change.
type Zone struct {
	Name string
	DB   *nb.DB

	switches map[string]*switchRows     // by logical port
	groups   map[string]map[string]bool // logical port → names of its port groups

	mu   sync.Mutex
	sets map[string]addressSet
}

// switchRows are the ACLs of a switch: a stage's tiers, and in them the rows by falling
// priority, those of equal priority by UUID.
type switchRows struct {
	acls   map[string]bool // by UUID
	stages map[model.Stage]*[4][]row
}

type row struct {
	acl *nb.ACL
	*parsed
}

type addressSet struct {
	row *nb.AddressSet
	set match.AddrSet
}

// PortGroupHas and AddressSet make a Zone what its matches refer to.
func (z *Zone) PortGroupHas(name, lport string) bool { return z.groups[lport][name] }

// AddressSet is the set of that name.
func (z *Zone) AddressSet(name string) (match.AddrSet, bool) {
	r := z.DB.AddressSetByName(name)
	if r == nil {
		return nil, false
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	s, ok := z.sets[name]
	if !ok || s.row != r {
		s = addressSet{r, match.NewAddrSet(r.Addresses)}
		z.sets[name] = s
	}
	return s.set, true
}

// NewZone orders a zone's rows. A row decides on the switches that it is attached to,
// directly or through a port group that has a port there, and there for every packet:
// which ports it is about is up to its match. old is the zone before, or nil: address
// sets that did not change are taken over from it.
func NewZone(name string, db *nb.DB, m *Matches, old *Zone) *Zone {
	z := &Zone{Name: name, DB: db, switches: map[string]*switchRows{},
		groups: map[string]map[string]bool{}, sets: map[string]addressSet{}}
	if old != nil {
		old.mu.Lock()
		for name, s := range old.sets {
			if db.AddressSetByName(name) == s.row {
				z.sets[name] = s
			}
		}
		old.mu.Unlock()
	}
	var all []*switchRows
	for sw := range db.Switches() {
		s := &switchRows{acls: map[string]bool{}}
		all = append(all, s)
		for _, id := range sw.ACLs {
			s.acls[id] = true
		}
		for _, id := range sw.Ports {
			if p := db.Port(id); p != nil {
				z.switches[p.Name] = s
			}
		}
	}
	for pg := range db.PortGroups() {
		on := map[*switchRows]bool{}
		for _, id := range pg.Ports {
			p := db.Port(id)
			if p == nil {
				continue
			}
			if z.groups[p.Name] == nil {
				z.groups[p.Name] = map[string]bool{}
			}
			z.groups[p.Name][pg.Name] = true
			if s := z.switches[p.Name]; s != nil {
				on[s] = true
			}
		}
		for s := range on {
			for _, id := range pg.ACLs {
				s.acls[id] = true
			}
		}
	}
	for _, s := range all {
		s.sort(db, m)
	}
	return z
}

func (s *switchRows) sort(db *nb.DB, m *Matches) {
	s.stages = map[model.Stage]*[4][]row{}
	for _, stage := range model.Stages() {
		s.stages[stage] = &[4][]row{}
	}
	for id := range s.acls {
		acl := db.ACL(id)
		if acl == nil || acl.Tier < 0 || acl.Tier > 3 {
			continue
		}
		if tiers := s.stages[model.Stage(acl.Stage())]; tiers != nil {
			if p := m.parse(acl.Match); p.expr != nil {
				tiers[acl.Tier] = append(tiers[acl.Tier], row{acl, p})
			}
		}
	}
	for _, tiers := range s.stages {
		for _, rows := range tiers {
			slices.SortFunc(rows, func(a, b row) int {
				return cmp.Or(cmp.Compare(b.acl.Priority, a.acl.Priority), strings.Compare(a.acl.UUID, b.acl.UUID))
			})
		}
	}
}

// about says whether a packet's ports are such that the row may match.
func (r *row) about(z *Zone, p *match.Packet) bool {
	return (r.in == "" || z.groups[p.InPort][r.in]) && (r.out == "" || z.groups[p.OutPort][r.out])
}

// Decided are the rows that decide about a packet in a stage, on the switch of a logical
// port.
type Decided struct {
	Verdict Verdict
	// Rows decided it: several where rows of one priority disagree, or where it cannot be
	// told whether they match; none is the default, allow. Passed are those that passed it
	// on to the next tier, in order.
	Rows, Passed []*nb.ACL
	Open         bool // Rows are candidates
	// Unjudged are rows that may match: of why the first cannot be judged.
	Unjudged int
	Why      error
}

// Decide walks the tiers of a stage (ovn-kubernetes.md#stages). ok is false where the zone
// has no such port.
func (z *Zone) Decide(stage model.Stage, at string, p match.Packet) (d Decided, ok bool) {
	sw := z.switches[at]
	if sw == nil || sw.stages[stage] == nil {
		return Decided{Verdict: Allow}, false
	}
	var acls []*nb.ACL
	var c collector
	for tier := range sw.stages[stage] {
		rows := sw.stages[stage][tier]
		for i := range rows {
			r := &rows[i]
			counts, more := c.next(int8(tier), int32(r.acl.Priority))
			if !more {
				break
			}
			if !counts || !r.about(z, &p) {
				continue
			}
			matched, err := match.Eval(r.expr, p, z)
			if err != nil {
				if d.Unjudged++; d.Why == nil {
					d.Why = err
				}
			} else if !matched {
				continue
			}
			c.add(hit{ref: int32(len(acls)), priority: int32(r.acl.Priority), tier: int8(tier), does: doesRow(r.acl), maybe: err != nil})
			acls = append(acls, r.acl)
		}
	}
	s := settle(c.hits)
	d.Verdict, d.Open = s.verdict, s.open
	for _, i := range s.decided {
		d.Rows = append(d.Rows, acls[i])
	}
	for _, i := range s.passed {
		d.Passed = append(d.Passed, acls[i])
	}
	return d, true
}

// Walk is Decide for one packet on its way: the rows that decide, those that pass it on
// first. Among rows of equal priority the one with the lowest UUID wins, and what cannot
// be judged is passed over and counted.
func (z *Zone) Walk(stage model.Stage, at string, p match.Packet) (deciders []*nb.ACL, unjudged uint64) {
	sw := z.switches[at]
	if sw == nil || sw.stages[stage] == nil {
		return nil, 0
	}
	for _, rows := range sw.stages[stage] {
		for i := range rows {
			r := &rows[i]
			if !r.about(z, &p) {
				continue
			}
			matched, err := match.Eval(r.expr, p, z)
			if err != nil {
				unjudged++
			}
			if err != nil || !matched {
				continue
			}
			deciders = append(deciders, r.acl)
			if doesRow(r.acl) != passes {
				return deciders, unjudged
			}
			break
		}
	}
	return deciders, unjudged
}

// Tied are the rows of a row's tier and priority that match a packet as well, itself among
// them: OVN may take any of these.
func (z *Zone) Tied(stage model.Stage, at string, p match.Packet, acl *nb.ACL) (out []*nb.ACL) {
	sw := z.switches[at]
	if sw == nil || sw.stages[stage] == nil {
		return nil
	}
	for i, rows := 0, sw.stages[stage][acl.Tier]; i < len(rows); i++ {
		r := &rows[i]
		if r.acl.Priority != acl.Priority || !r.about(z, &p) {
			continue
		}
		if matched, err := match.Eval(r.expr, p, z); matched && err == nil {
			out = append(out, r.acl)
		}
	}
	return out
}

func doesRow(a *nb.ACL) does {
	switch a.Action {
	case nb.ActionDrop, nb.ActionReject:
		return drops
	case nb.ActionPass:
		return passes
	}
	return allows
}
