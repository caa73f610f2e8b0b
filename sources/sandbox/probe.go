package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"

	"rung/model/ovn/match"
)

// ProbeRequest is a connection to put in as packets, to be answered.
type ProbeRequest struct {
	From, To ProbeEnd
	Proto    match.Proto
	Port     uint16 // of the destination; 0 for ICMP
	// Sending is told when the zones' rows are flows and the first packet goes.
	Sending func()
}

// ProbeEnd is one end. A pod has its logical port and zone, a node its zone, the outside
// neither. NodePort is the port of a node on a network besides the default one.
type ProbeEnd struct {
	Zone, Port, NodePort string
	Addr                 netip.Addr
}

// The source ports of probes, none of which the traffic or a pod begins from. Each probe
// has the next: what OVN keeps of a connection must not decide about another.
const (
	firstProbePort = 20000
	probePorts     = 10000
)

// ProbePackets puts the packets of a connection into the zones, there and back, and says step by
// step where they came out and which ACLs they met. It waits until what the Northbound
// databases hold is flows. made says that every packet was delivered.
func (s *Sandbox) ProbePackets(ctx context.Context, q ProbeRequest) (steps []PacketStep, made bool, err error) {
	proto, known := packetProtos[q.Proto]
	if s.lab == nil || !known {
		return nil, false, fmt.Errorf("putting packets in: %w", ErrNoOVN)
	}
	ends := [2]string{q.From.Zone, q.To.Zone}
	if ends[0] == "" {
		ends[0] = ends[1] // it comes from outside into the other's zone
	}
	if ends[1] == "" || q.To.Port == "" {
		ends[1] = ends[0] // and leaves the other's zone
	}
	err = s.withZones(ctx, ends, func(from, to *Zone, ctx context.Context) error {
		for _, z := range []*Zone{from, to} {
			if err := z.WaitReady(ctx); err != nil {
				return err
			}
			if _, err := z.WaitSynced(ctx); err != nil {
				return err
			}
		}
		if q.Sending != nil {
			q.Sending()
		}
		c := Connection{From: from, To: to, FromPort: q.From.Port, ToPort: q.To.Port, Src: q.From.Addr, Dst: q.To.Addr, Proto: proto,
			SrcPort: firstProbePort + uint16(s.probes.Add(1)%probePorts), DstPort: q.Port, Traced: true}
		switch {
		case q.From.Zone == "":
			c.FromPort = from.OutsidePortFor(q.To.Port)
		case q.From.Port == "":
			c.FromPort = cmp.Or(q.From.NodePort, from.NodePort())
		}
		steps, made, err = TryConnection(ctx, c)
		return err
	})
	return steps, made, err
}

// withZones does something with two zones, or twice the same, neither of which ends
// meanwhile.
func (s *Sandbox) withZones(ctx context.Context, names [2]string, do func(from, to *Zone, ctx context.Context) error) error {
	return s.WithZone(ctx, names[0], func(ctx context.Context, from *Zone) error {
		if names[0] == names[1] {
			return do(from, from, ctx)
		}
		return s.WithZone(ctx, names[1], func(ctx context.Context, to *Zone) error { return do(from, to, ctx) })
	})
}
