package revision

import (
	"rung/model"
)

// AddressOwner is what stands behind an address.
type AddressOwner struct {
	Key  model.Key // a Pod or a Node
	Note string    // "host network", "completed"
}

// Address says who carries an address: pods that count first, then nodes, then
// host-networked and completed pods.
func (r *Revision) Address(ip string) []AddressOwner {
	return r.shared.addrs.Get(func() map[string][]AddressOwner { return addresses(r.Cluster) })[ip]
}

// addresses lists who carries what. Nearly every address has one owner, so the
// owners lie in one array.
func addresses(c *model.Cluster) map[string][]AddressOwner {
	n := c.Count(model.KindPod)
	out := make(map[string][]AddressOwner, n)
	owners := make([]AddressOwner, 0, n+n/8)
	put := func(ip string, o AddressOwner) {
		if had := out[ip]; had != nil {
			out[ip] = append(had, o)
			return
		}
		if len(owners) == cap(owners) {
			owners = make([]AddressOwner, 0, 64)
		}
		owners = append(owners, o)
		out[ip] = owners[len(owners)-1 : len(owners) : len(owners)]
	}
	var late []*model.Pod
	for p := range c.Pods() {
		if p.HostNetwork || p.Completed() {
			late = append(late, p)
			continue
		}
		for _, ip := range p.IPs {
			put(ip, AddressOwner{Key: p.Key})
		}
	}
	for n := range c.Nodes() {
		seen := map[string]bool{}
		for _, ips := range [][]string{n.HostIPs, n.InternalIPs} {
			for _, ip := range ips {
				if !seen[ip] {
					seen[ip] = true
					put(ip, AddressOwner{Key: n.Key})
				}
			}
		}
	}
	for _, p := range late {
		note := "completed"
		if p.HostNetwork {
			note = "host network"
		}
		for _, ip := range p.IPs {
			put(ip, AddressOwner{Key: p.Key, Note: note})
		}
	}
	return out
}

// PortPod is the pod behind a logical switch port name of a zone, nil when none
// is known.
func PortPod(r *Revision, lsp string) *model.Pod {
	for i := range lsp {
		if lsp[i] == '_' {
			if p := r.Cluster.Pod(lsp[:i], lsp[i+1:]); p != nil {
				return p
			}
		}
	}
	return nil
}
