package cluster

import (
	"fmt"
	"slices"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/pages/findings"
	pages "rung/pages/page"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// findingsPage lists the findings by severity, with the selected one in full below.
type findingsPage struct {
	view.List
	table *widget.Table[*findings.Finding]
	heads map[*findings.Finding]widget.Line // heading rows
	only  severityFilter
	open  map[string]bool // causes whose findings are unfolded
	// filtered: a filter is set, and finds folded findings, too
	filtered bool
	room     int    // width of the messages
	key      string // the key that changes the filter, for hints
	st       *themes.StyleSet
	w        int

	rev            *revision.Revision
	objectFindings []model.Finding // findings about objects, as the header counts them
	zones          []model.Finding // from comparing the zones
	compared       time.Time       // when zones was computed
	unread         string          // text about unread objects, empty if none
}

// severityFilter selects the findings shown.
type severityFilter int

const (
	everySeverity severityFilter = iota
	errorsOnly
	warnings // and errors
	severityFilters
)

// severityNames name the filters.
var severityNames = [severityFilters]string{"", "errors only", "errors and warnings"}

// hasSeverity reports whether findings of a severity are shown.
func (o severityFilter) hasSeverity(s model.Severity) bool {
	switch o {
	case errorsOnly:
		return s == model.SeverityError
	case warnings:
		return s == model.SeverityError || s == model.SeverityWarning
	}
	return true
}

// NewFindings makes the view.
func NewFindings(nav.Page) view.View {
	v := &findingsPage{open: map[string]bool{}}
	v.table = widget.PageTable(findings.Table, &v.st)
	head := func(f *findings.Finding) bool { return v.heads[f] != nil }
	v.table.Full = func(f *findings.Finding) widget.Line { return v.heads[f] }
	v.table.Skip, v.table.Text, v.table.NoBelow = head, v.filterText, true
	v.table.ID = func(f *findings.Finding) string {
		if head(f) {
			return "# " + v.heads[f].String()
		}
		return findings.Table.ID(f)
	}
	last := &v.table.Columns[len(v.table.Columns)-1]
	last.Cell = v.messageLine
	severity := v.table.Columns[0].Cell
	v.table.Columns[0].Cell = func(f *findings.Finding) widget.Line {
		if v.w < narrowFindings { // the heading has the word
			return widget.CellLine(pages.Cell{Sign: pages.SeveritySign(f.Severity)}, v.st)
		}
		return severity(f)
	}
	v.Widget = v.table
	return v
}

// messageLine returns the message as far as it fits, after what hangs on the finding and before its fix. The whole
// is shown below.
func (v *findingsPage) messageLine(f *findings.Finding) widget.Line {
	var l widget.Line
	if f.Under > 0 {
		sign := words.Choose(v.isOpen(f.Original.Cause), words.Unfolded, words.Folded)
		l = l.Add(sign+" "+words.Count(f.Under, "rule")+" never "+words.OneOrMany(f.Under, "applies", "apply")+" · ", v.st.Key)
	}
	room, fix := v.room-l.LineWidth(), words.Between("  fix: ", f.Original.Fix.Text, "")
	text := f.BriefMessage(room - widget.TextWidth(fix))
	if widget.TextWidth(text+fix) > room { // the pane below has the fix
		text, fix = f.BriefMessage(room), ""
	}
	return l.Add(text, v.st.Text).Add(fix, v.st.Info)
}

// isOpen reports whether the findings of a cause are shown below it.
func (v *findingsPage) isOpen(cause string) bool { return v.filtered || v.open[cause] }

// SetFilter unfolds all findings while there is a filter.
func (v *findingsPage) SetFilter(f widget.LineFilter) {
	v.filtered = !f.IsEmpty()
	if v.rev != nil {
		v.fillTable()
	}
	v.List.SetFilter(f)
}

// narrowFindings is the width below which severities are shown as signs.
const narrowFindings = 100

// filterText returns the text that the filter searches, including parts that do not fit on the screen.
func (v *findingsPage) filterText(f *findings.Finding) string {
	if head := v.heads[f]; head != nil {
		return head.String()
	}
	return fmt.Sprintf("%s %s %s %s %s %s %s", f.Severity, f.SubjectText(), f.Original.Policy.Label(), f.PlaceText(), f.Code,
		f.Message, f.Remedy)
}

// Sync takes the findings known without waiting.
func (v *findingsPage) Sync(env *view.Env) {
	found, _ := revision.KnownFindings(env.Rev) // the header marks outdated ones
	same := v.rev != nil && v.st == env.Styles && v.w == env.W &&
		// findings never change once computed, and may be thousands
		len(found) == len(v.objectFindings) && (len(found) == 0 || &found[0] == &v.objectFindings[0])
	v.st, v.w, v.objectFindings = env.Styles, env.W, found
	v.key = env.KeyHint(action.FindingsOnly)
	v.table.Columns[0].Title = findings.Table.Columns[0].Title
	if v.w < narrowFindings {
		v.table.Columns[0].Title = ""
	}
	fresh := v.rev != nil && len(env.Rev.Zones) > view.FoldZones && env.Now.Sub(v.compared) < recountInterval && !env.Now.Before(v.compared)
	v.rev = env.Rev
	if !fresh {
		zones := revision.SettledZoneFindings(env.Rev, env.Now)
		same = same && slices.Equal(zones, v.zones)
		v.compared, v.zones = env.Now, zones
	}
	unread := ""
	if u := env.Rev.Unread(); u != nil {
		unread = u.Text()
	}
	if !same || unread != v.unread {
		v.unread = unread
		v.fillTable()
	}
}

// fillTable fills the table: findings by severity, then those from comparing the zones.
func (v *findingsPage) fillTable() {
	var items []*findings.Finding
	v.heads = map[*findings.Finding]widget.Line{}
	head := func(title string, below []*findings.Finding) {
		over := &findings.Finding{}
		v.heads[over] = widget.HeadingLine(title, max(1, v.w-2), v.st)
		items = append(append(items, over), below...)
	}
	told := findings.NewList(v.objectFindings)
	if u := v.rev.NeverRead(); u != nil && len(told) > 0 {
		head(u.Text(), nil) // these may be wrong
	}
	for _, of := range []model.Severity{model.SeverityError, model.SeverityWarning, model.SeverityInfo} {
		if !v.only.hasSeverity(of) {
			continue
		}
		var here []*findings.Finding
		var n, under model.FindingCount
		in := false // the last finding without a cause belongs here
		for _, f := range told {
			if f.Cause == "" {
				in = f.Severity.Compare(of) == 0
			}
			switch {
			case !in || !v.only.hasSeverity(f.Severity):
				continue
			case f.Cause == "":
				n.Add(f.Severity)
			default:
				under.Add(f.Severity)
			}
			if f.Cause == "" || v.isOpen(f.Cause) {
				here = append(here, f)
			}
		}
		if len(here) == 0 {
			continue
		}
		title := n.Text()
		if under.Total() > 0 {
			title += " · " + under.Text() + " under their cause"
		}
		head(title, here)
	}
	if len(v.zones) > 0 && v.only != errorsOnly {
		head(fmt.Sprintf("comparing the zones: %s, counted apart", words.Thousands(len(v.zones))), findings.NewList(v.zones))
	}
	v.table.Empty = v.rev.EmptyText(findings.Table.Empty + ": no policy is wrong or dangerous")
	if v.only != everySeverity && len(v.objectFindings)+len(v.zones) > 0 {
		v.table.Empty = "none here: " + severityNames[v.only] + "; " + v.key + " shows the others"
	}
	policy, where := findings.LeastPolicy, 9
	for _, f := range items {
		if v.heads[f] == nil {
			policy = max(policy, widget.TextWidth(words.Choose(f.Cause == "", "", "└ ")+f.SubjectText()))
			where = max(where, widget.TextWidth(f.PlaceText()))
		}
	}
	v.room = v.w - words.Choose(v.w < narrowFindings, 5, 13) - min(policy, findings.MostPolicy) - min(where, 24) - 2
	v.table.SetItems(items)
}

// Do opens the page of the selected finding, or changes the filter.
func (v *findingsPage) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.Open:
		env.OpenPage(v.SelectedPage())
	case action.FindingsPolicy:
		if f := v.selectedFinding(); f != nil {
			env.OpenPage(nav.ToPolicy(f.Policy))
		}
	case action.FindingsFold:
		if f := v.selectedFinding(); f != nil {
			v.open[f.Cause] = !v.open[f.Cause]
			v.fillTable()
		}
	case action.FindingsFix:
		if f := v.selectedFinding(); f != nil {
			view.PreviewFix(env, f)
		}
	case action.FindingsOnly:
		v.only = (v.only + 1) % severityFilters
		v.fillTable()
	default:
		return v.List.Do(env, id)
	}
	return true
}

// WhyNot says why a finding has no page.
func (v *findingsPage) WhyNot(_ *view.Env, id action.ID) string {
	f := v.selectedFinding()
	switch {
	case !slices.Contains([]action.ID{action.Open, action.FindingsPolicy, action.FindingsFold, action.FindingsFix}, id):
	case f == nil:
		return "no finding here"
	case id == action.FindingsFix && f.Fix.Text == "":
		return "no change is known to fix this for sure"
	case id == action.FindingsFold && f.Cause == "":
		return "it causes no other finding"
	case id == action.FindingsPolicy && !f.Policy.Kind.IsPolicy(),
		id == action.Open && v.SelectedPage().IsNone():
		return "the finding is about no policy"
	}
	return ""
}

// OffersAction leaves fixing and unfolding out of the hints where they are impossible.
func (v *findingsPage) OffersAction(env *view.Env, id action.ID) bool {
	return id != action.FindingsFix && id != action.FindingsFold || v.WhyNot(env, id) == ""
}

func (v *findingsPage) selectedFinding() *model.Finding {
	if f, ok := v.table.SelectedItem(); ok && f.Original != nil {
		return f.Original
	}
	return nil
}

// SelectedPage returns the rule, the rows in the zone, or the policy of the selected finding.
func (v *findingsPage) SelectedPage() nav.Page {
	f := v.selectedFinding()
	switch {
	case f == nil:
	case f.Zone != "" && f.Policy.Name == "":
		return nav.Page{Kind: nav.Rows, Zone: f.Zone}
	case f.Zone != "" && v.rev.Zone(f.Zone) != nil:
		return detail.UnitPage(v.rev, f.Policy, v.rev.Zone(f.Zone))
	default:
		return detail.FindingPage(v.rev, f)
	}
	return nav.Page{}
}

// StateLine names the filter; the header counts the findings.
func (v *findingsPage) StateLine(env *view.Env) widget.Line {
	if v.only == everySeverity {
		return nil
	}
	return widget.StyledLine(severityNames[v.only], env.Styles.Key)
}

// Click puts the cursor on a finding; lines below the table do not count.
func (v *findingsPage) Click(env *view.Env, x, y int) bool {
	if y >= env.H-v.lowerHeight(env.W, env.H) {
		return false
	}
	return v.List.Click(env, x, y)
}

// Copies offers the selected finding, its policy, and the command that shows it.
func (v *findingsPage) Copies(env *view.Env) []view.CopyItem {
	f := v.selectedFinding()
	if f == nil {
		return nil
	}
	whole := f.Message
	whole += words.Between("\n"+words.Remedy+" ", f.Remedy, "")
	out := []view.CopyItem{{What: "finding", Text: whole}}
	if f.Policy.Kind.IsPolicy() {
		out = append(out, view.PageCopies(env, nav.ToPolicy(f.Policy))...)
	}
	return out
}
