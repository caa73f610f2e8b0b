package verdict

import (
	"cmp"
	"net/netip"
	"slices"
	"sync"

	"rung/model"
	"rung/model/network"
	"rung/model/selectors"
)

// Index answers questions about one cluster. It is immutable and safe for concurrent use.
type Index struct {
	view View
	Pods *selectors.PodIndex

	// Ends are the addresses of pods with a port on the default network, by namespace and name. FirstEnd holds
	// the first end of each pod; byAddr is the order by address.
	Ends     []PodAddr
	FirstEnd []int32 // by pod, and one more; Ends[FirstEnd[i]:FirstEnd[i+1]]
	byAddr   []int32
	shared   [][]int32 // ends that share an address
	// NodeByAddr holds the nodes of known addresses of no pod: of nodes, and of pods on the host network.
	NodeByAddr map[netip.Addr]string

	Conditions []*Condition
	Rules      []Rule
	// Terms are the terms that can match in a stage, in deciding order.
	Terms       [StageCount][]Term
	NextSubject [StageCount][]int32 // by term: the next term with another subject
	// TermsFrom and TermsTo are the terms by their conditions.
	TermsFrom, TermsTo [StageCount][][]int32

	// conditionsByKey are the conditions by content, reused by WithView.
	conditionsByKey map[string]*Condition

	order *policyOrder // nil if terms do not depend on other policies
	// aboutServices are the Services of terms, by Term.Services less one. onNodes are policies for nodes.
	aboutServices [][]model.Key
	onNodes       []nodePolicy
	fronts        *ServiceFronts

	signed          sync.Once
	conditionHashes []uint64 // of Conditions, computed when compared

	served   sync.Once
	services map[netip.Addr]bool // addresses of Services, found when needed
}

// The stages in which policies decide, as indexes of Index.Terms.
const (
	EgressTerms  = iota // from-lport after load balancing
	IngressTerms        // to-lport
	// Replies in zones where OVN does not track connections: from-lport where a reply begins, and to-lport
	// where the connection began (networks.md#replies).
	ReplyEgressTerms
	ReplyIngressTerms
	StageCount // the number of stages
)

// PodAddr is one address of a pod.
type PodAddr struct {
	Addr netip.Addr
	Pod  int32
}

// NewIndex makes the index of a view.
func NewIndex(v View) *Index {
	v.Precedence = cmp.Or(v.Precedence, Stages)
	x := &Index{view: v, Pods: v.Pods, fronts: &ServiceFronts{}}
	if x.Pods == nil {
		x.Pods = selectors.NewPodIndex(v.Cluster, nil)
	}
	x.findEnds()
	x.compileTerms(nil)
	return x
}

// WithView makes the index of a view with other policies. Everything else must be equal: pods, nodes, labels
// of namespaces, and options apart from rows of no policy. It shares unchanged parts with x, and keeps x's
// condition numbers.
func (x *Index) WithView(v View) *Index {
	v.Pods = x.Pods
	v.Precedence = cmp.Or(v.Precedence, Stages)
	if x.order != nil {
		return NewIndex(v)
	}
	next := &Index{view: v, Pods: x.Pods, Ends: x.Ends, FirstEnd: x.FirstEnd, byAddr: x.byAddr, shared: x.shared, NodeByAddr: x.NodeByAddr,
		fronts: x.fronts}
	next.compileTerms(x)
	return next
}

// Options returns the options of the view.
func (x *Index) Options() Options { return x.view.Options }

// HairpinAddr returns the source address of hairpin traffic.
func (x *Index) HairpinAddr(f Family) netip.Addr { return x.view.HairpinAddr(f) }

// Network returns the view's network; nil means the default one.
func (x *Index) Network() *network.Network { return x.view.Network }

// Cluster returns the cluster of the view.
func (x *Index) Cluster() *model.Cluster { return x.view.Cluster }

func (x *Index) findEnds() {
	n := x.Pods.Len()
	x.FirstEnd = make([]int32, n+1)
	x.Ends = make([]PodAddr, 0, n)
	for i := range n {
		x.FirstEnd[i] = int32(len(x.Ends))
		p := x.Pods.PodAt(i)
		if !p.CanBePeer() {
			continue
		}
		for _, ip := range p.IPs {
			a, err := netip.ParseAddr(ip)
			if err != nil {
				continue
			}
			e := PodAddr{a.Unmap(), int32(i)}
			if !slices.Contains(x.Ends[x.FirstEnd[i]:], e) {
				x.Ends = append(x.Ends, e)
			}
		}
	}
	x.FirstEnd[n] = int32(len(x.Ends))
	x.byAddr = make([]int32, len(x.Ends))
	for i := range x.byAddr {
		x.byAddr[i] = int32(i)
	}
	slices.SortFunc(x.byAddr, func(a, b int32) int {
		return cmp.Or(x.Ends[a].Addr.Compare(x.Ends[b].Addr), cmp.Compare(a, b))
	})
	for i := 0; i < len(x.byAddr); {
		j := i + 1
		for j < len(x.byAddr) && x.addrAt(j) == x.addrAt(i) {
			j++
		}
		if j > i+1 {
			x.shared = append(x.shared, x.byAddr[i:j])
		}
		i = j
	}
	x.NodeByAddr = map[netip.Addr]string{}
	for n := range x.view.Cluster.Nodes() {
		for _, a := range ParseAddrs(slices.Concat(n.HostIPs, n.InternalIPs, n.GatewayIPs, n.MgmtIPs, x.view.Precedence.SourceAddrs(n))) {
			x.NodeByAddr[a] = n.Name
		}
	}
}

func (x *Index) addrAt(i int) netip.Addr { return x.Ends[x.byAddr[i]].Addr }

// EndsAt returns the ends with an address, empty if no pod has it.
func (x *Index) EndsAt(a netip.Addr) []int32 {
	i, found := slices.BinarySearchFunc(x.byAddr, a, func(e int32, a netip.Addr) int { return x.Ends[e].Addr.Compare(a) })
	j := i
	for found && j < len(x.byAddr) && x.addrAt(j) == a {
		j++
	}
	return x.byAddr[i:j]
}

// visitEndsInside visits the ends with an address in a network.
func (x *Index) visitEndsInside(n netip.Prefix, visit func(int32)) {
	n = n.Masked()
	i, _ := slices.BinarySearchFunc(x.byAddr, n.Addr(), func(e int32, a netip.Addr) int { return x.Ends[e].Addr.Compare(a) })
	for ; i < len(x.byAddr) && n.Contains(x.addrAt(i)); i++ {
		visit(x.byAddr[i])
	}
}

// endsOfPods returns the ends of a set of pods in the families that count; nil counts all.
func (x *Index) endsOfPods(pods selectors.PodSet, counts func(Family) bool) Set {
	s := NewSet(len(x.Ends))
	for i := range pods.Each() {
		for e := x.FirstEnd[i]; e < x.FirstEnd[i+1]; e++ {
			if counts == nil || counts(AddrFamily(x.Ends[e].Addr)) {
				s.Add(e)
			}
		}
	}
	return s
}

// shareAddresses adds the ends that share an address with an end of the set.
func (x *Index) shareAddresses(s Set) {
	for _, same := range x.shared {
		if slices.ContainsFunc(same, s.Has) {
			for _, e := range same {
				s.Add(e)
			}
		}
	}
}

func ParseAddrs(ips []string) (out []netip.Addr) {
	for _, ip := range ips {
		if a, err := netip.ParseAddr(ip); err == nil {
			out = model.AppendNew(out, a.Unmap())
		}
	}
	return out
}

// PodEnds returns the ends of a pod.
func (x *Index) PodEnds(p *model.Pod) (out []int32) {
	ip, err := netip.ParseAddr(p.IPs[0])
	if err != nil {
		return nil
	}
	for _, at := range x.EndsAt(ip.Unmap()) {
		if i := x.Ends[at].Pod; x.Pods.PodAt(int(i)).Key == p.Key {
			for e := x.FirstEnd[i]; e < x.FirstEnd[i+1]; e++ {
				out = append(out, e)
			}
		}
	}
	return out
}

func (x *Index) NodeOfEnd(end int32) string { return x.Pods.PodAt(int(x.Ends[end].Pod)).NodeName }

// Endpoint returns an end as a question names it: with its address if the pod has several.
func (x *Index) Endpoint(end int32) Endpoint {
	e := x.Ends[end]
	out := Endpoint{Key: x.Pods.PodAt(int(e.Pod)).Key}
	if x.FirstEnd[e.Pod+1]-x.FirstEnd[e.Pod] > 1 {
		out.Addr = e.Addr
	}
	return out
}
