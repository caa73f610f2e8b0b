package findings

import (
	"fmt"
	"slices"
	"time"

	"rung/model"
	"rung/model/lint/codes"
	"rung/pages/findings"
	pages "rung/pages/page"
	"rung/pages/page/role"
	"rung/revision"
	"rung/revision/finding"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// page is the view: the findings by severity, the whole of the one under the cursor below.
type page struct {
	view.List
	table *widget.Table[*findings.Finding]
	heads map[*findings.Finding]widget.Line // the rows that are headings
	only  only
	key   string // that changes only
	st    *themes.Styles
	w     int

	rev      *revision.Revision
	found    []model.Finding // of the objects, as the header counts them
	zones    []model.Finding // of comparing the zones
	compared time.Time       // when zones was worked out
}

// only is which findings are shown.
type only int

const (
	all only = iota
	errors
	warnings // and errors
	onlys
)

// onlyNames name them.
var onlyNames = [onlys]string{"", "errors only", "errors and warnings"}

// has says whether findings of a severity are shown.
func (o only) has(s model.Severity) bool {
	switch o {
	case errors:
		return s == model.SeverityError
	case warnings:
		return s == model.SeverityError || s == model.SeverityWarning
	}
	return true
}

// again is how often the zones are compared anew where they are many: those that are read
// in turn bring many revisions a second.
const again = time.Second

// New makes the view.
func New(nav.Page) view.View {
	v := &page{}
	v.table = widget.Of(findings.Table, &v.st)
	head := func(f *findings.Finding) bool { return v.heads[f] != nil }
	v.table.Full = func(f *findings.Finding) widget.Line { return v.heads[f] }
	v.table.Skip, v.table.Fixed, v.table.Text, v.table.NoBelow = head, head, v.text, true
	v.table.ID = func(f *findings.Finding) string {
		if head(f) {
			return "# " + v.heads[f].String()
		}
		return findings.Table.ID(f)
	}
	last := &v.table.Columns[len(v.table.Columns)-1]
	last.Cell = func(f *findings.Finding) widget.Line { return widget.Plain(f.Message) } // what to do stands below
	severity := v.table.Columns[0].Cell
	v.table.Columns[0].Cell = func(f *findings.Finding) widget.Line {
		if v.w < narrow { // the heading says it
			return widget.LineOf(pages.Cell{Sign: role.Severity(f.Severity)}, v.st)
		}
		return severity(f)
	}
	v.Of = v.table
	return v
}

// narrow is the width below which severities are signs.
const narrow = 100

// text returns the text that the filter searches: also the parts that have no room on the
// screen.
func (v *page) text(f *findings.Finding) string {
	if head := v.heads[f]; head != nil {
		return head.String()
	}
	return fmt.Sprintf("%s %s %s %s %s %s %s", f.Severity, f.About(), f.Of.Policy.Label(), f.Where(), f.Code, f.Message, f.Remedy)
}

// Sync takes the findings that nobody has to wait for.
func (v *page) Sync(env *view.Env) {
	found, _ := finding.KnownFindings(env.Rev) // the header says when they are of a moment ago
	same := v.rev != nil && v.st == env.Styles && v.w == env.W &&
		len(found) == len(v.found) && (len(found) == 0 || &found[0] == &v.found[0]) // findings never change once worked out, and may be thousands
	v.st, v.w, v.found = env.Styles, env.W, found
	v.key = env.Keys.Action(action.FindingsOnly).Shown()
	v.table.Columns[0].Title = findings.Table.Columns[0].Title
	if v.w < narrow {
		v.table.Columns[0].Title = ""
	}
	fresh := v.rev != nil && len(env.Rev.Zones) > view.FoldZones && env.Now.Sub(v.compared) < again && !env.Now.Before(v.compared)
	v.rev = env.Rev
	if !fresh {
		zones := finding.StandingZoneFindings(env.Rev, env.Now)
		same = same && slices.Equal(zones, v.zones)
		v.compared, v.zones = env.Now, zones
	}
	if !same {
		v.fill()
	}
}

// fill gives the table what is to be shown: findings by severity, then those of zones.
func (v *page) fill() {
	var items []*findings.Finding
	v.heads = map[*findings.Finding]widget.Line{}
	head := func(title string, below []*findings.Finding) {
		over := &findings.Finding{}
		v.heads[over] = widget.Heading(title, max(1, v.w-2), v.st)
		items = append(append(items, over), below...)
	}
	told := findings.Of(v.found)
	for _, of := range []model.Severity{model.SeverityError, model.SeverityWarning, model.SeverityInfo} {
		if !v.only.has(of) {
			continue
		}
		var here []*findings.Finding
		var n, under model.FindingCount
		in := false // the last that stands under none is one of these
		for _, f := range told {
			if f.Cause == "" {
				in = f.Severity.Compare(of) == 0
			}
			switch {
			case !in || !v.only.has(f.Severity):
				continue
			case f.Cause == "":
				n.Add(f.Severity)
			default:
				under.Add(f.Severity)
			}
			here = append(here, f)
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
	if len(v.zones) > 0 && v.only != errors {
		head(fmt.Sprintf("comparing the zones: %d, counted apart", len(v.zones)), findings.Of(v.zones))
	}
	v.table.Empty = findings.Table.Empty + ": no policy is wrong or dangerous"
	if v.only != all && len(v.found)+len(v.zones) > 0 {
		v.table.Empty = "none here: " + onlyNames[v.only] + "; " + v.key + " shows the others"
	}
	v.table.SetItems(items)
}

// Do leads on from the finding under the cursor.
func (v *page) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.Open:
		env.Open(v.Selected())
	case action.FindingsPolicy:
		if f := v.selected(); f != nil {
			env.Open(nav.ToPolicy(f.Policy))
		}
	case action.FindingsApply:
		if f := v.selected(); f != nil {
			env.Open(nav.ToMissing(f.Policy))
		}
	case action.FindingsOnly:
		v.only = (v.only + 1) % onlys
		v.fill()
	default:
		return v.List.Do(env, id)
	}
	return true
}

// WhyNot says why a finding leads nowhere, or has no remedy that Rung can apply.
func (v *page) WhyNot(_ *view.Env, id action.ID) string {
	if id != action.Open && id != action.FindingsPolicy && id != action.FindingsApply {
		return ""
	}
	f := v.selected()
	switch {
	case f == nil:
		return "no finding here"
	case id == action.FindingsApply && f.Code != codes.TemplateIncomplete.Code:
		return "this remedy is yours: only what a set from a template misses can be made at once"
	case id == action.FindingsPolicy && !f.Policy.Kind.IsPolicy(),
		id == action.Open && v.Selected().None():
		return "the finding is about no policy"
	}
	return ""
}

// Offers leaves the remedy out of the hints where it cannot be applied.
func (v *page) Offers(env *view.Env, id action.ID) bool {
	return id != action.FindingsApply || v.WhyNot(env, id) == ""
}

func (v *page) selected() *model.Finding {
	if f, ok := v.table.Selected(); ok && f.Of != nil {
		return f.Of
	}
	return nil
}

// Selected is the rule, the rows in the zone, or the policy that the finding under the
// cursor is about.
func (v *page) Selected() nav.Page {
	f := v.selected()
	switch {
	case f == nil:
	case f.Zone != "" && f.Policy.Name == "":
		return nav.Page{Kind: nav.Rows, Zone: f.Zone}
	case f.Zone != "" && v.rev.Zone(f.Zone) != nil:
		return detail.UnitPage(v.rev, f.Policy, v.rev.Zone(f.Zone))
	case !f.Policy.Kind.IsPolicy() || f.Policy.Name == "":
	case v.hasRule(f):
		return nav.ToRule(f.Policy, f.Direction, f.Rule)
	default:
		return nav.ToPolicy(f.Policy)
	}
	return nav.Page{}
}

// hasRule says whether the finding is about a rule that is there: of an object that could
// not be read none is.
func (v *page) hasRule(f *model.Finding) bool {
	p := v.rev.Cluster.Policy(f.Policy)
	return f.Direction != "" && p != nil && p.Rule(f.Direction, f.Rule) != nil
}

// Tell says which findings are shown; the header counts them.
func (v *page) Tell(env *view.Env) widget.Line {
	if v.only == all {
		return nil
	}
	return widget.Styled(onlyNames[v.only], env.Styles.Key)
}

// Click puts the cursor on a finding; what stands below the table is no line of it.
func (v *page) Click(env *view.Env, x, y int) bool {
	if y >= env.H-v.low(env.W, env.H) {
		return false
	}
	return v.List.Click(env, x, y)
}

// Copies are the finding under the cursor, its policy, and how to see it by hand.
func (v *page) Copies(env *view.Env) []view.Copy {
	f := v.selected()
	if f == nil {
		return nil
	}
	whole := f.Message
	if f.Remedy != "" {
		whole += "\n→ " + f.Remedy
	}
	out := []view.Copy{{What: "finding", Text: whole}}
	if f.Policy.Kind.IsPolicy() {
		out = append(out, view.CopiesOf(env, nav.ToPolicy(f.Policy))...)
	}
	return out
}
