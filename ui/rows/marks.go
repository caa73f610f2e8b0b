package rows

import (
	"maps"
	"slices"
	"time"

	"rung/engine/revision"
	"rung/model"
	"rung/model/nb"
)

// mark is how a row stands to what is desired.
type mark uint8

const (
	fine mark = iota
	settling
	different
	extra
	missing
	knownDifferent // what a known defect of OVN-Kubernetes leaves
	knownExtra
	knownMissing
	frozen
	strange
	uncompiled // a form Rung compiles, and nothing desired to hold it against
	foreign
	legacy
)

// text is the mark for people.
func (m mark) text() string {
	return [...]string{"", "… settling", "≠ differs", "≠ extra", "≠ missing", "≠ differs: known", "≠ extra: known", "≠ missing: known", "● frozen", "? other form", "", "· other", "~ legacy"}[m]
}

// marks are those of a zone's rows by UUID, as far as they are not fine; and the
// desired rows that are missing.
type marks struct {
	byUUID map[string]mark
	// missing are the policies with missing rows, in the order of their keys.
	missing []model.PolicyKey
	// knownLost are the ids of those that are missing by a known defect.
	knownLost map[string]bool
	policy    map[model.PolicyKey]mark // for every row of the policy
	known     func(model.Key) bool     // says what is compared with desired rows
}

func findMarks(r *revision.Revision, z *model.ZoneState, now time.Time) *marks {
	m := &marks{byUUID: map[string]mark{}, policy: map[model.PolicyKey]mark{}, knownLost: map[string]bool{}}
	m.known = func(k model.Key) bool { return k.Kind.IsAdmin() || z.Policy(k) != nil || r.Compiled(k) }
	for k, p := range z.Policies {
		switch p.State(z, now) {
		case model.StateFrozen:
			m.policy[k] = frozen
		case model.StateNotComparable:
			m.policy[k] = strange
		}
		if p.InSync {
			continue
		}
		young := p.State(z, now) == model.StateSettling
		explained := func(int) bool { return false }
		if p.State(z, now) == model.StateBehind {
			causes := r.CausesAtHand(z, p)
			explained = func(i int) bool { return causes != nil && causes[i] != nil }
		}
		for i := range p.Diffs {
			d := &p.Diffs[i]
			why := explained(i)
			if why && d.Kind == model.DiffMissing {
				m.knownLost[d.ID] = true
			}
			if d.UUID == "" || d.Waiting != "" && len(d.Fields) > 0 {
				continue
			}
			switch {
			case why && d.Kind == model.DiffExtra:
				m.byUUID[d.UUID] = knownExtra
			case why:
				m.byUUID[d.UUID] = knownDifferent
			case young:
				m.byUUID[d.UUID] = settling
			case d.Kind == model.DiffExtra:
				m.byUUID[d.UUID] = extra
			default:
				m.byUUID[d.UUID] = different
			}
		}
		if p.Missing > 0 {
			m.missing = append(m.missing, k)
		}
	}
	slices.SortFunc(m.missing, model.Key.Compare)
	return m
}

// of is the mark of a live row.
func (m *marks) of(r nb.Row, o nb.Owner) mark {
	if x, ok := m.byUUID[r.RowUUID()]; ok {
		return x
	}
	k, ok := revision.UnitOf(o)
	switch {
	case ok && m.known(k):
		return m.policy[k]
	case o.Form == nb.FormOdd:
		return strange
	case ok:
		return uncompiled
	case o.Form == nb.FormLegacy:
		return legacy
	}
	return foreign
}

// missingShown bounds the policies whose missing rows are listed: a zone that
// has just been emptied lacks them all, and the number says enough.
const missingShown = 50

// missingRows are the desired rows of a table that a zone lacks.
func (m *marks) missingRows(r *revision.Revision, z *model.ZoneState, table string) []nb.Row {
	var out []nb.Row
	for i, k := range m.missing {
		if i == missingShown {
			break
		}
		lacks := map[string]bool{}
		for _, d := range z.Policy(k).Diffs {
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
				out = append(out, &nb.AddressSet{Name: nb.HashedName(id), ExternalIDs: idsOf(k, id)})
			}
		case nb.TablePortGroup:
			for id := range lacks {
				out = append(out, &nb.PortGroup{Name: nb.HashedName(id), ExternalIDs: idsOf(k, id)})
			}
		}
	}
	return out
}

// idsOf are the external_ids of a desired set or group that say whose it is. Its
// members are not listed: that would cost more than all the rest of the page.
func idsOf(k model.Key, id string) map[string]string {
	return map[string]string{nb.KeyOwnerController: nb.DefaultController, nb.KeyOwnerType: string(k.Kind), nb.KeyID: id}
}
