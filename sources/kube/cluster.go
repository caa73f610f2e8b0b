package kube

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"rung/model/words"
)

// FieldManager is Rung's name in the managedFields of objects.
const FieldManager = "rung"

// Options name the cluster and the login.
type Options struct {
	// Kubeconfig is a file; empty follows kubectl: KUBECONFIG, ~/.kube/config, a pod's service account.
	Kubeconfig string
	// Overrides replace parts of the kubeconfig, as kubectl's flags do: context, cluster, user, server,
	// credentials, impersonation. Timeout bounds every request except watches and streams.
	Overrides clientcmd.ConfigOverrides
	// QPS and Burst bound requests a second; 0 means 50 and 100.
	QPS   float32
	Burst int
	// ZonePodsFor is how long a list of ovnkube-node pods is reused, also a failed one; 0 means 5 s.
	ZonePodsFor time.Duration
	// Workloads means that Deployments and the other workload kinds are read, too.
	Workloads bool
	// FencePlugins is set if this program calls RunLoginPlugin when its first argument is LoginPlugin. A login
	// plugin then ends with this program.
	FencePlugins bool
}

// Cluster is a connection to the API server of a cluster.
type Cluster struct {
	opt     Options
	context string // clean
	pinned  string // the context's name in the kubeconfig; empty without a context

	mu      sync.RWMutex // guards the fields that Reopen replaces
	config  *rest.Config
	builtin *Builtin // protobuf if the server supports it
	dynamic dynamic.Interface

	zonePods SharedAnswers[map[string][]zonePodInfo] // by namespace

	answersMu sync.Mutex
	answers   map[AccessQuestion]AccessAnswer // the server's answers about permissions; see MayDo
}

// Open prepares a cluster. It reads the kubeconfig but sends no request.
func Open(o Options) (*Cluster, error) {
	loader := configLoader(o)
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	cfg, err := loader.ClientConfig()
	if err != nil {
		if clientcmd.IsEmptyConfig(err) || len(raw.Contexts) == 0 {
			return nil, &NoClusterError{Looked: lookedAt(o)}
		}
		return nil, fmt.Errorf("kubeconfig context %q: %s", contextName(o, raw), words.WithoutLogins(err.Error()))
	}
	c := &Cluster{opt: o, pinned: contextName(o, raw), config: cfg,
		context:  cmp.Or(words.CleanText(contextName(o, raw)), shown(o.Overrides.ClusterInfo.Server), inCluster),
		zonePods: SharedAnswers[map[string][]zonePodInfo]{Keep: cmp.Or(o.ZonePodsFor, zonePodsFor), Within: zonePodsWithin}}
	takeLogin(cfg)
	cfg.Wrap(hideCredentials)
	cfg.UserAgent = "rung"
	if cfg.ExecProvider != nil {
		// Goroutines request credentials while the screen reads the keys: a plugin that asks would take them.
		cfg.ExecProvider.StdinUnavailable = true
		cfg.ExecProvider.StdinUnavailableMessage = "Rung cannot run a login plugin that asks questions; log in with kubectl first, with a " +
			"plugin that keeps its token"
		if o.FencePlugins {
			cfg.ExecProvider = fencePlugin(cfg.ExecProvider, cfg.Timeout)
		}
	}
	cfg.QPS, cfg.Burst = cmp.Or(o.QPS, 50), cmp.Or(o.Burst, 100)
	cfg.WarningHandlerWithContext = warningCollector{}
	if c.builtin, err = newBuiltin(asProtobuf(cfg)); err != nil {
		return nil, fmt.Errorf("context %s: %s", c.context, words.WithoutLogins(err.Error()))
	}
	if c.dynamic, err = dynamicClient(cfg); err != nil {
		return nil, fmt.Errorf("context %s: %s", c.context, words.WithoutLogins(err.Error()))
	}
	return c, nil
}

// asProtobuf returns a configuration that prefers protobuf, for built-in resources.
func asProtobuf(cfg *rest.Config) *rest.Config {
	cfg = rest.CopyConfig(cfg)
	cfg.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	cfg.ContentType = "application/vnd.kubernetes.protobuf"
	return cfg
}

// OwnClient makes a client of built-in resources with its own rate limit, so that bursts do not delay other
// requests. It has the cluster's present credentials.
func (c *Cluster) OwnClient(qps float32, burst int) (*Builtin, error) {
	cfg := asProtobuf(c.Config())
	cfg.QPS, cfg.Burst, cfg.RateLimiter = qps, burst, nil
	client, err := newBuiltin(cfg)
	if err != nil {
		return nil, fmt.Errorf("context %s: %w", c.context, err)
	}
	return client, nil
}

// inCluster replaces the context's name if there is none.
const inCluster = "in-cluster"

// Context returns the clean name of the kubeconfig context, else the server given by flag, or "in-cluster".
func (c *Cluster) Context() string { return c.context }

// Server returns the API server's address, clean and without a login.
func (c *Cluster) Server() string { return shown(c.Config().Host) }

// Login returns the name of the kubeconfig's credential plugin, clean; empty for none.
func (c *Cluster) Login() string { return pluginName(c.Config().ExecProvider) }

// Options returns the options the cluster was opened with.
func (c *Cluster) Options() Options { return c.opt }

// Config returns a copy of the client configuration, for separate transports.
func (c *Cluster) Config() *rest.Config {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return rest.CopyConfig(c.config)
}

// Builtin returns the client of built-in resources. Do not keep it: credentials may be replaced.
func (c *Cluster) Builtin() *Builtin {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.builtin
}

// Dynamic returns the client of resources that are not built in. Do not keep it: credentials may be replaced.
func (c *Cluster) Dynamic() dynamic.Interface {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.dynamic
}

// Names lists a kubeconfig's names that flags can refer to, sorted.
type Names struct{ Contexts, Clusters, Users []string }

// KubeconfigNames reads the names of a kubeconfig.
func KubeconfigNames(o Options) (Names, error) {
	raw, err := configLoader(o).RawConfig()
	if err != nil {
		return Names{}, fmt.Errorf("read the kubeconfig: %w", err)
	}
	return Names{slices.Sorted(maps.Keys(raw.Contexts)), slices.Sorted(maps.Keys(raw.Clusters)),
		slices.Sorted(maps.Keys(raw.AuthInfos))}, nil
}

func configLoader(o Options) clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.Kubeconfig
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &o.Overrides)
}

func contextName(o Options, raw clientcmdapi.Config) string {
	return cmp.Or(o.Overrides.CurrentContext, raw.CurrentContext)
}
