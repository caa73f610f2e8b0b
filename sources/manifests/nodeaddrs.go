package manifests

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"

	"rung/model"
)

// defaultNetwork is the default network's key in annotations about networks.
const defaultNetwork = "default"

// nodeSubnets reads the annotation k8s.ovn.org/node-subnets, a JSON object of the
// subnets of each network (one, or a list), and returns those of the default network.
func nodeSubnets(annotation string) ([]string, error) {
	var networks map[string]json.RawMessage
	if err := json.Unmarshal([]byte(annotation), &networks); err != nil {
		return nil, fmt.Errorf("is not a JSON object of networks: %w", err)
	}
	raw := networks[defaultNetwork]
	if raw == nil {
		return nil, nil
	}
	var subnets []string
	if err := json.Unmarshal(raw, &subnets); err != nil {
		var one string
		if json.Unmarshal(raw, &one) != nil {
			return nil, fmt.Errorf("subnets of the default network: %w", err)
		}
		subnets = []string{one}
	}
	for i, s := range subnets {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return nil, fmt.Errorf("subnet of the default network: %w", err)
		}
		subnets[i] = p.Masked().String()
	}
	return subnets, nil
}

// managementIPs are the second addresses of a node's subnets: OVN-Kubernetes gives them to
// the node's management port.
func managementIPs(subnets []string) (ips []string) {
	for _, s := range subnets {
		p, _ := netip.ParsePrefix(s) // nodeSubnets has read it
		if a := p.Addr().Next().Next(); p.Contains(a) {
			ips = append(ips, a.String())
		}
	}
	return ips
}

// gatewayIPs reads the annotation k8s.ovn.org/node-gateway-router-lrp-ifaddrs: the
// gateway router's addresses by network and family.
func gatewayIPs(annotation string) ([]string, error) {
	var networks map[string]struct{ IPv4, IPv6 string }
	if err := json.Unmarshal([]byte(annotation), &networks); err != nil {
		return nil, fmt.Errorf("is not a JSON object of networks: %w", err)
	}
	var ips []string
	for _, s := range []string{networks[defaultNetwork].IPv4, networks[defaultNetwork].IPv6} {
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

// nodeAddresses fills in what the annotations say of the node's own ports.
func (d *decoder) nodeAddresses(o *model.Node, annotations map[string]string) {
	for _, a := range []struct {
		name string
		read func(string) ([]string, error)
		into *[]string
		cost string
	}{
		{model.AnnotationNodeSubnets, nodeSubnets, &o.Subnets,
			"the row that lets this node reach its pods is not compiled, and EgressFirewalls are not known to leave its pods out"},
		{model.AnnotationGatewayAddrs, gatewayIPs, &o.GatewayIPs,
			"peers that select the host network's namespace miss this node's gateway router"},
	} {
		text, ok := annotations[a.name]
		if !ok {
			continue
		}
		ips, err := a.read(text)
		if err != nil {
			d.warnAnnotation(o.Meta, a.name, fmt.Sprintf("cannot be read: %s: %v", a.cost, err))
			continue
		}
		*a.into = ips
	}
	o.MgmtIPs = managementIPs(o.Subnets)
}
