package verdict

import (
	"cmp"
	"net/netip"
	"slices"
	"sync"

	"rung/model"
	"rung/model/overlap"
)

// Index answers questions about one cluster. It is made once and asked from any
// goroutine.
type Index struct {
	view View
	pods *overlap.PodIndex

	// ends are the addresses of pods that have a port of the default network, by
	// namespace and name; ofPod is where those of a pod are, byAddr their order by address.
	ends   []podEnd
	ofPod  []int32 // by place, and one more; ends[ofPod[i]:ofPod[i+1]]
	byAddr []int32
	shared [][]int32 // ends of one address, where there are several
	// others are addresses that are known but no pod's own: of nodes, and of pods on the
	// host's network.
	nodeOf map[netip.Addr]string

	conds []*cond
	rules []ruleRef
	// terms are what can match in a stage, in the order in which they decide.
	terms [2][]term
	runs  [2][]int32 // of each term, where the next begins that has another subject
	// byFrom and byTo are the terms by their conditions.
	byFrom, byTo [2][][]int32

	// What an index of the same pods and other policies takes over: conditions by what they
	// are made of, and what was made of each policy.
	known map[string]*cond
	made  map[*model.Policy]*section

	antrea *antreaOrder // nil where OVN-Kubernetes enforces the policies
	fronts *fronts

	signed sync.Once
	signs  []uint64 // of conds, made when they are compared

	served   sync.Once
	services map[netip.Addr]bool // addresses of Services, found when they are asked for
}

// The stages in which policies decide, as places of Index.terms.
const (
	egressTerms  = iota // from-lport after load balancing
	ingressTerms        // to-lport
)

// podEnd is one address of a pod.
type podEnd struct {
	addr netip.Addr
	pod  int32
}

// New makes the index of a view.
func New(v View) *Index {
	x := &Index{view: v, pods: v.Pods, fronts: &fronts{}}
	if x.pods == nil {
		x.pods = overlap.NewPodIndex(v.Cluster, nil)
	}
	x.findEnds()
	x.compile(nil)
	return x
}

// Next makes the index of a view whose policies are others, and nothing else that an index
// is made from: the same pods and nodes, the same labels of namespaces, the same options but
// for the rows that are no policy's. It shares with x what did not change, its numbers of
// conditions too.
func (x *Index) Next(v View) *Index {
	v.Pods = x.pods
	if x.onAntrea() { // whose terms hang on the order of all policies, and on groups
		return New(v)
	}
	next := &Index{view: v, pods: x.pods, ends: x.ends, ofPod: x.ofPod, byAddr: x.byAddr, shared: x.shared, nodeOf: x.nodeOf, fronts: x.fronts}
	next.compile(x)
	return next
}

// Options are those of the view.
func (x *Index) Options() Options { return x.view.Options }

// Cluster is the view's.
func (x *Index) Cluster() *model.Cluster { return x.view.Cluster }

func (x *Index) findEnds() {
	n := x.pods.Len()
	x.ofPod = make([]int32, n+1)
	x.ends = make([]podEnd, 0, n)
	for i := range n {
		x.ofPod[i] = int32(len(x.ends))
		p := x.pods.At(i)
		if !p.PeerEligible() {
			continue
		}
		for _, ip := range p.IPs {
			a, err := netip.ParseAddr(ip)
			if err != nil {
				continue
			}
			e := podEnd{a.Unmap(), int32(i)}
			if !slices.Contains(x.ends[x.ofPod[i]:], e) {
				x.ends = append(x.ends, e)
			}
		}
	}
	x.ofPod[n] = int32(len(x.ends))
	x.byAddr = make([]int32, len(x.ends))
	for i := range x.byAddr {
		x.byAddr[i] = int32(i)
	}
	slices.SortFunc(x.byAddr, func(a, b int32) int {
		return cmp.Or(x.ends[a].addr.Compare(x.ends[b].addr), cmp.Compare(a, b))
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
	x.nodeOf = map[netip.Addr]string{}
	for n := range x.view.Cluster.Nodes() {
		own := [][]string{n.HostIPs, n.InternalIPs, n.GatewayIPs, n.MgmtIPs}
		if x.view.System == model.SystemAntrea {
			own = append(own, antreaGateway(n))
		}
		for _, ips := range own {
			for _, ip := range ips {
				if a, err := netip.ParseAddr(ip); err == nil {
					x.nodeOf[a.Unmap()] = n.Name
				}
			}
		}
	}
}

func (x *Index) addrAt(i int) netip.Addr { return x.ends[x.byAddr[i]].addr }

// with are the ends of an address; none for one that is no pod's.
func (x *Index) with(a netip.Addr) []int32 {
	i, found := slices.BinarySearchFunc(x.byAddr, a, func(e int32, a netip.Addr) int { return x.ends[e].addr.Compare(a) })
	j := i
	for found && j < len(x.byAddr) && x.addrAt(j) == a {
		j++
	}
	return x.byAddr[i:j]
}

// inside visits the ends whose address is in a network.
func (x *Index) inside(n netip.Prefix, visit func(int32)) {
	n = n.Masked()
	i, _ := slices.BinarySearchFunc(x.byAddr, n.Addr(), func(e int32, a netip.Addr) int { return x.ends[e].addr.Compare(a) })
	for ; i < len(x.byAddr) && n.Contains(x.addrAt(i)); i++ {
		visit(x.byAddr[i])
	}
}

// ofPods are the ends of the pods of a set, of the families that count.
func (x *Index) ofPods(pods overlap.PodSet, counts func(Family) bool) set {
	s := newSet(len(x.ends))
	for i := range pods.Each() {
		for e := x.ofPod[i]; e < x.ofPod[i+1]; e++ {
			if counts == nil || counts(FamilyOf(x.ends[e].addr)) {
				s.add(e)
			}
		}
	}
	return s
}

// share lets ends of one address have in common what is asked of addresses.
func (x *Index) share(s set) {
	for _, same := range x.shared {
		if slices.ContainsFunc(same, s.has) {
			for _, e := range same {
				s.add(e)
			}
		}
	}
}

func addrsOf(ips []string) (out []netip.Addr) {
	for _, ip := range ips {
		if a, err := netip.ParseAddr(ip); err == nil && !slices.Contains(out, a.Unmap()) {
			out = append(out, a.Unmap())
		}
	}
	return out
}

// of are the ends of a pod.
func (x *Index) of(p *model.Pod) (out []int32) {
	ip, err := netip.ParseAddr(p.IPs[0])
	if err != nil {
		return nil
	}
	for _, at := range x.with(ip.Unmap()) {
		if i := x.ends[at].pod; x.pods.At(int(i)).Key == p.Key {
			for e := x.ofPod[i]; e < x.ofPod[i+1]; e++ {
				out = append(out, e)
			}
		}
	}
	return out
}

func (x *Index) nodeAt(end int32) string { return x.pods.At(int(x.ends[end].pod)).NodeName }

// endpoint is an end as a question names it: with its address where the pod has others.
func (x *Index) endpoint(end int32) Endpoint {
	e := x.ends[end]
	out := Endpoint{Key: x.pods.At(int(e.pod)).Key}
	if x.ofPod[e.pod+1]-x.ofPod[e.pod] > 1 {
		out.Addr = e.addr
	}
	return out
}
