package sandbox

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"rung/model/words"
	"rung/sources/nbdb"
)

// sandboxZone is one node's database: its server, and the keeper of the rows that Rung does not write.
type sandboxZone struct {
	name     string
	file     string // the name of its files
	number   int    // its number among all zones made
	endpoint string
	server   zoneServer
	keeper   *rowKeeper // nil until its server runs
	stop     context.CancelFunc
	wg       sync.WaitGroup
}

// startServers starts all servers at once. If OVN or an automatically chosen ovsdb-server does not start, it
// falls back to the next kind.
func (s *Sandbox) startServers(ctx context.Context) error {
	if s.cfg.OVN != nil {
		err := s.startLab(ctx)
		if err == nil {
			return nil
		}
		s.closeServers()
		s.lab = nil
		if ctx.Err() != nil || s.cfg.OVNOnly {
			return err
		}
		s.fallbackReason = err
	}
	var err error
	if s.program, err = findServer(runtime.GOOS, s.cfg.Server); err != nil {
		return err
	}
	if s.program != "" {
		err := s.startAll(ctx)
		if err == nil {
			return nil
		}
		s.closeServers()
		if ctx.Err() != nil || (s.cfg.Server != "" && s.cfg.Server != ServerAuto) {
			return err
		}
		s.fallback = err
		s.cfg.Log.Warn("ovsdb-server does not start; using the built-in one", "program", s.program, "err", err)
		s.program = ""
	}
	return s.startAll(ctx)
}

func (s *Sandbox) startAll(ctx context.Context) error {
	s.describe = ServerBuiltin
	errs := make([]error, len(s.cfg.Zones)+1)
	var wg sync.WaitGroup
	defer wg.Wait()
	if s.lab != nil {
		s.describe = s.cfg.OVN.Describe()
	} else if s.program != "" {
		g, err := s.cfg.guard()
		if err != nil {
			return err
		}
		s.guard = g
		wg.Go(func() { s.describe, errs[len(s.cfg.Zones)] = programVersion(ctx, g, s.program) })
	}
	for i, name := range s.cfg.Zones {
		z, err := s.newZone(name)
		if err != nil {
			return err
		}
		wg.Go(func() { errs[i] = z.server.Start(ctx) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// newZone prepares a zone without starting its server.
func (s *Sandbox) newZone(name string) (*sandboxZone, error) {
	file, err := s.folder.fileName(name)
	if err != nil {
		return nil, err
	}
	path := s.folder.socketPath(file)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.zones[name] != nil {
		return nil, fmt.Errorf("zone %s is named twice", words.CleanText(name))
	}
	if err := s.folder.mark.addFile(file); err != nil {
		return nil, err
	}
	z := &sandboxZone{name: name, file: file, number: s.zonesMade, endpoint: "unix:" + path}
	report := func(state State, err error) { s.cfg.OnServer(name, state, err) }
	if s.lab != nil {
		zone, err := s.lab.NewZone(s.labConfig(name, z.number))
		if err != nil {
			return nil, err
		}
		l := &labServer{sandbox: s, name: name, zone: zone}
		l.life, l.end = context.WithCancel(context.Background())
		z.server, z.endpoint = l, zone.NB()
	} else if s.program != "" {
		z.server = newProcess(name, s.program, s.folder.path, file, s.guard, report)
	} else if z.server, err = newBuiltin(name, path, &s.cfg, report); err != nil {
		return nil, err
	}
	s.zonesMade++
	s.zones[name] = z
	s.zoneNames = append(s.zoneNames, name)
	return z, nil
}

// keepRows starts the keeper of a zone whose server runs.
func (s *Sandbox) keepRows(z *sandboxZone) {
	var life context.Context
	life, z.stop = context.WithCancel(s.life)
	mgmt := ManagementAddresses(s.cfg.Node(z.name), z.number)
	k := newKeeper(z.name, SeedRows(z.name, mgmt, s.cfg.ForeignRows), s.cfg.Log, nbdb.Config{
		Addr: z.endpoint, Server: s.describe, Slot: s.cfg.Slots.TakeSlot})
	k.firstMgmt, k.lab = mgmt, s.lab != nil
	z.keeper = k
	z.wg.Go(func() { k.conn.Run(life, k.takeUpdate) })
	z.wg.Go(func() { k.writeRows(life) })
	s.pods.followZone(z.name, k)
}

// AddZone starts the server of another zone and writes its first rows. Existing pods and namespaces get their
// rows with the next SetPods.
func (s *Sandbox) AddZone(ctx context.Context, name string) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.closed {
		return errors.New("adding a zone: the sandbox is closed")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	z, err := s.newZone(name)
	if err != nil {
		return fmt.Errorf("adding a zone: %w", err)
	}
	if err = z.server.Start(ctx); err == nil {
		s.keepRows(z)
		err = z.keeper.waitSeeded(ctx)
	}
	if err != nil {
		s.removeZone(z)
		return fmt.Errorf("adding a zone: %w", err)
	}
	return nil
}

// RemoveZone ends the server of a zone and removes its database.
func (s *Sandbox) RemoveZone(name string) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.mu.Lock()
	z := s.zones[name]
	s.mu.Unlock()
	if z == nil {
		return fmt.Errorf("the sandbox has no zone %q", name)
	}
	s.removeZone(z)
	return nil
}

func (s *Sandbox) removeZone(z *sandboxZone) {
	s.mu.Lock()
	delete(s.zones, z.name)
	s.zoneNames = slices.DeleteFunc(s.zoneNames, func(name string) bool { return name == z.name })
	s.mu.Unlock()
	z.endZone(s.pods)
	removeFiles(s.folder.path, z.file)
}

// endZone ends the zone's keeper and server.
func (z *sandboxZone) endZone(pods *podHandler) {
	if z.keeper != nil {
		pods.followZone(z.name, nil)
		z.stop()
		z.wg.Wait()
	}
	z.server.Close()
}

func (s *Sandbox) closeServers() {
	s.mu.Lock()
	zones := s.zones
	s.zones, s.zoneNames, s.zonesMade = map[string]*sandboxZone{}, nil, 0
	s.mu.Unlock()
	var wg sync.WaitGroup
	for _, z := range zones {
		wg.Go(func() { z.endZone(s.pods) })
	}
	wg.Wait()
	if s.lab != nil {
		s.lab.Close()
	}
	if s.guard != nil {
		s.guard.Close()
		s.guard = nil
	}
}
