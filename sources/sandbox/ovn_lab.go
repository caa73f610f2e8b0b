package sandbox

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"

	"rung/model"
)

// OVNConfig configures zones on OVN.
type OVNConfig struct {
	// Dir is an existing private folder; each zone makes its own folder in it. It must be short: a socket's
	// path has some 100 bytes.
	Dir string
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

// Lab makes zones on OVN, each with its own number and folder.
type Lab struct {
	tools *Tools
	cfg   OVNConfig
	guard Guard

	mu        sync.Mutex
	zonesMade int
}

// NewLab returns a lab without zones.
func NewLab(tools *Tools, cfg OVNConfig) (*Lab, error) {
	if cfg.OnDaemon == nil {
		cfg.OnDaemon = func(string, Daemon) {}
	}
	if cfg.OnFaults == nil {
		cfg.OnFaults = func(string, []model.Fault) {}
	}
	guard, err := NewGuard()
	if err != nil {
		return nil, err
	}
	return &Lab{tools: tools, cfg: cfg, guard: guard}, nil
}

// NewZone prepares a zone; Start starts it. A failed Start needs a Close too.
func (l *Lab) NewZone(cfg ZoneConfig) (*Zone, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	cfg.number = l.zonesMade
	dir := filepath.Join(l.cfg.Dir, "z"+strconv.Itoa(l.zonesMade))
	if path := filepath.Join(dir, "controller.ctl"); len(path) >= maxSocket {
		return nil, fmt.Errorf("socket path %s is %d bytes long, at most %d are possible; choose a shorter folder", path, len(path), maxSocket-1)
	}
	z, err := newZone(l, cfg, dir)
	if err == nil {
		l.zonesMade++
	}
	return z, err
}

// Close ends a lab whose zones are closed.
func (l *Lab) Close() { l.guard.Close() }

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
