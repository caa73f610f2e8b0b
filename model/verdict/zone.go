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

// Zone holds the rows of one zone in deciding order. It is immutable and safe for concurrent use.
type Zone struct {
	Name string
	DB   *nb.DB

	ports  map[string]*logicalPort // by name
	groups map[string]int32        // the numbers of port groups, by name
	sets   sync.Map                // name → *addressSet
}

// logicalPort is a port of a switch, or a port known only from port groups.
type logicalPort struct {
	rows       *switchRows // nil for a port of no switch
	membership *membership
}

// membership is the set of a port's groups, shared by ports with equal groups.
type membership struct {
	groups   []int32 // in order
	groupSet Set
}

// noGroups is the membership of a port in no group, and of a port that the packet does not name.
var noGroups = &membership{}

// switchRows are the ACLs of a switch, by stage.
type switchRows struct {
	acls   map[string]bool // by UUID
	stages map[model.Stage]*stageRows
	// isTracked reports that OVN tracks connections here: some ACL is allow-related, whatever it matches. A
	// load balancer has the same effect, but no switch of a secondary network has one.
	isTracked bool
}

// stageRows are the rows of a stage in deciding order: by tier, falling priority, then UUID. Most rows require
// a port of one group, so a packet is compared only with the rows of its ports' groups.
type stageRows struct {
	rows         []stageRow
	withoutGroup []int32           // rows that require no port group
	byInGroup    map[int32][]int32 // rows by the required group of the incoming port
	byOutGroup   map[int32][]int32 // other rows by the required group of the outgoing port
	// Rows of all groups of a membership, computed when needed.
	rowsOfIn, rowsOfOut sync.Map // *membership → []int32
	// bound holds the rest of each row's match, bound to the zone's sets when first needed.
	bound    []atomic.Pointer[boundMatch]
	narrowed atomic.Pointer[narrowedRows] // for the ends last asked about
}

type boundMatch struct{ expr match.Expr }

type stageRow struct {
	acl *nb.ACL
	*parsedMatch
	tier     int8
	priority int32
}

type addressSet struct {
	row *nb.AddressSet // nil if there is none
	set *match.AddrSet
}

// PortGroupHas reports whether a logical port is in a port group. PortGroupHas and AddressSet make a Zone a
// match.Env.
func (z *Zone) PortGroupHas(name, lport string) bool {
	p, id := z.ports[lport], z.groups[name]
	return p != nil && id > 0 && p.membership.groupSet.Has(id)
}

// AddressSet returns the address set with a name.
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

// hasTier reports whether the database has a UDN isolation row of a tier, attached or not.
func (z *Zone) hasTier(tier int) bool {
	for a := range z.DB.ACLs() {
		if a.Tier == tier && a.ExternalIDs[nb.KeyOwnerType] == nb.OwnerUDNIsolation {
			return true
		}
	}
	return false
}

// NewZone orders a zone's rows. A row decides on each switch it is attached to, directly or through a port
// group with a port there. On that switch every packet is compared with it; only its match restricts the
// ports. Unchanged address sets are reused from old, the previous zone, or nil.
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

// groupNumber returns the number of a port group, at least 1, even if no such group exists.
func (z *Zone) groupNumber(name string) int32 {
	id := z.groups[name]
	if id == 0 {
		id = int32(len(z.groups)) + 1
		z.groups[name] = id
	}
	return id
}

// shareMemberships gives ports that are in the same groups one membership.
func (z *Zone) shareMemberships(in map[*logicalPort][]int32) {
	known := map[string]*membership{}
	var raw []byte
	for p, groups := range in {
		slices.Sort(groups) // two groups may have the same name
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

// rowsAbout returns the rows that may match between two ports, and perhaps others, in order.
func (s *stageRows) rowsAbout(in, out *membership) rowCursor {
	return rowCursor{s.withoutGroup, rowsOfGroups(&s.rowsOfIn, s.byInGroup, in), rowsOfGroups(&s.rowsOfOut, s.byOutGroup, out)}
}

// rowsOfGroups returns the rows of the groups of a membership.
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

type rowCursor [3][]int32

func (c *rowCursor) len() int { return len(c[0]) + len(c[1]) + len(c[2]) }

// next returns the next row; ok is false at the end.
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
