package dialect

import (
	"maps"
	"slices"

	"rung/model/ovn/nb"
)

// formCount counts the rows of one owner type by generation.
type formCount struct {
	rows, current int
	byGeneration  map[Generation]int
	why           map[string]int
}

// Why a row without a line in Lines is not current.
const whyUnknownForm = "ids in a form Rung does not know"

// tierTwo has the owner types whose ACLs are in tier 2 (ovn-kubernetes.md#tiers).
var tierTwo = func() map[string]bool {
	out := map[string]bool{}
	for _, owner := range Lines[Index(Tiers)].Owners {
		out[owner] = true
	}
	return out
}()

// External ids of example rows, which Rung's sandbox adds for display. They have no dialect.
const (
	exampleKey   = "rung"
	exampleValue = "sandbox"
)

// countRow counts a row for its owner type.
func (t *dialectTally) countRow(r nb.Row, ids map[string]string, o nb.Owner) {
	if ids[exampleKey] == exampleValue {
		return
	}
	kind, g, why := o.Type, Current, ""
	line := t.countLines(r, o)
	if line != nil {
		g, why = Older, line.Other
	}
	switch o.Form {
	case nb.FormLegacy:
		if o.Type == "" {
			// A port group of 2023 has no owner. Its priority shows AdminNetworkPolicy or baseline. Alone it
			// proves nothing; further rows of this type must exist.
			if len(o.Detail) == len("1750") {
				t.groups2023[1]++
			} else {
				t.groups2023[0]++
			}
			return
		}
		if o.Controller != nb.DefaultController {
			g = Of2023
		}
	case nb.FormOdd:
		g, why = UnknownForm, whyUnknownForm
	case nb.FormKnown:
		if a, ok := r.(*nb.ACL); ok && tierTwo[kind] {
			t.tiered++
			if a.Tier == 0 {
				t.tierless++
			}
		}
	case nb.FormNone:
		if line == nil {
			return
		}
		kind = line.Owners[0]
	default:
		return
	}
	t.ensureForm(kind).countRow(g, why)
}

func (t *dialectTally) ensureForm(kind string) *formCount {
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

// ownerRows sums up. A single row without a tier was altered; if all of several lack it, so does the release.
func (t *dialectTally) ownerRows() []OwnerRows {
	isWithoutTiers, noTiers := t.tiered > 1 && t.tierless == t.tiered, Lines[Index(Tiers)].Other
	for i, kind := range []string{nb.OwnerANP, nb.OwnerBANP} {
		for range t.groups2023[i] {
			if f := t.forms[kind]; f != nil && f.byGeneration[Of2023] > 0 {
				f.countRow(Of2023, Lines[0].Other)
			}
		}
	}
	out := make([]OwnerRows, 0, len(t.forms))
	for _, kind := range slices.Sorted(maps.Keys(t.forms)) {
		f := t.forms[kind]
		if isWithoutTiers && tierTwo[kind] && f.current > 0 {
			f.byGeneration[Older] += f.current
			f.why[noTiers] += f.current
			f.byGeneration[Current], f.current = 0, 0
		}
		r := OwnerRows{Type: kind, Rows: f.rows, Current: f.current, Generation: Current}
		if f.current < f.rows {
			r.Generation, r.Form = mostCounted(f.byGeneration), mostCounted(f.why)
			if f.current > 0 {
				r.Generation = Mixed
			}
		}
		out = append(out, r)
	}
	return out
}

// mostCounted returns the key with the largest count, the first by name if several have it.
func mostCounted[K ~string](counts map[K]int) (best K) {
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		if best == "" || counts[k] > counts[best] {
			best = k
		}
	}
	return best
}

// groups has owner types that one controller of OVN-Kubernetes writes. All of them have the release of any of
// them, even without rows.
var groups = [][]string{
	{nb.OwnerANP, nb.OwnerBANP},
	{nb.OwnerNetworkPolicy, nb.OwnerNetpolNamespace, nb.OwnerNetpolDefault, nb.OwnerNetpolNode, nb.OwnerPodSelector},
	{nb.OwnerEgressFirewall, nb.OwnerEFDNS},
	{nb.OwnerMulticastNS, nb.OwnerMulticastCluster},
	{nb.OwnerCluster, nb.OwnerMulticastCluster, nb.OwnerNetpolDefault},
}

// IncomparableOwners returns the owner types whose rows cannot be compared with desired rows, with the reason.
// Either all rows of the type have another form than Rung compiles, or the type has no rows but others of its
// controller have that form. Pod selector sets have one id form in all releases but different contents, so
// they go with their NetworkPolicies. Rows of the cluster's port groups go with those.
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
	for _, r := range d.Owners {
		if r.Current == 0 {
			put(r.Type, "rows of an "+r.generationText()+": "+r.Form)
		}
	}
	for i, rows := range d.Releases {
		if l := &Lines[i]; l.ByVote && rows.IsOnlyOther() {
			for _, kind := range l.Owners {
				put(kind, "rows of an "+string(Older)+": "+l.Other)
			}
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
	case UnknownForm:
		return "unknown release"
	}
	return string(Older)
}
