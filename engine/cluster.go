package engine

import (
	"rung/change/write"
	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/sources/kube"
)

// ErrNoCluster means that no cluster is configured; a NoClusterError lists the places searched.
var ErrNoCluster = kube.ErrNoCluster

// NoClusterError lists the places searched for a cluster, in order.
type NoClusterError = kube.NoClusterError

// LoginPlugin is the first argument of the child processes that run a kubeconfig's login
// plugin; RunLoginPlugin takes the other arguments, if ClusterOptions.FencePlugins is
// set.
const LoginPlugin = kube.LoginPlugin

// RunLoginPlugin runs a login plugin and returns its exit code.
var RunLoginPlugin = kube.RunLoginPlugin

// KubeconfigNames holds the names in a kubeconfig that flags can refer to.
type KubeconfigNames = kube.Names

// NamesInKubeconfig reads the names in the kubeconfig that the options select, without control characters.
func NamesInKubeconfig(o ClusterOptions) (KubeconfigNames, error) {
	names, err := kube.KubeconfigNames(o.Options)
	for _, list := range [][]string{names.Contexts, names.Clusters, names.Users} {
		for i := range list {
			list[i] = words.CleanText(list[i])
		}
	}
	return names, err
}

// ClusterOptions select the cluster, the user, and OVN-Kubernetes' namespace.
type ClusterOptions struct {
	kube.Options
	OVNNamespace string
}

// OpenCluster fills a configuration for a run on a cluster. It reads the kubeconfig but contacts no server.
// With exec, zones are read through their ovnkube-node pods.
func OpenCluster(cfg *Config, o ClusterOptions, exec bool) error {
	c, err := kube.Open(o.Options)
	if err != nil {
		return err
	}
	cfg.Kube, cfg.OVNNamespace, cfg.ExecZones, cfg.AgentZones = c, o.OVNNamespace, exec, exec
	cfg.Mode = revision.Mode{Name: revision.ClusterMode, Title: c.Context(), Server: c.Server(), User: c.User(), Login: c.Login(),
		Kubectl: model.Kubectl{Flags: c.Flags()}}
	cfg.Identity = c.Context() + " " + c.Server()
	cfg.Sources, cfg.Writer = []kube.Source{kube.FromCluster(c)}, write.NewKubeWriter(c)
	return nil
}

// Contexts reads the engine's kubeconfig and returns its contexts, sorted, and the current one.
func (e *Engine) Contexts() (names []string, current string, err error) {
	var o kube.Options
	if e.cfg.Kube != nil {
		o = e.cfg.Kube.Options()
		current = e.cfg.Kube.Context()
	}
	all, err := NamesInKubeconfig(ClusterOptions{Options: o})
	return all.Contexts, current, err
}
