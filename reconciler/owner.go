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

// rowForm says whether a live row belongs to a unit, and whether its id is intact.
type rowForm uint8

const (
	// Foreign rows belong to others, or to no owner we can name.
	Foreign rowForm = iota
	// Ours are a unit's rows with an id as in ovn-kubernetes.md#owner-types.
	Ours
	// Damaged rows have an owner type of ours and an object's name, but no id of current OVN-Kubernetes: the
	// id was altered, or an older release wrote it. Owner and name assign them to the unit, as OVN-Kubernetes
	// finds stale rows (ovn-kubernetes.md#policy-sync, #startup-repair).
	Damaged
)

// RowOwner is a row's owner, read from its external_ids.
type RowOwner struct {
	Unit  model.PolicyKey
	Form  rowForm
	Index int // gress index of an ACL or address set
	// IsOtherRelease reports whether a damaged row's id begins as that owner's ids do: an older or unknown
	// release may have written it.
	IsOtherRelease bool
}

// OwnerOfRow reads a row's owner; rows of tables without owners are foreign.
func OwnerOfRow(r nb.Row) RowOwner {
	o := nb.OwnerOfRow(r)
	out := RowOwner{Index: max(o.Index, 0),
		Unit: model.PolicyKey{Kind: model.Kind(o.Type), Namespace: o.Namespace, Name: o.Name, Network: o.Network()}}
	switch {
	case !nb.IsOfNetwork(o.Controller):
		return RowOwner{}
	case o.Form == nb.FormKnown:
		out.Form = Ours
	case o.Name != "" && (o.Form == nb.FormLegacy || o.Form == nb.FormOdd): // without a name, no policy can show it
		out.Form = Damaged
		out.IsOtherRelease = strings.HasPrefix(r.IDs()[nb.KeyID], o.Controller+":"+o.Type+":")
	default:
		return RowOwner{}
	}
	return out
}

// tooManySteps is the number of steps above which a full comparison is cheaper.
const tooManySteps = 1 << 18

// MergeDeltas joins the deltas of two steps; nil means anything may have changed. Steps of one set or port
// group stay in order: the tracker applies them one by one, and skips those of policies recompiled in either
// step.
func MergeDeltas(a, b *compiler.Delta) *compiler.Delta {
	if a == nil || b == nil || a.Everything || b.Everything || len(a.Members)+len(a.Ports) > tooManySteps {
		return &compiler.Delta{Everything: true}
	}
	out := &compiler.Delta{Policies: maps.Clone(a.Policies), Members: slices.Concat(a.Members, b.Members),
		Ports: slices.Concat(a.Ports, b.Ports)}
	if out.Policies == nil {
		out.Policies = b.Policies
		return out
	}
	maps.Copy(out.Policies, b.Policies)
	return out
}

// maxDisowned limits the remembered rows; manual edits are far fewer.
const maxDisowned = 10_000

// disownedRows remembers, by UUID, rows that lost their owner ids while Rung watched. Rung does not touch
// them: without ids they may belong to anyone. Most go with their port group, or get their ids back by name.
// Deleted rows stay remembered, since an older database may bring them back and UUIDs are never reused.
type disownedRows map[string]model.DisownedRow

// noteChange remembers a row that has no owner any more, with its former owner.
func (d *disownedRows) noteChange(old, row nb.Row, was RowOwner) {
	if was.Form == Foreign || OwnerOfRow(row).Form != Foreign || len(*d) >= maxDisowned {
		return
	}
	if *d == nil {
		*d = disownedRows{}
	}
	(*d)[row.RowUUID()] = model.DisownedRow{Table: nb.TableName(row), UUID: row.RowUUID(), Was: was.Unit,
		ID: old.IDs()[nb.KeyID]}
}

// rowsIn lists the remembered rows that are in the database, in a fixed order.
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
