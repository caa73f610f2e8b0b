package dialect

import (
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"rung/model/ovn/match"
	"rung/model/ovn/nb"
)

// sampled has the owner types whose ACLs carry samples with observability (ovn-kubernetes.md#samples).
var sampled = map[string]bool{
	nb.OwnerANP: true, nb.OwnerBANP: true, nb.OwnerCNP: true, nb.OwnerNetpolNode: true, nb.OwnerNetworkPolicy: true,
	nb.OwnerNetpolNamespace: true, nb.OwnerMulticastNS: true, nb.OwnerMulticastCluster: true, nb.OwnerEgressFirewall: true,
}

// InferDialect infers the dialect from the rows of a zone. It looks at every ACL, address set and port group
// once.
func InferDialect(db *nb.DB, h ObjectHints) Dialect {
	t := &dialectTally{db: db, hints: h, forms: map[string]*formCount{}, lines: make([]LineRows, len(Lines)), hairpins: map[string]bool{},
		subnets: subnetTally{seen: map[netip.Prefix]bool{}}}
	for g := range db.PortGroups() {
		t.countRow(g, g.ExternalIDs, nb.ParseOwner(nb.TablePortGroup, g.ExternalIDs))
	}
	for s := range db.AddressSets() {
		o := nb.ParseOwner(nb.TableAddressSet, s.ExternalIDs)
		t.countRow(s, s.ExternalIDs, o)
		if o.Form == nb.FormKnown || o.Form == nb.FormLegacy {
			switch o.Family {
			case "v4":
				t.families.v4Sets++
			case "v6":
				t.families.v6Sets++
			}
		}
	}
	for a := range db.ACLs() {
		t.countACL(a)
	}
	for s := range db.Switches() {
		t.countSwitch(s)
	}
	d := Dialect{Observability: t.observabilityFact(), AllowICMP: t.allowICMPFact(), Stateless: t.statelessFact(),
		Families: t.families.familiesFact(), Subnets: t.subnets.subnetsFact(), Meter: t.meterFact(),
		Hairpin: t.hairpinAddresses(), Releases: t.releaseFacts(), Owners: t.ownerRows()}
	d.Multicast = t.multicastFact()
	d.Defaults = presenceFact(t.hairpin+t.nodeRows, "hairpin and node rows")
	return d
}

// dialectTally has the counts of one pass over the rows.
type dialectTally struct {
	db    *nb.DB
	hints ObjectHints
	forms map[string]*formCount

	acls, metered          int // of the default network's controller
	sampleable, withSample int
	denies, icmp           int
	stateless, wouldBe     int // stateless rows, and stateful rows of NetworkPolicies annotated as stateless
	multicast, hairpin     int
	nodeRows               int             // rows of NetpolNode
	nodeSwitches, snooping int             // node switches, and those that snoop multicast
	hairpins               map[string]bool // matches of hairpin rows
	lines                  []LineRows      // parallel to Lines
	onSwitches             map[string]bool
	tiered, tierless       int    // rows of owner types in tier 2, and those of them in tier 0
	groups2023             [2]int // port groups of 2023: of AdminNetworkPolicies, of baselines

	families familyTally
	subnets  subnetTally
}

func (t *dialectTally) countACL(a *nb.ACL) {
	o := nb.ParseOwner(nb.TableACL, a.ExternalIDs)
	t.countRow(a, a.ExternalIDs, o)
	if o.Form == nb.FormKnown {
		switch o.Type { // these features are on for all networks or for none
		case nb.OwnerMulticastCluster, nb.OwnerMulticastNS:
			t.multicast++
		case nb.OwnerNetpolDefault:
			t.hairpin++
			t.hairpins[a.Match] = true
		case nb.OwnerNetpolNode:
			t.nodeRows++
		}
	}
	if o.Controller != nb.DefaultController || o.Form != nb.FormKnown && o.Form != nb.FormLegacy {
		return
	}
	t.acls++
	if a.Meter == nb.LoggingMeter {
		t.metered++
	}
	if sampled[o.Type] {
		t.sampleable++
		if a.SampleNew != "" || a.SampleEst != "" {
			t.withSample++
		}
	}
	t.families.countMatch(o.Type, a.Match)
	switch o.Type {
	case nb.OwnerNetpolNamespace:
		switch o.Detail {
		case "defaultDeny":
			t.denies++
		case "icmpAllow":
			t.icmp++
		}
	case nb.OwnerNetworkPolicy:
		if a.Action == nb.ActionAllowStateless {
			t.stateless++
		} else if t.hints.Stateless != nil && t.hints.Stateless(o.Namespace, o.Name) {
			t.wouldBe++
		}
	case nb.OwnerEgressFirewall:
		if t.isOfDefaultNetwork(a.Match) {
			t.subnets.countMatch(a.Match)
		}
	}
}

// isOfDefaultNetwork reports whether an EgressFirewall row is for a namespace on the default network. Rows of
// other networks exclude the subnets of their own, with the same owner (ovn-kubernetes.md#other-networks).
func (t *dialectTally) isOfDefaultNetwork(text string) bool {
	for r := range match.RefsIn(text) {
		if r.Kind == match.RefPortGroup {
			g := t.db.PortGroupByName(r.Name)
			return g != nil && g.ExternalIDs[nb.KeyOwnerController] == nb.DefaultController
		}
	}
	return true // older forms have no other networks
}

func (t *dialectTally) observabilityFact() Fact {
	if t.sampleable == 0 {
		return Fact{Evidence: "no ACL that could carry samples"}
	}
	return Fact{NewTristate(t.withSample > 0), fmt.Sprintf("%d of %d ACLs carry samples", t.withSample, t.sampleable)}
}

func (t *dialectTally) allowICMPFact() Fact {
	if t.denies+t.icmp == 0 {
		return Fact{Evidence: "no default deny rows"}
	}
	return Fact{NewTristate(t.icmp > 0), fmt.Sprintf("%d icmpAllow beside %d defaultDeny rows", t.icmp, t.denies)}
}

func (t *dialectTally) statelessFact() Fact {
	switch {
	case t.stateless > 0:
		return Fact{Yes, fmt.Sprintf("%d ACLs are %s", t.stateless, nb.ActionAllowStateless)}
	case t.wouldBe > 0:
		return Fact{No, fmt.Sprintf("%d ACLs of annotated NetworkPolicies are not %s", t.wouldBe, nb.ActionAllowStateless)}
	}
	return Fact{Evidence: "no NetworkPolicy with rows is annotated"}
}

// countSwitch counts a node's switch. With multicast on, all of them snoop multicast. A switch that connects
// zones always does.
func (t *dialectTally) countSwitch(s *nb.LogicalSwitch) {
	if s.OtherConfig["subnet"] == "" || s.OtherConfig["interconn-ts"] != "" {
		return
	}
	t.nodeSwitches++
	if s.OtherConfig["mcast_snoop"] == "true" {
		t.snooping++
	}
}

// multicastFact returns whether multicast is on, by its rows or else by the options of nodes' switches.
func (t *dialectTally) multicastFact() Fact {
	switch {
	case t.multicast > 0:
		return presenceFact(t.multicast, "rows of multicast")
	case t.nodeSwitches == 0:
		return Fact{Evidence: "no rows of multicast"}
	}
	return Fact{NewTristate(t.snooping > 0), fmt.Sprintf("no rows of multicast; %d of %d node switches snoop it", t.snooping, t.nodeSwitches)}
}

// presenceFact returns yes if n rows exist; else unknown, since rows may not be needed yet.
func presenceFact(n int, what string) Fact {
	if n == 0 {
		return Fact{Evidence: "no " + what}
	}
	return Fact{Yes, fmt.Sprintf("%d %s", n, what)}
}

// hairpinFrom finds the addresses in the match of a hairpin row.
var hairpinFrom = regexp.MustCompile(`ip[46]\.src == ([0-9a-fA-F.:]+)`)

// masquerades contain all masquerade subnets. Hairpin rows let their source reach every pod, so a row with
// another address was altered and shows no setting.
var masquerades = []netip.Prefix{netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("fd69::/112")}

// hairpinAddresses returns the addresses of the hairpin rows as written; empty if the rows differ.
func (t *dialectTally) hairpinAddresses() (out Hairpin) {
	if len(t.hairpins) != 1 {
		return out
	}
	var text string
	for text = range t.hairpins {
	}
	for _, m := range hairpinFrom.FindAllStringSubmatch(text, 2) {
		a, err := netip.ParseAddr(m[1])
		switch {
		case err != nil || !slices.ContainsFunc(masquerades, func(p netip.Prefix) bool { return p.Contains(a) }):
			return Hairpin{}
		case a.Is4():
			out.V4 = m[1]
		default:
			out.V6 = m[1]
		}
	}
	if text != match.HairpinMatch(out.V4 != "", out.V6 != "", out.V4, out.V6) {
		return Hairpin{}
	}
	out.Evidence = fmt.Sprintf("%d hairpin rows have them", t.hairpin)
	return out
}

func (t *dialectTally) meterFact() Meter {
	carry := fmt.Sprintf("%d of %d ACLs refer to %s", t.metered, t.acls, nb.LoggingMeter)
	row := t.db.MeterByName(nb.LoggingMeter)
	switch {
	case row == nil && t.acls == 0:
		return Meter{Fact: Fact{Evidence: "no meter, and no ACL that needs it"}}
	case row == nil:
		return Meter{Fact: Fact{No, "no row " + nb.LoggingMeter + "; " + carry}}
	}
	m := Meter{Fact: Fact{Yes, carry}}
	for _, uuid := range row.Bands {
		if b := t.db.Band(uuid); b != nil {
			m.Rate = b.Rate
		}
	}
	return m
}

// familyTally counts signs of an address family.
type familyTally struct {
	v4Sets, v6Sets   int
	v4Terms, v6Terms int // references to sets, hairpin addresses, bare ip4 and ip6
}

// countMatch counts terms that exist per enabled family. Addresses are no sign: an ipBlock is written whatever
// the families are (ovn-kubernetes.md#ip-blocks).
func (t *familyTally) countMatch(ownerType, match string) {
	l3, _, _ := strings.Cut(match, " && ") // of a rule without peers: the family
	count := func(n *int, v string) {
		if hasAny(match, v+".src == $", v+".dst == $", v+".src == {$", v+".dst == {$") ||
			ownerType == nb.OwnerNetpolDefault && strings.Contains(match, v+".src == ") ||
			ownerType == nb.OwnerNetworkPolicy && (l3 == v || l3 == "(ip4 || ip6)") {
			*n++
		}
	}
	count(&t.v4Terms, "ip4")
	count(&t.v6Terms, "ip6")
}

func (t *familyTally) familiesFact() Families {
	if t.v4Sets+t.v6Sets+t.v4Terms+t.v6Terms == 0 {
		return Families{Evidence: "no address set, and no match by family"}
	}
	f := Families{V4: NewTristate(t.v4Sets+t.v4Terms > 0), V6: NewTristate(t.v6Sets+t.v6Terms > 0)}
	if t.v4Sets+t.v6Sets > 0 {
		f.Evidence = fmt.Sprintf("%d address sets of v4, %d of v6", t.v4Sets, t.v6Sets)
	} else {
		f.Evidence = fmt.Sprintf("%d matches with ip4, %d with ip6", t.v4Terms, t.v6Terms)
	}
	return f
}

// subnetTally collects the subnets that rows of EgressFirewalls exclude.
type subnetTally struct {
	rows         int
	seen         map[netip.Prefix]bool
	allV4, allV6 bool
}

// excludedSubnet finds the excluded subnets in a match; several are joined by && without spaces
// (ovn-kubernetes.md#firewall-match).
var excludedSubnet = regexp.MustCompile(`ip[46]\.dst != ([0-9a-fA-F.:]+/[0-9]{1,3})`)

// maxSubnets limits the collected subnets; a cluster has a few.
const maxSubnets = 64

func (t *subnetTally) countMatch(match string) {
	t.allV4 = t.allV4 || strings.Contains(match, "ip4.dst == 0.0.0.0/0")
	t.allV6 = t.allV6 || strings.Contains(match, "ip6.dst == ::/0")
	found := excludedSubnet.FindAllStringSubmatch(match, maxSubnets)
	if len(found) > 0 {
		t.rows++
	}
	for _, m := range found {
		if p, err := netip.ParsePrefix(m[1]); err == nil && len(t.seen) < maxSubnets {
			t.seen[p.Masked()] = true
		}
	}
}

func (t *subnetTally) subnetsFact() Subnets {
	s := Subnets{Prefixes: slices.SortedFunc(maps.Keys(t.seen), netip.Prefix.Compare), AllV4: t.allV4, AllV6: t.allV6}
	switch {
	case t.rows > 0:
		s.Evidence = fmt.Sprintf("%d rows of EgressFirewalls exclude them", t.rows)
	case t.allV4 || t.allV6:
		s.Evidence = "rows of EgressFirewalls for all addresses exclude nothing"
	default:
		s.Evidence = "no row of an EgressFirewall overlaps them"
	}
	return s
}
