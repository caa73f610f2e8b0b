package lab

import (
	"fmt"
	"rung/engine/zones"
	"rung/model"
	"rung/revision"
	"rung/sources/sandbox"
	"sync/atomic"
	"time"
)

// Config says how the sandbox is run.
type Config struct {
	Server string // "auto", "builtin" or the path of an ovsdb-server
	// OVN is "auto", "off" (or empty), or the folder of an OVN 23.06 or newer on which the
	// zones run: then packets make the log. "auto" takes the machine's own where it has
	// one and Server is left open.
	OVN       string
	Dir       string        // empty: under XDG_RUNTIME_DIR
	PortDelay time.Duration // between a pod and its logical switch port
	// Traffic is the rate of connections a second, simulated or, on OVN, as packets; 0
	// makes none.
	Traffic float64
	// Churn is a rate of simulated pod events a second, for trying how the
	// console keeps up; 0 makes none.
	Churn float64
	// Foreign adds a few rows of other owners, as a real zone has: examples to be looked
	// at, which have no place among the user's own files.
	Foreign bool
}

// maxRate is the most simulated events a second that make sense; it also keeps
// the time between two of them above nothing.
const maxRate = 1e6

// Lab is a sandbox at an engine. Config may be changed until it starts.
type Lab struct {
	Config
	zones.Parts
	daemons daemonFaults
	traffic atomic.Pointer[sandbox.Traffic] // nil where there is none

	// The loop's alone.
	box *sandbox.Sandbox // nil until it runs
	ovn string           // version of the OVN that it runs on, empty without one
	why string           // why there is none, where one was looked for
}

// New makes one that Start begins.
func New(c Config) *Lab { return &Lab{Config: c, daemons: newDaemons()} }

// CheckConfig is described at rooms.Sandbox, like all that the engine asks for.
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

// Start begins it once the Nodes are known.
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

// FillMode says whether it runs on OVN, and what makes the traffic.
func (l *Lab) FillMode(m *revision.Mode) {
	m.ToldNoOVN = l.why != ""
	if l.ovn != "" || l.ownOVN() {
		m.OVN, m.Simulated, m.Packets = l.ovn, false, l.ovn != "" && l.Traffic > 0
	}
}

// ObjectsMoved lets the pods have their ports.
func (l *Lab) ObjectsMoved(c *model.Cluster, changes []model.Change) {
	if l.box != nil {
		l.box.SetPods(c, changes)
	}
}

// DaemonsDown are the processes that do not run, or do not answer.
func (l *Lab) DaemonsDown() map[string][]revision.Daemon { return l.daemons.faultsByZone() }

// Sandbox is the sandbox itself, nil until it runs, and why it does not run on OVN.
func (l *Lab) Sandbox() (box *sandbox.Sandbox, why string) {
	l.Do(func() { box, why = l.box, l.why })
	return box, why
}

// Connections returns the traffic that the sandbox makes, nil where it makes none.
func (l *Lab) Connections() *sandbox.Traffic { return l.traffic.Load() }

// reportProblem puts what keeps it from running among the sources.
func (l *Lab) reportProblem(text string) { l.Send(func() { l.ReportProblem("sandbox", text) }) }
