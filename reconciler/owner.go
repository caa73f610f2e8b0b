package reconciler

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
)

// rowForm says how a live row relates to what Rung compiles.
type rowForm uint8

const (
	// Foreign rows belong to somebody else, or to nobody we can name.
	Foreign rowForm = iota
	// Ours are rows of a unit with an id as ovn-kubernetes.md#owner-types says.
	Ours
	// Damaged rows carry an owner type of ours and the name of an object, but no id
	// that OVN-Kubernetes writes now: somebody altered it, or an older release wrote
	// it. By owner and name they are the unit's, as OVN-Kubernetes finds what is
	// stale (ovn-kubernetes.md#policy-sync, #startup-repair).
	Damaged
)

// RowOwner is the owner of a row, as its external_ids say.
type RowOwner struct {
	Unit  model.PolicyKey
	Form  rowForm
	Index int // gress index of an ACL or address set
	// IsOtherRelease says of a damaged row that its id begins as that owner's do: a release
	// that is older, or that Rung does not know, may have written it.
	IsOtherRelease bool
}

// OwnerOfRow reads whose a row is; rows of tables without owners are foreign.
func OwnerOfRow(r nb.Row) RowOwner {
	ids := r.IDs()
	o := nb.OwnerOfRow(r)
	if o.Controller != nb.DefaultController && o.Network() == "" {
		return RowOwner{}
	}
	out := RowOwner{Index: max(o.Index, 0),
		Unit: model.PolicyKey{Kind: model.Kind(o.Type), Namespace: o.Namespace, Name: o.Name, Network: o.Network()}}
	switch {
	case o.Form == nb.FormKnown:
		out.Form = Ours
	case o.Name == "": // nobody to show it under
		return RowOwner{}
	case o.Form == nb.FormLegacy, o.Form == nb.FormOdd:
		out.Form = Damaged
		out.IsOtherRelease = strings.HasPrefix(ids[nb.KeyID], o.Controller+":"+o.Type+":")
	default:
		return RowOwner{}
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

// tooManySteps is where a list of deltas is worth less than comparing all.
const tooManySteps = 1 << 18

// MergeDeltas is the delta of two steps taken together. nil means anything may
// have changed. The steps of one set or port group stay in order: the tracker
// books them one after another, and skips those of policies that were compiled
// anew in either step.
func MergeDeltas(a, b *compiler.Delta) *compiler.Delta {
	if a == nil || b == nil || a.Everything || b.Everything || len(a.Members)+len(a.Ports) > tooManySteps {
		return &compiler.Delta{Everything: true}
	}
	out := &compiler.Delta{Policies: maps.Clone(a.Policies), Members: slices.Concat(a.Members, b.Members),
		Ports: slices.Concat(a.Ports, b.Ports)}
	if out.Policies == nil {
		out.Policies = b.Policies
	} else {
		maps.Copy(out.Policies, b.Policies)
	}
	return out
}

// maxDisowned bounds how many rows are remembered; nobody does this to so many by
// hand.
const maxDisowned = 10_000

// disownedRows remembers, by UUID, the rows that lost their owner ids while Rung
// looked on. They are not touched: what nobody's ids say is Rung's may be
// anybody's. Most go with the port group they hang on, or get their ids back by
// their name. A row of a UUID never is another one's, so that those which are gone
// may come back with an older database.
type disownedRows map[string]model.DisownedRow

// noteChange takes in that a row changed, and whose it was.
func (d *disownedRows) noteChange(old, row nb.Row, was RowOwner) {
	if was.Form == Foreign || OwnerOfRow(row).Form != Foreign || len(*d) >= maxDisowned {
		return
	}
	if *d == nil {
		*d = disownedRows{}
	}
	(*d)[row.RowUUID()] = model.DisownedRow{Table: nb.TableOf(row), UUID: row.RowUUID(), Was: was.Unit,
		ID: old.IDs()[nb.KeyID]}
}

// rowsIn lists those that are in the database, in a fixed order.
func (d disownedRows) rowsIn(db *nb.DB) []model.DisownedRow {
	var out []model.DisownedRow
	for row := range maps.Values(d) {
		if db.Row(row.Table, row.UUID) != nil {
			out = append(out, row)
		}
	}
	slices.SortFunc(out, func(a, b model.DisownedRow) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.UUID, b.UUID))
	})
	return out
}
