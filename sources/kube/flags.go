package kube

import (
	"net/url"
	"slices"
	"strings"

	"k8s.io/client-go/tools/clientcmd"

	"rung/model"
	"rung/model/clean"
)

// Flags are kubectl's flags, quoted for a shell, for asking this cluster as Rung asks
// it: a command without them may go to another. Tokens, passwords and those of a proxy
// are left out, whatever is given: they are nothing to be shown or kept.
func (c *Cluster) Flags() string {
	var words []string
	add := func(name string, values ...string) {
		for _, v := range values {
			if v != "" {
				words = append(words, "--"+name+"="+clean.Text(v))
			}
		}
	}
	over := &c.opt.Overrides
	add(clientcmd.FlagContext, c.pinned)
	add(clientcmd.RecommendedConfigPathFlag, c.opt.Kubeconfig)
	add(clientcmd.FlagClusterName, over.Context.Cluster)
	add(clientcmd.FlagAuthInfoName, over.Context.AuthInfo)
	add(clientcmd.FlagAPIServer, over.ClusterInfo.Server)
	add(clientcmd.FlagTLSServerName, over.ClusterInfo.TLSServerName)
	add(clientcmd.FlagCAFile, over.ClusterInfo.CertificateAuthority)
	if over.ClusterInfo.InsecureSkipTLSVerify {
		add(clientcmd.FlagInsecure, "true")
	}
	add(clientcmd.FlagProxyURL, withoutLogin(over.ClusterInfo.ProxyURL))
	add(clientcmd.FlagCertFile, over.AuthInfo.ClientCertificate)
	add(clientcmd.FlagKeyFile, over.AuthInfo.ClientKey)
	add(clientcmd.FlagUsername, over.AuthInfo.Username)
	add(clientcmd.FlagImpersonate, over.AuthInfo.Impersonate)
	add(clientcmd.FlagImpersonateUID, over.AuthInfo.ImpersonateUID)
	add(clientcmd.FlagImpersonateGroup, over.AuthInfo.ImpersonateGroups...)
	return model.ShellJoin(words...)
}

// withoutLogin takes user and password out of a URL.
func withoutLogin(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "" // what it is made of is not known
	}
	u.User = nil
	return u.String()
}

// Kubectl is a command that asks this cluster as whom Rung asks it.
func (c *Cluster) Kubectl(words ...string) string {
	command := model.ShellJoin(slices.Concat([]string{"kubectl"}, words)...)
	return strings.TrimSpace(command + " " + c.Flags())
}
