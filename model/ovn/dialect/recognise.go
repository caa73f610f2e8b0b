package dialect

import (
	"slices"
	"strings"

	"rung/model/ovn/match"
	"rung/model/ovn/nb"
)

// formIf returns Other if isOther, else Today.
func formIf(isOther bool) Form {
	if isOther {
		return Other
	}
	return Today
}

// todayIf returns Today if isToday, else NotShown.
func todayIf(isToday bool) Form {
	if isToday {
		return Today
	}
	return NotShown
}

func hasAny(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
}

// of2023 recognises ids of the enhancement of 2023 by their controller.
func of2023(r Row) Form {
	return formIf(r.Owner.Form == nb.FormLegacy && r.Owner.Controller != nb.DefaultController)
}

// olderID recognises ids that package nb parses as older ones.
func olderID(r Row) Form {
	switch r.Owner.Form {
	case nb.FormLegacy:
		return Other
	case nb.FormKnown:
		return Today
	}
	return NotShown
}

// Suffixes of older names of a namespace's default-deny port groups.
const (
	suffixIngress = "_ingressDefaultDeny"
	suffixEgress  = "_egressDefaultDeny"
)

func literalGroup(r Row, a *nb.ACL) Form {
	if r.Owner.Type != nb.OwnerMulticastCluster {
		return NotShown
	}
	return formIf(hasAny(a.Match, "@"+nb.GroupCluster, "@"+nb.GroupClusterRtr))
}

func isNetpolGroup(g *nb.PortGroup) bool {
	readable := g.ExternalIDs["name"]
	return strings.Contains(readable, "_") && g.Name == nb.HashedName(readable)
}

func tier(r Row, a *nb.ACL) Form {
	if r.Owner.Form != nb.FormKnown {
		return NotShown
	}
	return formIf(a.Tier == 0)
}

// isThere recognises a line by the existence of rows. Their absence shows nothing: they may not be needed.
func isThere(Row) Form { return Today }

func isolationID(r Row, _ *nb.ACL) Form {
	if strings.HasPrefix(r.Owner.Name, "OpenPort") {
		return NotShown
	}
	return formIf(strings.HasSuffix(r.Owner.Name, "Secondary"))
}

func advertisedDrop(r Row, a *nb.ACL) Form {
	if a.Action != nb.ActionDrop || r.OnSwitch == nil {
		return NotShown
	}
	return formIf(r.OnSwitch(a.UUID))
}

// blocksOfRule recognises rows of IP blocks by their number.
func blocksOfRule(r Row, _ *nb.ACL) Form {
	if r.Owner.Form != nb.FormKnown {
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

// namespaceSet recognises an ACL with a namespace's address set. Today's form is a pod selector set of whole
// namespaces, or an ACL with such a set.
func namespaceSet(r Row) Form {
	const whole = "_LNM" // suffix of the namespaces' part of an id
	if _, isSet := r.Row.(*nb.AddressSet); isSet && strings.HasSuffix(r.Owner.Name, whole) {
		return Today
	}
	a, isACL := r.Row.(*nb.ACL)
	if !isACL || r.DB == nil {
		return NotShown
	}
	form := NotShown
	for ref := range match.RefsIn(a.Match) {
		var s *nb.AddressSet
		if ref.Kind == match.RefAddressSet {
			s = r.DB.AddressSetByName(ref.Name)
		}
		switch {
		case s == nil:
		case s.ExternalIDs[nb.KeyOwnerType] == nb.OwnerNamespace:
			return Other
		case strings.HasSuffix(nb.OwnerOfRow(s).Name, whole):
			form = Today
		}
	}
	return form
}

func unloggedMeter(_ Row, a *nb.ACL) Form {
	if a.Log {
		return NotShown
	}
	return formIf(a.Meter != nb.LoggingMeter)
}
