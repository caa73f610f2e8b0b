package network

import (
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
)

// Isolation is the input for tier 0, which keeps pods with another primary network off the default network
// (networks.md#tier-0).
type Isolation struct {
	// Management are the addresses of the node's management port.
	Management []string
	Pods       []*model.Pod // pods of the zone with isolated ports
}

// IsolationGroup returns the port group of isolated ports, with no ports yet.
func IsolationGroup() PortGroup { return NewPortGroup("", nb.OwnerUDNIsolation, "SecondaryPods") }

// ACLs returns the ACLs of the group.
func (i *Isolation) ACLs() (out []*nb.ACL) {
	var asks, tells, from []string
	for _, ip := range i.Management {
		if strings.Contains(ip, ":") {
			asks, tells = append(asks, "( nd && nd.target == "+ip+" )"), append(tells, "( nd && nd.target == "+ip+" )")
			from = append(from, "ip6.src=="+ip)
			continue
		}
		asks, tells = append(asks, "( arp && arp.tpa == "+ip+" )"), append(tells, "( arp && arp.spa == "+ip+" )")
		from = append(from, "ip4.src=="+ip)
	}
	or := func(terms []string) string { return " && (" + strings.Join(terms, " || ") + ")" }
	add := func(name, dir string, priority int, action, of, more string) {
		direction, port := nb.ToLport, "outport"
		if dir == "Egress" {
			direction, port = nb.FromLport, "inport"
		}
		out = append(out, &nb.ACL{Priority: priority, Direction: direction, Action: action, Match: port + " == " + of + more,
			Meter: nb.LoggingMeter, ExternalIDs: nb.IDs(nb.DefaultController, nb.OwnerUDNIsolation, nb.IDPair{Key: nb.KeyName, Value: name},
				nb.IDPair{Key: nb.KeyDirection, Value: dir})})
	}
	all := "@" + IsolationGroup().Name
	add("DenyPrimaryUDN", "Egress", 1000, nb.ActionDrop, all, "")
	add("DenyPrimaryUDN", "Ingress", 1000, nb.ActionDrop, all, "")
	if len(i.Management) > 0 {
		add("AllowHostARPPrimaryUDN", "Egress", 1001, nb.ActionAllow, all, or(asks))
		add("AllowHostARPPrimaryUDN", "Ingress", 1001, nb.ActionAllow, all, or(tells))
		add("AllowHostPrimaryUDN", "Ingress", 1001, nb.ActionAllowRelated, all, or(from))
	}
	for _, p := range i.Pods {
		if len(p.OpenPorts) == 0 {
			continue
		}
		name, port := "OpenPort-"+p.Namespace+"/"+p.Name, strconv.Quote(nb.PortName(p.Namespace, p.Name))
		add(name, "Ingress", 1001, nb.ActionAllowRelated, port, " && (arp || nd || ("+strings.Join(p.OpenPorts, " || ")+"))")
		add(name, "Egress", 1001, nb.ActionAllow, port, " && (arp || nd)")
	}
	return out
}
