package antrea

import (
	"strings"

	"rung/model"
)

// serviceOfName returns the Service with a DNS name, or the headless Service whose pod has it. It returns nil
// for other names, and for wildcards that leave open which Service it is.
func serviceOfName(c *model.Cluster, name string) *model.Service {
	name = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(name), "."), ".cluster.local")
	parts := strings.Split(name, ".")
	n := len(parts)
	if n < 3 || n > 4 || parts[n-1] != "svc" || strings.Contains(name, "*") {
		return nil
	}
	s, _ := c.Get(model.Key{Kind: model.KindService, Namespace: parts[n-2], Name: parts[n-3]}).(*model.Service)
	if s == nil || s.Type == "ExternalName" || n == 4 && len(s.ClusterIPs) > 0 {
		return nil // DNS answers for an ExternalName with another name
	}
	return s
}

// ServiceAddrs returns the addresses that an fqdn of a Service may match: its endpoints if it is headless.
// With a cluster IP it returns none, since fqdn does not match it (antrea.md#unknown). known is false for
// other names.
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
	if want := model.SelectLabels(s.Selector); !sliced && len(s.Selector.Map()) > 0 {
		for p := range c.PodsIn(s.Namespace) {
			if want.Matches(p.Labels) {
				addrs = append(addrs, p.IPs...)
			}
		}
	}
	return addrs, true
}
