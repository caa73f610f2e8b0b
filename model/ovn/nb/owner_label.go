package nb

import (
	"strconv"
	"strings"
)

// MarkCNP says of rows of a ClusterNetworkPolicy that OVN-Kubernetes writes none.
const MarkCNP = "as OVN-Kubernetes might"

// Label says for people who owns the row and for what: "ANP allow-web ingress 0
// tcp", "default deny of blue, ingress".
func (o Owner) Label() string {
	switch o.Form {
	case FormNone:
		return "no owner"
	case FormKnown:
		return o.what()
	case FormLegacy:
		return o.legacyLabel()
	case FormRecognised:
		if net := o.Network(); net != "" && !recognised[o.Type] {
			return "network " + net + ": " + o.what()
		}
		return o.recognisedLabel()
	case FormOdd:
		return o.what() + " (id of another form)"
	}
	owner := o.Type
	if owner == "" {
		owner = "without a type"
	}
	s := "owner " + owner
	if o.Controller != "" {
		s += " of controller " + o.Controller
	}
	about := words(join("/", o.Namespace, o.Name), strings.ToLower(o.Direction), o.indexText(), o.Detail, o.Family)
	if about != "" {
		s += ": " + about
	}
	return s
}

// what names the row of an owner type Rung compiles.
func (o Owner) what() string {
	dir := strings.ToLower(o.Direction)
	comma := ""
	if dir != "" {
		comma = ", " + dir
	}
	switch o.Type {
	case OwnerCNP:
		return words("CNP", o.Name, dir, o.indexText(), o.protocolText(), o.Family, "("+MarkCNP+")")
	case OwnerANP, OwnerBANP:
		kind := "ANP"
		if o.Type == OwnerBANP {
			kind = "BANP"
		}
		return words(kind, o.Name, dir, o.indexText(), o.protocolText(), o.Family)
	case OwnerNetworkPolicy:
		s := words("NP", join("/", o.Namespace, o.Name), dir, o.indexText(), o.protocolText())
		if o.Block == "-2" {
			s += " (ip blocks)"
		}
		return s
	case OwnerNetpolNamespace:
		what := o.Detail
		switch o.Detail {
		case "defaultDeny", "": // its port group has no type
			what = "default deny"
		case "arpAllow":
			what = "ARP"
		case "icmpAllow":
			what = "ICMP"
		}
		return what + of(o.Namespace) + comma
	case OwnerNetpolDefault:
		name := o.Name
		if name == NameHairpin {
			name = "hairpin"
		}
		return words(name, dir)
	case OwnerNetpolNode:
		return words("node", o.Name, o.Detail)
	case OwnerPodSelector:
		return words("pods", o.Name, o.Family)
	case OwnerEgressFirewall:
		if o.Index < 0 {
			return words("EF", o.Namespace)
		}
		return words("EF", o.Namespace, "rule", o.indexText())
	case OwnerEFDNS:
		return words("EF DNS", o.Name, o.Family)
	case OwnerMulticastNS:
		return "multicast" + of(o.Namespace) + comma
	case OwnerMulticastCluster:
		name := o.Name
		switch o.Name {
		case TypeMulticastDeny:
			name = "default deny"
		case TypeMulticastNodes:
			name = "between nodes"
		}
		return words("multicast", name) + comma
	}
	return words(o.Type, join("/", o.Namespace, o.Name), dir, o.Detail, o.Family)
}

func (o Owner) recognisedLabel() string {
	dir := strings.ToLower(o.Direction)
	if dir != "" {
		dir = ", " + dir
	}
	switch o.Type {
	case OwnerUDNIsolation:
		return words("UDN isolation", o.Name) + dir
	case OwnerAdvertised:
		if o.Detail != "" {
			return words("advertised network", o.Name, "id", o.Detail)
		}
		return words("advertised network", o.Name)
	case OwnerNetworkConnect:
		return words("network connect", join(", ", o.Name, o.Detail))
	case OwnerNamespace:
		return words("namespace", o.Name)
	case OwnerCluster:
		return words("cluster", o.Name)
	}
	return o.what()
}

// legacyLabel leads with where the form comes from.
func (o Owner) legacyLabel() string {
	if o.Type == "" {
		return "2023 form: port group of " + o.Name + ", priority " + o.Detail
	}
	if o.Controller == controllerOf2023 {
		return "2023 form: " + o.what() + ", priority " + o.Detail
	}
	s := "older form: " + o.what()
	if o.Type == OwnerNetworkPolicy {
		if o.Detail != "-1" {
			s += ", port " + o.Detail
		}
		if o.Block != "-1" {
			s += ", ip block " + o.Block
		}
	}
	return s
}

func (o Owner) indexText() string {
	if o.Index < 0 {
		return ""
	}
	return strconv.Itoa(o.Index)
}

func (o Owner) protocolText() string {
	if o.Protocol == "None" {
		return ""
	}
	return o.Protocol
}

func of(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " of " + namespace
}

// words joins what is there by spaces.
func words(parts ...string) string { return join(" ", parts...) }

func join(by string, parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		if p == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(by)
		}
		b.WriteString(p)
	}
	return b.String()
}
