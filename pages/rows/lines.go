package rows

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// Line is a row in a table of a zone's rows, or a heading.
type Line struct {
	ID      string
	Zone    string
	Row     nb.Row // live, or desired if missing; nil for a heading
	Missing bool   // missing in the zone
	Mark    revision.RowMark
	Flows   *ACLFlows // of an ACL, nil if not read

	acl   *revision.PlacedACL // nil for other rows
	label string              // of the owner
	// family is the address family of a set. on names the holders of an ACL; own means that its policy's port
	// group alone holds it.
	family     string
	on         []string
	inOwnGroup bool
	full       page.Line // a heading
	from       *Pipeline
}

// Pipeline holds the ACLs of a database in deciding order. The zero Pipeline is empty.
type Pipeline struct {
	walked   []*nb.ACL
	sorted   []Line
	problems map[*nb.ACL]string // of matches parsed so far, by ACL
	holders  *revision.ACLHolders
}

// ReadACLs sorts the ACLs of a database. It sorts again only if ACLs or their holders changed: most updates
// only change members of sets and groups.
func (p *Pipeline) ReadACLs(db *nb.DB) {
	walked := slices.AppendSeq(make([]*nb.ACL, 0, len(p.walked)), db.ACLs())
	holders := revision.NewACLHolders(db, p.holders)
	if slices.Equal(walked, p.walked) && holders == p.holders && p.sorted != nil {
		return
	}
	placed := revision.PlacedACLs(db)
	*p = Pipeline{walked: walked, sorted: make([]Line, len(placed)), problems: map[*nb.ACL]string{}, holders: holders}
	for i := range placed {
		x := &placed[i]
		on := holders.HoldersOfACL(x.ACL)
		p.sorted[i] = Line{ID: x.UUID, Row: x.ACL, acl: x, label: x.Owner.Label(), on: holders.HolderNames(x.ACL),
			inOwnGroup: len(on) == 1 && ownGroup(x.Owner, on[0]), from: p}
	}
}

// ownGroup reports whether a holder is the port group of the row's policy.
func ownGroup(o nb.Owner, holder nb.Row) bool {
	h := nb.OwnerOfRow(holder)
	return h.Form == nb.FormKnown && h.Form == o.Form && h.Type == o.Type && h.Namespace == o.Namespace && h.Name == o.Name
}

// ACLs returns the ACLs of a zone, including lost ones at their place. Headings precede each stage and the
// rows that decide after an egress Allow. A stage ends with the verdict for connections that no row matches.
// only selects one stage; empty selects all.
func (p *Pipeline) ACLs(zone string, lost []nb.Row, m *revision.RowMarks, only model.Stage) []*Line {
	all := p.sorted
	if len(lost) > 0 {
		all = slices.Clone(all)
		for _, r := range lost {
			if a, ok := r.(*nb.ACL); ok {
				x := revision.PlaceACL(a)
				all = append(all, Line{Row: a, Missing: true, acl: &x, label: x.Owner.Label(), from: p})
			}
		}
		slices.SortStableFunc(all, func(a, b Line) int { return revision.CompareACLs(a.acl.ACL, b.acl.ACL) })
	}
	out := make([]*Line, 0, len(all)+10)
	end := func(stage string) {
		if stage != "" {
			out = append(out, &Line{ID: "end " + stage, full: page.Line{{Text: "   no row matches: allowed in this stage", Role: themes.Dim}}})
		}
	}
	stage, late, runs := "", false, 0
	for i := range all {
		l := all[i]
		s := l.acl.Stage()
		if only != "" && s != string(only) {
			continue
		}
		if s != stage {
			end(stage)
			stage, late = s, false
			out = append(out, &Line{ID: "stage " + s, full: page.HeadingLine(cmp.Or(stageTitles[s], s))})
		}
		if l.acl.AfterAllow && !late {
			runs++
			out = append(out, &Line{ID: "late " + strconv.Itoa(runs), full: page.HeadingLine(words.Late + " " + revision.AfterAllow)})
		}
		late = l.acl.AfterAllow
		out = append(out, l.inZone(zone, l.acl.Owner, m))
	}
	end(stage)
	return out
}

// stageTitles are the headings of the stages.
var stageTitles = map[string]string{
	"from-lport":          "from-lport · what leaves a pod, before load balancing",
	"from-lport-after-lb": "from-lport after load balancing · egress rules",
	"to-lport":            "to-lport · what arrives at a pod: ingress rules",
}

// inZone returns the line in a zone with its mark; m is nil if nothing is desired.
func (l Line) inZone(zone string, owner nb.Owner, m *revision.RowMarks) *Line {
	l.Zone = zone
	switch id := l.Row.IDs()[nb.KeyID]; {
	case m == nil:
	case !l.Missing:
		l.Mark = m.FindMark(l.Row, owner)
	default:
		l.ID, l.Mark = "missing "+id, words.Choose(m.KnownMissing[id], revision.RowKnownMissing, revision.RowMissing)
	}
	return &l
}

// NamedRows returns the rows of a table whose rows have names, by owner and id.
func NamedRows[R nb.Row](zone string, live iter.Seq[R], lost []nb.Row, m *revision.RowMarks) []*Line {
	var out []*Line
	add := func(r nb.Row, lost bool) {
		o := nb.OwnerOfRow(r)
		l := Line{ID: r.RowUUID(), Row: r, Missing: lost, family: o.Family}
		out = append(out, l.inZone(zone, o, m))
		o.Family = "" // sets have a column for it
		out[len(out)-1].label = o.Label()
	}
	for r := range live {
		add(r, false)
	}
	for _, r := range lost {
		add(r, true)
	}
	slices.SortStableFunc(out, func(a, b *Line) int {
		return cmp.Or(strings.Compare(a.Row.IDs()[nb.KeyID], b.Row.IDs()[nb.KeyID]), strings.Compare(a.ID, b.ID))
	})
	return out
}

// MatchProblem says why the match of a live ACL cannot be parsed, "" if it can. Matches are parsed on demand,
// not all at once.
func (l *Line) MatchProblem() string {
	if l.acl == nil || l.Missing {
		return ""
	}
	a := l.acl.ACL
	text, ok := l.from.problems[a]
	if !ok {
		text = revision.MatchProblem(a.Match)
		l.from.problems[a] = text
	}
	return text
}

// FilterText returns the text that a filter searches: more than the visible columns.
func (l *Line) FilterText() string {
	s := []string{l.label, markText[l.Mark], l.Row.IDs()[nb.KeyID], l.Row.RowUUID()}
	switch r := l.Row.(type) {
	case *nb.ACL:
		if l.acl.AfterAllow {
			s = append(s, words.Late, revision.AfterAllow)
		}
		if l.MatchProblem() != "" {
			s = append(s, badMatch)
		}
		s = append(s, r.Stage(), strconv.Itoa(r.Tier), strconv.Itoa(r.Priority), r.Action, r.Severity, l.acl.Tie.String(), l.holderCell().Text,
			r.Match)
	default:
		s = append(s, r.RowName())
	}
	return strings.Join(s, " ")
}
