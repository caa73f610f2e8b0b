package rows

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision/liverows"
	"rung/ui/detail"
	"rung/ui/nav"
)

// item is one line of a table of rows.
type item struct {
	id    string
	row   nb.Row // live, or desired where it is missing
	owner nb.Owner
	label string // the owner's
	on    string // what holds an ACL
	mark  liverows.RowMark
	tie   liverows.Tie
	late  bool   // see liverows.AfterEgressAllow
	head  string // a heading instead of a row
	end   bool   // the heading ends a stage
	to    nav.Page
}

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

// ranked is an ACL in pipeline order with what is worked out once for it.
type ranked struct {
	liverows.PlacedACL
	label string // the owner's
	on    string
	lost  bool // a desired row that is missing
}

// inOrder is the pipeline order of a database.
func inOrder(db *nb.DB, holders *liverows.Holders) []ranked {
	placed := liverows.Pipeline(db)
	out := make([]ranked, len(placed))
	for i, a := range placed {
		out[i] = ranked{PlacedACL: a, label: a.Owner.Label(), on: heldBy(a.ACL, a.Owner, holders)}
	}
	return out
}

// heldBy is what holds an ACL, for people.
func heldBy(a *nb.ACL, o nb.Owner, holders *liverows.Holders) string {
	rows := holders.Of(a)
	switch {
	case len(rows) == 0:
		return onNothing
	case len(rows) == 1 && ownGroup(o, rows[0]):
		return "own group"
	}
	return words.List(holders.Names(a), 3)
}

// onNothing is said of rows that no port group and no switch holds.
const onNothing = "nothing: has no effect"

// ownGroup says whether a port group is the one of the policy the row is of.
func ownGroup(o nb.Owner, holder nb.Row) bool {
	h := nb.OwnerOfRow(holder)
	return h.Form == nb.FormKnown && h.Form == o.Form && h.Type == o.Type && h.Namespace == o.Namespace && h.Name == o.Name
}

// acls are the items of table ACL, with headings: of each stage, of the rows
// that decide after an egress Allow, and what becomes of a connection that no
// row of a stage matches. only, when set, is the one stage to show.
func acls(sorted []ranked, lost []nb.Row, m *liverows.RowMarks, z *model.ZoneState, only string) []*item {
	all := sorted
	if len(lost) > 0 {
		all = slices.Clone(sorted)
		for _, r := range lost {
			if a, ok := r.(*nb.ACL); ok {
				x := liverows.Place(a)
				all = append(all, ranked{PlacedACL: x, label: x.Owner.Label(), lost: true})
			}
		}
		slices.SortStableFunc(all, func(a, b ranked) int { return liverows.CompareACLs(a.ACL, b.ACL) })
	}
	out := make([]*item, 0, len(all)+10)
	stage, late, runs := "", false, 0
	for _, x := range all {
		s := x.Stage()
		if only != "" && s != only {
			continue
		}
		if s != stage {
			out = endStage(out, stage)
			stage, late = s, false
			out = append(out, &item{id: "stage " + s, head: stageTitle(s)})
		}
		if x.AfterAllow && !late {
			runs++
			out = append(out, &item{id: "late " + strconv.Itoa(runs), head: lateSign + liverows.AfterAllow})
		}
		late = x.AfterAllow
		it := newItem(x.ACL, x.Owner, x.lost, m, z)
		it.tie, it.late, it.label, it.on = x.Tie, x.AfterAllow, x.label, x.on
		out = append(out, it)
	}
	return endStage(out, stage)
}

// lateSign marks the rows of liverows.AfterEgressAllow, wherever they stand.
const lateSign = "† "

// endStage adds the stage's default line.
func endStage(out []*item, stage string) []*item {
	if stage == "" {
		return out
	}
	return append(out, &item{id: "end " + stage, head: "no row matches: allowed in this stage", end: true})
}

func newItem(r nb.Row, o nb.Owner, lost bool, m *liverows.RowMarks, z *model.ZoneState) *item {
	if lost {
		mark := liverows.RowMissing
		if m.KnownLost[r.IDs()[nb.KeyID]] {
			mark = liverows.RowKnownMissing
		}
		return &item{id: "missing " + r.IDs()[nb.KeyID], row: r, owner: o, mark: mark, to: detail.RowPage(z, nil, r)}
	}
	return &item{id: r.RowUUID(), row: r, owner: o, mark: m.Of(r, o), to: detail.RowPage(z, r, nil)}
}

// named are the items of a table whose rows have names, by owner and id.
func named(live, lost []nb.Row, m *liverows.RowMarks, z *model.ZoneState) []*item {
	out := make([]*item, 0, len(live)+len(lost))
	add := func(rows []nb.Row, lost bool) {
		for _, r := range rows {
			o := nb.OwnerOfRow(r)
			it := newItem(r, o, lost, m, z)
			o.Family = "" // sets have a column for it
			it.label = o.Label()
			out = append(out, it)
		}
	}
	add(live, false)
	add(lost, true)
	slices.SortStableFunc(out, func(a, b *item) int {
		return cmp.Or(strings.Compare(a.row.IDs()[nb.KeyID], b.row.IDs()[nb.KeyID]), strings.Compare(a.id, b.id))
	})
	return out
}

// markText are the marks for people.
var markText = map[liverows.RowMark]string{
	liverows.RowSettling:       "… settling",
	liverows.RowDifferent:      "≠ differs",
	liverows.RowExtra:          "≠ extra",
	liverows.RowMissing:        "≠ missing",
	liverows.RowKnownDifferent: "≠ differs: known",
	liverows.RowKnownExtra:     "≠ extra: known",
	liverows.RowKnownMissing:   "≠ missing: known",
	liverows.RowFrozen:         "● frozen",
	liverows.RowStrange:        "? other form",
	liverows.RowForeign:        "· other",
	liverows.RowLegacy:         "~ legacy",
}

// missingShown bounds the policies whose missing rows are listed: a zone that
// has just been emptied lacks them all, and the number says enough.
const missingShown = 50
