package reconciler

import (
	"rung/model"
	"rung/model/nb"
)

// form says how a live row relates to what Rung compiles.
type form uint8

const (
	// foreign rows belong to somebody else, or to nobody we can name.
	foreign form = iota
	// ours are rows of a unit with an id as compile-spec §0.1 says.
	ours
	// odd rows carry an owner type of ours with an id in a form of another
	// release.
	odd
)

// owner is what the external_ids of a row say.
type owner struct {
	unit  model.PolicyKey
	form  form
	index int // gress index of an ACL or address set
}

// ownerOf reads whose a row is.
func ownerOf(table string, ids map[string]string) owner {
	if ids[nb.KeyOwnerController] != nb.DefaultController {
		return owner{}
	}
	o := nb.OwnerOf(table, ids)
	out := owner{unit: model.PolicyKey{Kind: model.Kind(o.Type), Namespace: o.Namespace, Name: o.Name}, index: max(o.Index, 0)}
	switch {
	case o.Form == nb.FormKnown:
		out.form = ours
	case o.Form != nb.FormOdd && o.Form != nb.FormLegacy, o.Name == "":
		return owner{} // or nobody to show it under
	default:
		out.form = odd
	}
	return out
}

// ownerOfRow is ownerOf for a row of any table; rows of tables without owners
// are foreign.
func ownerOfRow(r nb.Row) owner {
	switch r := r.(type) {
	case *nb.ACL:
		return ownerOf(nb.TableACL, r.ExternalIDs)
	case *nb.AddressSet:
		return ownerOf(nb.TableAddressSet, r.ExternalIDs)
	case *nb.PortGroup:
		return ownerOf(nb.TablePortGroup, r.ExternalIDs)
	}
	return owner{}
}
