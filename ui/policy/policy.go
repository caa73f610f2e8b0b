package policy

import (
	"slices"
	"strings"

	"rung/engine/logs"
	"rung/model"
	"rung/pages/cluster"
	"rung/pages/policy"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// pagePart is a tab of the page.
type pagePart int

const (
	rulesPart pagePart = iota
	podsPart
	yamlPart
	zonesPart
	findingsPart
	partCount
)

// partNames name the tabs, partActions show them.
var (
	partNames   = [partCount]string{"rules", "pods", "YAML", "zones", "findings"}
	partActions = [partCount]action.ID{action.PolicyRules, action.PolicyPods, action.PolicyYAML, action.PolicyZones, action.PolicyFinds}
)

// View shows one policy.
type View struct {
	key  model.Key
	part pagePart

	policy *model.Policy
	st     *themes.StyleSet
	head   []widget.Line
	parts  []pagePart // available tabs
	counts [partCount]string
	hits   *logs.HitSummary // nil without a log

	rules    *widget.Table[*policy.Rule]
	pods     widget.Table[*model.Pod]
	yaml     widget.TextView
	zones    *detail.Pane
	reports  *cluster.PolicyReports // of the controllers; nil if they never report on such a policy
	findings *detail.Pane

	// Inputs of the lists; a change of one rebuilds the lists.
	cluster   *model.Cluster
	shownYAML string
	waiting   map[string]bool
	subjects  struct {
		cluster *model.Cluster
		pods    []*model.Pod
	}
	errorsShown bool // the errors of an unreadable policy were shown
}

// New makes the view of a policy.
func New(page nav.Page) view.View {
	v := &View{key: page.Key, zones: detail.NewPane(), findings: detail.NewPane()}
	v.makeTables()
	return v
}

// Scopes returns the scopes of the shown part's keys.
func (v *View) Scopes() []action.Scope {
	s := []action.Scope{action.PageScope(nav.Policy)}
	if v.part == yamlPart {
		s = append(s, action.Text)
	}
	return append(s, action.List, action.Global)
}

// Sync updates the shown part from the revision.
func (v *View) Sync(env *view.Env) {
	if v.st != env.Styles {
		v.shownYAML, v.cluster = "", nil
	}
	v.st = env.Styles
	v.policy = env.Rev.Cluster.Policy(v.key)
	if v.policy == nil && !v.errorsShown && len(v.brokenObjects(env)) > 0 {
		v.part, v.errorsShown = findingsPart, true
	}
	v.hits = detail.RuleHits(env)
	v.head = v.headLines(env)
	v.countParts(env)
	v.parts = []pagePart{rulesPart, podsPart, yamlPart, zonesPart, findingsPart}
	if env.Rev.BySelectors(v.policy) && v.part != zonesPart && len(env.Rev.Conditions(v.key))+len(env.Rev.Events(v.key)) == 0 {
		v.parts = slices.Delete(v.parts, int(zonesPart), int(zonesPart)+1)
	}
	switch v.part {
	case rulesPart:
		v.syncRules(env)
	case podsPart:
		v.syncPods(env)
	case yamlPart:
		v.syncYAML(env)
	case zonesPart:
		v.zones.SetItems(v.zoneLines(env))
	case findingsPart:
		v.findings.Empty = env.Rev.EmptyText("no findings about this policy")
		v.findings.SetItems(v.findingLines(env))
	}
	v.cluster = env.Rev.Cluster
}

func (v *View) syncYAML(env *view.Env) {
	text := ""
	v.yaml.Empty = "the policy's text is unknown"
	if v.policy != nil {
		text = v.policy.YAML
	} else {
		v.yaml.Empty = detail.WhyNoPolicy(env.Rev, v.key)
	}
	if _, all := v.yaml.CountLines(); text == v.shownYAML && all > 0 {
		return
	}
	v.shownYAML = text
	if text == "" {
		v.yaml.SetLines(nil)
		return
	}
	v.yaml.SetLines(foldMachineFields(widget.YAMLLines(text, env.Styles), env.Styles))
}

// listers returns the widgets of all parts.
func (v *View) listers() [partCount]view.Lister {
	return [partCount]view.Lister{v.rules, &v.pods, &v.yaml, v.zones, v.findings}
}

// partLister returns the widget of the shown part.
func (v *View) partLister() view.Lister { return v.listers()[v.part] }

// Render draws the policy's summary, the tabs, and the shown part.
func (v *View) Render(env *view.Env, w, h int) string {
	n := v.linesAbove(h)
	lines := make([]string, 0, n)
	for i := 0; i < n-1; i++ {
		lines = append(lines, v.head[i].Render(w))
	}
	if n > 0 {
		lines = append(lines, v.tabsLine(w).Render(w))
	}
	return strings.Join(append(lines, v.partLister().Render(env.Styles, w, h-n)), "\n")
}

// linesAbove returns the number of lines above the part: in a low window only the tabs.
func (v *View) linesAbove(h int) int {
	switch {
	case h < 3:
		return 0
	case h < len(v.head)+5:
		return min(1+max(0, h-6), 1+len(v.head))
	}
	return len(v.head) + 1
}

// tabsLine draws the tabs with their counts, the shown one marked.
func (v *View) tabsLine(w int) widget.Line {
	st := v.st
	l := widget.Line{{Text: " "}}
	for _, p := range v.parts {
		text := partNames[p]
		if c := v.counts[p]; c != "" {
			text += " " + c
		}
		if p == v.part {
			l = l.Add("["+text+"]", st.Selection)
		} else {
			l = l.Add(" "+text+" ", st.Dim)
		}
		l = l.Add(" ", st.Border)
	}
	if n := w - l.LineWidth(); n > 0 {
		l = l.Add(strings.Repeat("─", n), st.Border)
	}
	return l
}

// Do carries out actions of the policy and of the shown part.
func (v *View) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.PolicyNextTab:
		v.showPart(env, nextPart(v.parts, v.part, 1))
	case action.PolicyPrevTab:
		v.showPart(env, nextPart(v.parts, v.part, -1))
	case action.PolicyRules, action.PolicyPods, action.PolicyYAML, action.PolicyZones, action.PolicyFinds:
		v.showPart(env, pagePart(slices.Index(partActions[:], id)))
	case action.PolicyEdit:
		env.OpenPage(nav.Page{Kind: nav.Edit, Key: v.key})
	case action.PolicyMove:
		view.AskMove(env, v.key)
	case action.PolicyLogging:
		view.AskLogging(env, v.key)
	case action.PolicyDelete:
		view.AskDelete(env, v.key)
	case action.PolicyLogs:
		env.OpenPage(nav.Page{Kind: nav.Logs, Key: v.key})
	case action.PolicyRows:
		env.OpenPage(v.rowsPage(env))
	case action.PolicyController:
		env.OpenPage(nav.Page{Kind: nav.Controller, Key: v.key, Zone: v.troubledZone(env)})
	case action.Open:
		env.OpenPage(v.SelectedPage())
	case action.Find:
		if v.part != yamlPart {
			return false
		}
		view.AskFind(env, &v.yaml)
	default:
		return v.partLister().Do(id)
	}
	return true
}

// nextPart returns the part step tabs to the right, cyclically.
func nextPart(all []pagePart, p pagePart, step int) pagePart {
	return all[(slices.Index(all, p)+step+len(all))%len(all)]
}

func (v *View) showPart(env *view.Env, p pagePart) {
	v.part = p
	v.Sync(env)
}

// rowsPage returns the policy's rows in the zone that most needs attention. For a NetworkPolicy it includes
// the rows of the default deny that isolates its pods (ovn-kubernetes.md#default-deny), which its namespace
// shares.
func (v *View) rowsPage(env *view.Env) nav.Page {
	p := nav.Page{Kind: nav.Rows, Key: v.key, Text: detail.RowsFilter(v.key)}
	for _, dir := range []model.Direction{model.Ingress, model.Egress} {
		if v.key.Kind == model.KindNP && v.policy != nil && !revision.OutsideTypes(v.policy, dir) {
			p.Text += "|" + detail.RowsFilter(revision.DefaultDeny(v.key.Namespace, dir))
		}
	}
	if z := revision.WorstZone(env.Rev, v.key, env.Now); z != nil {
		p.Zone = z.Name
	}
	return p
}

// SelectedPage returns the page of the selected line; none in the YAML.
func (v *View) SelectedPage() nav.Page {
	switch v.part {
	case rulesPart:
		if it, ok := v.rules.SelectedItem(); ok && it != nil && it.Original != nil {
			return nav.ToRule(v.key, it.Original.Direction, it.Original.Index)
		}
	case podsPart:
		if p, ok := v.pods.SelectedItem(); ok && p != nil {
			return nav.ToPod(p.Key)
		}
	case zonesPart:
		return v.zones.LinkedPage()
	case findingsPart:
		return v.findings.LinkedPage()
	}
	return nav.Page{}
}

// SetFilter filters every part.
func (v *View) SetFilter(f widget.LineFilter) {
	for _, l := range v.listers() {
		l.SetFilter(f)
	}
}

// ColumnHelps explains the columns of the shown part.
func (v *View) ColumnHelps() []widget.ColumnHelp {
	return view.List{Widget: v.partLister()}.ColumnHelps()
}

// CompleteWord completes a word of the shown part.
func (v *View) CompleteWord(begin string) string {
	return view.List{Widget: v.partLister()}.CompleteWord(begin)
}

// CountLines counts the lines of the shown part.
func (v *View) CountLines() (shown, all int) { return v.partLister().CountLines() }

// Click puts the cursor on a line.
func (v *View) Click(env *view.Env, x, y int) bool {
	n := v.linesAbove(env.H)
	if y == n-1 {
		return v.clickTab(env, x)
	}
	return v.partLister().Click(y - n)
}

// clickTab shows the part whose tab is at x.
func (v *View) clickTab(env *view.Env, x int) bool {
	at := 1
	for _, p := range v.parts {
		w := widget.TextWidth(partNames[p]) + 3
		if c := v.counts[p]; c != "" {
			w += 1 + widget.TextWidth(c)
		}
		if x >= at && x < at+w-1 {
			v.showPart(env, p)
			return false // the cursor did not move: a second click opens nothing
		}
		at += w
	}
	return false
}

// Wheel scrolls.
func (v *View) Wheel(_ *view.Env, lines int) { v.partLister().Wheel(lines) }

// WhyNot says why an action is not possible for this policy.
func (v *View) WhyNot(env *view.Env, id action.ID) string {
	switch id {
	case action.PolicyEdit, action.PolicyMove, action.PolicyLogging, action.PolicyDelete:
		if v.policy == nil {
			return detail.WhyNoPolicy(env.Rev, v.key)
		}
	}
	if id == action.PolicyMove {
		return action.NoPriority(v.key)
	}
	return ""
}

// Copies offers texts of the selected line, then of the policy.
func (v *View) Copies(env *view.Env) []view.CopyItem {
	var out []view.CopyItem
	switch v.part {
	case rulesPart:
		out = slices.DeleteFunc(view.PageCopies(env, v.SelectedPage()), func(c view.CopyItem) bool { return c.What != "rule name" })
	case podsPart:
		if p, ok := v.pods.SelectedItem(); ok && p != nil {
			out = append(out, view.CopyItem{What: "pod", Text: p.NamespacedName()})
		}
	}
	return append(out, view.PageCopies(env, nav.ToPolicy(v.key))...)
}
