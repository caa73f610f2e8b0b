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

// Config says what an engine runs on.
type Config struct {
	// Mode names on the screen the cluster or the files the engine runs on; Writes and WhyNot
	// are filled in.
	Mode revision.Mode
	// Identity tells what is run on from everything else, wherever Rung is
	// started: history and plans are kept under it. Empty is the title of Mode.
	Identity string
	// Sources deliver objects.
	Sources []kube.Source
	// Writer makes changes of policies lasting; nil keeps them in memory.
	Writer change.Writer

	// Kube, when set, is the cluster that sources, writer and zones belong to;
	// OpenCluster sets it.
	Kube *kube.Cluster
	// OVNNamespace is where ovnkube-node pods are, instead of the usual namespaces;
	// who else owns rows is looked for in all of them.
	OVNNamespace string
	// ExecZones reads each node's database through its ovnkube-node pod.
	ExecZones bool

	// Sandbox, when set, runs a zone of Rung's own for every node.
	Sandbox zones.Sandbox
	// OVNTrace, when set, asks ovn-trace about connections.
	OVNTrace zones.OVNTrace
	// NB are the addresses of zones to look at, by zone name; one that stands under
	// its own address, or under "", names itself by NB_Global. They are observed,
	// and written only with Reconcile; files never.
	NB    map[string]string
	NBTLS TLSFiles // of ssl: addresses, those of SB too
	// SB are the addresses of Southbound databases, by zone name; the one under "" is
	// that of the only zone. Zones of the sandbox on OVN, and those read through exec,
	// need none. They are read while somebody looks at flows, and never written.
	SB map[string]string
	// Flows, where set, says of which zones the flows are wanted all the time.
	Flows     func(zone string) bool
	Reconcile bool
	// Own says how rows are written with Reconcile.
	Own zones.OwnerOptions
	// ZoneOf, where set, makes the zone of a Node of the cluster; every Node gets
	// one, as long as it is there. Each call makes one that was never run. A zone
	// with a method Read(context.Context) (*nb.DB, error) is swept by it.
	ZoneOf func(node string) (reconciler.Zone, error)
	// FollowZones is how many zones are watched (zones.DefaultFollow when 0); the
	// others are swept: read now and then. Zones of the sandbox, and those that
	// Rung writes to, are all watched.
	FollowZones int
	Sweep       zones.SweepConfig

	// Writes says changes are on from the start; ReadOnly that they can never
	// be switched on, and WhyReadOnly why; empty is by --readonly.
	Writes, ReadOnly bool
	WhyReadOnly      string

	// Protected are namespaces whose connections guard rails keep, besides those of the
	// platform.
	Protected []string
	// APIRelease is the release of network-policy-api whose CRDs judge the texts of policies
	// where there is no server: one of admission.Releases, or empty.
	APIRelease string

	// Flags say what the cluster's OVN-Kubernetes runs with.
	revision.Flags

	// ACLLogs says which of the cluster's ACL logs are followed.
	ACLLogs logs.FollowScope
	// LogFiles are the log files that are read.
	LogFiles logs.Files

	// StateDir holds the history and the audit; empty keeps neither.
	StateDir string
	// ReadPast has the history and the audit of other processes read although nothing is written.
	ReadPast bool
	// KeepCounts keeps the hits of rules in StateDir, across restarts.
	KeepCounts bool
	// Disk is the file system below StateDir; nil is the operating system's.
	Disk files.FS
	// LogLines bounds the log; 0 means the default.
	LogLines int
	// Screen says that somebody presses keys: a core stays for them.
	Screen bool
	Clock  zones.Clock
}

// protectedNamespaces are the namespaces that are protected besides the usual ones.
func (c *Config) protectedNamespaces() []string {
	if c.OVNNamespace == "" {
		return c.Protected
	}
	return append(slices.Clone(c.Protected), c.OVNNamespace)
}

// ProtectedNamespaces are the namespaces whose connections the guard rails of an engine keep,
// besides those of the platform.
func ProtectedNamespaces(e *Engine) []string { return e.cfg.protectedNamespaces() }

func (c *Config) check() error {
	if c.Sandbox != nil && len(c.NB) > 0 {
		return fmt.Errorf("a sandbox cannot be combined with --nb")
	}
	if c.Sandbox != nil && len(c.SB) > 0 {
		return fmt.Errorf("a sandbox cannot be combined with --sb")
	}
	if c.Reconcile && len(c.Sources) == 0 {
		return fmt.Errorf("cannot write rows without objects: every row would look left over; give the manifests, too")
	}
	if is := system.SystemByName(c.System); c.Reconcile && !is.HasFeature(system.Rows) {
		return fmt.Errorf("cannot write rows with --%s %s: %s has none, and every row would look left over", system.Flag, c.System, is.Title)
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

// podNamespaces are where ovnkube-node pods may be: the one that was named, and no
// other then.
func (c *Config) podNamespaces() []string {
	if ns := c.OVNNamespace; ns != "" {
		return []string{ns}
	}
	return kube.OVNNamespaces()
}

// readsDialects says whether there are rows of others: on clusters and with
// databases given by address.
func (c *Config) readsDialects() bool {
	return c.Sandbox == nil && (c.Kube != nil || len(c.NB) > 0 || c.ZoneOf != nil)
}
