package revision

import (
	"cmp"
	"hash/maphash"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ladder"
	"rung/model/ovn/nb"
)

type zoneRows struct {
	name   string
	db     *nb.DB
	acls   []*nb.ACL
	groups []zoneGroup
}

// groupKey identifies a group: rows in Rung's form by unit, others by label. priority is 0 if all rows of the
// owner form one group.
type groupKey struct {
	tier     int
	stage    string
	unit     model.Key
	label    string
	priority int
}

type zoneGroup struct {
	key         groupKey
	owner       nb.Owner
	first, last int
	rows        []*nb.ACL
	prefix      string // common prefix of all ids
	sum         uint64 // order-independent hash of the row keys
	examples    bool   // all rows are examples, see IsExample
}

// sumSeed seeds hashes that are compared only within this process.
var sumSeed = maphash.MakeSeed()

// readZone groups the ACLs of a zone. before is the last result for the zone, nil if none.
func readZone(name string, db *nb.DB, before *zoneRows) *zoneRows {
	before = cmp.Or(before, &zoneRows{})
	if before.db == db {
		return before
	}
	out := &zoneRows{name: name, db: db, acls: slices.AppendSeq(make([]*nb.ACL, 0, len(before.acls)), db.ACLs())}
	if before.db != nil && slices.Equal(out.acls, before.acls) {
		out.groups = before.groups // only members of sets changed
		return out
	}
	at := map[groupKey]int{}
	for _, a := range out.acls {
		o := nb.OwnerOfRow(a)
		k := newGroupKey(a, o)
		i, ok := at[k]
		if !ok {
			i = len(out.groups)
			at[k] = i
			out.groups = append(out.groups, zoneGroup{key: k, owner: o, first: a.Priority, last: a.Priority, prefix: a.ID(), examples: true})
		}
		out.groups[i].add(a)
	}
	return out
}

func (g *zoneGroup) add(a *nb.ACL) {
	g.rows = append(g.rows, a)
	g.first, g.last = max(g.first, a.Priority), min(g.last, a.Priority)
	g.prefix = commonPrefix(g.prefix, a.ID())
	g.sum += maphash.Comparable(sumSeed, newRowKey(a))
	g.examples = g.examples && IsExample(a)
}

// rowKey identifies a row of a group, the same in every zone: by id, else by content.
type rowKey struct {
	id, action, match string
	priority          int
}

func newRowKey(a *nb.ACL) rowKey {
	if id := a.ID(); id != "" {
		return rowKey{id: id}
	}
	return rowKey{action: a.Action, match: a.Match, priority: a.Priority}
}

// countedRows holds the rows of a group that were counted in earlier zones.
type countedRows struct {
	sums map[uint64]bool // hashes; zones with equal rows are looked at once
	rows map[rowKey]bool
}

// addZone counts the rows of a zone that no earlier zone had.
func (c *countedRows) addZone(n *ladder.RuleCount, g *zoneGroup) {
	if c.sums[g.sum] {
		return
	}
	c.sums[g.sum] = true
	for _, a := range g.rows {
		k := newRowKey(a)
		if c.rows[k] {
			continue
		}
		c.rows[k] = true
		switch a.Action {
		case nb.ActionDrop, nb.ActionReject:
			n.Deny++
		case nb.ActionPass:
			n.Pass++
		default:
			n.Allow++
		}
	}
}

func newGroupKey(a *nb.ACL, o nb.Owner) groupKey {
	k := groupKey{tier: a.Tier, stage: a.Stage()}
	if o.Form == nb.FormKnown {
		k.unit, _ = UnitOfOwner(o)
		return k
	}
	k.label = groupLabel(o)
	if a.Tier == model.TierIsolation || o.Form == nb.FormNone || o.Form == nb.FormUnknown {
		k.priority = a.Priority
	}
	return k
}

// openPort is the name prefix of rows that open ports of a single pod (ovn-kubernetes.md#tier-0).
const openPort = "OpenPort-"

// groupLabel returns an owner's label without the parts that differ between its rows.
func groupLabel(o nb.Owner) string {
	o.Index, o.Protocol, o.Family = -1, "", ""
	if o.Form == nb.FormLegacy && o.Type == nb.OwnerNetworkPolicy {
		o.Block, o.Detail = "-1", "-1" // none
	} else if o.Form != nb.FormRecognised {
		o.Block = ""
	}
	if o.Type == nb.OwnerUDNIsolation && strings.HasPrefix(o.Name, openPort) {
		o.Name = "open ports of pods"
	}
	label := o.Label()
	if o.Form == nb.FormLegacy {
		label, _, _ = strings.Cut(label, ", priority ")
	}
	return label
}

// joinZones merges the groups of all zones. It leaves out rows that have a line on the ladder, and rows of
// another network. Rows of networks that Rung does not know do not count as gone.
func joinZones(zones []*zoneRows, on map[model.Key]bool, known func(network string) bool, isOf func(nb.Owner) bool) []RowGroup {
	at := map[groupKey]int{}
	var out []RowGroup
	var prefixes []string
	var seen []countedRows
	for _, z := range zones {
		for i := range z.groups {
			g := &z.groups[i]
			if g.owner.Form == nb.FormKnown && on[g.key.unit] || !isOf(g.owner) {
				continue
			}
			n, ok := at[g.key]
			if !ok {
				n = len(out)
				at[g.key] = n
				out = append(out, RowGroup{Tier: g.key.tier, Stage: model.Stage(g.key.stage), Label: groupLabel(g.owner),
					Owner: cmp.Or(g.owner.Type, "no owner"), Form: g.owner.Form,
					Gone: g.owner.Form == nb.FormKnown && known(g.owner.Network()), Priority: g.first, Last: g.last, Examples: true})
				prefixes = append(prefixes, g.prefix)
				seen = append(seen, countedRows{map[uint64]bool{}, map[rowKey]bool{}})
			}
			x := &out[n]
			x.Priority, x.Last = max(x.Priority, g.first), min(x.Last, g.last)
			seen[n].addZone(&x.Actions, g)
			x.Rows += len(g.rows)
			x.Examples = x.Examples && g.examples
			x.Zones = append(x.Zones, z.name)
			prefixes[n] = commonPrefix(prefixes[n], g.prefix)
		}
	}
	for i := range out {
		out[i].Filter = rowsFilter(&out[i], prefixes[i])
	}
	slices.SortFunc(out, func(a, b RowGroup) int {
		return cmp.Or(cmp.Compare(a.Tier, b.Tier), cmp.Compare(a.Stage.Index(), b.Stage.Index()),
			cmp.Compare(b.Priority, a.Priority), strings.Compare(a.Label, b.Label))
	})
	return out
}

// prefixMost limits the part of an id that a filter searches.
const prefixMost = 120

// rowsFilter returns the filter expression for a group on the rows page: owner, id, stage, tier and priority.
func rowsFilter(g *RowGroup, prefix string) string {
	what := ""
	switch {
	case prefix == "" && g.Form == nb.FormNone:
		what = "^no owner"
	case prefix != "":
		what = regexp.QuoteMeta(strings.ToValidUTF8(prefix[:min(len(prefix), prefixMost)], ""))
	}
	priority := strconv.Itoa(g.Priority)
	if g.Last != g.Priority {
		priority = `\d+`
	}
	return what + ".* " + string(g.Stage) + " " + strconv.Itoa(g.Tier) + " " + priority + " "
}

func commonPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// exampleKey and exampleValue are in the external_ids of example rows that the sandbox adds.
const exampleKey, exampleValue = "rung", "sandbox"

// IsExample reports whether a row is marked as an example of the sandbox. Anybody may write the mark, so trust
// it only in the sandbox.
func IsExample(row nb.Row) bool { return row.IDs()[exampleKey] == exampleValue }
