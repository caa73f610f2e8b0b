package rows

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"rung/engine"
	"rung/model"
	"rung/model/nb"
	"rung/ui/detail"
	"rung/ui/nav"
)

// item is one line of a table of rows.
type item struct {
	id   string
	row  nb.Row // live, or desired where it is missing
	mark mark
	head string // a heading instead of a row
	to   nav.Page
}

// mark is how a row stands to what is desired.
type mark uint8

const (
	fine mark = iota
	settling
	different
	extra
	missing
	frozen
	strange
	foreign
)

// text is the mark for people.
func (m mark) text() string {
	return [...]string{"", "… settling", "≠ differs", "≠ extra", "≠ missing", "● frozen", "? other form", ""}[m]
}

// marks are those of a zone's rows by UUID, as far as they are not fine; and the
// desired rows that are missing.
type marks struct {
	byUUID map[string]mark
	// missing are the policies with missing rows, in the order of their keys.
	missing []model.PolicyKey
	policy  map[model.PolicyKey]mark // for every row of the policy
}

func findMarks(z *model.ZoneState, now time.Time) *marks {
	m := &marks{byUUID: map[string]mark{}, policy: map[model.PolicyKey]mark{}}
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
		for i := range p.Diffs {
			d := &p.Diffs[i]
			if d.UUID == "" || d.Waiting != "" && len(d.Fields) > 0 {
				continue
			}
			switch {
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
func (m *marks) of(r nb.Row) mark {
	if x, ok := m.byUUID[r.RowUUID()]; ok {
		return x
	}
	k, _, _, ok := engine.RuleOf(detail.RowIDs(r))
	if !ok {
		return foreign
	}
	return m.policy[k]
}

// missingShown bounds the policies whose missing rows are listed: a zone that
// has just been emptied lacks them all, and the number says enough.
const missingShown = 50

// missingRows are the desired rows of a table that a zone lacks.
func (m *marks) missingRows(r *engine.Revision, z *model.ZoneState, table string) []nb.Row {
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
				out = append(out, &nb.AddressSet{Name: nb.HashedName(id), ExternalIDs: idsOf(id)})
			}
		case nb.TablePortGroup:
			for id := range lacks {
				out = append(out, &nb.PortGroup{Name: nb.HashedName(id), ExternalIDs: idsOf(id)})
			}
		}
	}
	return out
}

// idsOf are the external_ids of a desired set or group, from its id. Its members
// are not listed: that would cost more than all the rest of the page.
func idsOf(id string) map[string]string {
	parts := strings.Split(id, ":")
	if len(parts) < 3 {
		return map[string]string{nb.KeyID: id}
	}
	pairs := []nb.Pair{{Key: nb.KeyName, Value: parts[2]}}
	if len(parts) == 6 {
		pairs = append(pairs, nb.Pair{Key: nb.KeyDirection, Value: parts[3]}, nb.Pair{Key: nb.KeyGressIndex, Value: parts[4]},
			nb.Pair{Key: nb.KeyIPFamily, Value: parts[5]})
	}
	return nb.IDs(parts[0], parts[1], pairs...)
}

// stages in the order of the pipeline.
var stages = []string{"from-lport", "from-lport-after-lb", "to-lport"}

func stageRank(a *nb.ACL) int { return slices.Index(stages, a.Stage()) }

// stageTitle names a stage for people.
func stageTitle(stage string) string {
	switch stage {
	case "from-lport":
		return "from-lport · what leaves a pod, before load balancing"
	case "from-lport-after-lb":
		return "from-lport after load balancing · egress rules"
	case "to-lport":
		return "to-lport · what arrives at a pod: ingress rules"
	}
	return stage
}

// compareACL is the order of engine.PipelineOrder.
func compareACL(a, b *nb.ACL) int {
	return cmp.Or(cmp.Compare(stageRank(a), stageRank(b)), cmp.Compare(a.Tier, b.Tier), cmp.Compare(b.Priority, a.Priority),
		strings.Compare(a.ID(), b.ID()), strings.Compare(a.UUID, b.UUID))
}

// acls are the items of table ACL, with a heading for each stage; only, when
// set, is the one stage to show. sorted are the live rows in pipeline order.
func acls(sorted []*nb.ACL, lost []nb.Row, m *marks, z *model.ZoneState, only string) []*item {
	all := sorted
	isLost := map[*nb.ACL]bool{}
	if len(lost) > 0 {
		all = slices.Clone(sorted)
		for _, r := range lost {
			if a, ok := r.(*nb.ACL); ok {
				isLost[a] = true
				all = append(all, a)
			}
		}
		slices.SortStableFunc(all, compareACL)
	}
	out := make([]*item, 0, len(all)+3)
	stage := ""
	for _, a := range all {
		s := a.Stage()
		if only != "" && s != only {
			continue
		}
		if s != stage {
			stage = s
			out = append(out, &item{id: "stage " + s, head: stageTitle(s)})
		}
		out = append(out, newItem(a, isLost[a], m, z))
	}
	return out
}

func newItem(r nb.Row, lost bool, m *marks, z *model.ZoneState) *item {
	if lost {
		return &item{id: "missing " + detail.RowID(r), row: r, mark: missing, to: detail.RowPage(z, nil, r)}
	}
	return &item{id: r.RowUUID(), row: r, mark: m.of(r), to: detail.RowPage(z, r, nil)}
}

// named are the items of a table whose rows have names, by owner and id.
func named(live, lost []nb.Row, m *marks, z *model.ZoneState) []*item {
	out := make([]*item, 0, len(live)+len(lost))
	for _, r := range live {
		out = append(out, newItem(r, false, m, z))
	}
	for _, r := range lost {
		out = append(out, newItem(r, true, m, z))
	}
	slices.SortStableFunc(out, func(a, b *item) int {
		return cmp.Or(strings.Compare(detail.RowID(a.row), detail.RowID(b.row)), strings.Compare(a.id, b.id))
	})
	return out
}
