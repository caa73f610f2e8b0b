package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"

	"rung/model/ovn/flow"
)

// startLab starts every zone on OVN. It returns once the Northbound databases run, since rows need only those;
// the rest starts in the background.
func (s *Sandbox) startLab(ctx context.Context) error {
	if err := s.folder.mark.addFile(labMark); err != nil {
		return err
	}
	lab, err := NewLab(s.cfg.OVN, OVNConfig{Dir: s.folder.path, OnFaults: s.cfg.OnFaults, OnDaemon: func(zone string, d Daemon) {
		if d.Name == NBServer {
			s.cfg.OnServer(zone, d.State, d.Err)
		} else {
			s.cfg.OnDaemon(zone, d.Name, d.State, d.Err)
		}
	}})
	if err != nil {
		return err
	}
	s.lab = lab
	if err := s.startAll(ctx); err != nil {
		return fmt.Errorf("starting OVN: %w", err)
	}
	return nil
}

// labConfig returns the OVN configuration of a node's zone.
func (s *Sandbox) labConfig(name string, number int) ZoneConfig {
	node := s.cfg.Node(name)
	cfg := ZoneConfig{Name: name, Management: ManagementAddresses(node, number), Foreign: s.cfg.ForeignRows}
	cfg.Cluster = s.clusterSubnets()
	if node != nil {
		cfg.Host = addresses(node.InternalIPs)
		for _, p := range prefixes(node.Subnets) {
			cfg.Subnets = append(cfg.Subnets, p.Masked())
		}
	}
	if len(cfg.Subnets) == 0 {
		for _, a := range addresses(cfg.Management) {
			if p, ok := guessSubnet(a); ok {
				cfg.Subnets = append(cfg.Subnets, p)
			}
		}
	}
	return cfg
}

// clusterSubnets returns the known pod subnets of all nodes, and the default ones if a node has none.
func (s *Sandbox) clusterSubnets() (out []netip.Prefix) {
	if s.cfg.PodSubnets != nil {
		out = s.cfg.PodSubnets()
	}
	for _, zone := range s.cfg.Zones {
		if node := s.cfg.Node(zone); node == nil || len(node.Subnets) == 0 {
			return append(out, DefaultSubnets...)
		}
	}
	return out
}

// guessSubnet returns the widest usual pod subnet whose second address is mgmt, the management port's.
func guessSubnet(mgmt netip.Addr) (netip.Prefix, bool) {
	for bits := subnetBits(mgmt); bits <= mgmt.BitLen()-2; bits++ {
		if p := netip.PrefixFrom(mgmt, bits).Masked(); p.Addr().Next().Next() == mgmt {
			return p, true
		}
	}
	return netip.Prefix{}, false
}

// errZoneGone means that a zone ended.
var errZoneGone = errors.New("the zone has ended")

// labServer is the server of a zone on OVN.
type labServer struct {
	sandbox *Sandbox
	name    string
	zone    *Zone
	life    context.Context // ends with the zone
	end     context.CancelFunc
	using   sync.RWMutex // read-locked by users of the zone
}

func (l *labServer) Start(ctx context.Context) error {
	if err := l.zone.Start(ctx); err != nil {
		return err
	}
	l.sandbox.wg.Go(func() {
		err := l.useZone(l.sandbox.life, (*Zone).WaitReady)
		if err != nil && l.life.Err() == nil && l.sandbox.life.Err() == nil {
			l.sandbox.cfg.OnDaemon(l.name, "OVN", Died, err)
		}
	})
	return nil
}

// useZone calls do with the zone, which cannot end before do returns.
func (l *labServer) useZone(ctx context.Context, do func(*Zone, context.Context) error) error {
	l.using.RLock()
	defer l.using.RUnlock()
	if l.life.Err() != nil {
		return fmt.Errorf("zone %s: %w", l.name, errZoneGone)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.life, cancel)()
	return do(l.zone, ctx)
}

func (l *labServer) Close() {
	l.end()
	l.using.Lock()
	defer l.using.Unlock()
	l.zone.Close()
}

// Southbound returns the address of a zone's Southbound database, empty if there is none.
func (s *Sandbox) Southbound(zone string) string {
	if s == nil {
		return ""
	}
	if l := s.labZones()[zone]; l != nil {
		return l.zone.SB()
	}
	return ""
}

// OVN returns the version of OVN that the zones run on, or empty without OVN.
func (s *Sandbox) OVN() string {
	if s == nil || s.lab == nil {
		return ""
	}
	return s.cfg.OVN.Version
}

// WithoutOVN returns why the configured OVN is not used, nil if it is or none was configured.
func (s *Sandbox) WithoutOVN() error { return s.fallbackReason }

// WithZone calls do with a zone on OVN, which cannot end before do returns.
func (s *Sandbox) WithZone(ctx context.Context, zone string, do func(context.Context, *Zone) error) error {
	l := s.labZones()[zone]
	if l == nil {
		return fmt.Errorf("zone %s: %w", zone, ErrNoOVN)
	}
	return l.useZone(ctx, func(z *Zone, ctx context.Context) error { return do(ctx, z) })
}

// ErrNoOVN means that the sandbox, or a zone of it, does not run on OVN.
var ErrNoOVN = errors.New("the sandbox does not run on OVN")

// OVNTrace runs ovn-trace for a packet in a zone on OVN, and returns the command and its output.
func (s *Sandbox) OVNTrace(ctx context.Context, ask *flow.PacketQuestion) (cmd []string, text string, err error) {
	err = s.WithZone(ctx, ask.Zone, func(ctx context.Context, z *Zone) error {
		if err := z.WaitReady(ctx); err != nil {
			return err
		}
		cmd, text, err = z.OVNTrace(ctx, ask)
		return err
	})
	return cmd, text, err
}

// labZones returns the servers of the zones on OVN by zone name.
func (s *Sandbox) labZones() map[string]*labServer {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]*labServer{}
	for name, z := range s.zones {
		if l, ok := z.server.(*labServer); ok {
			out[name] = l
		}
	}
	return out
}
