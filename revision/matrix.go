package revision

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"sync"

	"rung/model"
	"rung/model/verdict"
)

// Matrix holds the verdicts of the connections between all pods, on one port or on every port. It does not
// change, and any goroutine may read it.
type Matrix struct {
	Ports verdict.Ports // zero for every port
	// Namespaces are the namespaces with pods, by name; Empty counts the others.
	Namespaces []*MatrixEnd
	Empty      int
	Pods       int

	mu    sync.Mutex // guards m, which only one goroutine may use at a time
	m     *verdict.Matrix
	kinds []verdict.PodKind
	// far and near are indexed by the kinds of source and destination: pods on two nodes, pods on one node.
	far, near []verdict.Outcome
	cells     []MatrixCell // between namespaces
	outside   []*MatrixEnd // made on demand, like services
	services  []*MatrixEnd
	x         *verdict.Index
	endpoints []model.Key // Services, by name
}

// MatrixEnd is a row or column of a matrix: the pods of a namespace or a workload, or one pod. As a
// destination it may also be outside addresses or a Service.
type MatrixEnd struct {
	// Workload and Pod narrow the namespace down; both are empty for the whole namespace. A pod unlike all
	// others is its own workload.
	Namespace, Workload, Pod string
	// Parts are the workloads of a namespace, or the pods of a workload; empty for a pod.
	Parts []*MatrixEnd
	// Network is set for outside addresses; Except excludes networks in it. The other fields are then empty.
	Network netip.Prefix
	Except  []netip.Prefix
	// Service is set for a Service, on its own ports; then the other fields are empty.
	Service model.Key

	namespaceIndex int         // index of a namespace, else -1
	pods           []matrixPod // by name
	groups         []matrixGroup
	// For outside addresses: a representative address, its kind, and the outcomes by kind of source.
	addr     netip.Addr
	kind     verdict.PodKind
	outcomes []verdict.Outcome
	// askedOutcomes holds outcomes computed one by one, for Services and their addresses.
	askedOutcomes map[matrixSource]verdict.Outcome
	sourceKey     func(*matrixPod) matrixSource
}

type matrixPod struct {
	pod        *model.Pod
	kind, node int32
}

// matrixGroup counts the pods of an end with the same kind, by node.
type matrixGroup struct {
	kind  int32
	n     int
	nodes map[int32]int
}

// Name returns the name of the end: "blue", "blue/api-*", "blue/api-0", "10.0.0.0/8".
func (e *MatrixEnd) Name() string {
	switch {
	case e.Network.IsValid():
		return e.Network.String()
	case e.Service.Name != "":
		return "service/" + e.Service.Namespace + "/" + e.Service.Name
	}
	if name := cmp.Or(e.Pod, e.Workload); name != "" {
		return e.Namespace + "/" + name
	}
	return e.Namespace
}

// IsDestinationOnly reports whether the end is only a destination: outside addresses, whose own connections a matrix
// leaves out, or a Service, which begins none.
func (e *MatrixEnd) IsDestinationOnly() bool { return e.Network.IsValid() || e.Service.Name != "" }

// Pods returns the number of the end's pods.
func (e *MatrixEnd) Pods() int { return len(e.pods) }

// includes reports whether this end has all pods of another.
func (e *MatrixEnd) includes(o *MatrixEnd) bool {
	return e.Namespace == o.Namespace && (e.Workload == "" || e.Workload == o.Workload) && (e.Pod == "" || e.Pod == o.Pod)
}

type matrixCache struct {
	mu   sync.Mutex
	kept []*Matrix
}

// keptMatrices limits the cache, so that switching between a few ports is fast.
const keptMatrices = 4

// FindMatrix computes the verdicts of the connections between all pods, on one port or, with the zero Ports,
// on every port. It computes once for all revisions of the same objects. The error is the context's.
func FindMatrix(r *Revision, ctx context.Context, ports verdict.Ports) (*Matrix, error) {
	if m := knownMatrix(r, ports); m != nil {
		return m, nil
	}
	m, err := newMatrix(r, ctx, ports)
	if err != nil {
		return nil, err
	}
	known := SharedValue[matrixCache](r)
	known.mu.Lock()
	defer known.mu.Unlock()
	if len(known.kept) == keptMatrices {
		known.kept = slices.Delete(known.kept, 0, 1)
	}
	known.kept = append(known.kept, m)
	return m, nil
}

func knownMatrix(r *Revision, ports verdict.Ports) *Matrix {
	known := SharedValue[matrixCache](r)
	known.mu.Lock()
	defer known.mu.Unlock()
	for _, m := range known.kept {
		if m.Ports == ports {
			return m
		}
	}
	return nil
}

func newMatrix(r *Revision, ctx context.Context, ports verdict.Ports) (*Matrix, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	classes := verdict.NewClasses(r.Verdicts(), nil)
	out := &Matrix{Ports: ports, m: classes.Matrix(ports), x: r.Verdicts()}
	out.endpoints = model.MapSeq(r.JudgedCluster().Services(), func(s *model.Service) model.Key { return s.Key })
	kinds, nodes := map[verdict.PodKind]int32{}, map[string]int32{}
	spaces := map[string][]matrixPod{}
	for p := range r.JudgedCluster().Pods() {
		k := classes.KindOfPod(p)
		id, known := kinds[k]
		if !known {
			id = int32(len(out.kinds))
			kinds[k], out.kinds = id, append(out.kinds, k)
		}
		node, known := nodes[p.NodeName]
		if !known {
			node = int32(len(nodes))
			nodes[p.NodeName] = node
		}
		spaces[p.Namespace] = append(spaces[p.Namespace], matrixPod{p, id, node})
		out.Pods++
	}
	n := len(out.kinds)
	out.far, out.near = make([]verdict.Outcome, n*n), make([]verdict.Outcome, n*n)
	for a := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for b := range n {
			out.far[a*n+b] = out.m.OutcomeBetween(out.kinds[a], out.kinds[b], false)
			out.near[a*n+b] = out.m.OutcomeBetween(out.kinds[a], out.kinds[b], true)
		}
	}
	for name, pods := range spaces {
		out.Namespaces = append(out.Namespaces, newMatrixNamespace(name, pods))
	}
	slices.SortFunc(out.Namespaces, func(a, b *MatrixEnd) int { return cmp.Compare(a.Namespace, b.Namespace) })
	out.cells = make([]MatrixCell, 0, len(out.Namespaces)*len(out.Namespaces))
	for i, from := range out.Namespaces {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		from.namespaceIndex = i
		for _, to := range out.Namespaces {
			out.cells = append(out.cells, out.countPairs(from, to))
		}
	}
	for ns := range r.Cluster.Namespaces() {
		if len(spaces[ns.Name]) == 0 {
			out.Empty++
		}
	}
	return out, nil
}

func (m *Matrix) podOutcome(a, b *matrixPod) verdict.Outcome {
	at := int(a.kind)*len(m.kinds) + int(b.kind)
	if a.node == b.node {
		return m.near[at]
	}
	return m.far[at]
}

// Cell counts the connections between two ends.
func (m *Matrix) Cell(from, to *MatrixEnd) MatrixCell {
	if from.namespaceIndex >= 0 && to.namespaceIndex >= 0 {
		return m.cells[from.namespaceIndex*len(m.Namespaces)+to.namespaceIndex]
	}
	return m.countPairs(from, to)
}

func (m *Matrix) countPairs(from, to *MatrixEnd) (c MatrixCell) {
	if to.IsDestinationOnly() {
		return from.countLeaving(to)
	}
	for i := range from.groups {
		a := &from.groups[i]
		for j := range to.groups {
			b := &to.groups[j]
			at := int(a.kind)*len(m.kinds) + int(b.kind)
			if m.far[at] == m.near[at] {
				c.add(m.far[at], a.n*b.n)
				continue
			}
			near := 0
			for node, n := range a.nodes {
				near += n * b.nodes[node]
			}
			c.add(m.near[at], near)
			c.add(m.far[at], a.n*b.n-near)
		}
	}
	// A pod does not connect to itself.
	same := from
	if from.includes(to) {
		same = to
	} else if !to.includes(from) {
		return c
	}
	for i := range same.groups {
		k := int(same.groups[i].kind)
		c.add(m.near[k*len(m.kinds)+k], -same.groups[i].n)
	}
	return c
}

// ExampleOfCell returns a connection with the cell's verdict. For a mixed cell it is a denied one, or a mixed
// one if none is denied. ok is false if the cell has no connections.
func (m *Matrix) ExampleOfCell(from, to *MatrixEnd) (c verdict.Connection, ok bool) {
	v, wants := m.Cell(from, to).exampleVerdict()
	return m.findExample(from, to, v, wants)
}

// MixedExamples returns a denied and an allowed connection of a mixed cell, between the same two ends if the
// port decides.
func (m *Matrix) MixedExamples(from, to *MatrixEnd) (denied, allowed verdict.Connection, ok bool) {
	const both = verdict.Allowed | verdict.Denied
	byPort := func(o verdict.Outcome) bool { return o&both == both }
	denied, ok = m.findExample(from, to, verdict.Deny, byPort)
	if ok {
		allowed, ok = m.findExample(from, to, verdict.Allow, byPort)
		return denied, allowed, ok
	}
	denied, ok = m.findExample(from, to, verdict.Deny, func(o verdict.Outcome) bool { return o&verdict.Denied != 0 })
	if !ok {
		return denied, allowed, false
	}
	allowed, ok = m.findExample(from, to, verdict.Allow, func(o verdict.Outcome) bool { return o&verdict.Allowed != 0 })
	return denied, allowed, ok
}

// findExample returns a connection with a verdict, between a pair with a wanted outcome.
func (m *Matrix) findExample(from, to *MatrixEnd, v verdict.Verdict, wants func(verdict.Outcome) bool) (c verdict.Connection, ok bool) {
	for i := range from.pods {
		if a := &from.pods[i]; to.sourceKey != nil {
			if wants(to.askedOutcome(a)) {
				return m.askedExample(a, to, v), true
			}
			continue
		} else if to.Network.IsValid() {
			if wants(to.outcomes[a.kind]) {
				ports, _ := m.portAndFamily(a.kind, to.kind, false, v)
				return verdict.Connection{From: verdict.Endpoint{Key: a.pod.Key}, To: verdict.AddrEnd(to.addr), Protocol: ports.Protocol,
					Port: ports.Port}, true
			}
			continue
		}
		for j := range to.pods {
			a, b := &from.pods[i], &to.pods[j]
			if a.pod == b.pod || !wants(m.podOutcome(a, b)) {
				continue
			}
			ports, family := m.portAndFamily(a.kind, m.kinds[b.kind], a.node == b.node, v)
			return verdict.Connection{From: matrixEndpoint(a.pod, family), To: matrixEndpoint(b.pod, family),
				Protocol: ports.Protocol, Port: ports.Port}, true
		}
	}
	return c, false
}

// portAndFamily returns a port and a family of connections with a verdict.
func (m *Matrix) portAndFamily(from int32, to verdict.PodKind, near bool, v verdict.Verdict) (verdict.Ports, verdict.Family) {
	m.mu.Lock()
	ports, family, found := m.m.ExamplePort(m.kinds[from], to, near, v)
	m.mu.Unlock()
	if found {
		return ports, family
	}
	if m.Ports == (verdict.Ports{}) { // no policy applies on any port
		return verdict.Ports{Protocol: verdict.TCP, Port: 80}, verdict.AnyFamily
	}
	return m.Ports, verdict.AnyFamily
}
