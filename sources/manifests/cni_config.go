package manifests

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/network"
	"rung/model/words"
)

// ovnPlugin is the type of OVN-Kubernetes' configurations.
const ovnPlugin = "ovn-k8s-cni-overlay"

// cniConfig is the read part of a NetworkAttachmentDefinition's spec.config: one plugin, or a list.
type cniConfig struct {
	Type                  string            `json:"type"`
	Name                  string            `json:"name"`
	NADName               string            `json:"netAttachDefName"`
	Topology              string            `json:"topology"`
	Role                  string            `json:"role"`
	Subnets               string            `json:"subnets"`
	ExcludeSubnets        string            `json:"excludeSubnets"`
	ReservedSubnets       string            `json:"reservedSubnets"`
	JoinSubnet            string            `json:"joinSubnet"`
	AllowPersistentIPs    bool              `json:"allowPersistentIPs"`
	IPAM                  cniType           `json:"ipam"`
	InfrastructureSubnets string            `json:"infrastructureSubnets"`
	DefaultGatewayIPs     string            `json:"defaultGatewayIPs"`
	Transport             string            `json:"transport"`
	Plugins               []json.RawMessage `json:"plugins"`
}

// cniType is the part of a configuration naming its plugin.
type cniType struct {
	Type    string    `json:"type"`
	Plugins []cniType `json:"plugins"`
}

// nadOf converts a NetworkAttachmentDefinition to the model's form. It is foreign without a configuration,
// which is then in a file on the nodes, and also if it configures the default network.
func (d *decoder) nadOf(o *NAD, m model.Meta) model.Object {
	a := &network.Attachment{Meta: m, ID: words.CleanText(o.Annotations[annotationNetworkID])}
	text := strings.TrimSpace(o.Spec.Config)
	if text == "" {
		a.Foreign = true
		return a
	}
	var whose cniType
	if err := json.Unmarshal([]byte(text), &whose); err != nil {
		a.Err = d.reportFault(m, &fault{"spec.config", "is not a JSON configuration: " + words.CleanText(err.Error())})
		return a
	}
	isOVN := func(c cniType) bool { return c.Type == ovnPlugin }
	if !isOVN(whose) && !slices.ContainsFunc(whose.Plugins, isOVN) {
		a.Foreign = true
		return a
	}
	c, f := parseCNIConfig(text)
	if f == nil && c.Name == "default" {
		a.Foreign = true
		return a
	}
	if f == nil {
		a.Config, f = c.network(m.NamespacedName())
	}
	a.Err = d.reportFault(m, f)
	return a
}

// parseCNIConfig reads OVN-Kubernetes' plugin, or a list of only that plugin under the list's name.
func parseCNIConfig(text string) (*cniConfig, *fault) {
	var c cniConfig
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return nil, &fault{"spec.config", "cannot be read: " + words.CleanText(err.Error())}
	}
	switch {
	case c.Type == ovnPlugin:
		return &c, nil
	case len(c.Plugins) > 1:
		return nil, &fault{"spec.config", "lists several plugins: OVN-Kubernetes accepts only one"}
	}
	name, first := c.Name, c.Plugins[0]
	c = cniConfig{}
	if err := json.Unmarshal(first, &c); err != nil {
		return nil, &fault{"spec.config", "cannot be read: " + words.CleanText(err.Error())}
	}
	c.Name = name
	return &c, nil
}

// network returns the network described by a configuration; nad is the key of its object.
func (c *cniConfig) network(nad string) (out network.Config, f *fault) {
	out = network.Config{Name: words.CleanText(c.Name), Topology: network.Topology(words.CleanText(c.Topology)), EVPN: c.Transport == "evpn"}
	wrong := func(name, text string) (network.Config, *fault) { return out, &fault{"spec.config", name + " " + text} }
	if c.NADName != nad {
		return wrong("netAttachDefName", fmt.Sprintf("is %q, but must be %q", words.CleanText(c.NADName), nad))
	}
	field, text := c.refused()
	if text != "" {
		return wrong(field, text)
	}
	out.Primary = c.Role == "primary"
	for _, text := range listed(c.Subnets) {
		p, err := parseSubnet(text, out.Topology)
		if err != nil {
			return wrong("subnets:", err.Error())
		}
		out.Subnets = append(out.Subnets, p)
	}
	var excluded []netip.Prefix
	for _, part := range []struct {
		field, text string
		into        *[]netip.Prefix
	}{{"infrastructureSubnets", c.InfrastructureSubnets, &out.InfrastructureSubnets}, {"excludeSubnets", c.ExcludeSubnets, &excluded},
		{"reservedSubnets", c.ReservedSubnets, new([]netip.Prefix)}, {"joinSubnet", c.JoinSubnet, new([]netip.Prefix)}} {
		*part.into, f = parseSubnets(listed(part.text), "")
		if f != nil {
			return wrong(part.field+":", f.text)
		}
	}
	for _, p := range excluded {
		isIn := func(s netip.Prefix) bool { return s.Bits() <= p.Bits() && s.Contains(p.Addr()) }
		if !slices.ContainsFunc(out.Subnets, isIn) && out.Topology != network.Layer3 { // layer 3 ignores them
			return wrong("excludeSubnets:", p.String()+" is outside the subnets")
		}
	}
	for _, text := range listed(c.DefaultGatewayIPs) {
		a, err := netip.ParseAddr(text)
		if err != nil {
			return wrong("defaultGatewayIPs:", notAddress(text))
		}
		out.Gateways = append(out.Gateways, a)
	}
	return out, nil
}

// refused returns a field that OVN-Kubernetes' controller rejects, with the reason; empty texts if there is
// none. Values are compared case-sensitively, as in the controller (its ValidateNetConf).
func (c *cniConfig) refused() (field, text string) {
	onlyLayer2 := func(value string) bool { return value != "" && c.Topology != string(network.Layer2) }
	isLocalnet := c.Topology == string(network.Localnet)
	switch {
	case c.Name == "ovn-kubernetes":
		return "name", "is \"ovn-kubernetes\", which is reserved"
	case !slices.Contains([]string{"", "primary", "secondary"}, c.Role):
		return "role", fmt.Sprintf("%q must be primary or secondary", words.CleanText(c.Role))
	case c.AllowPersistentIPs && c.Topology == string(network.Layer3):
		return "allowPersistentIPs", "cannot be set on a layer3 network"
	case c.IPAM.Type != "":
		return "ipam", "cannot be set: OVN-Kubernetes assigns addresses itself, from subnets"
	case !slices.Contains([]string{"", "geneve", "nooverlay", "no-overlay", "evpn"}, c.Transport):
		return "transport", fmt.Sprintf("%q must be geneve, no-overlay or evpn", words.CleanText(c.Transport))
	case c.JoinSubnet != "" && isLocalnet:
		return "joinSubnet", "cannot be set on a localnet"
	case onlyLayer2(c.InfrastructureSubnets):
		return "infrastructureSubnets", "can be set on a layer2 network only"
	case onlyLayer2(c.ReservedSubnets):
		return "reservedSubnets", "can be set on a layer2 network only"
	case onlyLayer2(c.DefaultGatewayIPs):
		return "defaultGatewayIPs", "can be set on a layer2 network only"
	}
	return "", ""
}

// parseSubnet reads one item of subnets: "10.20.0.0/16", for a layer 3 network also "10.20.0.0/16/24".
func parseSubnet(text string, t network.Topology) (netip.Prefix, error) {
	size := 0
	if parts := strings.Split(text, "/"); t == network.Layer3 && len(parts) == 3 {
		n, err := strconv.Atoi(parts[2])
		if err != nil || n <= 0 {
			return netip.Prefix{}, fmt.Errorf("%s", notSubnet(text))
		}
		text, size = parts[0]+"/"+parts[1], n
	}
	return parseHostSubnet(text, size)
}

// listed returns the items of a comma-separated list; none for an empty text.
func listed(text string) (out []string) {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	for item := range strings.SplitSeq(text, ",") {
		out = append(out, strings.TrimSpace(item))
	}
	return out
}
