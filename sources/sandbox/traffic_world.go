package sandbox

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/match"
	"rung/model/nb"
)

// stageAfterLB is nb.ACL.Stage of rows with nb.OptAfterLB.
const stageAfterLB = "from-lport-after-lb"

// world is the pods and rows that connections are made and judged by, made
// ready for that. What did not change is taken over from the last one.
type world struct {
	cluster *model.Cluster
	pods    []*endpoint // all that take part, by name
	outside []target
	zones   map[string]*zoneRows
}

// endpoint is a pod that takes part.
type endpoint struct {
	zone, lport string
	ips         []netip.Addr
	ports       []target // declared ports; addresses unset
}

// target is somewhere a connection may go.
type target struct {
	ip    netip.Addr
	proto match.Proto
	port  uint16
}

// zoneRows is a zone's rows in the order they decide.
type zoneRows struct {
	name string
	db   *nb.DB
	// stages maps a stage to its tiers to the rows by falling priority. The
	// winner among equals is undefined; here it is the one with the lower UUID.
	stages map[string]*[4][]rule
	groups map[string]map[string]bool // logical port → names of its port groups
	sets   map[string]addressSet
}

type rule struct {
	acl  *nb.ACL
	expr match.Expr
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

// look brings the world up to date.
func (t *Traffic) look(c *model.Cluster, dbs map[string]*nb.DB, now time.Time) {
	old := t.world
	w := &world{cluster: c, pods: old.pods, outside: old.outside, zones: map[string]*zoneRows{}}
	same := c == old.cluster && len(dbs) == len(old.zones)
	for name, db := range dbs {
		z := old.zones[name]
		if z == nil || z.db != db {
			z = t.order(name, db, z)
			same = false
		}
		w.zones[name] = z
	}
	if !same {
		w.pods, w.outside = endpoints(c, w.zones), outside(c)
		t.recent = nil
		t.prune(w)
	}
	t.world = w
	t.meters.forget(now)
}

// prune forgets parsed matches that no row has any more.
func (t *Traffic) prune(w *world) {
	n := 0
	for _, z := range w.zones {
		for range z.db.ACLs() {
			n++
		}
	}
	if len(t.parsed) > 2*n+1000 {
		clear(t.parsed)
	}
}

// order sorts a zone's rows for judging.
func (t *Traffic) order(name string, db *nb.DB, old *zoneRows) *zoneRows {
	z := &zoneRows{name: name, db: db, stages: map[string]*[4][]rule{nb.FromLport: {}, stageAfterLB: {}, nb.ToLport: {}},
		groups: map[string]map[string]bool{}, sets: map[string]addressSet{}}
	if old != nil {
		z.sets = old.sets // checked against the row on use
		for name, s := range z.sets {
			if db.AddressSetByName(name) != s.row {
				delete(z.sets, name)
			}
		}
	}
	// A row decides on a switch that it is attached to, directly or through a
	// port group that has a port there.
	acls := map[string]bool{}
	for sw := range db.Switches() {
		for _, id := range sw.ACLs {
			acls[id] = true
		}
	}
	for pg := range db.PortGroups() {
		has := false
		for _, id := range pg.Ports {
			p := db.Port(id)
			if p == nil {
				continue
			}
			has = true
			if z.groups[p.Name] == nil {
				z.groups[p.Name] = map[string]bool{}
			}
			z.groups[p.Name][pg.Name] = true
		}
		for _, id := range pg.ACLs {
			if has {
				acls[id] = true
			}
		}
	}
	for id := range acls {
		acl := db.ACL(id)
		if acl == nil || acl.Tier < 0 || acl.Tier > 3 {
			continue
		}
		if tiers := z.stages[acl.Stage()]; tiers != nil {
			if e := t.parse(acl.Match); e != nil {
				tiers[acl.Tier] = append(tiers[acl.Tier], rule{acl, e})
			}
		}
	}
	for _, tiers := range z.stages {
		for _, rules := range tiers {
			slices.SortFunc(rules, func(a, b rule) int {
				return cmp.Or(cmp.Compare(b.acl.Priority, a.acl.Priority), strings.Compare(a.acl.UUID, b.acl.UUID))
			})
		}
	}
	return z
}

// parse parses a match once; nil for one that OVN would not understand either.
func (t *Traffic) parse(s string) match.Expr {
	e, ok := t.parsed[s]
	if !ok {
		var err error
		if e, err = match.Parse(s); err != nil {
			e = nil
		}
		t.parsed[s] = e
	}
	return e
}

// endpoints are the pods that take part: running, on the default network, with
// an address and a port in their zone, and under no NetworkPolicy.
func endpoints(c *model.Cluster, zones map[string]*zoneRows) []*endpoint {
	under := map[string][]model.Selector{}
	for p := range c.Policies(model.KindNP) {
		under[p.Namespace] = append(under[p.Namespace], p.Subject.Pods)
	}
	var out []*endpoint
	for p := range c.Pods() {
		z := zones[p.NodeName]
		if z == nil || p.Phase != "Running" || p.Deleting || !p.PeerEligible() || p.PrimaryUDN() != "" {
			continue
		}
		if slices.ContainsFunc(under[p.Namespace], func(s model.Selector) bool { return s.Matches(p.Labels) }) {
			continue
		}
		e := &endpoint{zone: p.NodeName, lport: nb.PortName(p.Namespace, p.Name)}
		if z.db.PortByName(e.lport) == nil {
			continue
		}
		for _, ip := range p.IPs {
			if a, err := netip.ParseAddr(ip); err == nil {
				e.ips = append(e.ips, a.Unmap())
			}
		}
		for _, cp := range p.Ports {
			proto := match.Proto(strings.ToLower(cp.Protocol))
			if proto == match.TCP || proto == match.UDP || proto == match.SCTP {
				e.ports = append(e.ports, target{proto: proto, port: uint16(cp.Port)})
			}
		}
		if len(e.ips) > 0 {
			out = append(out, e)
		}
	}
	return out
}

// common are ports that any destination may be asked for.
var common = []target{{proto: match.TCP, port: 80}, {proto: match.TCP, port: 443}, {proto: match.UDP, port: 53}, {proto: match.TCP, port: 5432}}

// outside are places beyond the cluster's pods: well-known resolvers and web
// servers, and the nodes' own services.
func outside(c *model.Cluster) []target {
	out := []target{
		{netip.MustParseAddr("8.8.8.8"), match.TCP, 443}, {netip.MustParseAddr("8.8.8.8"), match.UDP, 53},
		{netip.MustParseAddr("1.1.1.1"), match.TCP, 443}, {netip.MustParseAddr("2001:4860:4860::8888"), match.TCP, 443},
	}
	for n := range c.Nodes() {
		for _, ip := range n.InternalIPs {
			if a, err := netip.ParseAddr(ip); err == nil {
				out = append(out, target{a.Unmap(), match.TCP, 6443}, target{a.Unmap(), match.TCP, 10250})
			}
		}
	}
	return out
}

// pick chooses a connection. Half of them are repeated, as real ones are.
func (t *Traffic) pick() (flow, bool) {
	const remembered = 32
	srcPort := uint16(32768 + t.random.IntN(28232))
	if n := len(t.recent); n > 0 && t.random.IntN(2) == 0 {
		f := t.recent[t.random.IntN(n)]
		f.srcPort = srcPort
		return f, true
	}
	pods := t.world.pods
	if len(pods) == 0 {
		return flow{}, false
	}
	f := flow{src: pods[t.random.IntN(len(pods))], srcPort: srcPort}
	to := target{}
	if t.random.IntN(8) == 0 {
		to = t.world.outside[t.random.IntN(len(t.world.outside))]
	} else {
		f.dst = pods[t.random.IntN(len(pods))]
		to = common[t.random.IntN(len(common))]
		if n := len(f.dst.ports); n > 0 && t.random.IntN(4) > 0 {
			to = f.dst.ports[t.random.IntN(n)]
		}
	}
	f.proto, f.dstPort = to.proto, to.port
	if !f.addresses(to.ip) {
		return flow{}, false
	}
	if len(t.recent) < remembered {
		t.recent = append(t.recent, f)
	} else {
		t.recent[t.random.IntN(remembered)] = f
	}
	return f, true
}

// addresses finds a pair of addresses of one family.
func (f *flow) addresses(to netip.Addr) bool {
	ips := []netip.Addr{to}
	if f.dst != nil {
		if f.dst == f.src {
			return false
		}
		ips = f.dst.ips
	}
	for _, a := range f.src.ips {
		for _, b := range ips {
			if a.Is4() == b.Is4() {
				f.from, f.to = a, b
				return true
			}
		}
	}
	return false
}
