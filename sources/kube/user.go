package kube

import (
	"cmp"
	"fmt"

	"rung/model/clean"
)

// User is who one is to the API server as far as kubeconfig and flags tell, clean: the
// name of its user entry, or the kind of credentials given by flag, and whom it
// impersonates. What the server makes of the credentials only the server knows
// (kubectl auth whoami). It reads the file.
func (c *Cluster) User() string {
	raw, err := loader(c.opt).RawConfig()
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
	return clean.Text(name)
}
