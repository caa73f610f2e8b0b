package engine

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/nb"
)

// zoneRows are the ACLs of a zone and their groups.
type zoneRows struct {
	name   string
	db     *nb.DB
	acls   []*nb.ACL
	groups []zoneGroup
}

// groupKey tells groups apart. Rows in the form Rung compiles are told by unit,
// others by label; priority is 0 where all of an owner go together.
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
	actions     model.RuleCount
	rows        int
	prefix      string // that all ids begin with
}

// readZone groups the ACLs of a zone; before is what was read of it last, nil
// for nothing.
func readZone(name string, db *nb.DB, before *zoneRows) *zoneRows {
	if before == nil {
		before = &zoneRows{}
	}
	if before.db == db {
		return before
	}
	out := &zoneRows{name: name, db: db, acls: slices.AppendSeq(make([]*nb.ACL, 0, len(before.acls)), db.ACLs())}
	if before.db != nil && slices.Equal(out.acls, before.acls) {
		out.groups = before.groups // only members of sets came or went
		return out
	}
	at := map[groupKey]int{}
	for _, a := range out.acls {
		o := nb.OwnerOfRow(a)
		k := keyOf(a, o)
		i, ok := at[k]
		if !ok {
			i = len(out.groups)
			at[k] = i
			out.groups = append(out.groups, zoneGroup{key: k, owner: o, first: a.Priority, last: a.Priority, prefix: a.ID()})
		}
		out.groups[i].add(a)
	}
	return out
}

func (g *zoneGroup) add(a *nb.ACL) {
	g.rows++
	g.first, g.last = max(g.first, a.Priority), min(g.last, a.Priority)
	switch a.Action {
	case nb.ActionDrop, nb.ActionReject:
		g.actions.Deny++
	case nb.ActionPass:
		g.actions.Pass++
	default:
		g.actions.Allow++
	}
	g.prefix = commonPrefix(g.prefix, a.ID())
}

func keyOf(a *nb.ACL, o nb.Owner) groupKey {
	k := groupKey{tier: a.Tier, stage: a.Stage()}
	if o.Form == nb.FormKnown {
		k.unit, _ = UnitOf(o)
		return k
	}
	k.label = groupLabel(o)
	if a.Tier == model.TierIsolation || o.Form == nb.FormNone || o.Form == nb.FormUnknown {
		k.priority = a.Priority
	}
	return k
}

// openPort begins the names of the rows that open ports of one pod each
// (compile-spec §4.4).
const openPort = "OpenPort-"

// groupLabel is an owner's label without what tells its rows apart.
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

// joinZones puts the groups of all zones together, without the rows that the
// ladder has a line for.
func joinZones(zones []*zoneRows, on map[model.Key]bool) []RowGroup {
	at := map[groupKey]int{}
	var out []RowGroup
	var prefixes []string
	for _, z := range zones {
		for i := range z.groups {
			g := &z.groups[i]
			if g.owner.Form == nb.FormKnown && on[g.key.unit] {
				continue
			}
			n, ok := at[g.key]
			if !ok {
				n = len(out)
				at[g.key] = n
				out = append(out, RowGroup{Tier: g.key.tier, Stage: model.Stage(g.key.stage), Label: groupLabel(g.owner), Owner: cmp.Or(g.owner.Type, "no owner"), Form: g.owner.Form,
					Gone: g.owner.Form == nb.FormKnown, Priority: g.first, Last: g.last})
				prefixes = append(prefixes, g.prefix)
			}
			x := &out[n]
			x.Priority, x.Last = max(x.Priority, g.first), min(x.Last, g.last)
			x.Actions.Allow += g.actions.Allow
			x.Actions.Deny += g.actions.Deny
			x.Actions.Pass += g.actions.Pass
			x.Rows += g.rows
			x.Zones = append(x.Zones, z.name)
			prefixes[n] = commonPrefix(prefixes[n], g.prefix)
		}
	}
	for i := range out {
		out[i].Filter = rowsFilter(&out[i], prefixes[i])
	}
	slices.SortFunc(out, func(a, b RowGroup) int {
		return cmp.Or(cmp.Compare(a.Tier, b.Tier), cmp.Compare(slices.Index(Stages, string(a.Stage)), slices.Index(Stages, string(b.Stage))),
			cmp.Compare(b.Priority, a.Priority), strings.Compare(a.Label, b.Label))
	})
	return out
}

// prefixMost bounds the part of an id that a filter looks for.
const prefixMost = 120

// rowsFilter is an expression for what the page of rows filters by: owner, id,
// stage, tier and priority in this order.
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
