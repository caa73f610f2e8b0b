package nb

import (
	"hash/fnv"
	"strconv"
	"strings"
)

// Keys of external_ids, spelled as OVN-Kubernetes writes them
// (ovn-kubernetes.md#external-ids).
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

// Keys of NB_Global.external_ids that fence the writers of a zone off from each
// other: who writes, and a number that grows whenever somebody takes over.
const (
	KeyWriter = "rung/writer"
	KeyEpoch  = "rung/epoch"
)

// DefaultController owns the rows of the default network.
const DefaultController = "default-network-controller"

// Owner types of rows (ovn-kubernetes.md#owner-types).
const (
	OwnerANP  = "AdminNetworkPolicy"
	OwnerBANP = "BaselineAdminNetworkPolicy"
	// OwnerCNP is Rung's own: OVN-Kubernetes has no such rows
	// (ovn-kubernetes.md#clusternetworkpolicy).
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

// Names and types in the ids of rows that no object stands for
// (ovn-kubernetes.md#hairpin-and-node-rows, #multicast).
const (
	NameHairpin        = "allow-hairpinning"
	TypeMulticastDeny  = "DefaultDeny"
	TypeMulticastNodes = "AllowInterNode"
)

// MaxFirewallRule is the last index of an EgressFirewall's rule that has a
// priority (ovn-kubernetes.md#firewall-rows).
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

// Database is the name of the database all these tables live in.
const Database = "OVN_Northbound"

// LoggingMeter is the meter every ACL refers to, logging or not
// (ovn-kubernetes.md#acl-columns, #meter).
const LoggingMeter = "acl-logging"

// Pair is one type-specific key and value of an id, in declared order.
type Pair struct{ Key, Value string }

// IDs builds the external_ids of a row: the three fixed keys and the
// type-specific ones. The primary id joins controller, owner type and values by
// colons without escaping (ovn-kubernetes.md#external-ids).
func IDs(controller, ownerType string, pairs ...Pair) map[string]string {
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

// HashedName is the name of a port group or address set: "a" and the decimal
// unsigned 64-bit FNV-1a hash of the full primary id (ovn-kubernetes.md#hashed-names).
func HashedName(id string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id))
	return "a" + strconv.FormatUint(h.Sum64(), 10)
}
