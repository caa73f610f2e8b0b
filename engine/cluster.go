package engine

import (
	"rung/change/write"

	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/sources/kube"
)

// ErrNoCluster says that no cluster is configured; a NoClusterError says where one was
// looked for.
var ErrNoCluster = kube.ErrNoCluster

// NoClusterError says where a cluster was looked for, in that order.
type NoClusterError = kube.NoClusterError

// LoginPlugin is the first argument of the child processes that run a kubeconfig's login
// plugin; RunLoginPlugin takes the other arguments, where ClusterOptions.FencePlugins is
// set.
const LoginPlugin = kube.LoginPlugin

// RunLoginPlugin runs a login plugin and returns the exit code.
var RunLoginPlugin = kube.RunLoginPlugin

// KubeconfigNames are the names that flags can refer to in a kubeconfig.
type KubeconfigNames = kube.Names

// NamesInKubeconfig reads the names of the kubeconfig that the options lead to, clean.
func NamesInKubeconfig(o ClusterOptions) (KubeconfigNames, error) {
	names, err := kube.KubeconfigNames(o.Options)
	for _, list := range [][]string{names.Contexts, names.Clusters, names.Users} {
		for i := range list {
			list[i] = words.CleanText(list[i])
		}
	}
	return names, err
}

// ClusterOptions say which cluster to run on, as whom, and where OVN-Kubernetes
// is in it.
type ClusterOptions struct {
	kube.Options
	OVNNamespace string
}

// OpenCluster fills a configuration for a run on a cluster. It reads the
// kubeconfig and asks nobody. exec says that the zones are read through their
// ovnkube-node pods.
func OpenCluster(cfg *Config, o ClusterOptions, exec bool) error {
	c, err := kube.Open(o.Options)
	if err != nil {
		return err
	}
	cfg.Kube, cfg.OVNNamespace, cfg.ExecZones = c, o.OVNNamespace, exec
	cfg.Mode = revision.Mode{Name: revision.ClusterMode, Title: c.Context(), Server: c.Server(), User: c.User(), Login: c.Login(),
		Kubectl: model.Kubectl{Flags: c.Flags()}}
	cfg.Identity = c.Context() + " " + c.Server()
	cfg.Sources, cfg.Writer = []kube.Source{kube.FromCluster(c)}, write.NewKubeWriter(c)
	return nil
}

// Contexts are the contexts of the kubeconfig that the engine's cluster came
// from, sorted, and the one it runs on. It reads the file.
func (e *Engine) Contexts() (names []string, current string, err error) {
	var o kube.Options
	if e.cfg.Kube != nil {
		o = e.cfg.Kube.Options()
		current = e.cfg.Kube.Context()
	}
	all, err := NamesInKubeconfig(ClusterOptions{Options: o})
	return all.Contexts, current, err
}
