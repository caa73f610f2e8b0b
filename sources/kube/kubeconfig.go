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

// ErrNoCluster says that no cluster is configured; a NoClusterError says where one was
// looked for.
var ErrNoCluster = errors.New("no cluster")

// NoClusterError says where a cluster was looked for, in that order. errors.Is finds
// ErrNoCluster in it.
type NoClusterError struct{ Looked []TriedPlace }

// TriedPlace is where a cluster was looked for, and why there is none.
type TriedPlace struct{ Name, Why string }

// Error lists the places on one line.
func (e *NoClusterError) Error() string {
	var places []string
	for _, p := range e.Looked {
		places = append(places, p.Name+" ("+p.Why+")")
	}
	return ErrNoCluster.Error() + ": looked at " + strings.Join(places, ", ")
}

// Unwrap is ErrNoCluster.
func (e *NoClusterError) Unwrap() error { return ErrNoCluster }

// Why a place has no cluster.
const (
	notSet    = "not set"
	notThere  = "does not exist"
	noContext = "has no context"
	noPod     = "not in a pod"
	noToken   = "no token mounted"
)

// lookedAt are the places in which a kubeconfig names no cluster, in the order in which
// kubectl looks.
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
		places = append(places, TriedPlace{variable, notSet},
			TriedPlace{clientcmd.RecommendedHomeFile, noClusterReason(clientcmd.RecommendedHomeFile)})
	}
	why := noToken
	if os.Getenv("KUBERNETES_SERVICE_HOST") == "" {
		why = noPod
	}
	return append(places, TriedPlace{"the service account of a pod", why})
}

// noClusterReason says why a kubeconfig that could be read has no cluster.
func noClusterReason(path string) string {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return notThere
	}
	return noContext
}

// User returns the user's name at the API server as far as kubeconfig and flags tell,
// clean: the name of its user entry, or the kind of credentials given by flag, and whom
// it impersonates. Only the server knows which user the credentials belong to (kubectl
// auth whoami). It reads the file.
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
		name = over.Context.AuthInfo
		if name == "" {
			name = ctx.AuthInfo
		}
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

// Reopen reads the kubeconfig again and takes over other credentials of the same
// context and server; it says whether there were any. Exec plugins and token files
// are client-go's business: it asks them anew by itself.
func (c *Cluster) Reopen() (changed bool, err error) {
	o := c.opt
	o.Overrides.CurrentContext = c.pinned // whatever has become the current one meanwhile
	next, err := Open(o)
	if err != nil {
		return false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if next.config.Host != c.config.Host {
		return false, fmt.Errorf("context %s is another server now: %s", c.context, next.Server())
	}
	if sameLogin(c.config, next.config) {
		return false, nil
	}
	c.config, c.builtin, c.dynamic = next.config, next.builtin, next.dynamic
	return true, nil
}

// sameLogin compares what a kubeconfig says of who is asking.
func sameLogin(a, b *rest.Config) bool {
	return a.BearerToken == b.BearerToken && a.BearerTokenFile == b.BearerTokenFile &&
		a.Username == b.Username && a.Password == b.Password &&
		a.CertFile == b.CertFile && a.KeyFile == b.KeyFile &&
		bytes.Equal(a.CertData, b.CertData) && bytes.Equal(a.KeyData, b.KeyData) && bytes.Equal(a.CAData, b.CAData)
}

// Flags are kubectl's flags, quoted for a shell, for asking this cluster as Rung asks
// it: a command without them may go to another. Tokens, passwords and those of a proxy
// are left out, whatever is given: they are nothing to be shown or kept.
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

// Kubectl is a command that asks this cluster as whom Rung asks it.
func (c *Cluster) Kubectl(args ...string) string {
	command := words.ShellJoin(slices.Concat([]string{"kubectl"}, args)...)
	return strings.TrimSpace(command + " " + c.Flags())
}
