package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"

	"rung/model/ovn/match"
)

// ProbeRequest is a connection to make with packets.
type ProbeRequest struct {
	From, To ProbeEnd
	Proto    match.Proto
	Port     uint16 // of the destination; 0 for ICMP
	// Sending is called when the zones' rows are flows and the first packet is sent.
	Sending func()
}

// ProbeEnd is one end. A pod has its logical port and zone, a node its zone, the outside neither. NodePort is
// a node's port on another network than the default one.
type ProbeEnd struct {
	Zone, Port, NodePort string
	Addr                 netip.Addr
}

// The source ports of probes, unused by the traffic and by pods. Each probe takes the next one: OVN's
// connection tracking must not affect another probe.
const (
	firstProbePort = 20000
	probePorts     = 10000
)

// ProbePackets sends a connection's packets through the zones, there and back. Each step lists where the
// packet came out and which ACLs it met. It first waits until the Northbound rows are flows. made means that
// every packet was delivered.
func (s *Sandbox) ProbePackets(ctx context.Context, q ProbeRequest) (steps []PacketStep, made bool, err error) {
	proto, known := packetProtos[q.Proto]
	if s.lab == nil || !known {
		return nil, false, fmt.Errorf("sending packets: %w", ErrNoOVN)
	}
	ends := [2]string{q.From.Zone, q.To.Zone}
	if ends[0] == "" {
		ends[0] = ends[1] // from outside, it enters the other's zone
	}
	if ends[1] == "" || q.To.Port == "" {
		ends[1] = ends[0] // to the outside, it leaves the other's zone
	}
	err = s.withZones(ctx, ends, func(from, to *Zone, ctx context.Context) error {
		for _, z := range []*Zone{from, to} {
			if err := z.waitReadyAndSynced(ctx); err != nil {
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

// withZones calls do with two zones, possibly the same, which cannot end before do returns.
func (s *Sandbox) withZones(ctx context.Context, names [2]string, do func(from, to *Zone, ctx context.Context) error) error {
	return s.WithZone(ctx, names[0], func(ctx context.Context, from *Zone) error {
		if names[0] == names[1] {
			return do(from, from, ctx)
		}
		return s.WithZone(ctx, names[1], func(ctx context.Context, to *Zone) error { return do(from, to, ctx) })
	})
}
