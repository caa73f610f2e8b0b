package manifests

import (
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"

	netutils "k8s.io/utils/net"

	"rung/model"
	"rung/model/clean"
)

// canonicalIP is an address in the text OVN-Kubernetes writes
// (ovn-kubernetes.md#peers), empty when it is none.
func canonicalIP(s string) string {
	ip := netutils.ParseIPSloppy(s)
	if ip == nil {
		return ""
	}
	return ip.String()
}

// podIPs chooses a pod's default-network addresses in the order of
// ovn-kubernetes.md#peers: all of status.podIPs that parse, else the default entry of
// the pod-networks annotation, else status.podIP.
func podIPs(statusIPs []string, networks []model.PodNetwork, statusIP string) []string {
	var ips []string
	for _, s := range statusIPs {
		if ip := canonicalIP(s); ip != "" {
			ips = append(ips, ip)
		}
	}
	if len(ips) > 0 {
		return ips
	}
	for _, n := range networks {
		if n.Name == "default" && len(n.IPs) > 0 {
			return n.IPs
		}
	}
	if ip := canonicalIP(statusIP); ip != "" {
		return []string{ip}
	}
	return nil
}

// podNetworks reads the annotation k8s.ovn.org/pod-networks: a JSON object of
// networks by name. The default network comes first, the others by name.
func podNetworks(annotation string) ([]model.PodNetwork, error) {
	var raw map[string]struct {
		IPs  []string `json:"ip_addresses"`
		IP   string   `json:"ip_address"` // what older releases wrote
		Role string   `json:"role"`
	}
	if err := json.Unmarshal([]byte(annotation), &raw); err != nil {
		return nil, fmt.Errorf("annotation %s: %w", model.AnnotationPodNetworks, err)
	}
	nets := make([]model.PodNetwork, 0, len(raw))
	for name, e := range raw {
		if len(e.IPs) == 0 && e.IP != "" {
			e.IPs = []string{e.IP}
		}
		n := model.PodNetwork{Name: clean.Text(name), Role: clean.Text(e.Role)}
		for _, s := range e.IPs {
			bare, _, _ := strings.Cut(s, "/")
			if ip := canonicalIP(bare); ip != "" {
				n.IPs = append(n.IPs, ip)
			}
		}
		nets = append(nets, n)
	}
	slices.SortFunc(nets, func(a, b model.PodNetwork) int {
		if (a.Name == "default") != (b.Name == "default") {
			if a.Name == "default" {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return nets, nil
}

// hostIPs reads the annotation k8s.ovn.org/host-cidrs of a node: a JSON array of
// CIDRs, whose addresses without mask are the node's (ovn-kubernetes.md#peers). The
// error is the text OVN-Kubernetes' policy sync fails with, as far as it is known.
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
