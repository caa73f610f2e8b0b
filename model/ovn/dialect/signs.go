package dialect

import (
	"slices"
	"strings"

	"rung/model/ovn/match"
	"rung/model/ovn/nb"
)

// formIf is the other form where something is so, and else that of today.
func formIf(isOther bool) Form {
	if isOther {
		return Other
	}
	return Today
}

func hasAny(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
}

// of2023 tells the ids of the enhancement of 2023 by their controller.
func of2023(r Row) Form {
	return formIf(r.Owner.Form == nb.FormLegacy && r.Owner.Controller != nb.DefaultController)
}

// olderID tells an id that package nb reads as an older one.
func olderID(r Row) Form {
	switch r.Owner.Form {
	case nb.FormLegacy:
		return Other
	case nb.FormKnown:
		return Today
	}
	return NotShown
}

// Suffixes of the older names of a namespace's default-deny port groups.
const (
	suffixIngress = "_ingressDefaultDeny"
	suffixEgress  = "_egressDefaultDeny"
)

func denyGroup(r Row) Form {
	a := r.acl()
	if a == nil {
		return NotShown
	}
	return formIf(hasAny(a.Match, suffixIngress, suffixEgress))
}

func isDenyGroup(g *nb.PortGroup) bool {
	return strings.HasSuffix(g.Name, suffixIngress) || strings.HasSuffix(g.Name, suffixEgress)
}

func literalGroup(r Row) Form {
	a := r.acl()
	if a == nil || r.Owner.Type != nb.OwnerMulticastCluster {
		return NotShown
	}
	return formIf(hasAny(a.Match, "@"+nb.GroupCluster, "@"+nb.GroupClusterRtr))
}

func isLiteralGroup(g *nb.PortGroup) bool {
	return g.Name == nb.GroupCluster || g.Name == nb.GroupClusterRtr
}

func isNetpolGroup(g *nb.PortGroup) bool {
	readable := g.ExternalIDs["name"]
	return strings.Contains(readable, "_") && g.Name == nb.HashedName(readable)
}

func hairpinClause(r Row) Form {
	a := r.acl()
	if a == nil {
		return NotShown
	}
	return formIf(hasAny(a.Match, "ip4.src == "+match.Hairpin4+" && ip4.dst == {$", "ip6.src == "+match.Hairpin6+" && ip6.dst == {$"))
}

func firewallSet(r Row) Form {
	a := r.acl()
	if a == nil {
		return NotShown
	}
	return formIf(hasAny(a.Match, "ip4.src == $", "ip6.src == $") && !strings.Contains(a.Match, "inport == @"))
}

func tier(r Row) Form {
	a := r.acl()
	if a == nil || r.Owner.Form != nb.FormKnown {
		return NotShown
	}
	return formIf(a.Tier == 0)
}

// isThere tells a line by the rows being there: those who have none tell nothing, they may not be due.
func isThere(Row) Form { return Today }

func isolationTier(r Row) Form {
	a := r.acl()
	if a == nil {
		return NotShown
	}
	return formIf(a.Tier != 0)
}

func isolationID(r Row) Form {
	if r.acl() == nil || strings.HasPrefix(r.Owner.Name, "OpenPort") {
		return NotShown
	}
	return formIf(strings.HasSuffix(r.Owner.Name, "Secondary"))
}

// advertisedPass tells a pass row of more than one subnet of a family; one with a single subnet may be
// of either form.
func advertisedPass(r Row) Form {
	if a := r.acl(); a != nil && a.Action == nb.ActionPass && hasAny(a.Match, "|| ip4.src", "|| ip6.src") {
		return Today
	}
	return NotShown
}

func advertisedDrop(r Row) Form {
	a := r.acl()
	if a == nil || a.Action != nb.ActionDrop || r.OnSwitch == nil {
		return NotShown
	}
	return formIf(r.OnSwitch(a.UUID))
}

// blocksOfRule tells rows of IP blocks by their number.
func blocksOfRule(r Row) Form {
	if r.acl() == nil || r.Owner.Form != nb.FormKnown {
		return NotShown
	}
	switch r.Owner.Block {
	case "", nb.BlockSelectors:
		return NotShown
	case nb.BlockMerged:
		return Today
	}
	return Other
}

func icmpAllow(r Row) Form {
	if r.acl() != nil && r.Owner.Detail == "icmpAllow" {
		return Today
	}
	return NotShown
}

// namespaceSet tells an ACL that refers to a namespace's address set; a pod selector set of whole
// namespaces, and an ACL that refers to one, have the form of today.
func namespaceSet(r Row) Form {
	const whole = "_LNM" // ends the namespaces' part of an id
	if _, isSet := r.Row.(*nb.AddressSet); isSet && strings.HasSuffix(r.Owner.Name, whole) {
		return Today
	}
	a := r.acl()
	if a == nil || r.DB == nil {
		return NotShown
	}
	form := NotShown
	for ref := range match.RefsIn(a.Match) {
		if ref.Kind != match.RefAddressSet {
			continue
		}
		s := r.DB.AddressSetByName(ref.Name)
		if s == nil {
			continue
		}
		switch {
		case s.ExternalIDs[nb.KeyOwnerType] == nb.OwnerNamespace:
			return Other
		case strings.HasSuffix(nb.OwnerOfRow(s).Name, whole):
			form = Today
		}
	}
	return form
}

func unloggedMeter(r Row) Form {
	a := r.acl()
	if a == nil || a.Log {
		return NotShown
	}
	return formIf(a.Meter != nb.LoggingMeter)
}
