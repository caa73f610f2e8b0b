package nb

import (
	"crypto/sha256"
	"fmt"
	"hash/fnv"
	"net/netip"
	"strconv"
	"strings"
)

// Keys of external_ids, as OVN-Kubernetes writes them (ovn-kubernetes.md#external-ids).
const (
	KeyOwnerController = "k8s.ovn.org/owner-controller"
	KeyOwnerType       = "k8s.ovn.org/owner-type"
	KeyID              = "k8s.ovn.org/id"
	KeyName            = "k8s.ovn.org/name"
	KeyDirection       = "direction"
	KeyGressIndex      = "gress-index"
	KeyIPFamily        = "ip-family"
	KeyProtocol        = "port-policy-protocol"
	KeyIPBlock         = "ip-block-index"
	KeyType            = "type"
	KeyIP              = "ip"
	KeyRuleIndex       = "rule-index"
	KeyNetwork         = "network"
	KeyPriority        = "priority"
)

// Values of KeyIPBlock: rows of a rule's selectors, and of all its IP blocks at once. Other values number the
// blocks (ovn-kubernetes.md#rule-rows, #older-forms).
const (
	BlockSelectors = "-1"
	BlockMerged    = "-2"
)

// Keys of NB_Global.external_ids that fence the writers of a zone off from each other: who writes, and a
// number that grows with every takeover.
const (
	KeyWriter = "rung/writer"
	KeyEpoch  = "rung/epoch"
)

// DefaultController owns the rows of the default network.
const DefaultController = "default-network-controller"

// networkSuffix ends the controller name of every network.
const networkSuffix = "-network-controller"

// ControllerName returns the controller that owns the rows of a network; "" means the default one.
func ControllerName(network string) string {
	if network == "" {
		return DefaultController
	}
	return network + networkSuffix
}

// IsOfNetwork reports whether a controller belongs to a network, the default one or another.
func IsOfNetwork(controller string) bool {
	return controller == DefaultController || Owner{Controller: controller}.Network() != ""
}

// Owner types of rows (ovn-kubernetes.md#owner-types).
const (
	OwnerANP  = "AdminNetworkPolicy"
	OwnerBANP = "BaselineAdminNetworkPolicy"
	// OwnerCNP is Rung's own: OVN-Kubernetes has no such rows (ovn-kubernetes.md#clusternetworkpolicy).
	OwnerCNP = "ClusterNetworkPolicy"

	OwnerNetworkPolicy    = "NetworkPolicy"
	OwnerNetpolNamespace  = "NetpolNamespace"
	OwnerNetpolDefault    = "NetpolDefault"
	OwnerNetpolNode       = "NetpolNode"
	OwnerPodSelector      = "PodSelector"
	OwnerEgressFirewall   = "EgressFirewall"
	OwnerEFDNS            = "EgressFirewallDNS"
	OwnerMulticastNS      = "MulticastNS"
	OwnerMulticastCluster = "MulticastCluster"
	OwnerNamespace        = "Namespace"
	OwnerCluster          = "Cluster"
	OwnerUDNIsolation     = "UDNIsolation"
	OwnerAdvertised       = "AdvertisedNetwork"
	OwnerNetworkConnect   = "ClusterNetworkConnect"
)

// Names and types in ids of rows without an object (ovn-kubernetes.md#hairpin-and-node-rows, #multicast).
const (
	NameHairpin        = "allow-hairpinning"
	TypeMulticastDeny  = "DefaultDeny"
	TypeMulticastNodes = "AllowInterNode"
)

// MaxFirewallRule is the last rule index of an EgressFirewall with a priority
// (ovn-kubernetes.md#firewall-rows).
const MaxFirewallRule = 8000

// Names of the port groups of owner type Cluster: all node management ports, and
// the switches' router ports (ovn-kubernetes.md#owner-types).
const (
	GroupCluster    = "clusterPortGroup"
	GroupClusterRtr = "clusterRtrPortGroup"
)

// Tables of OVN_Northbound that Rung knows.
const (
	TableACL        = "ACL"
	TableAddressSet = "Address_Set"
	TablePortGroup  = "Port_Group"
	TableSwitch     = "Logical_Switch"
	TablePort       = "Logical_Switch_Port"
	TableMeter      = "Meter"
	TableMeterBand  = "Meter_Band"
	TableGlobal     = "NB_Global"
)

// Database names the database with these tables.
const Database = "OVN_Northbound"

// LoggingMeter is the meter of every ACL, logging or not (ovn-kubernetes.md#acl-columns, #meter).
const LoggingMeter = "acl-logging"

// IDPair is one type-specific key and value of an id, in declared order.
type IDPair struct{ Key, Value string }

// IDs builds the external_ids of a row: the three fixed keys and the type-specific ones. The primary id joins
// controller, owner type and values by colons without escaping (ovn-kubernetes.md#external-ids).
func IDs(controller, ownerType string, pairs ...IDPair) map[string]string {
	ids := make(map[string]string, len(pairs)+3)
	var b strings.Builder
	b.WriteString(controller)
	b.WriteByte(':')
	b.WriteString(ownerType)
	for _, p := range pairs {
		ids[p.Key] = p.Value
		b.WriteByte(':')
		b.WriteString(p.Value)
	}
	ids[KeyOwnerController] = controller
	ids[KeyOwnerType] = ownerType
	ids[KeyID] = b.String()
	return ids
}

// HashedName returns the name of a port group or address set: "a" and the decimal unsigned 64-bit FNV-1a hash
// of the full primary id (ovn-kubernetes.md#hashed-names).
func HashedName(id string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id))
	return "a" + strconv.FormatUint(h.Sum64(), 10)
}

// OpKind is the kind of an OVSDB operation (RFC 7047 §5.2).
type OpKind string

// The operations Rung uses.
const (
	OpInsert OpKind = "insert"
	OpUpdate OpKind = "update"
	OpMutate OpKind = "mutate"
	OpDelete OpKind = "delete"
	OpSelect OpKind = "select"
	// OpWait lets the transaction go on only if the row is now as the operation states. It never waits: it is
	// the wait of RFC 7047 §5.2.6 with a timeout of 0.
	OpWait OpKind = "wait"
)

// Ref is a reference to a row in a set column: a _uuid, or the UUIDName of an insert in the same transaction.
type Ref struct {
	UUID string
	// Name is set instead of UUID for a row inserted in the same transaction.
	Name string
}

// Mutation inserts into or deletes from a column. For a set, Strings or Refs is set; for a map, Pairs, or
// Strings with the keys to delete. An insert does not overwrite a key of a map: to set a key, delete it first.
type Mutation struct {
	Column  string
	Insert  bool // false deletes
	Strings []string
	Refs    []Ref
	Pairs   map[string]string
}

// Op is one operation on one row. It is addressed by UUID, never by name: a server finds a _uuid at once and
// scans for everything else.
type Op struct {
	Kind     OpKind
	Table    string
	UUID     string // of the row, except for insert
	UUIDName string // for insert: the name in Refs of this transaction
	// Row has the columns to write: string, int, bool, []string (set), []Ref (set of references),
	// map[string]string, or nil for "no value". For wait it has the columns that must be equal; nil compares
	// only Has.
	Row map[string]any
	// Has are, for wait, required pairs of map columns, by column; other keys of the map do not count.
	Has       map[string]map[string]string
	Mutations []Mutation
	// Policy is the cause, for the activity log. Not sent.
	Policy string
}

// OpResult is the server's answer for one operation.
type OpResult struct {
	Count int    // rows touched by update, mutate, delete; none by wait
	UUID  string // of an inserted row
	Error string // the server's error and details, empty on success
}

// MAC returns the hardware address that OVN-Kubernetes derives from an address: 0a:58 and the four bytes of an
// IPv4 address, or the first four of the SHA-256 of an IPv6 address as text
// (ovn-kubernetes.md#hardware-addresses). Empty for an invalid address.
func MAC(a netip.Addr) string {
	if !a.IsValid() {
		return ""
	}
	a = a.Unmap()
	var b [4]byte
	if a.Is4() {
		b = a.As4()
	} else {
		h := sha256.Sum256([]byte(a.String()))
		copy(b[:], h[:])
	}
	return fmt.Sprintf("0a:58:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3])
}
