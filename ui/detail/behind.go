package detail

import (
	"net/netip"
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/ui/nav"
)

// Behind names the pods and nodes of an address or network of an address set, and
// which page tells more.
func Behind(r *revision.Revision, addr string) (text string, to nav.Page) {
	host := addr
	if p, err := netip.ParsePrefix(addr); err == nil {
		if p.Bits() == 0 {
			if p.Addr().Is4() {
				return "every IPv4 address", nav.Page{}
			}
			return "every IPv6 address", nav.Page{}
		}
		if !p.IsSingleIP() {
			return "network", nav.Page{}
		}
		host = p.Addr().String()
	}
	owners := r.Address(host)
	if len(owners) == 0 {
		if host != addr {
			return "one address, no pod or node has it", nav.Page{}
		}
		return "no pod or node has it", nav.Page{}
	}
	names := make([]string, len(owners))
	for i, o := range owners {
		names[i] = ThingName(o.Key)
		if o.Note != "" {
			names[i] += " (" + o.Note + ")"
		}
	}
	return words.Cut(names, ", ", 2), ThingPage(r, owners[0].Key)
}

// ThingName is a pod or node as people say it: "pod blue/api-7", "node
// ovn-worker".
func ThingName(k model.Key) string {
	name := k.Name
	if k.Namespace != "" {
		name = k.Namespace + "/" + k.Name
	}
	return strings.ToLower(string(k.Kind)) + " " + name
}

// ThingPage is the page of a pod, or of a node's zone.
func ThingPage(r *revision.Revision, k model.Key) nav.Page {
	switch {
	case k.Kind == model.KindPod:
		return nav.ToPod(k)
	case k.Kind == model.KindNode && r.Zone(k.Name) != nil:
		return nav.Page{Kind: nav.Rows, Zone: k.Name}
	case k.Kind.IsPolicy():
		return nav.ToPolicy(k)
	}
	return nav.Page{}
}

// Port says which pod a logical switch port is of.
func Port(r *revision.Revision, name string) (text string, to nav.Page) {
	p := revision.PortPod(r, name)
	if p == nil {
		return "no pod is known for this port", nav.Page{}
	}
	text = ThingName(p.Key)
	if len(p.IPs) > 0 {
		text += "  " + strings.Join(p.IPs, " ")
	} else {
		text += "  no address"
	}
	return text, nav.ToPod(p.Key)
}
