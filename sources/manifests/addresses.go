package manifests

import (
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"slices"

	"go.yaml.in/yaml/v3"
	netutils "k8s.io/utils/net"

	"rung/model"
	"rung/model/words"
	"rung/sources/manifests/yamltree"
)

// canonicalIP returns an address as OVN-Kubernetes writes it (ovn-kubernetes.md#peers); empty if invalid.
func canonicalIP(s string) string {
	ip := netutils.ParseIPSloppy(s)
	if ip == nil {
		return ""
	}
	return ip.String()
}

// podIPs returns a pod's default-network addresses in the order of ovn-kubernetes.md#peers: all valid
// status.podIPs, else the default entry of the pod-networks annotation, else status.podIP.
func podIPs(statusIPs []string, nets []model.PodNetwork, statusIP string) []string {
	if ips := canonicalIPs(statusIPs); len(ips) > 0 {
		return ips
	}
	for _, n := range nets {
		if n.Name == Default && len(n.IPs) > 0 {
			return n.IPs
		}
	}
	return canonicalIPs([]string{statusIP})
}

// hostIPs reads a node's annotation k8s.ovn.org/host-cidrs, a JSON array of CIDRs. It returns their addresses
// without mask (ovn-kubernetes.md#peers). The error is the text of OVN-Kubernetes' policy sync.
func hostIPs(node, annotation string) ([]string, error) {
	var cidrs []string
	if err := json.Unmarshal([]byte(annotation), &cidrs); err != nil {
		return nil, fmt.Errorf("failed to unmarshal %s annotation %s for node %q: %w", model.AnnotationHostCIDRs, annotation,
			node, err)
	}
	ips := make([]string, 0, len(cidrs))
	for _, c := range cidrs {
		ip, _, err := net.ParseCIDR(c)
		if err != nil {
			return nil, fmt.Errorf("failed to parse node host cidr: %w", err)
		}
		if s := ip.String(); !slices.Contains(ips, s) {
			ips = append(ips, s)
		}
	}
	return ips, nil
}

// managementIPs returns the second address of each subnet, which OVN-Kubernetes gives to the management port.
func managementIPs(subnets []string) (ips []string) {
	for _, s := range subnets {
		p, _ := netip.ParsePrefix(s) // valid, since NodeSubnets has read it
		if a := p.Addr().Next().Next(); p.Contains(a) {
			ips = append(ips, a.String())
		}
	}
	return ips
}

// gatewayIPs reads the gateway router's addresses from the annotation
// k8s.ovn.org/node-gateway-router-lrp-ifaddrs, by network and family.
func gatewayIPs(annotation string) ([]string, error) {
	var of map[string]struct{ IPv4, IPv6 string }
	if err := json.Unmarshal([]byte(annotation), &of); err != nil {
		return nil, fmt.Errorf("is not a JSON object of networks: %w", err)
	}
	var ips []string
	for _, s := range []string{of[Default].IPv4, of[Default].IPv6} {
		if s == "" {
			continue
		}
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return nil, fmt.Errorf("address of the default network: %w", err)
		}
		ips = append(ips, p.Addr().String())
	}
	return slices.Clip(ips), nil
}

// readAnnotation reads an annotation, if present. fault is the clean error, which also becomes a warning.
func readAnnotation[T any](d *decoder, m model.Meta, all map[string]string, name, cost string,
	read func(string) (T, error)) (value T, fault string) {
	text, has := all[name]
	if !has {
		return value, ""
	}
	value, err := read(text)
	if err == nil {
		return value, ""
	}
	fault = words.CleanText(err.Error())
	d.reportIssue(m.Origin, m.Key, Issue{Severity: model.SeverityWarning, Code: CodeAnnotation,
		Field: "metadata.annotations[" + name + "]", Message: "cannot be read: " + cost + ": " + fault})
	return value, fault
}

// nodeAddresses reads the annotations about a node's addresses and subnets.
func (d *decoder) nodeAddresses(o *model.Node, all map[string]string) {
	o.HostIPs, o.HostErr = readAnnotation(d, o.Meta, all, model.AnnotationHostCIDRs,
		"policies that select this node by a nodes peer fail as a whole",
		func(text string) ([]string, error) { return hostIPs(o.Name, text) })
	cost := "the row that lets this node reach its pods is not compiled, and the exemption of its pods from EgressFirewalls is unknown"
	own, others, err := NodeSubnets(all[model.AnnotationNodeSubnets])
	if own != nil {
		cost = "the row that lets this node reach its pods is not compiled on that network"
	}
	o.Subnets, _ = readAnnotation(d, o.Meta, all, model.AnnotationNodeSubnets, cost, func(string) ([]string, error) { return own, err })
	o.NetworkSubnets, o.MgmtIPs = others, managementIPs(own)
	o.GatewayIPs, _ = readAnnotation(d, o.Meta, all, model.AnnotationGatewayAddrs,
		"peers that select the host network's namespace miss this node's gateway router", gatewayIPs)
}

// ParseDNS reads a YAML or JSON mapping of DNS names to lists of addresses. file appears only in errors.
func ParseDNS(file string, text []byte) (map[string][]string, error) {
	root, err := yamltree.ParseYAML(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if root == nil {
		return map[string][]string{}, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s: line %d: want a mapping of DNS names to lists of addresses", file, root.Line)
	}
	out := make(map[string][]string, len(root.Content)/2)
	for i := 0; i+1 < len(root.Content); i += 2 {
		name, list := words.CleanText(yamltree.TextAt(root.Content[i])), root.Content[i+1]
		if _, twice := out[name]; name == "" || twice {
			return nil, fmt.Errorf("%s: line %d: %q: want a DNS name, each once", file, root.Content[i].Line, name)
		}
		if list.Kind != yaml.SequenceNode && !yamltree.IsNull(list) {
			return nil, fmt.Errorf("%s: line %d: %s: want a list of addresses", file, list.Line, name)
		}
		out[name] = nil
		for _, n := range yamltree.ItemsAt(list) {
			ip := canonicalIP(yamltree.TextAt(n))
			if ip == "" {
				return nil, fmt.Errorf("%s: line %d: %s: %q is not an address", file, n.Line, name, words.CleanText(yamltree.TextAt(n)))
			}
			if !slices.Contains(out[name], ip) {
				out[name] = append(out[name], ip)
			}
		}
	}
	return out, nil
}
