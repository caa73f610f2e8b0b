package engine

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rung/change"
	"rung/engine/logs"
	"rung/engine/zones"
	"rung/reconciler"
	"rung/revision"
	"rung/sources/files"
	"rung/sources/kube"
	"rung/system"
)

// Config configures an engine.
type Config struct {
	// Mode names the cluster or the files on the screen; the engine fills in Writes and WhyNot.
	Mode revision.Mode
	// Identity tells this cluster or these files from all others, wherever Rung is started. History and plans
	// are kept under it. Empty means the title of Mode.
	Identity string
	// Sources deliver objects.
	Sources []kube.Source
	// Writer makes changes of policies persist; nil keeps them in memory.
	Writer change.Writer

	// Kube, if set, is the cluster of sources, writer and zones; OpenCluster sets it.
	Kube *kube.Cluster
	// OVNNamespace replaces the usual namespaces of ovnkube-node pods. Rung looks for other writers of rows in
	// it and in the usual ones.
	OVNNamespace string
	// ExecZones reads each node's database through its ovnkube-node pod.
	ExecZones bool
	// AgentZones takes the reports of node agents for the zones they cover, and MakeZone only for the others.
	AgentZones bool

	// Sandbox, if set, runs a zone of Rung's own for every node.
	Sandbox zones.Sandbox
	// OVNTrace, if set, asks ovn-trace about connections.
	OVNTrace zones.OVNTrace
	// NB holds the addresses of zones by zone name. A zone under its own address, or under "", takes its name
	// from NB_Global. Zones are observed, and written only with Reconcile; database files are never written.
	NB    map[string]string
	NBTLS TLSFiles // for ssl: addresses, of SB too
	// SB holds the addresses of Southbound databases by zone name; "" means the only zone. Zones of the
	// sandbox on OVN, and zones read through exec, need none. They are read while somebody looks at flows, and
	// never written.
	SB map[string]string
	// Flows, if set, reports whether a zone's flows are always wanted.
	Flows     func(zone string) bool
	Reconcile bool
	// Own configures how rows are written with Reconcile.
	Own zones.OwnerOptions
	// MakeZone, if set, makes the zone of a Node of the cluster; every existing Node gets one. Each call makes a
	// zone that was never run. A zone with a method Read(context.Context) (*nb.DB, error) is swept by it.
	MakeZone func(node string) (reconciler.Zone, error)
	// FollowZones is the number of zones watched (zones.DefaultFollow if 0); the others are swept: read now
	// and then. Zones of the sandbox, and zones Rung writes, are all watched.
	FollowZones int
	Sweep       zones.SweepConfig

	// Writes switches changes on from the start. ReadOnly means they can never be switched on, because of
	// WhyReadOnly; empty means --readonly.
	Writes, ReadOnly bool
	WhyReadOnly      string

	// Protected lists namespaces whose connections guard rails keep, in addition to the platform's.
	Protected []string
	// APIRelease is the release of network-policy-api whose CRDs validate policies without a server: one of
	// admission.Releases, or empty.
	APIRelease string

	// Flags are the settings of the cluster's OVN-Kubernetes that were given by flag.
	revision.Flags

	// ACLLogs selects the ACL logs of the cluster to follow.
	ACLLogs logs.FollowScope
	// LogFiles are the log files to read.
	LogFiles logs.Files

	// StateDir holds the history and the audit; empty keeps neither.
	StateDir string
	// ReadPast reads the history and audit of other processes even if nothing is written.
	ReadPast bool
	// KeepCounts keeps the hits of rules in StateDir across restarts.
	KeepCounts bool
	// Disk is the file system below StateDir; nil is the operating system's.
	Disk files.FS
	// LogLines bounds the log; 0 means the default.
	LogLines int
	// Screen means that somebody presses keys: one core stays free for them.
	Screen bool
	Clock  zones.Clock
}

// protectedNamespaces returns the namespaces protected in addition to the platform's.
func (c *Config) protectedNamespaces() []string {
	if c.OVNNamespace == "" {
		return c.Protected
	}
	return append(slices.Clone(c.Protected), c.OVNNamespace)
}

// ProtectedNamespaces returns the namespaces whose connections the engine's guard rails keep, in addition to
// the platform's.
func ProtectedNamespaces(e *Engine) []string { return e.cfg.protectedNamespaces() }

func (c *Config) check() error {
	switch is := system.SystemByName(c.System); {
	case c.Sandbox != nil && len(c.NB) > 0:
		return fmt.Errorf("a sandbox cannot be combined with --nb")
	case c.Sandbox != nil && len(c.SB) > 0:
		return fmt.Errorf("a sandbox cannot be combined with --sb")
	case c.Reconcile && len(c.Sources) == 0:
		return fmt.Errorf("cannot write rows without objects: all rows would look stale; add the manifests")
	case c.Reconcile && !is.HasFeature(system.Rows):
		return fmt.Errorf("cannot write rows with --%s %s: %s has no rows", system.Flag, c.System, is.Title)
	}
	names := map[string]bool{}
	for _, src := range c.Sources {
		if names[src.Name()] {
			return fmt.Errorf("two sources are called %q", src.Name())
		}
		names[src.Name()] = true
	}
	if c.Sandbox != nil {
		if err := c.Sandbox.CheckConfig(); err != nil {
			return err
		}
	}
	if c.FollowZones <= 0 {
		c.FollowZones = zones.DefaultFollow
	}
	if c.Sweep.TTL <= 0 {
		c.Sweep.TTL = zones.DefaultSweepTTL
	}
	if c.Sweep.Parallel <= 0 {
		c.Sweep.Parallel = zones.DefaultSweepParallel
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	return c.Flags.CheckFlags()
}

// stateIdentity returns the name under which history and plans are kept.
func (c *Config) stateIdentity() string {
	return c.Mode.Name + ":" + cmp.Or(c.Identity, c.Mode.Title)
}

// podNamespaces returns the namespaces ovnkube-node pods may be in: only the configured one, if any.
func (c *Config) podNamespaces() []string {
	if ns := c.OVNNamespace; ns != "" {
		return []string{ns}
	}
	return kube.OVNNamespaces()
}
