package nb

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// MarkCNP marks rows of a ClusterNetworkPolicy, which OVN-Kubernetes does not write.
const MarkCNP = "as OVN-Kubernetes might"

// Label returns the owner and purpose of the row for people: "ANP allow-web ingress 0 tcp", "default deny of
// blue, ingress".
func (o Owner) Label() string {
	if net := o.Network(); net != "" && !recognised[o.Type] {
		o.Controller = DefaultController
		return "network " + net + ": " + o.Label()
	}
	switch o.Form {
	case FormNone:
		return "no owner"
	case FormKnown:
		return o.rowText()
	case FormLegacy:
		return o.legacyLabel()
	case FormRecognised:
		return o.recognisedLabel()
	case FormOdd:
		return o.rowText() + " (id of another form)"
	}
	s := "owner " + cmp.Or(o.Type, "without a type")
	if o.Controller != "" {
		s += " of controller " + o.Controller
	}
	about := joinWords(joinNonEmpty("/", o.Namespace, o.Name), strings.ToLower(o.Direction), o.indexText(), o.Detail, o.Family)
	if about != "" {
		s += ": " + about
	}
	return s
}

// rowText names the row of an owner type Rung compiles.
func (o Owner) rowText() string {
	dir, comma := strings.ToLower(o.Direction), o.commaDirection()
	switch o.Type {
	case OwnerCNP, OwnerANP, OwnerBANP:
		text := joinWords(adminKinds[o.Type], o.Name, dir, o.indexText(), o.protocolText(), o.Family)
		if o.Type == OwnerCNP {
			text += " (" + MarkCNP + ")"
		}
		return text
	case OwnerNetworkPolicy:
		s := joinWords("NP", joinNonEmpty("/", o.Namespace, o.Name), dir, o.indexText(), o.protocolText())
		if o.Block == "-2" {
			s += " (ip blocks)"
		}
		return s
	case OwnerNetpolNamespace:
		what := rowNames[[2]string{o.Type, o.Detail}]
		return cmp.Or(what, o.Detail, "default deny") + namespaceSuffix(o.Namespace) + comma // its port group has no type
	case OwnerNetpolDefault:
		return joinWords(cmp.Or(rowNames[[2]string{o.Type, o.Name}], o.Name), dir)
	case OwnerNetpolNode:
		return joinWords("node", o.Name, o.Detail)
	case OwnerPodSelector:
		return joinWords("pods", o.Name, o.Family)
	case OwnerEgressFirewall:
		if o.Index < 0 {
			return joinWords("EF", o.Namespace)
		}
		return joinWords("EF", o.Namespace, "rule", o.indexText())
	case OwnerEFDNS:
		return joinWords("EF DNS", o.Name, o.Family)
	case OwnerMulticastNS:
		return "multicast" + namespaceSuffix(o.Namespace) + comma
	case OwnerMulticastCluster:
		return joinWords("multicast", cmp.Or(rowNames[[2]string{o.Type, o.Name}], o.Name)) + comma
	}
	return joinWords(o.Type, joinNonEmpty("/", o.Namespace, o.Name), dir, o.Detail, o.Family)
}

var adminKinds = map[string]string{OwnerCNP: "CNP", OwnerANP: "ANP", OwnerBANP: "BANP"}

// rowNames are words for a part of an id, by owner type.
var rowNames = map[[2]string]string{
	{OwnerNetpolNamespace, "defaultDeny"}: "default deny", {OwnerNetpolNamespace, "arpAllow"}: "ARP",
	{OwnerNetpolNamespace, "icmpAllow"}: "ICMP", {OwnerNetpolDefault, NameHairpin}: "hairpin",
	{OwnerMulticastCluster, TypeMulticastDeny}: "default deny", {OwnerMulticastCluster, TypeMulticastNodes}: "between nodes",
}

// commaDirection returns ", ingress" or ", egress", or empty without a direction.
func (o Owner) commaDirection() string {
	if o.Direction == "" {
		return ""
	}
	return ", " + strings.ToLower(o.Direction)
}

func (o Owner) recognisedLabel() string {
	switch o.Type {
	case OwnerUDNIsolation:
		return joinWords("UDN isolation", o.Name) + o.commaDirection()
	case OwnerAdvertised:
		if o.Detail != "" {
			return joinWords("advertised network", o.Name, "id", o.Detail)
		}
		return joinWords("advertised network", o.Name)
	case OwnerNetworkConnect:
		return joinWords("network connect", joinNonEmpty(", ", o.Name, o.Detail))
	case OwnerNamespace:
		return joinWords("namespace", o.Name)
	case OwnerCluster:
		return joinWords("cluster", o.Name)
	}
	return o.rowText()
}

// legacyLabel names the origin of the form first.
func (o Owner) legacyLabel() string {
	if o.Type == "" {
		return "2023 form: port group of " + o.Name + ", priority " + o.Detail
	}
	if o.Controller == controllerOf2023 {
		return "2023 form: " + o.rowText() + ", priority " + o.Detail
	}
	s := "older form: " + o.rowText()
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

func namespaceSuffix(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " of " + namespace
}

// joinWords joins the non-empty parts by spaces.
func joinWords(parts ...string) string { return joinNonEmpty(" ", parts...) }

func joinNonEmpty(by string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), by)
}

// keyRuleIdx had the index of an EgressFirewall rule when the id ended in its priority
// (ovn-kubernetes.md#older-forms).
const keyRuleIdx = "rule-idx"

// keyOldName named a port group before groups had owners.
const keyOldName = "name"

// parseLegacyID parses an id of the enhancement of 2023 or of an older release. It knows exactly the forms in
// ovn-kubernetes.md#older-forms.
func (o *Owner) parseLegacyID(table, rest string) (ok bool) {
	p := strings.Split(rest, ":")
	n := *o
	n.Index = -1
	if o.Controller == controllerOf2023 {
		// <policy>:ANPEgress:<OVN priority>[:<family>]
		want := map[string]int{TableACL: 3, TableAddressSet: 4}[table]
		if (o.Type != OwnerANP && o.Type != OwnerBANP) || len(p) != want || !isNumber(p[2]) {
			return false
		}
		kind := strings.TrimSuffix(strings.TrimSuffix(p[1], "Ingress"), "Egress")
		ok = (kind == "ANP" || kind == "BANP" && o.Type == OwnerBANP) && n.parseDirection(p[1][len(kind):])
		n.Name, n.Detail = p[0], p[2]
		if want == 4 {
			n.Family, ok = p[3], ok && slices.Contains(idFamilies, p[3])
		}
	} else if o.Controller == DefaultController && table == TableACL {
		ok = n.parseOlderID(p)
	}
	ok = ok && n.Name != ""
	if ok {
		n.Form = FormLegacy
		*o = n
	}
	return ok
}

// parseOlderID parses older id forms of the default network's controller.
func (o *Owner) parseOlderID(p []string) bool {
	switch o.Type {
	case OwnerEgressFirewall: // <namespace>:<priority>
		if len(p) != 2 || p[0] == "" || !isNumber(p[1]) {
			return false
		}
		prio, err := strconv.Atoi(p[1])
		o.Namespace, o.Name, o.Index, o.Detail = p[0], "default", 10000-prio, p[1]
		return err == nil && prio >= 2000 && prio <= 10000
	case OwnerMulticastNS: // <namespace>:Allow_Ingress
		if len(p) != 2 || p[0] == "" {
			return false
		}
		dir, ok := strings.CutPrefix(p[1], "Allow_")
		o.Namespace, o.Name = p[0], "default"
		return ok && o.parseDirection(dir)
	case OwnerNetworkPolicy: // <namespace>:<policy>:egress:<rule>:<port entry>:<ip block>
		if len(p) != 6 || p[0] == "" || !isIndex(p[4]) || !isIndex(p[5]) {
			return false
		}
		dir := map[string]string{"ingress": "Ingress", "egress": "Egress"}[p[2]]
		o.Namespace, o.Name, o.Detail, o.Block = p[0], p[1], p[4], p[5]
		return o.parseGress(dir, p[3])
	}
	return false
}

// isIndex reports whether s is a number, or -1.
func isIndex(s string) bool { return s == "-1" || isNumber(s) }

func isNumber(s string) bool { return new(Owner).parseIndex(s) }

// parseLegacyGroup recognises a port group of the enhancement of 2023: its only id is "name", the policy and
// its priority.
func parseLegacyGroup(table string, ids map[string]string, o *Owner) bool {
	i := strings.LastIndexByte(ids[keyOldName], '_')
	if table != TablePortGroup || i <= 0 || len(ids) != 1 {
		return false
	}
	name, prio := ids[keyOldName][:i], ids[keyOldName][i+1:]
	n, err := strconv.Atoi(prio)
	// Ranges of the two kinds (ovn-kubernetes.md#older-forms).
	if err != nil || !isNumber(prio) || !(n >= 20000 && n <= 30000 || n >= 1650 && n <= 1750) {
		return false
	}
	o.Name, o.Detail = name, prio
	return true
}
