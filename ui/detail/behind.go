package detail

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"rung/engine/revision"
	"rung/model"
	"rung/ui/nav"
)

// Behind says who stands behind an address or network of an address set, and
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
	for i, o := range owners {
		if i == 2 {
			text += fmt.Sprintf(" and %d more", len(owners)-2)
			break
		}
		if i > 0 {
			text += ", "
		}
		text += ThingName(o.Key)
		if o.Note != "" {
			text += " (" + o.Note + ")"
		}
	}
	return text, ThingPage(r, owners[0].Key)
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
	p := r.PortPod(name)
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

// Count is "1 pod", "12 pods".
func Count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	if s, ok := strings.CutSuffix(one, "y"); ok && !strings.HasSuffix(s, "a") && !strings.HasSuffix(s, "e") {
		return Thousands(n) + " " + s + "ies"
	}
	if strings.HasSuffix(one, "s") {
		return Thousands(n) + " " + one + "es"
	}
	return Thousands(n) + " " + one + "s"
}

// Thousands is a number with commas: "12,345".
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Join is "a", "a and b", "a, b and c", cut after most with "and n more".
func Join(parts []string, most int) string {
	switch n := len(parts); {
	case n == 0:
		return ""
	case n == 1:
		return parts[0]
	case n <= most:
		return strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	default:
		return fmt.Sprintf("%s and %d more", strings.Join(parts[:most], ", "), n-most)
	}
}
