package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rung/change/write"
	"rung/engine"
	"rung/engine/lab"
	"rung/engine/zones"
	"rung/model"
	"rung/revision"
	"rung/sources/files"
	"rung/sources/kube"
	"rung/system"
)

type globalFlags struct {
	Files      []string
	NB, SB     []string
	databases  []string // found in folders of -f; nil before the search
	nbTLS      engine.TLSFiles
	Output     string
	keepCounts bool
	WriteBack  bool
	ReadOnly   bool
	ovsdb      string
	sandboxOVN string
	OnOVN      bool // the command needs the sandbox's OVN
	// Time to read the ACL log before an answer.
	Listen     time.Duration
	sandboxDir string
	portDelay  time.Duration
	// DemoLag is how long the demo's last zone does not answer at the start.
	DemoLag  time.Duration
	traffic  float64
	Log      logFlags
	churn    float64
	StateDir string
	OVN      revision.Flags
	dnsFile  string
	// Codes of omissions that do not affect the exit code.
	AllowUnjudged []string
	apiRelease    string // release whose CRDs check files
	Quiet         bool   // do not print what could not be read
	ForReport     bool   // files without databases have no zones; changes of others are read
	RowsOnly      bool   // databases suffice, manifests are not needed
	maxFile       int64
	Flows         func(zone string) bool // zones whose flows the command reads; nil: none

	Kube clusterFlags
	UI   uiFlags
}

func (f *globalFlags) Register(root *cobra.Command) {
	p := root.PersistentFlags()
	p.StringArrayVarP(&f.Files, "filename", "f", nil,
		"manifests to read: `PATH` of a file or folder, - for standard input, or git:REV[:PATH] of a git repository (repeatable)")
	f.registerNB(p)
	p.StringVarP(&f.Output, "output", "o", "table", "`FORM` of the answer: table, wide, json, yaml or a template; the help of a command "+
		"lists all that it has")
	p.StringVar(&f.OVN.Family, "ip-family", "auto", "address `FAMILIES` to compile for: auto, ipv4, ipv6 or dual")
	p.BoolVar(&f.WriteBack, "write-back", false, "also write changes to the files they came from")
	p.BoolVar(&f.keepCounts, "keep-counts", false, "keep the hits of rules in the state folder, for the next run")
	p.BoolVar(&f.ReadOnly, "readonly", false, "never change anything")
	p.StringVar(&f.ovsdb, "sandbox-ovsdb", "auto", "`SERVER` for the sandbox zones: auto, builtin, or the path of an ovsdb-server")
	p.StringVar(&f.sandboxOVN, "sandbox-ovn", lab.OVNAuto,
		"run the sandbox zones on real OVN: auto (where OVN 23.06 or newer is installed), off, or its `FOLDER`")
	p.StringVar(&f.sandboxDir, "sandbox-dir", "", "`FOLDER` for sandbox sockets and databases (default in XDG_RUNTIME_DIR)")
	p.DurationVar(&f.portDelay, "sandbox-port-delay", 0, "`TIME` between a pod and its logical switch port in the sandbox")
	p.Float64Var(&f.traffic, "traffic", 12, "`NUMBER` of connections per second in the sandbox, 0 for none")
	p.Float64Var(&f.churn, "churn", 0, "`NUMBER` of simulated pod events per second in the sandbox")
	p.Int32Var(&f.OVN.MaxPriority, "max-priority", model.MaxPriority, "last `PRIORITY` that the cluster enforces")
	p.BoolVar(&f.OVN.CompileCNP, "compile-cnp", false,
		"compile ClusterNetworkPolicies as OVN-Kubernetes, which has no controller for them, might")
	p.StringVar(&f.OVN.System, "system", "auto",
		"network `PLUGIN` whose rules of precedence hold: auto, "+strings.Join(system.SystemNames(), " or "))
	registerDialect(p, f)
	features := &f.OVN.Features
	p.StringVar(&features.Multicast, "multicast", "auto",
		"`WHEN` there are multicast rows: on, off, or auto (once a namespace allows multicast)")
	p.StringVar(&features.Defaults, "netpol-defaults", "auto",
		"`WHEN` there are hairpin and node rows: on, off, or auto (once there is a NetworkPolicy)")
	p.StringSliceVar(&features.ClusterSubnets, "cluster-subnets", nil,
		"`NETWORKS` of the cluster's pods, with commas between, excluded from EgressFirewall rows")
	p.StringSliceVar(&features.MasqueradeSubnets, "masquerade-subnets", nil,
		"`NETWORKS` that nodes masquerade with, with commas between: hairpin rows let in their fifth addresses")
	p.BoolVar(&f.OVN.LegacyIsolation, "legacy-isolation", false,
		"the isolation annotation of 2016 counts: for verdicts and the ladder, not for rows")
	p.StringVar(&features.HostNetworkNamespace, "host-network-namespace", "",
		"`NAMESPACE` that represents the nodes (default from OVN-Kubernetes' ConfigMap, else openshift-host-network if it exists, else "+
			"ovn-host-network)")
	p.StringVar(&f.dnsFile, "dns-addresses", "", "`FILE` with the addresses of EgressFirewall DNS names, as name: [address, …]")
	p.StringSliceVar(&f.AllowUnjudged, "allow-unjudged", nil,
		"do not exit with 2 because of omissions: all, or only some `CODES`, such as refused,unscheduled")
	p.Lookup("allow-unjudged").NoOptDefVal = "all"
	p.StringVar(&f.apiRelease, "api-release", "", "`RELEASE` of network-policy-api whose CRDs check files: v0.1.5 or v0.2.0 (the default)")
	p.StringVar(&f.StateDir, "state-dir", "", "`FOLDER` for history, audit and logs (default in XDG_STATE_HOME)")
	p.Int64Var(&f.maxFile, "max-file-size", 0, "largest manifest file to read, in `MIB`; 8 times that once expanded (default 32)")
	_ = p.MarkHidden("churn")
	f.Log.register(p)
	f.Kube.register(p)
	f.UI.register(p)
}

// StateFolder returns the folder of history, audit and Rung's own log.
func (f *globalFlags) StateFolder() string {
	return cmp.Or(f.StateDir, filepath.Join(xdg.StateHome, "rung"))
}

// EngineConfig returns the engine's configuration. needsZones says whether the command needs databases at all.
// Files such as a pipe may never answer; it then returns when ctx ends.
func (a *App) EngineConfig(ctx context.Context, demo, needsZones bool) (engine.Config, error) {
	return AwaitResult(ctx, func() (engine.Config, error) { return a.makeConfig(ctx, demo, needsZones) })
}

func (a *App) makeConfig(ctx context.Context, demo, needsZones bool) (engine.Config, error) {
	f := &a.Flags
	cfg := engine.Config{ReadOnly: f.ReadOnly, Writes: !f.ReadOnly, StateDir: f.StateFolder(), KeepCounts: f.keepCounts, ReadPast: f.ForReport,
		OVNTrace: zones.NewOVNTracer(nil)}
	file, err := a.readSettings(ctx)
	if err != nil {
		return cfg, err
	}
	_ = a.setLook(file) // the console reports an invalid colour mode
	cfg.Protected = file.Protected
	if cfg.APIRelease, err = f.crdRelease(file); err != nil {
		return cfg, err
	}
	if f.dnsFile != "" {
		if f.OVN.Features.DNS, err = revision.ReadDNSAddresses(ctx, f.dnsFile); err != nil {
			return cfg, err
		}
	}
	cfg.Flags = f.OVN
	if demo {
		cfg.Features.AddDemo()
	}
	writeBack := f.WriteBack && !f.ReadOnly && !demo
	opt := write.FileOptions{Paths: f.Files, Stdin: a.In, MaxFileBytes: f.maxFile << 20, Release: cfg.APIRelease}
	if err := f.setSouthbounds(&cfg); err != nil {
		return cfg, err
	}
	switch {
	case demo:
		cfg.Mode = revision.Mode{Name: "demo", Title: "demo"}
		opt.Demo = f.namedSystem().DemoManifests
	case len(f.Files) > 0 && f.Kube.NamesCluster():
		return cfg, errors.New("-f cannot be combined with --kubeconfig, --context or another flag that names a cluster")
	case len(f.Files) > 0 && f.Kube.reconcile:
		return cfg, errors.New("--reconcile needs a cluster: a sandbox is written anyway; " +
			"for other databases use: rung reconcile -f PATH --nb ADDR")
	case len(f.Files) > 0:
		cfg.Mode = revision.Mode{Name: revision.FilesMode, Title: strings.Join(f.Files, " "), WriteBack: writeBack}
		// The same wherever Rung is started: history and plans are kept under this name.
		cfg.Identity = strings.Join(model.MapList(f.Files, engine.InputIdentity), " ")
	case len(f.NB) > 0 && f.RowsOnly && !f.Kube.NamesCluster():
		cfg.Mode = revision.Mode{Name: revision.RowsMode, Title: strings.Join(f.NB, " ")}
	default:
		return cfg, a.configureCluster(ctx, &cfg, needsZones)
	}
	for _, p := range f.Files {
		if err := engine.CheckInput(ctx, p); err != nil {
			return cfg, fmt.Errorf("read manifests: %w; check -f", err)
		}
	}
	if demo || len(f.Files) > 0 {
		files := write.NewFiles(opt)
		cfg.Sources = []kube.Source{files}
		if writeBack {
			cfg.Writer = files
		}
	}
	if !needsZones {
		return cfg, nil
	}
	if given, err := f.setDatabases(ctx, &cfg); given || err != nil {
		cfg.Writes = false // others own the rows
		return cfg, err
	}
	if !f.namedSystem().HasFeature(system.Rows) || f.ForReport {
		return cfg, nil // no databases for a sandbox to run
	}
	cfg.Mode.Sandbox, cfg.Mode.Reconciles = true, true
	box := lab.New(lab.Config{Server: f.ovsdb, OVN: f.sandboxOVN, Dir: f.sandboxDir, PortDelay: f.portDelay, Traffic: f.TrafficRate(),
		Churn: f.churn, Foreign: demo})
	if demo {
		box.Lag = f.DemoLag
	}
	cfg.Sandbox, cfg.OVNTrace = box, zones.NewOVNTracer(box.OVNTracer)
	if f.sandboxOVN != lab.OVNAuto && f.sandboxOVN != lab.OVNOff {
		if err := lab.CheckOVN(ctx, f.sandboxOVN); err != nil {
			return cfg, fmt.Errorf("--sandbox-ovn: %w", err)
		}
	}
	cfg.Mode.Simulated = f.TrafficRate() > 0 || f.churn > 0
	return cfg, nil
}

// namedSystem returns the plugin given by --system, else the first.
func (f *globalFlags) namedSystem() *system.System {
	return cmp.Or(system.SystemByName(f.OVN.System), system.All[0])
}

type uiFlags struct {
	Theme, Color, View, config, Profile string
	ASCII, NoMouse                      bool
	pager                               string
}

func (u *uiFlags) register(p *pflag.FlagSet) {
	p.StringVar(&u.config, "config", "", "configuration `FILE` (default in XDG_CONFIG_HOME)")
	p.StringVar(&u.Theme, "theme", "", "colour `THEME`")
	p.StringVar(&u.View, "view", "", "`NAME` of the page or saved view that the console opens with")
	p.StringVar(&u.Color, "color", "", "`WHEN` there are colours: auto, always, never, 16, 256 or truecolor")
	p.StringVar(&u.pager, "pager", "", "show an answer longer than the screen in a pager: `COMMAND`, or never (default RUNG_PAGER; without "+
		"a value also PAGER, or less)")
	p.Lookup("pager").NoOptDefVal = AskedPager
	p.BoolVar(&u.ASCII, "ascii", false, "draw with ASCII characters only")
	p.StringVar(&u.Profile, "profile", "", "`FOLDER` to write profiles of the console to")
	_ = p.MarkHidden("profile")
	p.BoolVar(&u.NoMouse, "no-mouse", false, "leave the mouse to the terminal")
}

// maxConfig limits the configuration file, in bytes.
const maxConfig = 1 << 20

// ReadConfig reads the configuration file. The default file may be absent.
func (u *uiFlags) ReadConfig(ctx context.Context) (text []byte, path string, err error) {
	path = cmp.Or(u.config, filepath.Join(xdg.ConfigHome, "rung", "config.yaml"))
	text, err = files.ReadFile(ctx, path, maxConfig)
	switch {
	case errors.Is(err, fs.ErrNotExist) && u.config == "":
		return nil, path, nil
	case errors.Is(err, files.ErrTooLarge):
		return nil, path, fmt.Errorf("read the configuration %s: larger than %d MiB", path, maxConfig>>20)
	case err != nil:
		return nil, path, fmt.Errorf("read the configuration: %w", err)
	}
	return text, path, nil
}

// Switches are the flags with the values auto, on and off; without a value they mean on.
var Switches = []string{"observability", "allow-icmp-network-policy", "enable-stateless-netpol"}

// asTheCluster explains auto.
const asTheCluster = " (from the cluster's rows and configuration)"

// registerDialect adds the flags for settings of the cluster's OVN-Kubernetes, which override its rows and
// configuration.
func registerDialect(p *pflag.FlagSet, f *globalFlags) {
	for name, v := range map[string]struct {
		to    *string
		usage string
	}{
		"observability": {&f.OVN.Observability, "`WHEN` ACLs carry samples: on, off, or auto" + asTheCluster},
		"allow-icmp-network-policy": {&f.OVN.Features.AllowICMP,
			"`WHEN` NetworkPolicies let ICMP through: on, off, or auto" + asTheCluster},
		"enable-stateless-netpol": {&f.OVN.Features.Stateless,
			"`WHEN` the annotation acl-stateless of NetworkPolicies counts: on, off, or auto" + asTheCluster},
	} {
		*v.to = "auto"
		p.Var((*switchValue)(v.to), name, v.usage)
		p.Lookup(name).NoOptDefVal = "on"
	}
}

// switchValue is the value of a switch: auto, on or off. It also takes true and false.
type switchValue string

func (s *switchValue) String() string { return string(*s) }

func (s *switchValue) Type() string { return "string" }

func (s *switchValue) Set(text string) error {
	switch text {
	case "auto", "on", "off":
		*s = switchValue(text)
	case "true":
		*s = "on"
	case "false":
		*s = "off"
	default:
		return fmt.Errorf("want auto, on or off")
	}
	return nil
}

// JoinSwitches joins a switch and the word after it if that word can be its value. Without a value the switch
// means on, like OVN-Kubernetes' flag of the same name, so "--observability off" would otherwise switch it on
// and take off for the name of a policy.
func JoinSwitches(args []string) []string {
	out := make([]string, 0, len(args))
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(out, args[i:]...)
		}
		name, long := strings.CutPrefix(args[i], "--")
		if long && slices.Contains(Switches, name) && i+1 < len(args) && new(switchValue).Set(args[i+1]) == nil {
			out = append(out, args[i]+"="+args[i+1])
			i++
			continue
		}
		out = append(out, args[i])
	}
	return out
}
