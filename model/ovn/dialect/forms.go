package dialect

import (
	"maps"
	"slices"
	"strings"

	"rung/model/ovn/nb"
)

// formCount counts the rows of one owner type by generation.
type formCount struct {
	rows, current int
	byGeneration  map[Generation]int
	why           map[string]int
}

// Why a row is not current (ovn-kubernetes.md#older-forms).
const (
	whyOf2023     = "ids by OVN priority, as the enhancement of 2023 had them"
	whyStrange    = "ids in a form Rung does not know"
	whyNPIDs      = "ids with a port and an ip block index, directions in lower case"
	whyEFIDs      = "ids by priority with the key rule-idx"
	whyMulticast  = "ids Allow_Ingress and Allow_Egress"
	whyDenyGroups = "port groups named HASH_ingressDefaultDeny"
	whyNPGroups   = "port groups without an owner, by namespace and name"
	whyHairpin    = "a hairpin clause in each ACL"
	whyEFSets     = "matches by the namespace's address set"
	whyLiterals   = "cluster port groups under their literal names"
	whyNoTiers    = "no tiers"
)

// Suffixes of the older names of a namespace's default-deny port groups.
const (
	suffixIngress = "_ingressDefaultDeny"
	suffixEgress  = "_egressDefaultDeny"
)

// tierTwo are the owner types whose ACLs are in tier 2 (ovn-kubernetes.md#tiers).
var tierTwo = map[string]bool{
	nb.OwnerNetworkPolicy: true, nb.OwnerNetpolNamespace: true, nb.OwnerNetpolDefault: true, nb.OwnerNetpolNode: true,
	nb.OwnerEgressFirewall: true, nb.OwnerMulticastNS: true, nb.OwnerMulticastCluster: true,
}

// Rows that Rung's sandbox makes up to be looked at are nobody's dialect; they say
// so by a key of their own.
const (
	exampleKey   = "rung"
	exampleValue = "sandbox"
)

// bookRow books a row under its owner type.
func (t *dialectTally) bookRow(r nb.Row, ids map[string]string, o nb.Owner) {
	if ids[exampleKey] == exampleValue {
		return
	}
	kind, g, why := o.Type, Current, ""
	switch o.Form {
	case nb.FormLegacy:
		if o.Type == "" {
			// A port group of 2023 has no owner: by its priority it is of one kind or the
			// other, and it counts beside other rows of that kind only.
			if len(o.Detail) == len("1750") {
				t.groups2023[1]++
			} else {
				t.groups2023[0]++
			}
			return
		}
		g, why = legacyGeneration(o)
	case nb.FormOdd:
		g, why = Strange, whyStrange
	case nb.FormKnown:
		if a, ok := r.(*nb.ACL); ok {
			if tierTwo[kind] {
				t.tiered++
				if a.Tier == 0 {
					t.tierless++
				}
			}
			why = whyOlderMatch(kind, a.Match)
			if why != "" {
				g = Older
			}
		}
	case nb.FormNone:
		p, ok := r.(*nb.PortGroup)
		if !ok {
			return
		}
		kind, why = unownedGroup(p)
		if kind == "" {
			return
		}
		g = Older
	default:
		return
	}
	t.formOf(kind).countRow(g, why)
}

func (t *dialectTally) formOf(kind string) *formCount {
	f := t.forms[kind]
	if f == nil {
		f = &formCount{byGeneration: map[Generation]int{}, why: map[string]int{}}
		t.forms[kind] = f
	}
	return f
}

func (f *formCount) countRow(g Generation, why string) {
	f.rows++
	f.byGeneration[g]++
	if g == Current {
		f.current++
	} else {
		f.why[why]++
	}
}

// legacyGeneration returns the generation of a row that nb read as an older form, and why.
func legacyGeneration(o nb.Owner) (Generation, string) {
	switch {
	case o.Controller != nb.DefaultController:
		return Of2023, whyOf2023
	case o.Type == nb.OwnerNetworkPolicy:
		return Older, whyNPIDs
	case o.Type == nb.OwnerEgressFirewall:
		return Older, whyEFIDs
	}
	return Older, whyMulticast
}

// whyOlderMatch knows a row with a current id by its match.
func whyOlderMatch(kind, match string) string {
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(match, p) })
	}
	switch {
	case kind == nb.OwnerNetpolNamespace && has(suffixIngress, suffixEgress):
		return whyDenyGroups
	case kind == nb.OwnerNetworkPolicy &&
		has("ip4.src == 169.254.169.5 && ip4.dst == {$", "ip6.src == fd69::5 && ip6.dst == {$"):
		return whyHairpin
	case kind == nb.OwnerEgressFirewall && has("ip4.src == $", "ip6.src == $") && !has("inport == @"):
		return whyEFSets
	case kind == nb.OwnerMulticastCluster && has("@"+nb.GroupCluster, "@"+nb.GroupClusterRtr):
		return whyLiterals
	}
	return ""
}

// unownedGroup knows a port group of a release before groups had owners, by its name.
func unownedGroup(g *nb.PortGroup) (kind, why string) {
	readable := g.ExternalIDs["name"]
	switch {
	case strings.HasSuffix(g.Name, suffixIngress), strings.HasSuffix(g.Name, suffixEgress):
		return nb.OwnerNetpolNamespace, whyDenyGroups
	case g.Name == nb.GroupCluster, g.Name == nb.GroupClusterRtr:
		return nb.OwnerCluster, whyLiterals
	case strings.Contains(readable, "_") && g.Name == nb.HashedName(readable):
		return nb.OwnerNetworkPolicy, whyNPGroups
	}
	return "", ""
}

// ownerRows sums up. That a single row has no tier is an altered row; that none of
// many has, a release without them.
func (t *dialectTally) ownerRows() []OwnerRows {
	noTiers := t.tiered > 1 && t.tierless == t.tiered
	for i, kind := range []string{nb.OwnerANP, nb.OwnerBANP} {
		for range t.groups2023[i] {
			if f := t.forms[kind]; f != nil && f.byGeneration[Of2023] > 0 {
				f.countRow(Of2023, whyOf2023)
			}
		}
	}
	out := make([]OwnerRows, 0, len(t.forms))
	for _, kind := range slices.Sorted(maps.Keys(t.forms)) {
		f := t.forms[kind]
		if noTiers && tierTwo[kind] && f.current > 0 {
			f.byGeneration[Older] += f.current
			f.why[whyNoTiers] += f.current
			f.byGeneration[Current], f.current = 0, 0
		}
		r := OwnerRows{Type: kind, Rows: f.rows, Current: f.current, Generation: Current}
		switch {
		case f.current == f.rows:
		case f.current > 0:
			r.Generation = Mixed
		default:
			r.Generation = mostCounted(f.byGeneration)
		}
		if f.current < f.rows {
			r.Form = mostCounted(f.why)
		}
		out = append(out, r)
	}
	return out
}

// mostCounted is the key with the largest count, the first by name of several.
func mostCounted[K ~string](counts map[K]int) (best K) {
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		if best == "" || counts[k] > counts[best] {
			best = k
		}
	}
	return best
}

// groups are owner types that one controller of OVN-Kubernetes writes: where one
// of them is of another release, the others are, although they have no rows.
var groups = [][]string{
	{nb.OwnerANP, nb.OwnerBANP},
	{nb.OwnerNetworkPolicy, nb.OwnerNetpolNamespace, nb.OwnerNetpolDefault, nb.OwnerNetpolNode, nb.OwnerPodSelector},
	{nb.OwnerEgressFirewall, nb.OwnerEFDNS},
	{nb.OwnerMulticastNS, nb.OwnerMulticastCluster},
	{nb.OwnerCluster, nb.OwnerMulticastCluster, nb.OwnerNetpolDefault},
}

// IncomparableOwners returns the owner types whose rows cannot be held against desired ones,
// with the reason: all rows of the type have another form than Rung compiles, or there
// are none and rows of the same controller have. An address set of a pod selector has
// one id form for all releases, and other contents: it goes with its NetworkPolicies.
// Rows that hang on the cluster's port groups go with those.
func (d *Dialect) IncomparableOwners() map[string]string {
	var out map[string]string
	put := func(kind, why string) {
		if out == nil {
			out = map[string]string{}
		}
		if _, there := out[kind]; !there {
			out[kind] = why
		}
	}
	text := func(r OwnerRows) string { return "rows of an " + r.generationText() + ": " + r.Form }
	for _, r := range d.Owners {
		if r.Current == 0 {
			put(r.Type, text(r))
		}
	}
	for _, group := range groups {
		for _, kind := range group {
			r := d.RowsOfOwner(kind)
			if r.Rows == 0 || r.Current > 0 {
				continue
			}
			for _, other := range group {
				if d.RowsOfOwner(other).Current == 0 || other == nb.OwnerPodSelector || kind == nb.OwnerCluster {
					put(other, "the "+kind+" rows are of an "+r.generationText()+": "+r.Form)
				}
			}
		}
	}
	return out
}

func (r OwnerRows) generationText() string {
	switch r.Generation {
	case Of2023:
		return "enhancement of 2023"
	case Strange:
		return "unknown release"
	}
	return string(Older)
}
