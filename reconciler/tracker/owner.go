package tracker

import (
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
)

// form says how a live row relates to what Rung compiles.
type form uint8

const (
	// Foreign rows belong to somebody else, or to nobody we can name.
	Foreign form = iota
	// Ours are rows of a unit with an id as ovn-kubernetes.md#owner-types says.
	Ours
	// Damaged rows carry an owner type of ours and the name of an object, but no id
	// that OVN-Kubernetes writes now: somebody altered it, or an older release wrote
	// it. By owner and name they are the unit's, as OVN-Kubernetes finds what is
	// stale (ovn-kubernetes.md#policy-sync, #startup-repair).
	Damaged
)

// Owner is what the external_ids of a row say.
type Owner struct {
	Unit  model.PolicyKey
	Form  form
	Index int // gress index of an ACL or address set
	// other says of a damaged row that its id begins as that owner's do: a release
	// that is older, or that Rung does not know, may have written it.
	Other bool
}

// OwnerOfRow reads whose a row is; rows of tables without owners are foreign.
func OwnerOfRow(r nb.Row) Owner {
	ids := r.IDs()
	if ids[nb.KeyOwnerController] != nb.DefaultController {
		return Owner{}
	}
	o := nb.OwnerOfRow(r)
	out := Owner{Index: max(o.Index, 0),
		Unit: model.PolicyKey{Kind: model.Kind(o.Type), Namespace: o.Namespace, Name: o.Name}}
	switch {
	case o.Form == nb.FormKnown:
		out.Form = Ours
	case o.Name == "": // nobody to show it under
		return Owner{}
	case o.Form == nb.FormLegacy, o.Form == nb.FormOdd:
		out.Form = Damaged
		out.Other = strings.HasPrefix(ids[nb.KeyID], o.Controller+":"+o.Type+":")
	default:
		return Owner{}
	}
	return out
}

// idText says what is wrong with the id of a damaged row.
func idText(id string) string {
	if id == "" {
		return "it has no " + nb.KeyID
	}
	return nb.KeyID + " " + id + " is in no form of today"
}

// rowText names a row in a sentence.
func rowText(r nb.Row) string {
	if id := r.IDs()[nb.KeyID]; id != "" {
		return nb.TableOf(r) + " " + id
	}
	return nb.TableOf(r) + " " + r.RowUUID()
}
