package kube

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"rung/model/words"
)

// ErrNoCluster means no cluster is configured; a NoClusterError lists the places searched.
var ErrNoCluster = errors.New("no cluster")

// NoClusterError lists the places searched for a cluster, in order. It wraps ErrNoCluster.
type NoClusterError struct{ Looked []TriedPlace }

// TriedPlace is a place searched for a cluster, and why it has none.
type TriedPlace struct{ Name, Why string }

// Error lists the places on one line.
func (e *NoClusterError) Error() string {
	var places []string
	for _, p := range e.Looked {
		places = append(places, p.Name+" ("+p.Why+")")
	}
	return ErrNoCluster.Error() + ": looked at " + strings.Join(places, ", ")
}

// Unwrap returns ErrNoCluster.
func (e *NoClusterError) Unwrap() error { return ErrNoCluster }

// lookedAt returns the places searched for a kubeconfig, in kubectl's order, with the reasons.
func lookedAt(o Options) []TriedPlace {
	if o.Kubeconfig != "" {
		return []TriedPlace{{"--kubeconfig " + o.Kubeconfig, noClusterReason(o.Kubeconfig)}}
	}
	const variable = clientcmd.RecommendedConfigPathEnvVar
	var places []TriedPlace
	if env := os.Getenv(variable); env != "" {
		for _, path := range filepath.SplitList(env) {
			places = append(places, TriedPlace{variable + "=" + path, noClusterReason(path)})
		}
	} else {
		places = append(places, TriedPlace{variable, "not set"},
			TriedPlace{clientcmd.RecommendedHomeFile, noClusterReason(clientcmd.RecommendedHomeFile)})
	}
	why := words.Choose(os.Getenv("KUBERNETES_SERVICE_HOST") == "", "not in a pod", "no token mounted")
	return append(places, TriedPlace{"the service account of a pod", why})
}

// noClusterReason returns why a readable or missing kubeconfig has no cluster.
func noClusterReason(path string) string {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "does not exist"
	}
	return "has no context"
}

// User returns the user's name as known from kubeconfig and flags, clean: the user entry's name, or the kind
// of credentials given by flag, and the impersonated user. Only the server knows which user the credentials
// belong to (kubectl auth whoami). It reads the file.
func (c *Cluster) User() string {
	raw, err := configLoader(c.opt).RawConfig()
	if err != nil {
		return ""
	}
	over := &c.opt.Overrides
	var name string
	switch ctx := raw.Contexts[c.pinned]; {
	case over.AuthInfo.Token != "":
		name = "token of --token"
	case over.AuthInfo.Username != "":
		name = over.AuthInfo.Username
	case over.AuthInfo.ClientCertificate != "":
		name = "certificate of --client-certificate"
	case ctx != nil || over.Context.AuthInfo != "":
		name = cmp.Or(over.Context.AuthInfo, ctx.AuthInfo)
	case c.context == inCluster:
		name = "service account of this pod"
	}
	as := over.AuthInfo.Impersonate
	if user := raw.AuthInfos[name]; user != nil && as == "" {
		as = user.Impersonate
	}
	if as != "" {
		name = fmt.Sprintf("%s as %s", cmp.Or(name, "nobody"), as)
	}
	return words.CleanText(name)
}

// Reopen reads the kubeconfig again and takes over changed credentials of the same context and server; changed
// reports whether there were any. client-go itself refreshes exec plugins and token files.
func (c *Cluster) Reopen() (changed bool, err error) {
	o := c.opt
	o.Overrides.CurrentContext = c.pinned // even if another context is the current one now
	next, err := Open(o)
	if err != nil {
		return false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if next.config.Host != c.config.Host {
		return false, fmt.Errorf("context %s now names another server: %s", c.context, next.Server())
	}
	if sameLogin(c.config, next.config) {
		return false, nil
	}
	c.config, c.builtin, c.dynamic = next.config, next.builtin, next.dynamic
	return true, nil
}

// sameLogin reports whether two configurations have the same credentials.
func sameLogin(a, b *rest.Config) bool {
	return a.BearerToken == b.BearerToken && a.BearerTokenFile == b.BearerTokenFile &&
		a.Username == b.Username && a.Password == b.Password &&
		a.CertFile == b.CertFile && a.KeyFile == b.KeyFile &&
		bytes.Equal(a.CertData, b.CertData) && bytes.Equal(a.KeyData, b.KeyData) && bytes.Equal(a.CAData, b.CAData)
}

// Flags returns kubectl's flags, quoted for a shell, that select this cluster and user: without them a command
// may go to another cluster. Tokens, passwords and a proxy's login are left out as secrets.
func (c *Cluster) Flags() string {
	var args []string
	add := func(name string, values ...string) {
		for _, v := range values {
			if v != "" {
				args = append(args, "--"+name+"="+words.CleanText(v))
			}
		}
	}
	over := &c.opt.Overrides
	add(clientcmd.FlagContext, c.pinned)
	add(clientcmd.RecommendedConfigPathFlag, c.opt.Kubeconfig)
	add(clientcmd.FlagClusterName, over.Context.Cluster)
	add(clientcmd.FlagAuthInfoName, over.Context.AuthInfo)
	add(clientcmd.FlagAPIServer, words.WithoutLogins(over.ClusterInfo.Server))
	add(clientcmd.FlagTLSServerName, over.ClusterInfo.TLSServerName)
	add(clientcmd.FlagCAFile, over.ClusterInfo.CertificateAuthority)
	if over.ClusterInfo.InsecureSkipTLSVerify {
		add(clientcmd.FlagInsecure, "true")
	}
	add(clientcmd.FlagProxyURL, words.WithoutLogins(over.ClusterInfo.ProxyURL))
	add(clientcmd.FlagCertFile, over.AuthInfo.ClientCertificate)
	add(clientcmd.FlagKeyFile, over.AuthInfo.ClientKey)
	add(clientcmd.FlagUsername, over.AuthInfo.Username)
	add(clientcmd.FlagImpersonate, over.AuthInfo.Impersonate)
	add(clientcmd.FlagImpersonateUID, over.AuthInfo.ImpersonateUID)
	add(clientcmd.FlagImpersonateGroup, over.AuthInfo.ImpersonateGroups...)
	return words.ShellJoin(args...)
}

// Kubectl returns a kubectl command for this cluster and user.
func (c *Cluster) Kubectl(args ...string) string {
	command := words.ShellJoin(slices.Concat([]string{"kubectl"}, args)...)
	return strings.TrimSpace(command + " " + c.Flags())
}
