package findings

import (
	"fmt"
	"slices"
	"time"

	"rung/model"
	"rung/model/lint"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// page is the view.
type page struct {
	view.List
	table *widget.Table[*item]
	only  only
	key   string // that changes only
	st    *themes.Styles
	w     int
	plain []widget.Column[*item] // the columns without codes
	coded bool                   // codes are among them

	rev      *revision.Revision
	found    []model.Finding // of the objects, as the header counts them
	zones    []model.Finding // of comparing the zones
	compared time.Time       // when zones was worked out
}

// item is a finding, or the heading over those of one severity.
type item struct {
	*model.Finding
	id    string
	head  widget.Line
	under bool // the finding above it, about the rule that is its cause
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
	v.table = &widget.Table[*item]{
		ID:    func(it *item) string { return it.id },
		Full:  func(it *item) widget.Line { return it.head },
		Skip:  func(it *item) bool { return it.Finding == nil },
		Fixed: func(it *item) bool { return it.Finding == nil },
		Text:  func(it *item) string { return text(it) },

		NoBelow: true,
		Columns: []widget.Column[*item]{
			{Title: "SEVERITY", Cell: v.severity, Less: func(a, b *item) int { return a.Severity.Compare(b.Severity) }},
			{Title: "POLICY", Min: 28, Max: 40, Cell: v.about},
			{Title: "WHERE", Drop: 1, Max: 24, Min: 9, Cell: func(it *item) widget.Line { return widget.Plain(where(it.Finding)) }},
			{Title: "MESSAGE", Min: 20, Flex: true, NoSort: true, Cell: func(it *item) widget.Line { return widget.Plain(it.Message) }},
		},
	}
	v.plain = v.table.Columns
	v.Of = v.table
	return v
}

// columns has the codes where the messages beside them still have room: below the table
// they stand always.
func (v *page) columns() {
	if v.coded == (v.w >= wide) {
		return
	}
	v.coded = v.w >= wide
	v.table.Columns = v.plain
	if v.coded {
		code := widget.Column[*item]{Title: "CODE", Drop: 2, Max: 34, Cell: func(it *item) widget.Line { return widget.Styled(it.Code, v.st.Dim) }}
		v.table.Columns = slices.Insert(slices.Clone(v.plain), len(v.plain)-1, code)
	}
}

// severity is the sign with its word; where room is short the sign alone, since the
// findings stand under a heading that says it.
func (v *page) severity(it *item) widget.Line {
	sign, look := detail.Sign(it.Severity, v.st)
	if v.w >= narrow {
		sign += " " + string(it.Severity)
	}
	return widget.Styled(sign, look)
}

// Below narrow severities are signs; from wide on each finding has its code beside it.
const (
	narrow = 100
	wide   = 140
)

// about names what a finding is about; one that stands under another is drawn below it.
func (v *page) about(it *item) widget.Line {
	if it.under {
		return append(widget.Styled("└ ", v.st.Dim), widget.Styled(about(it.Finding), v.st.Accent)...)
	}
	return widget.Styled(about(it.Finding), v.st.Accent)
}

// about names the policy, or what else is meant.
func about(f *model.Finding) string {
	switch {
	case f.Policy.Name != "":
		return f.Policy.Brief()
	case f.Policy.Kind != "":
		return string(f.Policy.Kind)
	case f.Origin.File != "":
		return f.Origin.Where()
	case f.Zone != "":
		return "zone " + f.Zone
	}
	return "zones"
}

// where is the rule, or the zone, that is meant.
func where(f *model.Finding) string {
	switch {
	case f.Rule >= 0 && f.Direction != "":
		return revision.RuleLabel(f.Direction, f.Rule, "")
	case f.Zone != "":
		return f.Zone
	}
	return ""
}

// text is what the filter looks at: also what has no room on the screen.
func text(it *item) string {
	if it.Finding == nil {
		return it.head.String()
	}
	f := it.Finding
	return fmt.Sprintf("%s %s %s %s %s %s %s", f.Severity, about(f), f.Policy.Label(), where(f), f.Code, f.Message, f.Remedy)
}

// Sync takes the findings that nobody has to wait for.
func (v *page) Sync(env *view.Env) {
	found, _ := env.Rev.KnownFindings() // the header says when they are of a moment ago
	same := v.rev != nil && v.st == env.Styles && v.w == env.W && sameList(found, v.found)
	v.st, v.w, v.found = env.Styles, env.W, found
	v.key = env.Keys.Action(action.FindingsOnly).Shown()
	v.plain[0].Title = "SEVERITY"
	if v.w < narrow {
		v.plain[0].Title = ""
	}
	v.columns()
	fresh := v.rev != nil && len(env.Rev.Zones) > view.FoldZones && env.Now.Sub(v.compared) < again && !env.Now.Before(v.compared)
	v.rev = env.Rev
	if !fresh {
		zones := env.Rev.StandingZoneFindings(env.Now)
		same = same && slices.Equal(zones, v.zones)
		v.compared, v.zones = env.Now, zones
	}
	if !same {
		v.fill()
	}
}

// sameList says whether two lists are one: findings never change once they were worked
// out, and there may be thousands.
func sameList(a, b []model.Finding) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// fill gives the table what is to be shown: findings by severity, then those of zones.
func (v *page) fill() {
	var items []*item
	ids := map[string]int{}
	roots := model.Roots(v.found)
	add := func(f *model.Finding) {
		id := fmt.Sprintf("%s %s %s %d %s %s", f.Code, f.Policy, f.Direction, f.Rule, f.Zone, f.Origin.Where())
		if ids[id]++; ids[id] > 1 { // the same of one rule, twice
			id += fmt.Sprintf(" #%d", ids[id])
		}
		items = append(items, &item{Finding: f, id: id, under: roots.Over(f)})
	}
	head := func(title string) {
		items = append(items, &item{id: "# " + title, head: widget.Heading(title, max(1, v.w-2), v.st)})
	}
	for _, of := range []model.Severity{model.SeverityError, model.SeverityWarning, model.SeverityInfo} {
		if !v.only.has(of) {
			continue
		}
		var here []*model.Finding
		var n, under model.FindingCount
		in := false // the last that stands under none is one of these
		for i := range v.found {
			f := &v.found[i]
			if !roots.Over(f) {
				in = f.Severity.Compare(of) == 0
			}
			if !in || !v.only.has(f.Severity) {
				continue
			}
			here = append(here, f)
			if roots.Over(f) {
				under.Add(f.Severity)
			} else {
				n.Add(f.Severity)
			}
		}
		if len(here) == 0 {
			continue
		}
		title := n.Text()
		if under.All() > 0 {
			title += " · " + under.Text() + " under their cause"
		}
		head(title)
		for _, f := range here {
			add(f)
		}
	}
	if len(v.zones) > 0 && v.only != errors {
		head(fmt.Sprintf("comparing the zones: %d, counted apart", len(v.zones)))
		for i := range v.zones {
			add(&v.zones[i])
		}
	}
	v.table.Empty = "nothing found: no policy is wrong or dangerous"
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
	case id == action.FindingsApply && f.Code != lint.TemplateIncomplete:
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
	if it, ok := v.table.Selected(); ok && it != nil {
		return it.Finding
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
