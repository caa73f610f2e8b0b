package antrea

import (
	"strings"

	"rung/model"
)

// serviceOfName is the Service whose DNS name it is, or, of a headless one, a name of one of its
// pods; nil for other names, and where a wildcard leaves open which it is.
func serviceOfName(c *model.Cluster, name string) *model.Service {
	name = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(name), "."), ".cluster.local")
	parts := strings.Split(name, ".")
	n := len(parts)
	if n < 3 || n > 4 || parts[n-1] != "svc" || strings.Contains(name, "*") {
		return nil
	}
	s, _ := c.Get(model.Key{Kind: model.KindService, Namespace: parts[n-2], Name: parts[n-3]}).(*model.Service)
	if s == nil || s.Type == "ExternalName" || n == 4 && len(s.ClusterIPs) > 0 {
		return nil // of ExternalName DNS has another name
	}
	return s
}

// ServiceAddrs are the addresses that an fqdn of a Service may match: those of its endpoints where
// it is headless, none where it has a cluster IP, since fqdn does not work for these
// (antrea.md#unknown). known is false for other names.
func ServiceAddrs(c *model.Cluster, name string) (addrs []string, known bool) {
	s := serviceOfName(c, name)
	if s == nil || len(s.ClusterIPs) > 0 {
		return nil, s != nil
	}
	sliced := false
	for es := range c.EndpointSlices() {
		if es.Namespace == s.Namespace && es.Service == s.Name {
			addrs, sliced = append(addrs, es.Addresses...), true
		}
	}
	if want := model.SelectorOf(s.Selector); !sliced && len(s.Selector.Map()) > 0 {
		for p := range c.PodsIn(s.Namespace) {
			if want.Matches(p.Labels) {
				addrs = append(addrs, p.IPs...)
			}
		}
	}
	return addrs, true
}
