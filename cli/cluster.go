package cli

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
	"k8s.io/client-go/tools/clientcmd"

	"rung/engine"
)

// clusterFlags say which cluster is looked at when there are no files.
type clusterFlags struct {
	engine.ClusterOptions
	unset            clientcmd.ConfigOverrides // what the flags that are kubectl's hold when none is given
	write, reconcile bool
}

func (c *clusterFlags) register(p *pflag.FlagSet) {
	p.StringVar(&c.Kubeconfig, "kubeconfig", "", "kubeconfig file (default as kubectl: KUBECONFIG, ~/.kube/config, the pod's service account)")
	clientcmd.BindOverrideFlags(&c.Overrides, p, kubectlFlags())
	c.unset = c.Overrides
	p.Float32Var(&c.QPS, "kube-qps", 0, "requests a second to the API server (default 50)")
	p.IntVar(&c.Burst, "kube-burst", 0, "requests to the API server in a burst (default 100)")
	p.StringVar(&c.OVNNamespace, "ovn-namespace", "", "namespace of the ovnkube-node pods (default ovn-kubernetes or openshift-ovn-kubernetes)")
	p.BoolVar(&c.write, "write", false, "allow changes of policies on a cluster from the start")
	p.BoolVar(&c.reconcile, "reconcile", false, "in the console, write rows as well while changes are allowed, where nobody else owns them (tcp, ssl and unix endpoints only)")
}

// kubectlFlags are the flags that say which cluster, and as whom, as kubectl has them.
// --namespace is not one: Rung looks at all namespaces, and a policy is named with its
// own.
func kubectlFlags() clientcmd.ConfigOverrideFlags {
	f := clientcmd.RecommendedConfigOverrideFlags("")
	f.ContextOverrideFlags.Namespace.LongName = ""
	f.ClusterOverrideFlags.APIServer.ShortName = "s" // kubectl's, too
	for flag, text := range map[*clientcmd.FlagInfo]string{
		&f.CurrentContext:                             "context of the kubeconfig (default the current one)",
		&f.ContextOverrideFlags.ClusterName:           "cluster of the kubeconfig, in place of the context's",
		&f.ContextOverrideFlags.AuthInfoName:          "user of the kubeconfig, in place of the context's",
		&f.ClusterOverrideFlags.APIServer:             "address of the API server, in place of the kubeconfig's",
		&f.ClusterOverrideFlags.TLSServerName:         "name that the API server's certificate must have",
		&f.ClusterOverrideFlags.CertificateAuthority:  "file with the issuer of the API server's certificate, PEM",
		&f.ClusterOverrideFlags.InsecureSkipTLSVerify: "take any certificate of the API server: whoever is in between reads and changes everything",
		&f.ClusterOverrideFlags.ProxyURL:              "proxy on the way to the API server",
		&f.ClusterOverrideFlags.DisableCompression:    "ask the API server for answers that are not compressed",
		&f.AuthOverrideFlags.ClientCertificate:        "file with the certificate to log in with, PEM",
		&f.AuthOverrideFlags.ClientKey:                "file with the key to log in with, PEM",
		&f.AuthOverrideFlags.Token:                    "bearer token to log in with; other users of this machine can see it",
		&f.AuthOverrideFlags.Username:                 "user name to log in with",
		&f.AuthOverrideFlags.Password:                 "password to log in with; other users of this machine can see it",
		&f.AuthOverrideFlags.Impersonate:              "user to impersonate on the cluster",
		&f.AuthOverrideFlags.ImpersonateUID:           "UID to impersonate on the cluster",
		&f.AuthOverrideFlags.ImpersonateGroups:        "group to impersonate on the cluster (repeatable)",
		&f.Timeout:                                    "longest wait for an answer of the API server, as 5s or 1m (default Rung's own limits); watches and followed logs stay open",
	} {
		flag.Description = text
	}
	return f
}

// given says whether a cluster was asked for by name.
func (c *clusterFlags) given() bool {
	return c.Kubeconfig != "" || !reflect.DeepEqual(c.Overrides, c.unset)
}

// elsewhere says whether flags lead to another server, or log in another way, than the
// context of the kubeconfig says: what holds for the context by its name does not hold
// then, and what was given belongs to no other context.
func (c *clusterFlags) elsewhere() bool {
	o := c.Overrides
	o.CurrentContext, o.Timeout = c.unset.CurrentContext, c.unset.Timeout
	o.AuthInfo.Impersonate, o.AuthInfo.ImpersonateUID, o.AuthInfo.ImpersonateGroups = "", "", c.unset.AuthInfo.ImpersonateGroups
	return !reflect.DeepEqual(o, c.unset)
}

// cluster fills the configuration for a run on a cluster.
func (a *app) cluster(ctx context.Context, cfg *engine.Config, zones bool) error {
	f := &a.flags
	opt := f.kube.ClusterOptions
	if err := engine.OpenCluster(cfg, opt, zones && len(f.nb) == 0); err != nil {
		if errors.Is(err, engine.ErrNoCluster) {
			if len(f.nb) > 0 {
				return fmt.Errorf("there are rows by --nb, and no policies to hold against them: give -f PATH as well, or a cluster (%w)", err)
			}
			return fmt.Errorf("nothing to show: no -f PATH, and %w; try: rung demo, or rung -f FOLDER", err)
		}
		return err
	}
	set, err := a.contextSettings(ctx, cfg.Mode.Title)
	if err != nil {
		return err
	}
	cfg.Writes = (f.kube.write || set.Write && !f.kube.elsewhere()) && !f.readOnly
	cfg.Reconcile = f.kube.reconcile && !f.readOnly
	if cfg.Reconcile && len(f.nb) == 0 {
		return errors.New("--reconcile: rows are written through tcp:, ssl: and unix: endpoints only, never through exec; give --nb")
	}
	if zones && len(f.nb) > 0 {
		if _, err = f.databases(ctx, cfg); err != nil {
			return err
		}
	}
	cfg.Mode.Reconciles, cfg.Own.WithWrites = cfg.Reconcile, true // rows need both
	return nil
}

// contextSetting is what the configuration file says about one context.
type contextSetting struct {
	Write bool `yaml:"write"`
}

// contextSettings reads the part of the configuration file about a context;
// the rest of the file is the screen's.
func (a *app) contextSettings(ctx context.Context, name string) (s contextSetting, err error) {
	opt, err := a.flags.ui.options(ctx)
	if err != nil {
		return s, err
	}
	var file struct {
		Contexts map[string]contextSetting `yaml:"contexts"`
	}
	if err := yaml.Unmarshal(opt.Config, &file); err != nil {
		var wrong *yaml.TypeError
		if !errors.As(err, &wrong) {
			return s, nil // the screen says what is wrong with the file
		}
	}
	return file.Contexts[name], nil
}

// offerDemo asks, where somebody sits at a terminal, whether to open the demo
// since there is no cluster. It says whether that was wanted.
func (a *app) offerDemo(ctx context.Context, err error) bool {
	if !errors.Is(err, engine.ErrNoCluster) || len(a.flags.nb) > 0 || a.screen == nil || !a.asks {
		return false
	}
	fmt.Fprintln(a.err, "rung: "+oneLine(err.Error()))
	fmt.Fprint(a.err, "Open the built-in demo cluster? [Y/n] ")
	line, rerr := readLine(a.in)
	return rerr == nil && ctx.Err() == nil && slices.Contains([]string{"", "y", "yes"}, strings.ToLower(line))
}

// engines holds the engines of a console: the one shown, and those that were left
// and are ending.
type engines struct {
	mu     sync.Mutex
	newest *engine.Engine
	ending sync.WaitGroup
	closed bool
}

// replace shows another engine and ends the one before, without waiting for it.
// One that comes when the screen has been left ends at once.
func (r *engines) replace(e *engine.Engine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		e.Close()
		return
	}
	old := r.newest
	r.newest = e
	r.ending.Go(old.Close)
}

func (r *engines) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.newest.Close()
	r.ending.Wait()
}

// switcher opens other contexts with the flags of this run. Changes that were
// allowed for one cluster are not for the next.
func (a *app) switcher(open *engines) func(context.Context, string) (*engine.Engine, error) {
	return func(ctx context.Context, name string) (*engine.Engine, error) {
		next := *a
		next.flags.kube.Overrides.CurrentContext, next.flags.kube.write = name, false
		switch {
		case len(next.flags.nb) > 0:
			return nil, errors.New("--nb names the databases of one cluster: start Rung again for another")
		case next.flags.kube.elsewhere():
			return nil, errors.New("server or login were given by flags, for one cluster: start Rung again for another")
		}
		cfg, err := next.config(ctx, false, true)
		if err != nil {
			return nil, err
		}
		cfg.Screen = true
		e, err := engine.New(ctx, cfg)
		if err != nil {
			return nil, err
		}
		open.replace(e)
		return e, nil
	}
}
