package dialect

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"rung/model/ovn/nb"
)

// familyTally counts what stands for an address family.
type familyTally struct {
	v4Sets, v6Sets   int
	v4Terms, v6Terms int // references to sets, hairpin addresses, bare ip4 and ip6
}

// match counts terms that exist per enabled family. Addresses in a match are no
// sign: an ipBlock is written whatever the families are (ovn-kubernetes.md#ip-blocks).
func (t *familyTally) match(ownerType, match string) {
	count := func(n *int, v string) {
		switch {
		case strings.Contains(match, v+".src == $"), strings.Contains(match, v+".dst == $"),
			strings.Contains(match, v+".src == {$"), strings.Contains(match, v+".dst == {$"),
			ownerType == nb.OwnerNetpolDefault && strings.Contains(match, v+".src == "),
			ownerType == nb.OwnerNetworkPolicy && bare(match, v):
			*n++
		}
	}
	count(&t.v4Terms, "ip4")
	count(&t.v6Terms, "ip6")
}

// bare says whether a match of a rule without peers begins with the family.
func bare(match, v string) bool {
	l3, _, _ := strings.Cut(match, " && ")
	return l3 == v || l3 == "(ip4 || ip6)"
}

func (t *familyTally) fact() Families {
	if t.v4Sets+t.v6Sets+t.v4Terms+t.v6Terms == 0 {
		return Families{Evidence: "no address set, and no match that depends on it"}
	}
	f := Families{V4: Of(t.v4Sets+t.v4Terms > 0), V6: Of(t.v6Sets+t.v6Terms > 0)}
	if t.v4Sets+t.v6Sets > 0 {
		f.Evidence = fmt.Sprintf("%d address sets of v4, %d of v6", t.v4Sets, t.v6Sets)
	} else {
		f.Evidence = fmt.Sprintf("%d matches with ip4, %d with ip6", t.v4Terms, t.v6Terms)
	}
	return f
}

// subnetTally collects what rows of EgressFirewalls leave out.
type subnetTally struct {
	rows         int
	seen         map[netip.Prefix]bool
	allV4, allV6 bool
}

// leftOut finds the subnets in a match; several are joined by && without spaces
// (ovn-kubernetes.md#firewall-match).
var leftOut = regexp.MustCompile(`ip[46]\.dst != ([0-9a-fA-F.:]+/[0-9]{1,3})`)

// maxSubnets bounds what is collected; a cluster has a few.
const maxSubnets = 64

func (t *subnetTally) match(match string) {
	t.allV4 = t.allV4 || strings.Contains(match, "ip4.dst == 0.0.0.0/0")
	t.allV6 = t.allV6 || strings.Contains(match, "ip6.dst == ::/0")
	found := leftOut.FindAllStringSubmatch(match, maxSubnets)
	if len(found) > 0 {
		t.rows++
	}
	for _, m := range found {
		p, err := netip.ParsePrefix(m[1])
		if err != nil || len(t.seen) >= maxSubnets {
			continue
		}
		if t.seen == nil {
			t.seen = map[netip.Prefix]bool{}
		}
		t.seen[p.Masked()] = true
	}
}

func (t *subnetTally) fact() Subnets {
	s := Subnets{AllV4: t.allV4, AllV6: t.allV6}
	for p := range t.seen {
		s.Prefixes = append(s.Prefixes, p)
	}
	slices.SortFunc(s.Prefixes, netip.Prefix.Compare)
	switch {
	case t.rows > 0:
		s.Evidence = fmt.Sprintf("%d rows of EgressFirewalls leave them out", t.rows)
	case t.allV4 || t.allV6:
		s.Evidence = "rows of EgressFirewalls for all addresses leave nothing out"
	default:
		s.Evidence = "no row of an EgressFirewall meets them"
	}
	return s
}
