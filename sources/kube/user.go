package kube

import (
	"cmp"
	"fmt"

	"rung/model/clean"
)

// User is who one is to the API server as far as the kubeconfig tells, clean: the
// name of its user entry, and whom it impersonates. What the server makes of the
// credentials only the server knows (kubectl auth whoami). It reads the file.
func (c *Cluster) User() string {
	raw, err := loader(c.opt).RawConfig()
	if err != nil {
		return ""
	}
	name := "service account of this pod"
	if ctx := raw.Contexts[c.pinned]; ctx != nil {
		name = ctx.AuthInfo
		if user := raw.AuthInfos[ctx.AuthInfo]; user != nil && c.opt.As == "" && user.Impersonate != "" {
			name = fmt.Sprintf("%s as %s", name, user.Impersonate)
		}
	}
	if c.opt.As != "" {
		name = fmt.Sprintf("%s as %s", cmp.Or(name, "nobody"), c.opt.As)
	}
	return clean.Text(name)
}
