package kube

import (
	"bytes"
	"fmt"

	"k8s.io/client-go/rest"
)

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
