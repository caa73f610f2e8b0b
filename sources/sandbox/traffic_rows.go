package sandbox

import (
	"cmp"
	"slices"
	"strings"

	"rung/model/match"
	"rung/model/nb"
)

// stageAfterLB is nb.ACL.Stage of rows with nb.OptAfterLB.
const stageAfterLB = "from-lport-after-lb"

// zoneRows is a zone's rows in the order they decide.
type zoneRows struct {
	name     string
	db       *nb.DB
	switches map[string]*switchRows     // by logical port
	groups   map[string]map[string]bool // logical port → names of its port groups
	sets     map[string]addressSet
}

// switchRows are the ACLs of a switch: a stage's tiers, and in them the rows by
// falling priority. The winner among equals is undefined; here it is the one with
// the lower UUID.
type switchRows struct {
	acls   map[string]bool // by UUID
	stages map[string]*[4][]rule
}

type rule struct {
	acl *nb.ACL
	*parsed
}

// parsed is a match taken apart once.
type parsed struct {
	expr match.Expr // nil: OVN would not understand it either
	// in and out are port groups without whose port, as inport or outport, the
	// match cannot hold; most rows are passed over by that alone.
	in, out string
}

type addressSet struct {
	row *nb.AddressSet
	set match.AddrSet
}

// zoneEnv is what a zone's matches refer to.
type zoneEnv struct{ *zoneRows }

func (z zoneEnv) PortGroupHas(name, lport string) bool { return z.groups[lport][name] }

func (z zoneEnv) AddressSet(name string) (match.AddrSet, bool) {
	row := z.db.AddressSetByName(name)
	if row == nil {
		return nil, false
	}
	s, ok := z.sets[name]
	if !ok || s.row != row {
		s = addressSet{row, match.NewAddrSet(row.Addresses)}
		z.sets[name] = s
	}
	return s.set, true
}

// isolates says whether the zone has the rows of a namespace's NetworkPolicies:
// the groups of its default deny come and go with them
// (ovn-kubernetes.md#isolation-groups).
func (z *zoneRows) isolates(namespace string) bool {
	ids := nb.IDs(nb.DefaultController, nb.OwnerNetpolNamespace,
		nb.Pair{Key: nb.KeyName, Value: namespace}, nb.Pair{Key: nb.KeyDirection, Value: "Ingress"})
	return z.db.PortGroupByName(nb.HashedName(ids[nb.KeyID])) != nil
}

// order sorts a zone's rows for judging. A row decides on the switches that it is
// attached to, directly or through a port group that has a port there, and there
// for every packet: which ports it is about is up to its match.
func (t *Traffic) order(name string, db *nb.DB, old *zoneRows) *zoneRows {
	z := &zoneRows{name: name, db: db, switches: map[string]*switchRows{},
		groups: map[string]map[string]bool{}, sets: map[string]addressSet{}}
	if old != nil {
		z.sets = old.sets // checked against the row on use
		for name, s := range z.sets {
			if db.AddressSetByName(name) != s.row {
				delete(z.sets, name)
			}
		}
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
		t.sort(s, db)
	}
	return z
}

func (t *Traffic) sort(s *switchRows, db *nb.DB) {
	s.stages = map[string]*[4][]rule{nb.FromLport: {}, stageAfterLB: {}, nb.ToLport: {}}
	for id := range s.acls {
		acl := db.ACL(id)
		if acl == nil || acl.Tier < 0 || acl.Tier > 3 {
			continue
		}
		if tiers := s.stages[acl.Stage()]; tiers != nil {
			if p := t.parse(acl.Match); p.expr != nil {
				tiers[acl.Tier] = append(tiers[acl.Tier], rule{acl, p})
			}
		}
	}
	for _, tiers := range s.stages {
		for _, rules := range tiers {
			slices.SortFunc(rules, func(a, b rule) int {
				return cmp.Or(cmp.Compare(b.acl.Priority, a.acl.Priority), strings.Compare(a.acl.UUID, b.acl.UUID))
			})
		}
	}
}

// parse parses a match once.
func (t *Traffic) parse(s string) *parsed {
	p, ok := t.parsed[s]
	if !ok {
		p = &parsed{}
		if e, err := match.Parse(s); err == nil {
			p.expr = e
			p.in, p.out = neededGroups(e)
		}
		t.parsed[s] = p
	}
	return p
}

// neededGroups finds "inport == @group" and "outport == @group" among the terms
// that all have to hold.
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

// about says whether a packet's ports are such that the row may match.
func (r *rule) about(z *zoneRows, p *match.Packet) bool {
	return (r.in == "" || z.groups[p.InPort][r.in]) && (r.out == "" || z.groups[p.OutPort][r.out])
}
