package dialect

import (
	"strings"

	"rung/model/ovn/match"
	"rung/model/ovn/nb"
)

// Names of lines used elsewhere: those compiled in both forms, and tiers, which a single row does not show.
const (
	Tiers          = "tiers"
	UnloggedMeter  = "meter-of-unlogged-acls"
	MergedIPBlocks = "merged-ip-blocks"
)

var (
	netpolOwners = []string{nb.OwnerNetworkPolicy}
	// tieredOwners has the owner types whose ACLs are in tier 2 (ovn-kubernetes.md#tiers).
	tieredOwners = []string{nb.OwnerNetworkPolicy, nb.OwnerNetpolNamespace, nb.OwnerNetpolDefault, nb.OwnerNetpolNode,
		nb.OwnerEgressFirewall, nb.OwnerMulticastNS, nb.OwnerMulticastCluster}
)

// Lines has the differences between releases, the oldest first (ovn-kubernetes.md#releases). A row has the
// form of the first line whose other form it shows.
var Lines = []Line{
	{Name: "form-of-2023", Treatment: LeftOut, Owners: []string{nb.OwnerANP, nb.OwnerBANP}, sign: of2023,
		Today: "ids by gress index of the default network's controller", Other: "ids by OVN priority, as the enhancement of 2023 had them"},
	{Name: "netpol-ids", Treatment: LeftOut, Owners: netpolOwners, sign: olderID,
		Today: "ids by protocol", Other: "ids with a port and an ip block index, directions in lower case"},
	{Name: "firewall-ids", Treatment: LeftOut, Owners: []string{nb.OwnerEgressFirewall}, sign: olderID,
		Today: "ids by rule, with the key `rule-index`", Other: "ids by priority with the key rule-idx"},
	{Name: "multicast-ids", Treatment: LeftOut, Owners: []string{nb.OwnerMulticastNS}, sign: olderID,
		Today: "ids with the direction", Other: "ids Allow_Ingress and Allow_Egress"},
	{Name: "deny-groups", Treatment: LeftOut, Owners: []string{nb.OwnerNetpolNamespace},
		acl: func(_ Row, a *nb.ACL) Form { return formIf(hasAny(a.Match, suffixIngress, suffixEgress)) },
		unowned: func(g *nb.PortGroup) bool {
			return strings.HasSuffix(g.Name, suffixIngress) || strings.HasSuffix(g.Name, suffixEgress)
		},
		Today: "port groups with an owner, named by the hash of the id", Other: "port groups named HASH_ingressDefaultDeny"},
	{Name: "literal-groups", Treatment: LeftOut, Owners: []string{nb.OwnerCluster, nb.OwnerMulticastCluster}, acl: literalGroup,
		unowned: func(g *nb.PortGroup) bool { return g.Name == nb.GroupCluster || g.Name == nb.GroupClusterRtr },
		Today:   "cluster port groups named by the hash of their ids", Other: "cluster port groups under their literal names"},
	{Name: "netpol-groups", Treatment: LeftOut, Owners: netpolOwners, unowned: isNetpolGroup,
		Today: "port groups with an owner", Other: "port groups without an owner, by namespace and name"},
	{Name: "hairpin-clauses", Treatment: LeftOut, Owners: netpolOwners,
		acl: func(_ Row, a *nb.ACL) Form {
			return formIf(hasAny(a.Match, "ip4.src == "+match.Hairpin4+" && ip4.dst == {$", "ip6.src == "+match.Hairpin6+" && ip6.dst == {$"))
		},
		Today: "one hairpin row for all", Other: "a hairpin clause in each ACL"},
	{Name: "firewall-sets", Treatment: LeftOut, Owners: []string{nb.OwnerEgressFirewall},
		acl: func(_ Row, a *nb.ACL) Form {
			return formIf(hasAny(a.Match, "ip4.src == $", "ip6.src == $") && !strings.Contains(a.Match, "inport == @"))
		},
		Today: "matches by the namespace's port group", Other: "matches by the namespace's address set"},
	{Name: Tiers, Treatment: LeftOut, Owners: tieredOwners, acl: tier,
		Today: "tier 2", Other: "no tiers"},

	{Name: "advertised-rows", Upstream: "pull request 5186", Since: "2025-05", Treatment: ReadAlike, Owners: []string{nb.OwnerAdvertised},
		sign:  isThere,
		Today: "rows of tier 0 that isolate advertised networks", Other: "none"},
	{Name: "isolation-tier", Upstream: "pull request 5202", Since: "2025-07", Treatment: ReadAlike, Owners: []string{nb.OwnerUDNIsolation},
		acl:   func(_ Row, a *nb.ACL) Form { return formIf(a.Tier != 0) },
		Today: "isolation of primary networks in tier 0", Other: "in tier 2"},
	{Name: "namespaces-of-networks", Upstream: "commits 2d2e445 and f792af5", Since: "2025-07", Treatment: Unseen,
		Today: "a running network that gains a namespace looks at its objects", Other: "the event is lost"},
	{Name: "isolation-mode", Upstream: "commit 636eaeb", Since: "2025-08", Treatment: Unseen,
		Today: "isolation mode `loose`", Other: "advertised networks are always isolated"},
	{Name: "isolation-ids", Upstream: "pull request 5512", Since: "2025-08", Treatment: ReadAlike, Owners: []string{nb.OwnerUDNIsolation},
		acl:   isolationID,
		Today: "ids DenyPrimaryUDN, AllowHostPrimaryUDN, AllowHostARPPrimaryUDN",
		Other: "ids DenySecondary, AllowHostSecondary, AllowHostARPSecondary, renamed at the next start"},
	{Name: "firewall-subnets", Upstream: "pull requests 5688 and 5725", Since: "2025-11", Treatment: Unseen,
		Today: "EgressFirewalls leave out the subnets of their own network, all of them", Other: "those of the cluster"},
	{Name: "advertised-pass", Upstream: "pull request 5759", Since: "2025-12", Treatment: ReadAlike, Owners: []string{nb.OwnerAdvertised},
		// A row with one subnet of a family has either form.
		acl: func(_ Row, a *nb.ACL) Form {
			return todayIf(a.Action == nb.ActionPass && hasAny(a.Match, "|| ip4.src", "|| ip6.src"))
		},
		Today: "the pass row of an advertised network has all its subnets", Other: "one pair of subnets"},
	{Name: "attachments", Upstream: "pull request 5714", Since: "2026-01", Treatment: Unseen,
		Today: "a pod has several attachments to one NAD, with numbered keys and ports", Other: "one"},
	{Name: "netpol-controllers", Upstream: "pull request 5943", Since: "2026-02", Treatment: Unseen,
		Today: "the primary NAD of its namespace decides which controller takes a NetworkPolicy",
		Other: "the active network does; the default controller errs and tries again"},
	{Name: MergedIPBlocks, Upstream: "pull request 5959", Since: "2026-02", Treatment: Compiled, ByZone: true, Owners: netpolOwners,
		acl:   blocksOfRule,
		Today: "one row `-2` for all IP blocks of a rule", Other: "one row for each, `0`, `1` and so on",
		Counted: "rows of IP blocks are merged"},
	{Name: "icmp-allow", Upstream: "pull request 5247", Since: "2026-02", Treatment: ReadAlike, Owners: []string{nb.OwnerNetpolNamespace},
		acl:   func(r Row, _ *nb.ACL) Form { return todayIf(r.Owner.Detail == "icmpAllow") },
		Today: "`icmpAllow` rows, where `allow-icmp-network-policy` is set", Other: "none"},
	{Name: "network-connect", Upstream: "pull request 5828", Since: "2026-03", Treatment: ReadAlike, Owners: []string{nb.OwnerNetworkConnect},
		sign:  isThere,
		Today: "rows of ClusterNetworkConnect", Other: "none"},
	{Name: "shared-sets", Upstream: "pull requests 5999 and 6198", Since: "2026-03", Treatment: Unseen,
		Today: "one manager makes the pod selector sets of all networks", Other: "each controller its own"},
	{Name: "selector-sets", Upstream: "pull requests 6258 and 6264", Since: "2026-04", Treatment: LeftOut, ByVote: true,
		Owners: []string{nb.OwnerNetworkPolicy, nb.OwnerMulticastNS, nb.OwnerPodSelector}, sign: namespaceSet,
		Today: "pod selector sets, `_LNM` for a whole namespace", Other: "peers by the address sets of namespaces"},
	{Name: "firewall-new-subnets", Upstream: "pull request 5433", Since: "2026-05", Treatment: Unseen,
		Today: "EgressFirewalls are written again when their network gains a subnet", Other: "not proven"},
	{Name: "filled-sets", Upstream: "pull request 6511", Since: "2026-06", Treatment: Unseen,
		Today: "a set has its members before a row refers to it", Other: "it is empty for a moment"},
	{Name: "unready-namespaces", Upstream: "pull request 6621", Since: "2026-07", Treatment: Unseen,
		Today: "controllers leave out namespaces whose network is not ready, and drop groups of those that they do not serve",
		Other: "they do not"},
	{Name: "advertised-drop", Upstream: "pull request 6599", Since: "2026-07", Treatment: ReadAlike, Owners: []string{nb.OwnerAdvertised},
		acl:   advertisedDrop,
		Today: "the drop row of advertised networks hangs on a port group", Other: "on each switch"},
	{Name: "zone-conditions", Upstream: "pull request 6661", Since: "2026-08", Treatment: Unseen,
		Today: "conditions and local pods by the name of the node", Other: "by the zone in the node's annotation, the same with one zone " +
			"for each node"},
	{Name: UnloggedMeter, Upstream: "pull request 6769", IsUnreleased: true, Treatment: Compiled, acl: unloggedMeter,
		Owners: append(tieredOwners[:len(tieredOwners):len(tieredOwners)], nb.OwnerANP, nb.OwnerBANP, nb.OwnerCNP),
		Today:  "ACLs that do not log refer to the meter, too", Other: "they have none", Counted: "ACLs that do not log refer to " +
			nb.LoggingMeter},
}
