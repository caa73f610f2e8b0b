package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"rung/model"
)

// OVNConfig configures zones on OVN.
type OVNConfig struct {
	// Dir is an existing private folder; each zone makes its own folder in it. It must be short: a socket's
	// path has some 100 bytes.
	Dir   string
	Zones []ZoneConfig
	// Behind makes StartLab and AddZone return once the Northbound databases have their first rows. The rest
	// starts in the background; Zone.WaitReady waits for it.
	Behind bool
	// OnDaemon is called for every process that starts, stops or dies. It must neither block nor call the lab.
	OnDaemon func(zone string, d Daemon)
	// OnFaults is called when the result of Zone.Faults changes. It must neither block nor call the lab.
	OnFaults func(zone string, faults []model.Fault)
}

// ZoneConfig configures a node's zone.
type ZoneConfig struct {
	Name string
	// Subnets are the node's pod subnets (default 10.244.N.0/24 for the nth zone). Pods with other addresses
	// are reached too.
	Subnets []netip.Prefix
	// Cluster are the pod subnets of all nodes (default 10.244.0.0/16 and fd01::/48). Packets to other nodes'
	// pods leave by ElsewherePort, packets to other addresses by OutsidePort.
	Cluster []netip.Prefix
	// Management are the addresses of the node's management port, by default the second of each subnet. Host
	// are the node's own addresses, routed to that port.
	Management []string
	Host       []netip.Addr
	// Foreign adds the sandbox's ACLs of other owners.
	Foreign bool
	// MeterRate is the number of log lines per second and ACL (default 20, as in OVN-Kubernetes).
	MeterRate int

	number int
}

// maxSocket limits a socket's path, in bytes, below the kernel's limit.
const maxSocket = 100

// Lab is a running set of zones.
type Lab struct {
	tools *Tools
	cfg   OVNConfig
	guard Guard

	changing  sync.Mutex // held while zones are added or removed
	mu        sync.Mutex
	zones     []*Zone
	zonesMade int
	closed    bool
}

// StartLab starts zones in parallel. It returns when every process answers, or earlier with OVNConfig.Behind.
// Zone.WaitSynced waits until the first rows are flows. The lab lives until Close.
func StartLab(ctx context.Context, tools *Tools, cfg OVNConfig) (_ *Lab, err error) {
	if cfg.OnDaemon == nil {
		cfg.OnDaemon = func(string, Daemon) {}
	}
	if cfg.OnFaults == nil {
		cfg.OnFaults = func(string, []model.Fault) {}
	}
	l := &Lab{tools: tools, cfg: cfg}
	if l.guard, err = NewGuard(); err != nil {
		return nil, err
	}
	errs := make([]error, len(cfg.Zones))
	var wg sync.WaitGroup
	for i, zc := range cfg.Zones {
		z, err := l.newZone(zc)
		if err != nil {
			errs[i] = err
			break
		}
		wg.Go(func() { errs[i] = z.startZone(ctx, cfg.Behind) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		l.Close()
		return nil, fmt.Errorf("starting OVN: %w", err)
	}
	return l, nil
}

// newZone prepares a zone without starting it.
func (l *Lab) newZone(cfg ZoneConfig) (*Zone, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.ContainsFunc(l.zones, func(z *Zone) bool { return z.cfg.Name == cfg.Name }) {
		return nil, fmt.Errorf("zone %s is named twice", cfg.Name)
	}
	cfg.number = l.zonesMade
	dir := filepath.Join(l.cfg.Dir, "z"+strconv.Itoa(l.zonesMade))
	if path := filepath.Join(dir, "controller.ctl"); len(path) >= maxSocket {
		return nil, fmt.Errorf("socket path %s is %d bytes long, at most %d are possible; choose a shorter folder", path, len(path), maxSocket-1)
	}
	z, err := newZone(l, cfg, dir)
	if err != nil {
		return nil, err
	}
	l.zonesMade++
	l.zones = append(l.zones, z)
	return z, nil
}

// AddZone starts another zone.
func (l *Lab) AddZone(ctx context.Context, cfg ZoneConfig) (*Zone, error) {
	l.changing.Lock()
	defer l.changing.Unlock()
	if l.closed {
		return nil, errors.New("adding a zone: the lab is closed")
	}
	z, err := l.newZone(cfg)
	if err == nil {
		if err = z.startZone(ctx, l.cfg.Behind); err != nil {
			l.removeZone(z)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("adding a zone: %w", err)
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

func (l *Lab) removeZone(z *Zone) {
	l.mu.Lock()
	l.zones = slices.DeleteFunc(l.zones, func(o *Zone) bool { return o == z })
	l.mu.Unlock()
	z.closeZone()
}

// Zone returns the zone of that name, or nil.
func (l *Lab) Zone(name string) *Zone {
	for _, z := range l.Zones() {
		if z.cfg.Name == name {
			return z
		}
	}
	return nil
}

// Zones returns all zones in the order they were made.
func (l *Lab) Zones() []*Zone {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.zones)
}

// Close ends all processes, removes the files, and waits for both.
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
	l.guard.Close()
}

// zoneFolder and zoneFile match the folders and files of zones: databases with their locks and compactions,
// sockets, the log, pipes.
var (
	zoneFolder = regexp.MustCompile(`^z[0-9]+$`)
	zoneFile   = regexp.MustCompile(
		`^(\.?(nb|sb|vs)\.db(\.tmp)?(\.~lock~)?|(nb|sb|vs)\.sock|(nb|sb|vs|vswitchd|northd|controller)\.ctl|controller\.log|` +
			`br-int\.(mgmt|snoop)|p[0-9]+\.pcap)$`)
)

const controllerLog = "controller.log"

// RemoveLeftover removes only the files of a lab that died without Close. A zone's folder with other files
// stays.
func RemoveLeftover(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() && zoneFolder.MatchString(e.Name()) {
			removeZone(filepath.Join(dir, e.Name()))
		}
	}
}

func removeZone(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !e.IsDir() && zoneFile.MatchString(e.Name()) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	_ = os.Remove(dir) // fails if the folder has other files
}
