package verdict

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"rung/model"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
)

// Zone is the rows of one zone in the order in which they decide. It is safe for
// concurrent use and does not change.
type Zone struct {
	Name string
	DB   *nb.DB

	ports  map[string]*logicalPort // by name
	groups map[string]int32        // the numbers of port groups, by name
	sets   sync.Map                // name → *addressSet
}

// logicalPort is a port of a switch, or one that only port groups name.
type logicalPort struct {
	rows       *switchRows // nil for a port of no switch
	membership *membership
}

// membership is the port groups that ports are in; ports of the same groups share it.
type membership struct {
	groups   []int32 // in order
	groupSet Set
}

// noGroups is the membership of a port that is in no group, and of one that the packet does not name.
var noGroups = &membership{}

// switchRows are the ACLs of a switch, by stage.
type switchRows struct {
	acls   map[string]bool // by UUID
	stages map[model.Stage]*stageRows
	// isTracked says that OVN tracks connections here: some ACL is allow-related, whatever it matches.
	// A load balancer does so, too; no switch of a secondary network has one.
	isTracked bool
}

// stageRows are the rows of a stage in the order in which they decide: by tier, in it by
// falling priority, those of equal priority by UUID. Most rows are about the ports of one
// group, so a packet meets only those of the groups that its ports are in.
type stageRows struct {
	rows         []stageRow
	withoutGroup []int32           // rows that need the port of no group
	byInGroup    map[int32][]int32 // rows by the group that the port must be in by which it comes
	byOutGroup   map[int32][]int32 // other rows by that of the port by which it leaves
	// Rows by membership: the rows of all its groups. Worked out when asked for.
	rowsOfIn, rowsOfOut sync.Map // *membership → []int32
	// bound holds the part of each row's match that is left to judge in the zone; made
	// when it is first asked.
	bound    []atomic.Pointer[boundMatch]
	narrowed atomic.Pointer[narrowedRows] // of the ends that were asked about last
}

type boundMatch struct{ expr match.Expr }

type stageRow struct {
	acl *nb.ACL
	*parsedMatch
	tier     int8
	priority int32
}

type addressSet struct {
	row *nb.AddressSet // nil where there is none
	set *match.AddrSet
}

// PortGroupHas and AddressSet make a Zone what its matches refer to.
func (z *Zone) PortGroupHas(name, lport string) bool {
	p, id := z.ports[lport], z.groups[name]
	return p != nil && id > 0 && p.membership.groupSet.Has(id)
}

// AddressSet is the set of that name.
func (z *Zone) AddressSet(name string) (*match.AddrSet, bool) {
	known, ok := z.sets.Load(name)
	if !ok {
		s := &addressSet{row: z.DB.AddressSetByName(name)}
		if s.row != nil {
			s.set = match.NewAddrSet(s.row.Addresses)
		}
		known, _ = z.sets.LoadOrStore(name, s)
	}
	s := known.(*addressSet)
	return s.set, s.row != nil
}

// hasTier reports whether a row of a tier is in the database, whatever it hangs on.
func (z *Zone) hasTier(tier int) bool {
	for a := range z.DB.ACLs() {
		if a.Tier == tier && a.ExternalIDs[nb.KeyOwnerType] == nb.OwnerUDNIsolation {
			return true
		}
	}
	return false
}

// NewZone orders a zone's rows. A row decides on the switches that it is attached to,
// directly or through a port group that has a port there, and there for every packet:
// which ports it is about is up to its match. old is the zone before, or nil: address
// sets that did not change are taken over from it.
func NewZone(name string, db *nb.DB, m *MatchCache, old *Zone) *Zone {
	z := &Zone{Name: name, DB: db, ports: map[string]*logicalPort{}, groups: map[string]int32{}}
	if old != nil {
		for name, s := range old.sets.Range {
			if r := s.(*addressSet).row; r != nil && db.AddressSetByName(name.(string)) == r {
				z.sets.Store(name, s)
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
				z.portOrNew(p.Name).rows = s
			}
		}
	}
	in := map[*logicalPort][]int32{}
	for pg := range db.PortGroups() {
		on, id := map[*switchRows]bool{}, z.groupNumber(pg.Name)
		for _, uuid := range pg.Ports {
			p := db.Port(uuid)
			if p == nil {
				continue
			}
			port := z.portOrNew(p.Name)
			if mine := in[port]; len(mine) == 0 || mine[len(mine)-1] != id {
				in[port] = append(mine, id)
			}
			if port.rows != nil {
				on[port.rows] = true
			}
		}
		for s := range on {
			for _, id := range pg.ACLs {
				s.acls[id] = true
			}
		}
	}
	z.shareMemberships(in)
	for _, s := range all {
		s.sort(z, m)
	}
	return z
}

func (z *Zone) portOrNew(name string) *logicalPort {
	p := z.ports[name]
	if p == nil {
		p = &logicalPort{membership: noGroups}
		z.ports[name] = p
	}
	return p
}

// groupNumber is the number of a port group, whether it exists or not: never 0.
func (z *Zone) groupNumber(name string) int32 {
	id := z.groups[name]
	if id == 0 {
		id = int32(len(z.groups)) + 1
		z.groups[name] = id
	}
	return id
}

// shareMemberships gives ports of the same groups one membership.
func (z *Zone) shareMemberships(in map[*logicalPort][]int32) {
	known := map[string]*membership{}
	var raw []byte
	for p, groups := range in {
		slices.Sort(groups) // two groups may have one name
		raw = raw[:0]
		for _, id := range groups {
			raw = binary.LittleEndian.AppendUint32(raw, uint32(id))
		}
		m := known[string(raw)]
		if m == nil {
			m = &membership{groups: slices.Compact(groups), groupSet: NewSet(len(z.groups) + 1)}
			for _, id := range m.groups {
				m.groupSet.Add(id)
			}
			known[string(raw)] = m
		}
		p.membership = m
	}
}

func (s *switchRows) sort(z *Zone, m *MatchCache) {
	s.stages = map[model.Stage]*stageRows{}
	for _, stage := range model.PipelineStages() {
		s.stages[stage] = &stageRows{byInGroup: map[int32][]int32{}, byOutGroup: map[int32][]int32{}}
	}
	for id := range s.acls {
		acl := z.DB.ACL(id)
		s.isTracked = s.isTracked || acl != nil && acl.Action == nb.ActionAllowRelated
		if acl == nil || acl.Tier < 0 || acl.Tier > 3 {
			continue
		}
		if of := s.stages[model.Stage(acl.Stage())]; of != nil {
			if p := m.parseMatch(acl.Match); p.expr != nil {
				of.rows = append(of.rows, stageRow{acl, p, int8(acl.Tier), int32(acl.Priority)})
			}
		}
	}
	for _, of := range s.stages {
		slices.SortFunc(of.rows, func(a, b stageRow) int {
			return cmp.Or(cmp.Compare(a.tier, b.tier), cmp.Compare(b.priority, a.priority), strings.Compare(a.acl.UUID, b.acl.UUID))
		})
		of.bound = make([]atomic.Pointer[boundMatch], len(of.rows))
		for i := range of.rows {
			switch r := &of.rows[i]; {
			case r.inGroup != "":
				id := z.groupNumber(r.inGroup)
				of.byInGroup[id] = append(of.byInGroup[id], int32(i))
			case r.outGroup != "":
				id := z.groupNumber(r.outGroup)
				of.byOutGroup[id] = append(of.byOutGroup[id], int32(i))
			default:
				of.withoutGroup = append(of.withoutGroup, int32(i))
			}
		}
	}
	s.acls = nil
}

// rowsAbout are the rows that may match between two ports, in order, and perhaps others.
func (s *stageRows) rowsAbout(in, out *membership) rowCursor {
	return rowCursor{s.withoutGroup, rowsOfGroups(&s.rowsOfIn, s.byInGroup, in), rowsOfGroups(&s.rowsOfOut, s.byOutGroup, out)}
}

// rowsOfGroups are the rows of the groups of a membership.
func rowsOfGroups(known *sync.Map, of map[int32][]int32, m *membership) []int32 {
	if len(m.groups) == 0 || len(of) == 0 {
		return nil
	}
	if list, ok := known.Load(m); ok {
		return list.([]int32)
	}
	var list []int32
	for _, id := range m.groups {
		list = append(list, of[id]...)
	}
	slices.Sort(list)
	known.Store(m, list)
	return list
}

// rowCursor walks some lists of rows in their common order.
type rowCursor [3][]int32

func (c *rowCursor) len() int { return len(c[0]) + len(c[1]) + len(c[2]) }

// next is the next row; ok is false behind the last.
func (c *rowCursor) next() (i int32, ok bool) {
	at := -1
	for k := range c {
		if len(c[k]) > 0 && (at < 0 || c[k][0] < i) {
			at, i = k, c[k][0]
		}
	}
	if at < 0 {
		return 0, false
	}
	c[at] = c[at][1:]
	return i, true
}
