package sandbox

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rung/model"
	"rung/sources/retry"
)

// Choices of Config.Server beside the path of an ovsdb-server.
const (
	ServerAuto    = "auto"
	ServerBuiltin = "builtin"
)

// Config says what to start.
type Config struct {
	// Zones are the nodes' names; each gets a database of its own.
	Zones []string
	// Dir is the folder for sockets and databases; empty means one below
	// XDG_RUNTIME_DIR, or the temporary directory where that is not set.
	Dir string
	// Server is "auto" (or empty), "builtin", or the path of an ovsdb-server.
	Server string
	// OVN, when set, runs each zone on OVN itself, with its own ovsdb-server. Where it
	// does not start and OVNOnly is not set, the zones are as without it.
	OVN     *Tools
	OVNOnly bool
	// ForeignRows adds rows of others: ACLs that OVN-Kubernetes keeps for other
	// purposes, and some of an older release.
	ForeignRows bool
	// Node says what is known of a zone's node when the zone starts. Without it
	// the rows that name the node's addresses have made-up ones.
	Node func(zone string) *model.Node
	// PodSubnets returns the subnets of all nodes' pods as far as they are known when a zone
	// starts: the zone's router sends them to the other nodes.
	PodSubnets func() []netip.Prefix
	// PortDelay is how long after an object's change the rows follow that hang on
	// it: pods' ports, namespaces' port groups, the management port.
	PortDelay time.Duration
	// OnServer is told of servers that come, stop and die. It is called by the server
	// itself, from any goroutine, and must neither block nor call the sandbox.
	OnServer func(zone string, state State, err error)
	// OnDaemon is told the same of the other processes of a zone on OVN.
	OnDaemon func(zone, program string, state State, err error)
	// OnFaults is called when the faults of a zone on OVN change.
	// It must not block.
	OnFaults func(zone string, faults []model.Fault)
	// StallTimeout is how long a client of a built-in server may take no data
	// before it is cut off (default 5 s).
	StallTimeout time.Duration
	// Slots bound the computing of the connections of the zones' keepers.
	Slots retry.Slots
	Log   *slog.Logger

	guard func() (Guard, error) // for tests: the guard of another system
}

// zoneServer is one zone's OVSDB endpoint.
type zoneServer interface {
	Start(ctx context.Context) error
	Kill() error
	Stop() error
	Cont() error
	Close()
}

// Sandbox is a running set of zones.
type Sandbox struct {
	cfg            Config
	folder         *labFolder
	program        string // the real server; empty with built-in ones
	guard          Guard  // nil with built-in servers
	describe       string
	lab            *Lab  // nil where the zones do not run on OVN
	fallbackReason error // why they do not, where they were to
	fallback       error // why auto did not take a real server that was found
	pods           *podHandler
	probes         atomic.Uint32 // how many there were

	mu        sync.Mutex
	zones     map[string]*sandboxZone
	zoneNames []string // the zones in the order they were made
	zonesMade int      // how many zones there ever were

	life   context.Context
	cancel context.CancelFunc
	// changing is held while zones come or go.
	changing  sync.Mutex
	closed    bool // guarded by changing
	wg        sync.WaitGroup
	closeOnce sync.Once
}

// Start starts a server per zone and seeds the databases; it returns when every
// zone has its first rows. The sandbox lives until Close or the end of ctx.
func Start(ctx context.Context, cfg Config) (_ *Sandbox, err error) {
	if cfg.StallTimeout <= 0 {
		cfg.StallTimeout = 5 * time.Second
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.guard == nil {
		cfg.guard = NewGuard
	}
	if cfg.OnServer == nil {
		cfg.OnServer = func(string, State, error) {}
	}
	if cfg.OnDaemon == nil {
		cfg.OnDaemon = func(string, string, State, error) {}
	}
	if cfg.OnFaults == nil {
		cfg.OnFaults = func(string, []model.Fault) {}
	}
	if cfg.Node == nil {
		cfg.Node = func(string) *model.Node { return nil }
	}
	s := &Sandbox{cfg: cfg, zones: map[string]*sandboxZone{}}
	if s.folder, err = openFolder(cfg.Dir); err != nil {
		return nil, fmt.Errorf("starting the sandbox: %w", err)
	}
	s.life, s.cancel = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			s.Close()
			err = fmt.Errorf("starting the sandbox: %w", err)
		}
	}()
	if err := s.startServers(ctx); err != nil {
		return nil, err
	}
	s.pods = &podHandler{delay: cfg.PortDelay, keepers: map[string]*rowKeeper{}}
	for _, z := range s.zones {
		s.keepRows(z)
	}
	for _, z := range s.zones {
		if err := z.keeper.waitSeeded(ctx); err != nil {
			return nil, err
		}
	}
	unhook := context.AfterFunc(ctx, s.Close)
	context.AfterFunc(s.life, func() { unhook() })
	return s, nil
}

// Zones are the zones' names, in the order they were given and added.
func (s *Sandbox) Zones() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.zoneNames)
}

// Endpoints maps zones to addresses for nbdb.Dial and the OVS tools.
func (s *Sandbox) Endpoints() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[string]string, len(s.zones))
	for name, z := range s.zones {
		out[name] = z.endpoint
	}
	return out
}

// Dir is the folder of the sockets.
func (s *Sandbox) Dir() string { return s.folder.path }

// Describe names what serves the zones: "OVN 25.03.0", "ovsdb-server 3.1.0" or
// "builtin".
func (s *Sandbox) Describe() string { return s.describe }

// Fallback is why a real server that was found is not used, nil otherwise.
func (s *Sandbox) Fallback() error { return s.fallback }

// SetPods lets the zones' ports and port groups follow pods, namespaces and
// nodes. Changes, unless nil, say what is new in the cluster: without any that matters
// here nothing is done.
func (s *Sandbox) SetPods(c *model.Cluster, changes []model.Change) { s.pods.setCluster(c, changes) }

// askServer has a zone's server do something.
func (s *Sandbox) askServer(zone string, do func(zoneServer) error) error {
	s.mu.Lock()
	z := s.zones[zone]
	s.mu.Unlock()
	if z == nil {
		return fmt.Errorf("the sandbox has no zone %q", zone)
	}
	return do(z.server)
}

// Kill kills a zone's server as SIGKILL does; it comes back with the same rows.
func (s *Sandbox) Kill(zone string) error { return s.askServer(zone, zoneServer.Kill) }

// Stop makes a zone's server stand still as SIGSTOP does, until Cont.
func (s *Sandbox) Stop(zone string) error { return s.askServer(zone, zoneServer.Stop) }

// Cont lets a stopped server go on.
func (s *Sandbox) Cont(zone string) error { return s.askServer(zone, zoneServer.Cont) }

// DropConnections closes all connections to a zone's built-in server. Real
// servers cannot be asked to; Kill does it there.
func (s *Sandbox) DropConnections(zone string) error {
	return s.askServer(zone, func(srv zoneServer) error {
		b, ok := srv.(*memServer)
		if !ok {
			return fmt.Errorf("the server of zone %s is a process of its own: kill it instead", zone)
		}
		b.hangUp(false)
		return nil
	})
}

// Close ends the servers and removes the folder; it returns when all is gone.
func (s *Sandbox) Close() {
	s.closeOnce.Do(func() {
		s.cancel()
		s.changing.Lock()
		defer s.changing.Unlock()
		s.closed = true
		s.wg.Wait()
		s.closeServers()
		s.folder.removeFiles()
	})
}
