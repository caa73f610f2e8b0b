package flow

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/verdict"
)

// ErrNotTraced is the error for a connection that ovn-trace cannot be asked about; the text says why.
var ErrNotTraced = errors.New("ovn-trace cannot be asked")

// PlanQuestions returns the questions about a connection: in the source's zone, and in the destination's zone
// if it differs. With interconnect each zone has its own Southbound database, so no trace crosses zones. rows
// returns the Northbound rows of a zone, nil if they were not read. The errors wrap ErrNotTraced.
//
// The second question begins at the router's port of the destination's switch: all ACLs are on the switches of
// the nodes, so nothing is decided in between.
func PlanQuestions(c *model.Cluster, p *verdict.Path, proto verdict.Protocol, rows func(zone string) *nb.DB) ([]PacketQuestion, error) {
	switch {
	case p.To.Addr.IsMulticast():
		return nil, fmt.Errorf("%w about a multicast group", ErrNotTraced)
	case p.Via != "":
		return nil, fmt.Errorf("%w: node %s load balances its NodePort outside of the zones", ErrNotTraced, p.Via)
	}
	packet := PacketQuestion{Src: p.From.Addr, Dst: p.To.Addr, Protocol: proto, Port: p.To.Port}
	var out []PacketQuestion
	add := func(zone string, fill func(*PacketQuestion, *zoneSite)) error {
		db := rows(zone)
		if db == nil {
			return fmt.Errorf("%w: the rows of zone %s were not read", ErrNotTraced, zone)
		}
		a, s := packet, &zoneSite{zone: zone, db: db}
		a.Zone = zone
		fill(&a, s)
		if s.err == nil && a.Datapath == "" {
			s.err = fmt.Errorf("%w: port %s is on no switch of zone %s", ErrNotTraced, a.Inport, zone)
		}
		out = append(out, a)
		return s.err
	}
	from, to := p.From.Zone, p.To.Zone
	var err error
	if from != "" {
		err = add(from, func(a *PacketQuestion, s *zoneSite) {
			a.Inport = endLogicalPort(c, &p.From)
			a.EthSrc, a.Datapath = s.portMAC(a.Inport), s.findSwitch(a.Inport)
			if to == from {
				a.EthDst = s.portMAC(endLogicalPort(c, &p.To))
			} else {
				a.EthDst = s.routerMAC()
			}
		})
	}
	if err == nil && to != "" && to != from {
		err = add(to, func(a *PacketQuestion, s *zoneSite) {
			a.Inport = nb.RouterPort(to)
			a.EthSrc, a.Datapath, a.EthDst = s.routerMAC(), s.findSwitch(a.Inport), s.portMAC(endLogicalPort(c, &p.To))
		})
	}
	switch {
	case err != nil:
		return nil, err
	case len(out) == 0:
		return nil, fmt.Errorf("%w: no zone has an end of the connection", ErrNotTraced)
	}
	return out, nil
}

// endLogicalPort returns the logical port of an end in its zone: the pod's, or the node's management port.
func endLogicalPort(c *model.Cluster, e *verdict.End) string {
	if k := e.Key; k.Kind == model.KindPod {
		if p := c.Pod(k.Namespace, k.Name); p != nil && !p.HostNetwork {
			return nb.PortName(k.Namespace, k.Name)
		}
	}
	return nb.ManagementPort(e.Zone)
}

// zoneSite has the rows of one zone, and the first error.
type zoneSite struct {
	zone string
	db   *nb.DB
	err  error
}

func (s *zoneSite) noteMissing(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("%w: zone %s: %s", ErrNotTraced, s.zone, fmt.Sprintf(format, args...))
	}
}

// findSwitch returns the switch of a port; empty if unknown.
func (s *zoneSite) findSwitch(port string) string {
	p := s.db.PortByName(port)
	if p == nil {
		return ""
	}
	for sw := range s.db.Switches() {
		if slices.Contains(sw.Ports, p.UUID) {
			return sw.Name
		}
	}
	return ""
}

// portMAC returns the hardware address in a port's row.
func (s *zoneSite) portMAC(port string) string {
	p := s.db.PortByName(port)
	if p == nil {
		s.noteMissing("no logical port %s", port)
		return ""
	}
	mac, _ := portAddresses(p)
	if mac == "" {
		s.noteMissing("port %s has no hardware address of its own", port)
	}
	return mac
}

// routerMAC returns the hardware address of the router on the node's switch. It comes from the row of its
// port, or from the address before the management port's, as OVN-Kubernetes makes it
// (ovn-kubernetes.md#hardware-addresses).
func (s *zoneSite) routerMAC() string {
	if p := s.db.PortByName(nb.RouterPort(s.zone)); p != nil {
		if mac, _ := portAddresses(p); mac != "" {
			return mac
		}
	}
	var node []netip.Addr
	if p := s.db.PortByName(nb.ManagementPort(s.zone)); p != nil {
		_, node = portAddresses(p)
	}
	for _, four := range []bool{true, false} {
		for _, a := range node {
			if a.Is4() == four {
				return nb.MAC(a.Prev())
			}
		}
	}
	s.noteMissing("the router's hardware address is not known: port %s has no addresses", nb.ManagementPort(s.zone))
	return ""
}

// portAddresses parses the addresses of a port: "0a:58:0a:f4:01:03 10.244.1.3".
func portAddresses(p *nb.LogicalSwitchPort) (mac string, ips []netip.Addr) {
	for _, text := range p.Addresses {
		for i, word := range strings.Fields(text) {
			switch a, err := netip.ParseAddr(word); {
			case err == nil:
				ips = append(ips, a.Unmap())
			case i == 0 && mac == "" && reMAC().MatchString(word):
				mac = word
			}
		}
	}
	return mac, ips
}
