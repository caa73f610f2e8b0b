package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
	"k8s.io/client-go/tools/clientcmd"

	"rung/engine"
	"rung/model/words"
	"rung/revision"
)

// clusterFlags choose the cluster to look at if no files are given.
type clusterFlags struct {
	engine.ClusterOptions
	unset            clientcmd.ConfigOverrides // values of kubectl's flags if none is given
	Write, reconcile bool
}

func (c *clusterFlags) register(p *pflag.FlagSet) {
	c.FencePlugins = true // Main runs them
	p.StringVar(&c.Kubeconfig, "kubeconfig", "",
		"kubeconfig `FILE` (default as kubectl: KUBECONFIG, ~/.kube/config, the pod's service account)")
	clientcmd.BindOverrideFlags(&c.Overrides, p, kubectlFlags())
	c.unset = c.Overrides
	p.Float32Var(&c.QPS, "kube-qps", 0, "`NUMBER` of API requests per second (default 50)")
	p.IntVar(&c.Burst, "kube-burst", 0, "`NUMBER` of API requests in a burst (default 100)")
	p.StringVar(&c.OVNNamespace, "ovn-namespace", "",
		"`NAMESPACE` of the ovnkube-node pods (default ovn-kubernetes or openshift-ovn-kubernetes)")
	p.BoolVar(&c.Workloads, "workloads", false, "also read the workloads of a cluster: those without pods count as the pods "+
		"they would have")
	p.BoolVar(&c.Write, "write", false, "allow policy changes on a cluster from the start")
	p.BoolVar(&c.reconcile, "reconcile", false,
		"console on a cluster: while changes are allowed, also write rows that nothing else owns "+
			"(--nb with tcp:, ssl: or unix: only)")
}

// kubectlFlags returns kubectl's flags for choosing a cluster and a user. It leaves out --namespace, since
// Rung looks at all namespaces and a policy is named with its own.
func kubectlFlags() clientcmd.ConfigOverrideFlags {
	f := clientcmd.RecommendedConfigOverrideFlags("")
	f.ContextOverrideFlags.Namespace.LongName = ""
	f.ClusterOverrideFlags.APIServer.ShortName = "s" // as in kubectl
	for flag, text := range map[*clientcmd.FlagInfo]string{
		&f.CurrentContext:                            "kubeconfig `CONTEXT` to use (default the current one)",
		&f.ContextOverrideFlags.ClusterName:          "kubeconfig `CLUSTER` to use instead of the context's",
		&f.ContextOverrideFlags.AuthInfoName:         "kubeconfig `USER` to use instead of the context's",
		&f.ClusterOverrideFlags.APIServer:            "`ADDRESS` of the API server, instead of the kubeconfig's",
		&f.ClusterOverrideFlags.TLSServerName:        "`NAME` expected in the API server's certificate",
		&f.ClusterOverrideFlags.CertificateAuthority: "PEM `FILE` with the CA of the API server's certificate",
		&f.ClusterOverrideFlags.InsecureSkipTLSVerify: "do not verify the API server's certificate; " +
			"anyone in between can read and change everything",
		&f.ClusterOverrideFlags.ProxyURL:           "`ADDRESS` of a proxy for API requests",
		&f.ClusterOverrideFlags.DisableCompression: "do not compress API responses",
		&f.AuthOverrideFlags.ClientCertificate:     "PEM `FILE` with the client certificate",
		&f.AuthOverrideFlags.ClientKey:             "PEM `FILE` with the client key",
		&f.AuthOverrideFlags.Token:                 "bearer `TOKEN`; visible to other users of this machine",
		&f.AuthOverrideFlags.Username:              "user `NAME` for basic authentication",
		&f.AuthOverrideFlags.Password:              "`PASSWORD` for basic authentication; visible to other users of this machine",
		&f.AuthOverrideFlags.Impersonate:           "`USER` to impersonate",
		&f.AuthOverrideFlags.ImpersonateUID:        "`UID` to impersonate",
		&f.AuthOverrideFlags.ImpersonateGroups:     "`GROUP` to impersonate (repeatable)",
		&f.Timeout: "longest `TIME` to wait for an API response, such as 5s or 1m (default Rung's own limits); " +
			"watches and followed logs stay open",
	} {
		flag.Description = text
	}
	return f
}

// NamesCluster reports whether a cluster was chosen by flags.
func (c *clusterFlags) NamesCluster() bool {
	return c.Kubeconfig != "" || !reflect.DeepEqual(c.Overrides, c.unset)
}

// LeadsElsewhere reports whether flags choose another server or another login than the kubeconfig's context.
// Settings for the context by its name then do not apply, and the flags apply to no other context.
func (c *clusterFlags) LeadsElsewhere() bool {
	o := c.Overrides
	o.CurrentContext, o.Timeout = c.unset.CurrentContext, c.unset.Timeout
	o.AuthInfo.Impersonate, o.AuthInfo.ImpersonateUID, o.AuthInfo.ImpersonateGroups = "", "", c.unset.AuthInfo.ImpersonateGroups
	return !reflect.DeepEqual(o, c.unset)
}

func (a *App) configureCluster(ctx context.Context, cfg *engine.Config, zones bool) error {
	f := &a.Flags
	opt := f.Kube.ClusterOptions
	if err := engine.OpenCluster(cfg, opt, zones && len(f.NB) == 0); err != nil {
		if errors.Is(err, engine.ErrNoCluster) {
			if len(f.NB) > 0 {
				return fmt.Errorf("--nb gives rows but no policies: also give -f PATH or a cluster (%w)", err)
			}
			return fmt.Errorf("nothing to show: no -f PATH and %w; try: rung demo, or give -f PATH", err)
		}
		return err
	}
	set, err := a.contextSettings(ctx, cfg.Mode.Title)
	if err != nil {
		return err
	}
	if set.ReadOnly && !f.ReadOnly {
		cfg.ReadOnly, cfg.WhyReadOnly = true, fmt.Sprintf("the configuration sets readonly for context %s", words.CleanText(cfg.Mode.Title))
	}
	cfg.Writes = (f.Kube.Write || set.Write && !f.Kube.LeadsElsewhere()) && !cfg.ReadOnly
	cfg.Reconcile = f.Kube.reconcile && !cfg.ReadOnly
	if cfg.Reconcile && len(f.NB) == 0 {
		return errors.New("--reconcile needs --nb with tcp:, ssl: or unix:; rows are never written through exec")
	}
	if zones && len(f.NB) > 0 {
		if _, err = f.setDatabases(ctx, cfg); err != nil {
			return err
		}
	}
	cfg.Mode.Reconciles, cfg.Own.WithWrites = cfg.Reconcile, true // rows need both
	return nil
}

type contextSetting struct {
	Write    bool `yaml:"write"`
	ReadOnly bool `yaml:"readonly"`
}

// contextSettings reads the part of the configuration file for a context; the screen reads the rest.
func (a *App) contextSettings(ctx context.Context, name string) (s contextSetting, err error) {
	text, _, err := a.Flags.UI.ReadConfig(ctx)
	if err != nil {
		return s, err
	}
	var file struct {
		Contexts map[string]contextSetting `yaml:"contexts"`
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		var wrong *yaml.TypeError
		if !errors.As(err, &wrong) {
			return s, nil // the screen reports what is wrong with the file
		}
	}
	return file.Contexts[name], nil
}

// fileSettings are the settings of the configuration file that commands use too.
type fileSettings struct {
	// Defaults of --theme and --color.
	Theme string `yaml:"theme"`
	Color string `yaml:"color"`
	// Namespaces that guard rails protect in addition to the platform's.
	Protected []string `yaml:"protected"`
	// Default of --api-release.
	APIRelease string `yaml:"api-release"`

	path string
}

// readSettings reads the settings of the configuration file. It prints a complaint if they cannot be parsed:
// the platform's namespaces are still protected.
func (a *App) readSettings(ctx context.Context) (file fileSettings, err error) {
	text, path, err := a.Flags.UI.ReadConfig(ctx)
	if err != nil {
		return file, err
	}
	file.path = path
	if err := yaml.Unmarshal(text, &file); err != nil {
		a.PrintNotice(fmt.Sprintf("protected and api-release of %s cannot be read: %v", path, err))
	}
	return file, nil
}

// crdRelease returns the release whose CRDs check files, empty if none is configured.
func (f *globalFlags) crdRelease(file fileSettings) (string, error) {
	if f.apiRelease != "" {
		if err := engine.CheckAPIRelease(f.apiRelease); err != nil {
			return "", fmt.Errorf("--api-release: %w", err)
		}
		return f.apiRelease, nil
	}
	if err := engine.CheckAPIRelease(file.APIRelease); err != nil {
		return "", fmt.Errorf("%s, api-release: %w", file.path, err)
	}
	return file.APIRelease, nil
}

func (f *globalFlags) registerNB(p *pflag.FlagSet) {
	p.StringArrayVar(&f.NB, "nb", nil, "Northbound database to read instead of a sandbox, or of exec on a cluster: "+
		"`[ZONE=]ADDRESS`, as unix:PATH, tcp:HOST:PORT, ssl:HOST:PORT, file:PATH for a database file, or list:PATH for the output of "+
		"ovn-nbctl list (repeatable)")
	p.StringArrayVar(&f.SB, "sb", nil, "Southbound database of a zone, for its logical flows: "+
		"`[ZONE=]ADDRESS`, as unix:PATH, tcp:HOST:PORT, ssl:HOST:PORT, or file:PATH (repeatable); TLS as for --nb")
	p.StringVar(&f.nbTLS.Key, "nb-key", "", "PEM `FILE` with the private key for ssl: databases")
	p.StringVar(&f.nbTLS.Cert, "nb-cert", "", "PEM `FILE` with the certificate for ssl: databases")
	p.StringVar(&f.nbTLS.CA, "nb-ca", "", "PEM `FILE` with the CA that ssl: databases are verified against")
	p.BoolVar(&f.nbTLS.SkipNames, "nb-skip-name-verification", false,
		"accept any name in an ssl: database's certificate if --nb-ca issued it")
}

// Schemes of the addresses of --sb and of --nb.
var (
	SBSchemes = []string{"unix:", "tcp:", "ssl:", "file:"}
	NBSchemes = append(slices.Clone(SBSchemes), "list:")
)

// setDatabases sets the databases to read: those of --nb, or else the files in the folders of -f, as in a
// must-gather. given reports whether there are any.
func (f *globalFlags) setDatabases(ctx context.Context, cfg *engine.Config) (given bool, err error) {
	if len(f.NB) > 0 {
		cfg.NB, err = f.parseEndpoints("--nb", f.NB)
		return true, err
	}
	if cfg.Mode.Name != revision.FilesMode {
		return false, nil
	}
	found, err := f.findDatabases(ctx)
	if err != nil || len(found) == 0 {
		return false, err
	}
	cfg.NB = make(map[string]string, len(found))
	for _, addr := range found {
		cfg.NB[addr] = addr
	}
	cfg.Mode.Title += " · rows of " + words.Count(len(found), "database file") + ", read-only"
	return true, nil
}

// findDatabases returns the database files in the folders of -f. It searches once per command.
func (f *globalFlags) findDatabases(ctx context.Context) (found []string, err error) {
	if f.databases == nil {
		if found, err = engine.FindDatabases(ctx, f.Files); err != nil {
			return nil, err
		}
		f.databases = append([]string{}, found...)
	}
	return f.databases, nil
}

// HasDatabases reports whether databases are given without a cluster: by --nb, or as files in the folders of
// -f.
func (f *globalFlags) HasDatabases(ctx context.Context) bool {
	if len(f.NB) > 0 {
		return true
	}
	found, err := f.findDatabases(ctx)
	return err != nil || len(found) > 0 // the engine's start repeats the error
}

// setSouthbounds sets the Southbound databases given by --sb. A single one without a zone belongs to the only
// zone.
func (f *globalFlags) setSouthbounds(cfg *engine.Config) error {
	cfg.NBTLS = f.nbTLS
	given, err := f.parseEndpoints("--sb", f.SB)
	if err != nil {
		return err
	}
	for zone, addr := range given {
		if zone != addr {
			continue
		}
		if len(given) > 1 {
			return fmt.Errorf("--sb %s: name the zone of each: --sb ZONE=ADDR", addr)
		}
		delete(given, zone)
		given[""] = addr
	}
	cfg.SB = given
	return nil
}

// parseEndpoints returns the databases given by a flag, by zone; those without a zone by address. A Northbound
// database names its zone itself.
func (f *globalFlags) parseEndpoints(flag string, values []string) (map[string]string, error) {
	out := map[string]string{}
	for _, s := range values {
		zone, addr := "", s
		// Addresses begin with a scheme, zones have no colon.
		if name, rest, ok := strings.Cut(s, "="); ok && !strings.ContainsAny(name, ":/") {
			zone, addr = name, rest
		}
		schemes, want := NBSchemes, "ssl:HOST:PORT, file:PATH or list:PATH"
		if flag == "--sb" {
			schemes, want = SBSchemes, "ssl:HOST:PORT or file:PATH"
		}
		if !slices.ContainsFunc(schemes, func(scheme string) bool { return strings.HasPrefix(addr, scheme) && addr != scheme }) {
			return nil, fmt.Errorf("%s %s: want [zone=]unix:PATH, tcp:HOST:PORT, %s", flag, s, want)
		}
		zone = cmp.Or(zone, addr)
		if _, dup := out[zone]; dup {
			return nil, fmt.Errorf("%s %s: another %s is already for this zone; name the zones: %s ZONE=ADDR", flag, s, flag, flag)
		}
		if strings.HasPrefix(addr, "ssl:") {
			if err := f.nbTLS.Check(); err != nil {
				return nil, fmt.Errorf("%s %s: %w", flag, s, err)
			}
		}
		out[zone] = addr
	}
	return out, nil
}
