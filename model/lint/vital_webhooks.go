package lint

import (
	"cmp"
	"iter"
	"net/netip"
	"slices"
	"strings"

	"rung/model"
	"rung/model/verdict"
)

// APINamespace and APIService name the Service of the API server.
const (
	APINamespace = "default"
	APIService   = "kubernetes"
)

// webhookPort is the port at which the API server calls webhooks by default.
const webhookPort = 443

// APIConnections returns the connections of a pod to the API server, one for each address.
func APIConnections(pod *model.Pod, s *VitalServices) (out []verdict.Connection) {
	ips := verdict.ParseAddrs(pod.IPs)
	for _, api := range s.API {
		if slices.ContainsFunc(ips, func(a netip.Addr) bool { return a.Is4() == api.Is4() }) {
			out = append(out, verdict.Connection{From: verdict.PodEnd(pod.Namespace, pod.Name), To: verdict.AddrEnd(api), Protocol: verdict.TCP,
				Port: uint16(s.APIPort)})
		}
	}
	return out
}

// WebhookCallers returns the ends from which the API server calls webhooks: the nodes it runs on. An address
// of no node, or of a node with unknown source address, is returned as an address.
func WebhookCallers(c *model.Cluster, p *verdict.Precedence, s *VitalServices) (out []verdict.Endpoint) {
	p = cmp.Or(p, verdict.Stages)
	for _, a := range s.API {
		end := verdict.AddrEnd(a)
		for n := range c.Nodes() {
			if len(p.SourceAddrs(n)) > 0 && (slices.Contains(n.InternalIPs, a.String()) || slices.Contains(n.HostIPs, a.String())) {
				end = verdict.NodeEnd(n.Name)
			}
		}
		out = model.AppendNew(out, end)
	}
	return out
}

// WebhookCalls returns the connections of the callers to Services with port 443, which may be webhooks.
func WebhookCalls(c *model.Cluster, callers []verdict.Endpoint) iter.Seq[verdict.Connection] {
	return func(yield func(verdict.Connection) bool) {
		for svc := range c.Services() {
			if !slices.ContainsFunc(svc.Ports, func(p model.ServicePort) bool { return p.Port == webhookPort }) {
				continue
			}
			for _, from := range callers {
				if !yield(verdict.Connection{From: from, To: verdict.ServiceEnd(svc.Namespace, svc.Name), Protocol: verdict.TCP, Port: webhookPort}) {
					return
				}
			}
		}
	}
}

// IsNamedWebhook reports whether the name of a Service suggests a webhook.
func IsNamedWebhook(svc *model.Service) bool {
	return slices.ContainsFunc([]string{"webhook", "admission"}, func(s string) bool { return strings.Contains(svc.Name, s) })
}
