package ladder

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/system"
	"rung/themes"
)

// ladderColumn is a column with conditions for showing it.
type ladderColumn struct {
	// stages: on a screen with all stages together; stage: on a screen with one stage
	stages, stage bool
	needs         system.Feature
	zones         bool // printed if only databases are read
	page.Column[*Line]
}

type pageColumn = page.Column[*Line]

// columns lists all columns of the ladder, in order.
var columns = []ladderColumn{
	{Column: pageColumn{Place: page.Printed, Key: "tier", Title: "TIER", Importance: page.Always, Cell: page.TextCell(tierText)}},
	{Column: pageColumn{Key: "priority", Title: "PRIO", Importance: page.Always, Right: true, Cell: page.TextCell(priorityText),
		// Priorities compare only within a tier.
		Less: func(a, b *Line) int { return a.Place - b.Place }}},
	{Column: pageColumn{Place: page.OnScreen, Key: "policy", Title: "POLICY", Importance: page.Always, Name: true, Min: 16, Cell: nameCell,
		Less: func(a, b *Line) int { return words.CompareNatural(a.policyName(), b.policyName()) }}},
	{Column: pageColumn{Place: page.Printed, Key: "policy", Title: "POLICY", Importance: page.Always, Name: true,
		Cell: page.TextCell(labelText)}},
	{Column: pageColumn{Key: "subject", Title: "SUBJECT", Importance: 92, Min: 14, Max: 40,
		Cell: page.TextCell(func(l *Line) string { return l.Subject })}},
	{stages: true, Column: pageColumn{Key: "ingress", Title: "INGRESS", Importance: 94, Cell: ingressCell}},
	{stages: true, Column: pageColumn{Key: "egress", Title: "EGRESS", Importance: 94, Cell: egressCell}},
	{stage: true, Column: pageColumn{Place: page.OnScreen, Key: "rules", Title: "RULES", Importance: 94, Cell: rulesCell}},
	{Column: pageColumn{Place: page.OnScreen, Key: "pods", Title: "PODS", Importance: 96, Right: true, Cell: page.TextCell(podsText)}},
	// other columns are worth more
	{Column: pageColumn{Place: page.Printed, Key: "pods", Title: "PODS", Importance: 92, Right: true, Cell: page.TextCell(podsText)}},
	{needs: system.Rows, Column: pageColumn{Key: "acls", Title: "ACLS", Importance: 91, From: 140, Right: true,
		Cell: page.TextCell(aclsText)}},
	{needs: system.Rows, Column: pageColumn{Place: page.Printed, Key: "log", Title: "LOG", Importance: 93,
		Cell: page.TextCell(func(l *Line) string { return l.LogText })}},
	{needs: system.Rows, Column: pageColumn{Place: page.OnScreen, Key: "hits", Title: "HITS", Importance: page.Always, Wide: true,
		NoSort: true,
		Cell:   page.TextCell(hitsText)}},
	{needs: system.Rows, zones: true, Column: pageColumn{Place: page.Printed, Key: "zones", Title: "ZONES", Importance: 95, Cell: zonesCell}},
	{Column: pageColumn{Place: page.OnScreen, Key: "log", Title: "LOG", Importance: 93, Max: 12,
		Cell: func(l *Line) page.Cell { return joinCells(l.Log, " ") }}},
	{zones: true, Column: pageColumn{Place: page.Printed, Key: "state", Title: "STATE", Importance: 99,
		Cell: func(l *Line) page.Cell { return l.State }}},
	{needs: system.Rows, Column: pageColumn{Place: page.Printed, Key: "file", Title: "FILE", Importance: page.Always, Wide: true,
		Cell: page.TextCell(fileText)}},
	{Column: pageColumn{Place: page.OnScreen, Key: "notes", Title: "FINDINGS", Importance: 98, Min: LeastNotes, Short: 3, Flex: true,
		Cell: func(l *Line) page.Cell { return JoinMarks(l.Marks) },
		Less: func(a, b *Line) int { return cmp.Or(a.Rank-b.Rank, a.severity().Compare(b.severity())) }}},
	{Column: pageColumn{Place: page.Printed, Key: "marks", Title: "MARKS", Importance: 98, Flex: true, Cell: page.TextCell(marksText)}},
}

var columnHelp = map[string]string{
	"subject": "the pods it applies to",
	"ingress": "rules for incoming connections: 2A allow, 1D denies, 1P passes on",
	"egress":  "rules for outgoing connections: 2A allow, 1D denies, 1P passes on",
	"rules":   "its rules in this stage: 2A allow, 1D denies, 1P passes on",
	"zones":   "zones whose rows are as desired",
	"state":   "the worst state of its rows over all zones",
	"notes":   "differing rows in a zone, then its worst finding; a count of the rest",
}

// LeastNotes is the minimum width of the notes column on a screen.
const LeastNotes = 12

// LadderTable returns the table for the lines of a revision.
func LadderTable(r *revision.Revision, opt LadderOptions) *page.Table[*Line] {
	t := &page.Table[*Line]{Help: columnHelp, ID: func(l *Line) string {
		return l.ID
	}, Short: func(l *Line) bool { return l.Kind == Gap || l.Kind == Band }}
	for _, c := range columns {
		switch {
		case !r.System.HasFeature(c.needs),
			opt.Screen && (c.stages && opt.Stage != "" || c.stage && opt.Stage == ""),
			!opt.Screen && c.zones && len(r.Zones) == 0:
			continue
		case c.Key == "subject" && !opt.Screen && r.System.Bands != nil:
			c.Title = "APPLIED TO"
		}
		t.Columns = append(t.Columns, c.Column)
	}
	return t
}

// IsPrinted reports whether a command prints a line. Commands print headings only for empty bands.
func (l *Line) IsPrinted() bool {
	switch l.Kind {
	case Band:
		return l.Band != "" && !l.Open
	case Part, Namespace, Examples:
		return false
	}
	return true
}

// IsKept reports whether a line belongs to one of some policies and units, or to an unreadable object that may
// be any.
func (l *Line) IsKept(keep func(model.Key) bool) bool {
	return l.Kind == Broken || l.isPolicyOrUnit() && keep(l.Key)
}

// isPolicyOrUnit reports whether the line is a policy or a unit.
func (l *Line) isPolicyOrUnit() bool { return l.Kind == Policy || l.Kind == Unit }

// severity returns the severity of the worst note; empty without notes.
func (l *Line) severity() model.Severity {
	if len(l.Notes) == 0 {
		return ""
	}
	return l.Notes[0].Severity
}

// policyName returns the sort name of a policy, or empty for other lines.
func (l *Line) policyName() string {
	if l.Kind == Policy || l.Kind == Broken {
		return l.Key.Name
	}
	return ""
}

func tierText(l *Line) string {
	if l.Tier < 0 || l.Band != "" {
		return l.Band
	}
	return strconv.Itoa(l.Tier)
}

func priorityText(l *Line) string {
	switch {
	case l.Order != "":
		return l.Order
	case l.Printed && l.Last != l.First:
		return fmt.Sprintf("%d–%d", l.First, l.Last)
	case l.First > 0 || l.Kind == Rows:
		return strconv.Itoa(l.First)
	case l.Listed:
		return strconv.Itoa(int(l.Priority))
	}
	return ""
}

// nameCell returns a line's name on a screen, below its headings.
func nameCell(l *Line) page.Cell {
	switch l.Kind {
	case Gap:
		return page.Cell{Text: fmt.Sprintf(words.Free+" %-8s %s", fmt.Sprintf("%d free", l.Gap.FreeCount()), l.Gap), Role: themes.Dim}
	case FreePriority:
		return page.Cell{Text: words.Free + " free", Role: themes.Dim}
	}
	c := l.Name
	if l.Sign.Text != "" {
		c.Sign = l.Sign
	}
	return c
}

// labelText returns a line's full name.
func labelText(l *Line) string {
	switch l.Kind {
	case Band:
		return noPolicies
	case Gap:
		return fmt.Sprintf(words.Free+" %d free  %s", l.Gap.FreeCount(), l.Gap.String())
	case Rows:
		return words.Group + " " + l.Rows.Label
	case Broken:
		return words.No + " " + cmp.Or(l.Key.Name, l.Broken.Origin.Place())
	}
	return l.Label
}

// countsLine returns counts of rules or rows by action.
func countsLine(n ladder.RuleCount) (l page.Line) {
	for _, c := range []struct {
		n    int
		sign string
		role page.Role
	}{{n.Allow, "A", themes.Allow}, {n.Pass, "P", themes.Pass}, {n.Deny, "D", themes.Deny}} {
		if c.n == 0 {
			continue
		}
		if len(l) > 0 {
			l = append(l, page.Span{Text: " ", Role: themes.Text})
		}
		l = append(l, page.Span{Text: words.Thousands(c.n) + c.sign, Role: c.role})
	}
	if len(l) == 0 {
		return page.Line{{Text: page.None.Text, Role: page.None.Role}}
	}
	return l
}

func countsCell(n ladder.RuleCount) page.Cell { return page.Cell{More: countsLine(n)} }

func ingressCell(l *Line) page.Cell {
	switch {
	case l.isPolicyOrUnit() && l.Policy != nil && l.Stage == model.StageAfterLB:
		return page.None
	case l.isPolicyOrUnit(), l.Kind == Rows && l.Stage == model.StageToLport:
		return countsCell(l.Ingress)
	}
	return page.Cell{}
}

func egressCell(l *Line) page.Cell {
	switch {
	case l.isPolicyOrUnit() && l.Policy != nil && l.Stage == model.StageToLport && l.Key.Kind != model.KindEF:
		return page.None
	case l.isPolicyOrUnit(), l.Kind == Rows && l.Stage != model.StageToLport:
		return countsCell(l.Egress)
	}
	return page.Cell{}
}

// rulesCell returns the rules of the shown stage.
func rulesCell(l *Line) page.Cell {
	switch {
	case !l.isPolicyOrUnit():
		return page.Cell{}
	case l.Policy == nil && l.Ingress != (ladder.RuleCount{}), l.Policy != nil && l.Stage == model.StageToLport && l.Key.Kind != model.KindEF:
		return countsCell(l.Ingress)
	}
	return countsCell(l.Egress)
}

func podsText(l *Line) string {
	switch {
	case !l.isPolicyOrUnit():
		return ""
	case !l.PodsKnown:
		return page.None.Text
	case l.PodsUnread:
		return words.Unknown
	}
	return words.Thousands(l.Pods)
}

func aclsText(l *Line) string {
	switch {
	case l.Kind == Rows:
		return words.Thousands(l.Rows.Actions.Allow + l.Rows.Actions.Deny + l.Rows.Actions.Pass)
	case !l.isPolicyOrUnit():
		return ""
	case !l.Compiled:
		return page.None.Text
	}
	return words.Thousands(l.ACLs)
}

func zonesCell(l *Line) page.Cell {
	switch {
	case l.Kind == Rows:
		return page.Cell{Text: fmt.Sprintf("%s/%s", words.Thousands(len(l.Rows.Zones)), words.Thousands(l.Zones))}
	case !l.isPolicyOrUnit():
		return page.Cell{}
	case !l.Compiled:
		return page.None
	}
	inSync := l.Summary.Zones > 0 && l.Summary.InSync == l.Summary.Zones
	return page.Cell{Text: l.Summary.InSyncText(), Role: words.Choose(inSync, themes.OK, themes.Dim)}
}

func hitsText(l *Line) string {
	if l.hits == nil || l.Policy == nil {
		return ""
	}
	return l.hits.OfPolicy(l.Policy).ShortText()
}

func fileText(l *Line) string {
	if l.Policy == nil {
		return ""
	}
	return l.Policy.Origin.Place()
}

func marksText(l *Line) string {
	switch l.Kind {
	case Rows:
		what := whyNoPolicy(l.Rows)
		what += words.Choose(l.Tier == model.TierAdmin || l.Tier == model.TierBaseline, " (PRIO is OVN's)", "")
		return what + ", " + string(l.Stage)
	case Broken:
		return strings.TrimPrefix(l.Broken.Field+": "+l.Broken.Message, ": ")
	}
	return strings.Join(model.MapList(l.Marks, func(m LineMark) string { return m.Text }), ", ")
}

// joinCells joins cells with a separator.
func joinCells(cells []page.Cell, sep string) (out page.Cell) {
	for i, c := range cells {
		if i > 0 {
			out.More = append(out.More, page.Span{Text: sep})
		}
		out.More = append(out.More, page.Span{Text: c.Text, Role: c.Role})
	}
	return out
}

// JoinMarks joins all marks in one cell.
func JoinMarks(marks []LineMark) page.Cell {
	return joinCells(model.MapList(marks, func(m LineMark) page.Cell { return m.Cell }), "  ")
}
