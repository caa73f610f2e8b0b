package revision

import (
	"maps"
	"slices"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
)

// RowMark classifies a live row by how it compares with the desired rows.
type RowMark uint8

// The marks.
const (
	RowFine RowMark = iota
	RowSettling
	RowDifferent
	RowExtra
	RowMissing
	RowKnownDifferent // explained by a known defect of OVN-Kubernetes
	RowKnownExtra
	RowKnownMissing
	RowFrozen
	RowOtherForm  // in another form
	RowUncompiled // in Rung's form, but without desired rows to compare
	RowOtherOwner // of an owner that Rung does not compile
	RowLegacy
)

// RowMarks holds, by UUID, the marks of a zone's rows that are not fine, and the policies with missing rows.
type RowMarks struct {
	byUUID map[string]RowMark
	// Missing are the policies with missing rows, sorted by key.
	Missing []model.PolicyKey
	// KnownMissing holds the ids of rows that are missing by a known defect.
	KnownMissing map[string]bool
	policy       map[model.PolicyKey]RowMark // for all rows of the policy
	isCompared   func(model.Key) bool        // reports whether a unit is compared with desired rows
	isKnown      func(network string) bool
}

// MarkRows marks the rows of a zone.
func MarkRows(r *Revision, z *model.ZoneState, now time.Time) *RowMarks {
	m := &RowMarks{byUUID: map[string]RowMark{}, policy: map[model.PolicyKey]RowMark{}, KnownMissing: map[string]bool{},
		isKnown: r.Desired.KnowsNetwork}
	m.isCompared = func(k model.Key) bool { return k.Kind.IsAdmin() || z.PolicyJoin(k) != nil || r.IsCompiled(k) }
	for k, p := range z.Policies {
		switch p.StateAt(z, now) {
		case model.StateFrozen:
			m.policy[k] = RowFrozen
		case model.StateNotComparable:
			m.policy[k] = RowOtherForm
		}
		if p.InSync {
			continue
		}
		young := p.StateAt(z, now) == model.StateSettling
		causes := CausesBehind(r, z, p, now)
		for i := range p.Diffs {
			d := &p.Diffs[i]
			why := causes[i] != nil
			if why && d.Kind == model.DiffMissing {
				m.KnownMissing[d.ID] = true
			}
			if d.UUID == "" || d.Waiting != "" && len(d.Fields) > 0 {
				continue
			}
			switch {
			case why && d.Kind == model.DiffExtra:
				m.byUUID[d.UUID] = RowKnownExtra
			case why:
				m.byUUID[d.UUID] = RowKnownDifferent
			case young:
				m.byUUID[d.UUID] = RowSettling
			case d.Kind == model.DiffExtra:
				m.byUUID[d.UUID] = RowExtra
			default:
				m.byUUID[d.UUID] = RowDifferent
			}
		}
		if p.Missing > 0 {
			m.Missing = append(m.Missing, k)
		}
	}
	slices.SortFunc(m.Missing, model.Key.Compare)
	return m
}

// FindMark returns the mark of a live row.
func (m *RowMarks) FindMark(r nb.Row, o nb.Owner) RowMark {
	if x, ok := m.byUUID[r.RowUUID()]; ok {
		return x
	}
	k, ok := UnitOfOwner(o)
	switch {
	case !m.isKnown(o.Network()):
		return RowOtherOwner
	case ok && m.isCompared(k):
		return m.policy[k]
	case o.Form == nb.FormOdd:
		return RowOtherForm
	case ok:
		return RowUncompiled
	case o.Form == nb.FormLegacy:
		return RowLegacy
	}
	return RowOtherOwner
}

// MissingRows returns the desired rows of a table that a zone lacks, for the first policies up to most.
func (m *RowMarks) MissingRows(r *Revision, z *model.ZoneState, table string, most int) []nb.Row {
	var out []nb.Row
	for i, k := range m.Missing {
		if i == most {
			break
		}
		lacks := map[string]bool{}
		for _, d := range z.PolicyJoin(k).Diffs {
			if d.Kind == model.DiffMissing && d.Table == table {
				lacks[d.ID] = true
			}
		}
		if len(lacks) == 0 {
			continue
		}
		switch table {
		case nb.TableACL:
			for _, a := range r.ACLs(k, z.Name) {
				if lacks[a.ID()] {
					out = append(out, a)
				}
			}
		case nb.TableAddressSet:
			for _, id := range slices.Sorted(maps.Keys(lacks)) {
				out = append(out, &nb.AddressSet{Name: nb.HashedName(id), ExternalIDs: ownIDs(k, id)})
			}
		case nb.TablePortGroup:
			for id := range lacks {
				out = append(out, &nb.PortGroup{Name: nb.HashedName(id), ExternalIDs: ownIDs(k, id)})
			}
		}
	}
	return out
}

// ownIDs returns the external_ids that name the owner of a desired set or group. Listing its members would
// cost more than the rest of the page.
func ownIDs(k model.Key, id string) map[string]string {
	return map[string]string{nb.KeyOwnerController: nb.DefaultController, nb.KeyOwnerType: string(k.Kind), nb.KeyID: id}
}
