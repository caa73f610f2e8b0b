package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rung/model"
	"rung/sources/retry"
)

// Values of Config.Server, besides a path.
const (
	ServerAuto    = "auto"
	ServerBuiltin = "builtin"
)

// Config configures a Sandbox.
type Config struct {
	// Zones are the nodes' names; each has its own database.
	Zones []string
	// Dir is the folder for sockets and databases; empty means a new one below XDG_RUNTIME_DIR, or the
	// temporary directory if that is unset.
	Dir string
	// Server is "auto" (or empty), "builtin", or the path of an ovsdb-server.
	Server string
	// OVN, if set, runs each zone on OVN, with its own ovsdb-server. If it does not start, the zones run
	// without it, unless OVNOnly is set.
	OVN     *Tools
	OVNOnly bool
	// ForeignRows adds rows of other owners: ACLs that OVN-Kubernetes keeps for other purposes, and some of an
	// older release.
	ForeignRows bool
	// Node returns the zone's node when the zone starts, nil if unknown. Without it, rows with the node's
	// addresses get made-up ones.
	Node func(zone string) *model.Node
	// PodSubnets returns the known pod subnets of all nodes when a zone starts. The zone's router routes them
	// to the other nodes.
	PodSubnets func() []netip.Prefix
	// PortDelay is the delay between an object's change and its rows: pods' ports, namespaces' port groups,
	// the management port.
	PortDelay time.Duration
	// OnServer is called when a server starts or dies, from any goroutine. It must neither block nor
	// call the sandbox.
	OnServer func(zone string, state State, err error)
	// OnDaemon is the same for the other processes of a zone on OVN.
	OnDaemon func(zone, program string, state State, err error)
	// OnFaults is called when the faults of a zone on OVN change. It must not block.
	OnFaults func(zone string, faults []model.Fault)
	// Listen makes the listener of a built-in server's socket; nil means net.Listen.
	Listen func(socket string) (net.Listener, error)
	// StallTimeout is how long a client of a built-in server may read nothing before it is disconnected
	// (default 5 s).
	StallTimeout time.Duration
	// Slots limits the computing of the keepers' connections.
	Slots retry.Slots
	Log   *slog.Logger

	guard func() (Guard, error) // for tests: another system's guard
}

// zoneServer is one zone's OVSDB endpoint.
type zoneServer interface {
	Start(ctx context.Context) error
	Close()
}

// Sandbox is a running set of zones.
type Sandbox struct {
	cfg            Config
	folder         *labFolder
	program        string // the real server; empty with built-in ones
	guard          Guard  // nil with built-in servers
	describe       string
	lab            *Lab  // nil if the zones do not run on OVN
	fallbackReason error // why OVN is not used although configured
	fallback       error // why a found ovsdb-server is not used
	pods           *podHandler
	probes         atomic.Uint32 // number of probes so far

	mu        sync.Mutex
	zones     map[string]*sandboxZone
	zoneNames []string // in the order they were made
	zonesMade int      // number of zones made so far

	life   context.Context
	cancel context.CancelFunc
	// changing is held while zones are added or removed.
	changing  sync.Mutex
	closed    bool // guarded by changing
	wg        sync.WaitGroup
	closeOnce sync.Once
}

// Start starts a server per zone and writes the first rows. It returns when every zone has them. The sandbox
// lives until Close or the end of ctx.
func Start(ctx context.Context, cfg Config) (_ *Sandbox, err error) {
	cfg.StallTimeout = cmp.Or(cfg.StallTimeout, 5*time.Second)
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	if cfg.Listen == nil {
		cfg.Listen = func(socket string) (net.Listener, error) { return net.Listen("unix", socket) }
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

// Zones returns the zones' names in the order they were made.
func (s *Sandbox) Zones() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.zoneNames)
}

// Endpoints maps zones to addresses for nbdb.Dial and OVS's tools.
func (s *Sandbox) Endpoints() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[string]string, len(s.zones))
	for name, z := range s.zones {
		out[name] = z.endpoint
	}
	return out
}

// Dir returns the folder of the sockets.
func (s *Sandbox) Dir() string { return s.folder.path }

// Describe names the zones' server: "OVN 25.03.0", "ovsdb-server 3.1.0" or "builtin".
func (s *Sandbox) Describe() string { return s.describe }

// Fallback returns why a found ovsdb-server is not used, or nil.
func (s *Sandbox) Fallback() error { return s.fallback }

// SetPods updates the zones' ports and port groups for pods, namespaces and nodes. changes lists the cluster's
// changes; if none of them is about pods, namespaces, nodes or networks, nothing happens. Nil always updates.
func (s *Sandbox) SetPods(c *model.Cluster, changes []model.Change) { s.pods.setCluster(c, changes) }

// Close ends the servers, removes the folder, and waits for both.
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
