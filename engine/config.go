package engine

import (
	"fmt"
	"time"

	"rung/compiler"
	"rung/model"
)

// Config says what an engine runs on.
type Config struct {
	// Mode is what is on screen; Writes, WhyNot and Families are filled in.
	Mode Mode
	// Identity tells what is run on from everything else, wherever Rung is
	// started: history and plans are kept under it. Empty is the title of Mode.
	Identity string
	// Sources deliver objects.
	Sources []Source
	// Writer makes changes of policies lasting; nil keeps them in memory.
	Writer Writer

	// Sandbox, when set, runs a zone of Rung's own for every node.
	Sandbox *SandboxConfig
	// NB are the addresses of zones to look at, by zone name ("" names itself
	// by NB_Global). They are observed, and written only with Reconcile.
	NB        map[string]string
	Reconcile bool

	// Writes says changes are on from the start; ReadOnly that they can never
	// be switched on.
	Writes, ReadOnly bool

	// Family is "auto" (or empty), "ipv4", "ipv6" or "dual".
	Family        string
	Observability bool
	// MaxPriority is the lowest precedence the cluster enforces; 0 means
	// model.MaxPriority.
	MaxPriority int32
	Features    Features

	// StateDir holds the history and the audit; empty keeps neither.
	StateDir string
	// LogLines bounds the log; 0 means the default.
	LogLines int
	// Screen says that somebody presses keys: a core stays for them.
	Screen bool
	Clock  Clock
}

// SandboxConfig says how the sandbox is run.
type SandboxConfig struct {
	Server    string        // "auto", "builtin" or the path of an ovsdb-server
	Dir       string        // empty: under XDG_RUNTIME_DIR
	PortDelay time.Duration // between a pod and its logical switch port
	// Traffic is the rate of simulated connections a second; 0 makes none.
	Traffic float64
	// Churn is a rate of simulated pod events a second, for trying how the
	// console keeps up; 0 makes none.
	Churn float64
	// Foreign adds a few rows of other owners, as a real zone has.
	Foreign bool
}

// highestPriority is where 30000 − 100·P − 99, the last row of a policy, is
// still a priority of OVN (compile-spec §1.1).
const highestPriority = 299

// maxRate is the most simulated events a second that make sense; it also keeps
// the time between two of them above nothing.
const maxRate = 1e6

func (c *Config) check() error {
	switch c.Family {
	case "", "auto", "ipv4", "ipv6", "dual":
	default:
		return fmt.Errorf("IP family %q: want auto, ipv4, ipv6 or dual", c.Family)
	}
	if c.Sandbox != nil && len(c.NB) > 0 {
		return fmt.Errorf("a sandbox and --nb exclude each other")
	}
	if c.Reconcile && len(c.Sources) == 0 {
		return fmt.Errorf("write rows without objects: every row would be taken for left over; give the manifests as well")
	}
	names := map[string]bool{}
	for _, src := range c.Sources {
		if names[src.Name()] {
			return fmt.Errorf("two sources are called %q", src.Name())
		}
		names[src.Name()] = true
	}
	if c.MaxPriority < 0 || c.MaxPriority > highestPriority {
		return fmt.Errorf("largest priority %d: want 0 to %d, rows of others would need OVN priorities below 0", c.MaxPriority, highestPriority)
	}
	if c.MaxPriority == 0 {
		c.MaxPriority = model.MaxPriority
	}
	if sb := c.Sandbox; sb != nil {
		for what, rate := range map[string]float64{"traffic": sb.Traffic, "churn": sb.Churn} {
			if !(rate >= 0 && rate <= maxRate) {
				return fmt.Errorf("rate of simulated %s %g: want 0 to %g a second", what, rate, float64(maxRate))
			}
		}
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	return c.Features.options(&compiler.Options{})
}

// identity is what history and plans are kept under.
func (c *Config) identity() string {
	if c.Identity != "" {
		return c.Mode.Name + ":" + c.Identity
	}
	return c.Mode.Name + ":" + c.Mode.Title
}

// compilerOptions are the compiler's options of a configuration that was checked.
func (c *Config) compilerOptions() compiler.Options {
	o := compiler.Options{
		IPv4:          c.Family == "ipv4" || c.Family == "dual",
		IPv6:          c.Family == "ipv6" || c.Family == "dual",
		Observability: c.Observability,
		MaxPriority:   c.MaxPriority,
	}
	_ = c.Features.options(&o)
	return o
}
