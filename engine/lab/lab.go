package lab

import (
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"rung/engine/zones"
	"rung/model"
	"rung/revision"
	"rung/sources/sandbox"
)

// Config configures the sandbox.
type Config struct {
	Server string // "auto", "builtin" or the path of an ovsdb-server
	// OVN is "auto", "off" (or empty), or the folder of an OVN 23.06 or newer to run the zones on: then
	// packets make the log. "auto" uses the machine's OVN, if any, and if Server is left open.
	OVN       string
	Dir       string        // empty: under XDG_RUNTIME_DIR
	PortDelay time.Duration // between a pod and its logical switch port
	// Traffic is the rate of connections a second, simulated, or packets on OVN; 0 makes none.
	Traffic float64
	// Lag is how long the last zone of the first nodes does not answer.
	Lag time.Duration
	// Churn is the rate of simulated pod events a second, to test how the console keeps up; 0 makes none.
	Churn float64
	// Listen makes the listener of a built-in server's socket; nil means net.Listen.
	Listen func(socket string) (net.Listener, error)
	// Foreign adds some rows of other owners, as in a real zone: examples to look at, not for use with the
	// user's own files.
	Foreign bool
}

// maxRate bounds simulated events a second to a sensible number; it also keeps their interval above zero.
const maxRate = 1e6

// Lab is an engine's sandbox. Config may be changed until it starts.
type Lab struct {
	Config
	zones.Parts
	daemons daemonFaults
	traffic atomic.Pointer[sandbox.Traffic] // nil if there is none

	// Only for the loop.
	box *sandbox.Sandbox // nil until it runs
	ovn string           // version of the zones' OVN, or empty without OVN
	why string           // why OVN was not found
}

// New returns a sandbox; Start begins it.
func New(c Config) *Lab {
	return &Lab{Config: c, daemons: daemonFaults{news: make(chan struct{}, 1), down: map[string][]model.Fault{}}}
}

// CheckConfig is documented at zones.Sandbox, like the other methods of that interface.
func (l *Lab) CheckConfig() error {
	if l.ownOVN() && l.ownServer() {
		return fmt.Errorf("--sandbox-ovn %s cannot be combined with --sandbox-ovsdb %s: OVN brings its own ovsdb-server", l.OVN, l.Server)
	}
	for what, rate := range map[string]float64{"traffic": l.Traffic, "churn": l.Churn} {
		if !(rate >= 0 && rate <= maxRate) {
			return fmt.Errorf("rate of simulated %s %g: want 0 to %g a second", what, rate, float64(maxRate))
		}
	}
	return nil
}

// Start starts the zones once the Nodes are known.
func (l *Lab) Start(p zones.Parts) {
	l.Parts = p
	l.Go(l.runSandbox)
	l.Go(func() {
		for {
			select {
			case <-l.Context().Done():
				return
			case <-l.daemons.news:
				l.Do(l.MarkChanged)
			}
		}
	})
}

// FillMode sets whether zones run on OVN, and what makes the traffic.
func (l *Lab) FillMode(m *revision.Mode) {
	m.NoOVNReported = l.why != ""
	if l.ovn != "" || l.ownOVN() {
		m.OVN, m.Simulated, m.Packets = l.ovn, false, l.ovn != "" && l.Traffic > 0
	}
}

// ObjectsMoved gives the pods their ports.
func (l *Lab) ObjectsMoved(c *model.Cluster, changes []model.Change) {
	if l.box != nil {
		l.box.SetPods(c, changes)
	}
}

// DaemonsDown returns the processes that do not run or do not answer.
func (l *Lab) DaemonsDown() map[string][]model.Fault { return l.daemons.faultsByZone() }

// Sandbox returns the sandbox, nil until it runs, and why it does not run on OVN.
func (l *Lab) Sandbox() (box *sandbox.Sandbox, why string) {
	l.Do(func() { box, why = l.box, l.why })
	return box, why
}

// Connections returns the sandbox's traffic; nil if it makes none.
func (l *Lab) Connections() *sandbox.Traffic { return l.traffic.Load() }

// reportProblem reports, as a source, what keeps the sandbox from running.
func (l *Lab) reportProblem(text string) { l.Send(func() { l.ReportProblem("sandbox", text) }) }
