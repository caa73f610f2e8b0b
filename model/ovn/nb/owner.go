package nb

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Form is how the owner ids of a row relate to what Rung compiles.
type Form uint8

// The forms.
const (
	FormNone       Form = iota // no owner ids
	FormKnown                  // a type Rung compiles, id as in ovn-kubernetes.md#owner-types
	FormRecognised             // understood, not compiled: tier 0, groups of namespaces
	FormLegacy                 // of the enhancement of 2023, or of an older release (ovn-kubernetes.md#older-forms)
	FormOdd                    // an owner type Rung compiles with an id of unknown form
	FormUnknown                // another owner
)

// String returns the form as the command line writes it.
func (f Form) String() string {
	return [...]string{FormNone: "none", FormKnown: "known", FormRecognised: "recognised", FormLegacy: "legacy", FormOdd: "odd",
		FormUnknown: "unknown"}[f]
}

// MarshalText returns String, for JSON.
func (f Form) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// Owner is the writer and purpose of a row, from its external_ids.
type Owner struct {
	Controller string // owner-controller as written
	Type       string // owner-type as written
	Form       Form
	// Namespace and Name identify the object of the row:
	//
	//	ANP, BANP and CNP             Name
	//	NetworkPolicy                 both
	//	EgressFirewall, MulticastNS   Namespace, and "default"
	//	NetpolNamespace               Namespace, and "Ingress" or "Egress"
	//	NetpolNode                    Name is the switch
	//	PodSelector                   Name is the selector string
	//	EgressFirewallDNS             Name is the DNS name
	//	MulticastCluster              Name is "DefaultDeny" or "AllowInterNode"
	//	others                        Name as in the ids
	Namespace, Name string
	Direction       string // "Ingress", "Egress" or ""
	Index           int    // gress-index or rule-index, or -1
	Protocol        string // port-policy-protocol
	Block           string // ip-block-index
	Detail          string // type, ip, network or priority: other parts of the identity
	Family          string // v4, v6
}

// controllerOf2023 owned the rows of the enhancement of 2023.
const controllerOf2023 = "network-policy-controller"

// Directions, address families, L4 groups and the rows of a default deny as spelled in ids
// (ovn-kubernetes.md#acl-ids, #address-sets, #default-deny).
var (
	idDirections = []string{"Ingress", "Egress"}
	idFamilies   = []string{"v4", "v6"}
	idProtocols  = []string{"None", "tcp", "udp", "sctp"}
	idDenyTypes  = []string{"defaultDeny", "arpAllow", "icmpAllow"}
	idNamed      = []string{"tcp-namedPort", "udp-namedPort", "sctp-namedPort"}
)

// ParseOwner parses the owner of a row. For owner types that Rung compiles the identity comes from the id alone:
// other keys may have been altered, and then differ from the desired ones. For others it comes from the keys.
func ParseOwner(table string, ids map[string]string) Owner {
	o := Owner{Controller: ids[KeyOwnerController], Type: ids[KeyOwnerType], Index: -1}
	id := ids[KeyID]
	rest, own := strings.CutPrefix(id, o.Controller+":"+o.Type+":")
	network := IsOfNetwork(o.Controller)
	switch {
	case o.Type == "" && o.Controller == "" && id == "":
		if parseLegacyGroup(table, ids, &o) {
			o.Form = FormLegacy
		}
	case recognised[o.Type]:
		o.Form = FormRecognised
		o.takeKeys(ids)
	case !compiledTypes[o.Type]:
		o.Form = FormUnknown
		o.takeKeys(ids)
	case network && own && o.parseID(table, rest):
		o.Form = FormKnown
		if o.Type == OwnerEgressFirewall && ids[KeyRuleIndex] == "" && ids[keyRuleIdx] != "" {
			o.parseLegacyID(table, rest) // the last part is a priority
		}
	case own && o.parseLegacyID(table, rest):
		// parseLegacyID set the form.
	default:
		o.Form = FormUnknown
		if network {
			o.Form = FormOdd
		}
		o.takeKeys(ids)
	}
	return o
}

// OwnerOfRow calls ParseOwner for a row of any table; rows of tables without owners have none.
func OwnerOfRow(r Row) Owner {
	switch r.(type) {
	case *ACL, *AddressSet, *PortGroup:
		return ParseOwner(TableName(r), r.IDs())
	}
	return Owner{Index: -1}
}

// Network returns the network whose controller owns the row. It is empty for the default network and for
// controllers of no network (ovn-kubernetes.md#other-networks).
func (o Owner) Network() string {
	if o.Controller == DefaultController || !strings.HasSuffix(o.Controller, networkSuffix) {
		return ""
	}
	return strings.TrimSuffix(o.Controller, networkSuffix)
}

var compiledTypes = map[string]bool{
	OwnerANP: true, OwnerBANP: true, OwnerCNP: true, OwnerNetworkPolicy: true, OwnerNetpolNamespace: true, OwnerNetpolDefault: true,
	OwnerNetpolNode: true, OwnerPodSelector: true, OwnerEgressFirewall: true, OwnerEFDNS: true, OwnerMulticastNS: true,
	OwnerMulticastCluster: true,
}

var recognised = map[string]bool{
	OwnerNamespace: true, OwnerCluster: true, OwnerUDNIsolation: true, OwnerAdvertised: true, OwnerNetworkConnect: true,
}

// parseID parses the id of an owner type that Rung compiles, after controller and type. Names of Kubernetes
// objects, switches and protocols have no colon; selector strings and addresses do, so those are cut from the
// other end. ok is false, and the owner unchanged, if the id has another form than in
// ovn-kubernetes.md#external-ids and
// #owner-types.
func (o *Owner) parseID(table, rest string) (ok bool) {
	n := *o
	switch table {
	case TableACL:
		ok = n.parseACLID(rest)
	case TableAddressSet:
		ok = n.parseSetID(rest)
	case TablePortGroup:
		ok = n.parseGroupID(rest)
	}
	ok = ok && n.Name != ""
	if ok {
		*o = n
	}
	return ok
}

func (o *Owner) parseACLID(rest string) bool {
	p := strings.Split(rest, ":")
	switch o.Type {
	case OwnerANP, OwnerBANP, OwnerCNP:
		// The id has no protocol if OVN-Kubernetes does not know it (ovn-kubernetes.md#unknown-protocol).
		if len(p) != 4 || p[3] != "" && !slices.Contains(idProtocols, p[3]) && !slices.Contains(idNamed, p[3]) {
			return false
		}
		o.Name, o.Protocol = p[0], p[3]
		return o.parseGress(p[1], p[2])
	case OwnerNetworkPolicy:
		if len(p) != 6 || p[0] == "" || !slices.Contains(idProtocols, p[4]) || p[5] != BlockMerged && !isIndex(p[5]) {
			return false
		}
		o.Namespace, o.Name, o.Protocol, o.Block = p[0], p[1], p[4], p[5]
		return o.parseGress(p[2], p[3])
	case OwnerNetpolNamespace:
		if len(p) != 3 || p[0] == "" || !slices.Contains(idDenyTypes, p[2]) {
			return false
		}
		o.Namespace, o.Name, o.Detail = p[0], p[1], p[2]
		return o.parseDirection(p[1])
	case OwnerNetpolDefault:
		o.Name = p[0]
		return len(p) == 2 && p[0] == NameHairpin && o.parseDirection(p[1])
	case OwnerNetpolNode:
		o.Name, o.Detail, _ = strings.Cut(rest, ":")
		_, err := netip.ParseAddr(o.Detail)
		return err == nil
	case OwnerEgressFirewall:
		o.Namespace, o.Name = p[0], "default"
		return len(p) == 2 && p[0] != "" && o.parseIndex(p[1]) && o.Index <= MaxFirewallRule
	case OwnerMulticastNS:
		o.Namespace, o.Name = p[0], "default"
		return len(p) == 2 && p[0] != "" && o.parseDirection(p[1])
	case OwnerMulticastCluster:
		o.Name = p[0]
		return len(p) == 2 && (p[0] == TypeMulticastDeny || p[0] == TypeMulticastNodes) && o.parseDirection(p[1])
	}
	return false
}

func (o *Owner) parseSetID(rest string) bool {
	i := strings.LastIndexByte(rest, ':')
	if i < 0 || !slices.Contains(idFamilies, rest[i+1:]) {
		return false
	}
	o.Name, o.Family = rest[:i], rest[i+1:]
	switch o.Type {
	case OwnerANP, OwnerBANP, OwnerCNP:
		p := strings.Split(o.Name, ":")
		o.Name = p[0]
		return len(p) == 3 && o.parseGress(p[1], p[2])
	case OwnerPodSelector, OwnerEFDNS:
		return true
	}
	return false
}

func (o *Owner) parseGroupID(rest string) bool {
	p := strings.Split(rest, ":")
	switch o.Type {
	case OwnerANP, OwnerBANP, OwnerCNP:
		o.Name = rest
		return len(p) == 1
	case OwnerNetworkPolicy, OwnerNetpolNamespace:
		if len(p) != 2 || p[0] == "" {
			return false
		}
		o.Namespace, o.Name = p[0], p[1]
		return o.Type == OwnerNetworkPolicy || o.parseDirection(p[1])
	}
	return false
}

func (o *Owner) parseDirection(s string) bool {
	o.Direction = s
	return slices.Contains(idDirections, s)
}

// parseIndex parses a number as written in ids: "07" and "+7" are invalid.
func (o *Owner) parseIndex(s string) bool {
	n, err := strconv.Atoi(s)
	o.Index = n
	return err == nil && n >= 0 && strconv.Itoa(n) == s
}

func (o *Owner) parseGress(direction, index string) bool {
	return o.parseDirection(direction) && o.parseIndex(index)
}

// takeKeys sets the fields from the other external_ids.
func (o *Owner) takeKeys(ids map[string]string) {
	o.Name, o.Direction, o.Family = ids[KeyName], ids[KeyDirection], ids[KeyIPFamily]
	if !slices.Contains(idDirections, o.Direction) {
		o.Direction = ""
	}
	o.Protocol, o.Block, o.Index = ids[KeyProtocol], ids[KeyIPBlock], -1
	for _, k := range []string{KeyGressIndex, KeyRuleIndex} {
		if n := (Owner{}); n.parseIndex(ids[k]) {
			o.Index = n.Index
		}
	}
	for _, k := range []string{KeyType, KeyIP, KeyNetwork, KeyPriority} {
		if ids[k] != "" {
			o.Detail = ids[k]
			break
		}
	}
	switch o.Type {
	case OwnerNetworkPolicy:
		if ns, name, ok := strings.Cut(o.Name, ":"); ok {
			o.Namespace, o.Name = ns, name
		}
	case OwnerNetpolNamespace:
		o.Namespace, o.Name = o.Name, o.Direction
	case OwnerEgressFirewall, OwnerMulticastNS:
		if o.Name != "" {
			o.Namespace, o.Name = o.Name, "default"
		}
	case OwnerMulticastCluster:
		o.Name, o.Detail = o.Detail, ""
	}
}
