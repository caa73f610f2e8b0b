package manifests

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"rung/model"
	"rung/model/network"
	"rung/model/words"
	"rung/sources/manifests/yamltree"
)

// The cluster manager writes a network's number to annotationNetworkID of its NetworkAttachmentDefinitions,
// and the networks that a ClusterNetworkConnect connects to annotationConnected.
const (
	annotationNetworkID = "k8s.ovn.org/network-id"
	annotationConnected = "k8s.ovn.org/network-connect-subnet"
)

// fault is the reason why an object cannot be used, with its field.
type fault struct{ field, text string }

// reportFault warns of the fault of an object that is kept. It returns the fault on one line; empty for nil.
func (d *decoder) reportFault(m model.Meta, f *fault) string {
	if f == nil {
		return ""
	}
	i := Issue{Severity: model.SeverityWarning, Code: CodeNetwork, Field: f.field, Message: f.text}
	if d.tree != nil {
		i.Line = yamltree.FieldLine(d.tree, i.Field)
	}
	d.reportIssue(m.Origin, m.Key, i)
	return f.field + ": " + f.text
}

func (d *decoder) udnOf(o *UDN, m model.Meta) model.Object {
	c, f := o.Spec.config("spec", m.Namespace+"_"+m.Name)
	return &network.Definition{Meta: m, Conditions: CleanConditions(o.Status.Conditions), Config: c, Err: d.reportFault(m, f)}
}

func (d *decoder) cudnOf(o *CUDN, m model.Meta) model.Object {
	out := &network.Definition{Meta: m, Conditions: CleanConditions(o.Status.Conditions)}
	spec := &o.Spec.Network
	name := "cluster_udn_" + m.Name
	var f *fault
	if strings.EqualFold(spec.Topology, string(network.Localnet)) {
		out.Config, f = convertLocalnet(spec.Localnet, name)
	} else {
		out.Config, f = spec.config("spec.network", name)
	}
	out.Config.EVPN = strings.EqualFold(spec.Transport, "evpn")
	var err error
	if out.Namespaces, err = model.NewSelector(o.Spec.NamespaceSelector); err != nil && f == nil {
		f = &fault{"spec.namespaceSelector", words.CleanText(err.Error())}
	}
	out.Err = d.reportFault(m, f)
	return out
}

// config returns the network described by a spec; at is the path of the spec.
func (s *networkSpec) config(at, name string) (c network.Config, f *fault) {
	c = network.Config{Name: name, Topology: network.Topology(strings.ToLower(words.CleanText(s.Topology)))}
	role := ""
	switch c.Topology {
	case network.Layer3:
		at += ".layer3"
		if s.Layer3 == nil {
			return c, &fault{at, "is missing, but topology requires it"}
		}
		role = s.Layer3.Role
		for i, sub := range s.Layer3.Subnets {
			p, err := parseHostSubnet(sub.CIDR, int(sub.HostSubnet))
			if err != nil {
				return c, &fault{fmt.Sprintf("%s.subnets[%d]", at, i), err.Error()}
			}
			c.Subnets = append(c.Subnets, p)
		}
	case network.Layer2:
		at += ".layer2"
		if s.Layer2 == nil {
			return c, &fault{at, "is missing, but topology requires it"}
		}
		role = s.Layer2.Role
		for _, x := range []struct {
			field string
			texts []string
			into  *[]netip.Prefix
		}{{"subnets", s.Layer2.Subnets, &c.Subnets}, {"infrastructureSubnets", s.Layer2.InfrastructureSubnets, &c.InfrastructureSubnets}} {
			*x.into, f = parseSubnets(x.texts, at+"."+x.field)
			if f != nil {
				return c, f
			}
		}
		for i, text := range s.Layer2.DefaultGatewayIPs {
			a, err := netip.ParseAddr(text)
			if err != nil {
				return c, &fault{fmt.Sprintf("%s.defaultGatewayIPs[%d]", at, i), notAddress(text)}
			}
			c.Gateways = append(c.Gateways, a)
		}
	default:
		return c, &fault{at + ".topology", fmt.Sprintf("%q must be Layer3 or Layer2", words.CleanText(s.Topology))}
	}
	c.Primary, f = statedRole(role, at+".role")
	return c, f
}

// convertLocalnet returns the localnet of a ClusterUserDefinedNetwork.
func convertLocalnet(s *localnetConfig, name string) (c network.Config, f *fault) {
	const at = "spec.network.localnet"
	c = network.Config{Name: name, Topology: network.Localnet}
	if s == nil {
		return c, &fault{at, "is missing, but topology requires it"}
	}
	c.Subnets, f = parseSubnets(s.Subnets, at+".subnets")
	if f != nil {
		return c, f
	}
	c.Primary, f = statedRole(s.Role, at+".role")
	return c, f
}

// statedRole reads a required role; true for Primary.
func statedRole(role, field string) (bool, *fault) {
	switch strings.ToLower(role) {
	case "":
		return false, &fault{field, "is missing: Primary or Secondary"}
	case "primary":
		return true, nil
	case "secondary":
		return false, nil
	}
	return false, &fault{field, fmt.Sprintf("%q must be primary or secondary", words.CleanText(role))}
}

// parseSubnets parses and masks subnets.
func parseSubnets(texts []string, field string) (out []netip.Prefix, _ *fault) {
	for i, text := range texts {
		p, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil || p.Addr().Is4In6() {
			return nil, &fault{fmt.Sprintf("%s[%d]", field, i), notSubnet(text)}
		}
		out = append(out, p.Masked())
	}
	return out, nil
}

// parseHostSubnet parses the subnet of a layer 3 network. size is the prefix length for a node, or 0 for the default.
func parseHostSubnet(cidr string, size int) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(strings.TrimSpace(cidr))
	switch {
	case err != nil || p.Addr().Is4In6():
		return netip.Prefix{}, fmt.Errorf("%s", notSubnet(cidr))
	case size != 0 && (size <= p.Bits() || size > p.Addr().BitLen()):
		return netip.Prefix{}, fmt.Errorf("%s cannot be divided into node subnets of /%d", p, size)
	}
	return p.Masked(), nil
}

func notSubnet(text string) string { return fmt.Sprintf("%q is not a subnet", words.CleanText(text)) }

func notAddress(text string) string {
	return fmt.Sprintf("%q is not an address", words.CleanText(text))
}

func (d *decoder) cncOf(o *CNC, m model.Meta) model.Object {
	c := &network.Connect{Meta: m, Pods: slices.Contains(o.Spec.Connectivity, "PodNetwork"), Services: slices.Contains(o.Spec.Connectivity,
		"ClusterIPServiceNetwork")}
	text, has := o.Annotations[annotationConnected]
	if !has {
		return c
	}
	var of map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &of); err != nil {
		d.reportFault(m, &fault{"metadata.annotations[" + annotationConnected + "]", "cannot be read: the connected networks are unknown: " +
			words.CleanText(err.Error())})
		return c
	}
	for key := range of {
		if _, id, ok := strings.Cut(key, "_"); ok && (strings.HasPrefix(key, "layer3_") || strings.HasPrefix(key, "layer2_")) {
			c.IDs = append(c.IDs, words.CleanText(id))
		}
	}
	slices.SortFunc(c.IDs, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	return c
}
