package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"rung/model"
	"rung/sources/sandbox"
)

// Config configures a Lab. Dir, OnDaemon and OnFaults are as in sandbox.OVNConfig.
type Config struct {
	Dir   string
	Zones []sandbox.ZoneConfig
	// Behind makes Start return before the programs below the Northbound databases run.
	Behind   bool
	OnDaemon func(zone string, d sandbox.Daemon)
	OnFaults func(zone string, faults []model.Fault)
}

// Lab is a running set of zones on OVN, without a sandbox.
type Lab struct {
	lab    *sandbox.Lab
	behind bool

	changing sync.Mutex // held while zones are added or removed
	mu       sync.Mutex
	zones    []*sandbox.Zone
	closed   bool
}

// Start starts zones in parallel. The lab lives until Close.
func Start(ctx context.Context, tools *sandbox.Tools, cfg Config) (*Lab, error) {
	made, err := sandbox.NewLab(tools, sandbox.OVNConfig{Dir: cfg.Dir, OnDaemon: cfg.OnDaemon, OnFaults: cfg.OnFaults})
	if err != nil {
		return nil, err
	}
	l := &Lab{lab: made, behind: cfg.Behind}
	errs := make([]error, len(cfg.Zones))
	var wg sync.WaitGroup
	for i, zc := range cfg.Zones {
		z, err := l.newZone(zc)
		if err != nil {
			errs[i] = err
			break
		}
		wg.Go(func() { errs[i] = l.startZone(ctx, z) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		l.Close()
		return nil, fmt.Errorf("starting OVN: %w", err)
	}
	return l, nil
}

func (l *Lab) startZone(ctx context.Context, z *sandbox.Zone) error {
	err := z.Start(ctx)
	if err == nil && !l.behind {
		err = z.WaitReady(ctx)
	}
	return err
}

func (l *Lab) newZone(cfg sandbox.ZoneConfig) (*sandbox.Zone, error) {
	if l.Zone(cfg.Name) != nil {
		return nil, fmt.Errorf("zone %s is named twice", cfg.Name)
	}
	z, err := l.lab.NewZone(cfg)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.zones = append(l.zones, z)
	return z, nil
}

// AddZone starts another zone.
func (l *Lab) AddZone(ctx context.Context, cfg sandbox.ZoneConfig) (*sandbox.Zone, error) {
	l.changing.Lock()
	defer l.changing.Unlock()
	z, err := l.newZone(cfg)
	if err != nil {
		return nil, err
	}
	if err := l.startZone(ctx, z); err != nil {
		l.removeZone(z)
		return nil, err
	}
	return z, nil
}

// RemoveZone ends a zone and removes its files.
func (l *Lab) RemoveZone(name string) error {
	l.changing.Lock()
	defer l.changing.Unlock()
	z := l.Zone(name)
	if z == nil {
		return fmt.Errorf("the lab has no zone %q", name)
	}
	l.removeZone(z)
	return nil
}

func (l *Lab) removeZone(z *sandbox.Zone) {
	l.mu.Lock()
	l.zones = slices.DeleteFunc(l.zones, func(o *sandbox.Zone) bool { return o == z })
	l.mu.Unlock()
	z.Close()
}

// Zone returns the zone of that name, or nil.
func (l *Lab) Zone(name string) *sandbox.Zone {
	for _, z := range l.Zones() {
		if z.Name() == name {
			return z
		}
	}
	return nil
}

// Zones returns all zones in the order they were made.
func (l *Lab) Zones() []*sandbox.Zone {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.zones)
}

// Close ends all zones.
func (l *Lab) Close() {
	l.changing.Lock()
	defer l.changing.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	var wg sync.WaitGroup
	for _, z := range l.Zones() {
		wg.Go(func() { l.removeZone(z) })
	}
	wg.Wait()
	l.lab.Close()
}
