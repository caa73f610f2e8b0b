package connections

import (
	"net/netip"
	"slices"
	"strings"

	"rung/model/verdict"
)

// Outside are the addresses outside as columns: the blocks that policies tell apart, of the
// families that pods have. What is not in one of them is a pod's or a Service's.
func (m *Matrix) Outside() []*MatrixEnd {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.outside != nil {
		return m.outside
	}
	families := map[verdict.Family]bool{}
	for _, ns := range m.Namespaces {
		for i := range ns.pods {
			for _, ip := range ns.pods[i].pod.IPs {
				if a, err := netip.ParseAddr(ip); err == nil {
					families[verdict.FamilyOf(a.Unmap())] = true
				}
			}
		}
	}
	m.outside = []*MatrixEnd{}
	for _, b := range m.m.Classes.Blocks() {
		if !families[verdict.FamilyOf(b.Addr)] {
			continue
		}
		e := &MatrixEnd{Network: b.Network, Except: b.Except, at: -1, addr: b.Addr, kind: b.Kind}
		for _, k := range m.kinds {
			e.by = append(e.by, m.m.Between(k, b.Kind, false))
		}
		m.throughServices(e)
		m.outside = append(m.outside, e)
	}
	return m.outside
}

// leaving counts the connections from an end to addresses outside or a Service: one for each pod.
func (e *MatrixEnd) leaving(to *MatrixEnd) (c MatrixCell) {
	if to.likes != nil {
		for i := range e.pods {
			c.add(to.to(&e.pods[i]), 1)
		}
		return c
	}
	for i := range e.groups {
		c.add(to.by[e.groups[i].kind], e.groups[i].n)
	}
	return c
}

// Text is the name, of addresses outside with the networks in them that are columns of their own.
func (e *MatrixEnd) Text() string {
	if len(e.Except) == 0 {
		return e.Name()
	}
	var except []string
	for _, n := range e.Except {
		except = append(except, n.String())
	}
	slices.Sort(except)
	return e.Name() + " except " + strings.Join(except, ", ")
}
