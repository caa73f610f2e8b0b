package revision

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	"rung/model"
	"rung/model/verdict"
)

// OutsideEnds returns the outside addresses as columns: the blocks that policies tell apart, in the pods' IP
// families. All other addresses belong to pods or Services.
func (m *Matrix) OutsideEnds() []*MatrixEnd {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.outside != nil {
		return m.outside
	}
	families := map[verdict.Family]bool{}
	for _, ns := range m.Namespaces {
		for i := range ns.pods {
			for _, a := range verdict.ParseAddrs(ns.pods[i].pod.IPs) {
				families[verdict.AddrFamily(a)] = true
			}
		}
	}
	m.outside = []*MatrixEnd{}
	for _, b := range m.m.Classes.OutsideBlocks() {
		if !families[verdict.AddrFamily(b.Addr)] {
			continue
		}
		e := &MatrixEnd{Network: b.Network, Except: b.Except, namespaceIndex: -1, addr: b.Addr, kind: b.Kind}
		e.outcomes = model.MapList(m.kinds, func(k verdict.PodKind) verdict.Outcome { return m.m.OutcomeBetween(k, b.Kind, false) })
		m.askServicePorts(e)
		m.outside = append(m.outside, e)
	}
	return m.outside
}

// countLeaving counts the connections from an end to outside addresses or a Service: one for each pod.
func (e *MatrixEnd) countLeaving(to *MatrixEnd) (c MatrixCell) {
	if to.sourceKey != nil {
		for i := range e.pods {
			c.add(to.askedOutcome(&e.pods[i]), 1)
		}
		return c
	}
	for i := range e.groups {
		c.add(to.outcomes[e.groups[i].kind], e.groups[i].n)
	}
	return c
}

// Text returns the name; for outside addresses, also the networks in them that have their own columns.
func (e *MatrixEnd) Text() string {
	if len(e.Except) == 0 {
		return e.Name()
	}
	except := model.MapList(e.Except, netip.Prefix.String)
	slices.Sort(except)
	return e.Name() + " except " + strings.Join(except, ", ")
}

// matrixSource groups pods with the same answers about a Service: by kind, by node if that has an endpoint,
// and by pod if the pod is an endpoint.
type matrixSource struct {
	kind, node int32
	pod        model.Key
}

// ServiceEnds returns the Services as columns, by name: on the port of the matrix, or on every port they have.
// The error is the context's.
func (m *Matrix) ServiceEnds(ctx context.Context) ([]*MatrixEnd, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.services != nil {
		return m.services, nil
	}
	out := []*MatrixEnd{}
	for _, k := range m.endpoints {
		e := &MatrixEnd{Service: k, namespaceIndex: -1}
		ports := m.x.ServicePorts(k)
		if m.Ports != (verdict.Ports{}) {
			ports = []verdict.Ports{m.Ports}
		}
		if err := m.askForPods(ctx, e, k, verdict.Endpoint{Key: k}, ports, func(*matrixPod) verdict.Outcome { return 0 }); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	m.services = out
	return out, nil
}

// askServicePorts asks one by one about an outside address that is a Service on a port of the matrix: its
// connections are load balanced before policies apply.
func (m *Matrix) askServicePorts(e *MatrixEnd) {
	if !e.Network.IsSingleIP() {
		return
	}
	fronts, _ := m.x.FrontPorts(verdict.AddrEnd(e.addr))
	var ports []verdict.Ports
	for _, f := range fronts {
		if p := (verdict.Ports{Protocol: f.Protocol, Port: f.Lo}); m.Ports == (verdict.Ports{}) || m.Ports == p {
			ports = append(ports, p)
		}
	}
	if len(ports) == 0 {
		return
	}
	beside := func(p *matrixPod) verdict.Outcome { return e.outcomes[p.kind] }
	if m.Ports != (verdict.Ports{}) {
		beside = func(*matrixPod) verdict.Outcome { return 0 }
	}
	_ = m.askForPods(context.Background(), e, model.Key{}, verdict.AddrEnd(e.addr), ports, beside) // the context never ends
}

// askForPods computes the outcome of every pod's connections to an end on some ports, and adds beside, the
// outcome on other ports. Pods with one matrixSource are asked once.
func (m *Matrix) askForPods(ctx context.Context, e *MatrixEnd, service model.Key, to verdict.Endpoint, ports []verdict.Ports,
	beside func(*matrixPod) verdict.Outcome) error {
	pods, nodes := verdict.ServiceEndpoints(m.x, service)
	e.askedOutcomes = map[matrixSource]verdict.Outcome{}
	e.sourceKey = func(p *matrixPod) matrixSource {
		s := matrixSource{kind: p.kind, node: -1}
		if service.Name == "" || nodes[p.pod.NodeName] {
			s.node = p.node
		}
		if service.Name == "" || pods[p.pod.Key] {
			s.pod = p.pod.Key
		}
		return s
	}
	for _, ns := range m.Namespaces {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range ns.pods {
			p := &ns.pods[i]
			like := e.sourceKey(p)
			if _, known := e.askedOutcomes[like]; known {
				continue
			}
			o := beside(p)
			for _, port := range ports {
				for _, c := range m.connectionsToAsk(p, to, port) {
					if a, err := verdict.FromPolicies(m.x, c); err == nil {
						o |= verdict.NewOutcome(a.Verdict)
					}
				}
			}
			e.askedOutcomes[like] = o
		}
	}
	return nil
}

// connectionsToAsk returns the connections from a pod to an end on a port, one for each possible family.
func (m *Matrix) connectionsToAsk(p *matrixPod, to verdict.Endpoint, port verdict.Ports) (out []verdict.Connection) {
	c := verdict.Connection{From: verdict.Endpoint{Key: p.pod.Key}, To: to, Protocol: port.Protocol, Port: port.Port}
	families := verdict.OpenFamilies(m.x, c)
	if families == nil {
		return []verdict.Connection{c}
	}
	for _, f := range families {
		c.Family = f
		out = append(out, c)
	}
	return out
}

func (e *MatrixEnd) askedOutcome(p *matrixPod) verdict.Outcome {
	return e.askedOutcomes[e.sourceKey(p)]
}

// askedExample returns a connection with a verdict from a pod to an end of askForPods.
func (m *Matrix) askedExample(p *matrixPod, to *MatrixEnd, v verdict.Verdict) verdict.Connection {
	end, ports := verdict.Endpoint{Key: to.Service}, m.x.ServicePorts(to.Service)
	if to.Network.IsValid() {
		end = verdict.AddrEnd(to.addr)
		other, _ := m.portAndFamily(p.kind, to.kind, false, v)
		ports = []verdict.Ports{other}
		fronts, _ := m.x.FrontPorts(end)
		for _, f := range fronts {
			ports = append(ports, verdict.Ports{Protocol: f.Protocol, Port: f.Lo})
		}
	}
	if m.Ports != (verdict.Ports{}) {
		ports = []verdict.Ports{m.Ports}
	}
	for _, port := range ports {
		all := m.connectionsToAsk(p, end, port)
		if i := slices.IndexFunc(all, func(c verdict.Connection) bool {
			a, err := verdict.FromPolicies(m.x, c)
			return err == nil && a.Verdict == v
		}); i >= 0 {
			return all[i]
		}
	}
	port := verdict.Ports{Protocol: verdict.TCP, Port: 80} // no policy applies on any port
	if len(ports) > 0 {
		port = ports[0]
	}
	return m.connectionsToAsk(p, end, port)[0]
}
