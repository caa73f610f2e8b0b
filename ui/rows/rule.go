package rows

import (
	"cmp"
	"slices"
	"strings"

	"rung/engine/logs"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// Below width sideBySide, or if the lower pane would have fewer lines than leastBelow, there is one column.
const (
	sideBySide = 100
	leastBelow = 8
)

// RuleView shows one rule.
type RuleView struct {
	page nav.Page
	zone string // chosen zone
	acl  string // id of the ACL shown

	policy  *model.Policy
	rule    *model.Rule
	hits    *logs.HitSummary // nil without a log
	entries []*revision.RuleACL
	state   *model.ZoneState

	// wide: the rule at the left, the ACL at the right, the rest below; else all in one pane.
	wide               bool
	rulePane, restPane *detail.Pane
	wholePane          *detail.Pane
	right              []widget.Line
	top, lw            int
	onLower            bool // the cursor is in the lower pane
}

// NewRule makes the view of a rule.
func NewRule(page nav.Page) view.View {
	return &RuleView{page: page, zone: page.Zone, acl: page.ID, rulePane: detail.NewPane(), restPane: detail.NewPane(),
		wholePane: detail.NewPane()}
}

// Sync makes the lines from the revision.
func (v *RuleView) Sync(env *view.Env) {
	v.policy = env.Rev.Cluster.Policy(v.page.Key)
	v.rule, v.entries, v.state = nil, nil, nil
	if v.policy != nil {
		v.rule = v.policy.Rule(v.page.Dir, v.page.Rule)
	}
	if v.rule == nil {
		v.showGone(env)
		return
	}
	if env.Rev.Zone(v.zone) == nil {
		v.zone = firstZone(env, v.page.Key)
	}
	v.state = env.Rev.Zone(v.zone)
	env.Console.LookAt(v.zone)
	env.Console.LookAtFlows(v.zone)
	v.entries = revision.RuleACLs(env.Rev, v.page.Key, v.rule, v.state)
	v.layOut(env)
}

// firstZone returns the zone to show first: a zone that needs attention, else the one with most of the
// subject's pods.
func firstZone(env *view.Env, k model.PolicyKey) string {
	z := revision.WorstZone(env.Rev, k, env.Now)
	switch {
	case z == nil:
		return ""
	case z.PolicyJoin(k).StateAt(z, env.Now) != model.StateInSync:
		return z.Name
	}
	pods := map[string]int{}
	for _, p := range env.Rev.Subjects(k) {
		pods[p.NodeName]++
	}
	for _, o := range env.Rev.Zones {
		if pods[o.Name] > pods[z.Name] {
			z = o
		}
	}
	return z.Name
}

// showGone says that the rule does not exist any more.
func (v *RuleView) showGone(env *view.Env) {
	s := &detail.Sheet{St: env.Styles, W: env.W}
	if v.policy == nil {
		s.AddNote("gone", 0, words.Failed, env.Styles.Error, env.Styles.Text, v.page.Key.Label()+" no longer exists.")
	} else {
		s.AddParagraph("gone", 0, words.Failed, env.Styles.Error, env.Styles.Text, v.page.Key.Label()+" no longer has "+
			revision.RuleLabel(v.page.Dir, v.page.Rule, "")+".", nav.ToPolicy(v.page.Key))
	}
	v.switchTo(false)
	v.wholePane.SetItems(s.Lines)
}

// layOut fills the panes for the size.
func (v *RuleView) layOut(env *view.Env) {
	id := v.activePane().SelectedID()
	if e := v.underCursor(); e != nil {
		v.acl = e.ID
	}
	wide := env.W >= sideBySide && !env.Rev.BySelectors(v.policy)
	if wide {
		v.lw = env.W / 2
		left := &detail.Sheet{St: env.Styles, W: v.lw}
		left.AddHead(v.titleText(left.TextWidth()))
		v.ruleLines(env, left)
		v.right = v.aclLines(env, env.W-v.lw-1)
		v.top = max(len(left.Lines), len(v.right))
		if env.H-v.top < leastBelow {
			wide = false
		} else {
			below := &detail.Sheet{St: env.Styles, W: env.W}
			v.addRest(env, below)
			for len(left.Lines) < v.top {
				left.AddGap()
			}
			v.rulePane.SetItems(left.Lines)
			v.restPane.SetItems(below.Lines)
		}
	}
	if !wide {
		s := &detail.Sheet{St: env.Styles, W: env.W}
		s.AddHead(v.titleText(s.TextWidth()))
		v.ruleLines(env, s)
		if env.Rev.BySelectors(v.policy) {
			v.meaningLines(env, s)
			v.wholePane.SetItems(s.Lines)
			v.switchTo(false)
			return
		}
		for i, l := range v.aclLines(env, s.TextWidth()) {
			if i == 0 {
				s.Lines = append(s.Lines, detail.Line{ID: "acl.head", Text: l, Skip: true})
				continue
			}
			name := l.String()
			if f := strings.Fields(name); len(f) > 0 {
				name = f[0]
			}
			s.Add("column."+name, l, v.rowPage())
		}
		v.addRest(env, s)
		v.wholePane.SetItems(s.Lines)
	}
	if wide != v.wide {
		v.switchTo(wide)
		v.selectID(id)
	}
}

// addRest adds the lines below the rule and its ACL.
func (v *RuleView) addRest(env *view.Env, s *detail.Sheet) {
	v.fullLines(env, s)
	v.matchLines(env, s)
	v.meaningLines(env, s)
	v.flowLines(env, s)
}

func (v *RuleView) switchTo(wide bool) {
	v.wide = wide
	v.onLower = false
}

// selectID puts the cursor on a line, in whichever pane it is.
func (v *RuleView) selectID(id string) {
	switch {
	case !v.wide:
		v.wholePane.SelectID(id)
	case v.rulePane.SelectID(id):
		v.onLower = false
	case v.restPane.SelectID(id):
		v.onLower = true
	}
}

// activePane returns the pane with the cursor.
func (v *RuleView) activePane() *detail.Pane {
	switch {
	case !v.wide:
		return v.wholePane
	case v.onLower:
		return v.restPane
	}
	return v.rulePane
}

// Render draws the panes.
func (v *RuleView) Render(env *view.Env, w, h int) string {
	if !v.wide || h <= v.top {
		return v.wholePane.Render(env.Styles, w, h)
	}
	lines := make([]string, v.top)
	rw := max(0, w-v.lw-1)
	for i := range lines {
		var l widget.Line
		if i < len(v.right) {
			l = v.right[i]
		}
		lines[i] = l.Render(rw)
	}
	upper := widget.JoinBlocks(env.Styles, v.rulePane.RenderFocus(env.Styles, v.lw, v.top, !v.onLower), strings.Join(lines, "\n"), v.top)
	return upper + "\n" + v.restPane.RenderFocus(env.Styles, w, h-v.top, v.onLower)
}

// Do carries out the rule's own actions and moves the cursor.
func (v *RuleView) Do(env *view.Env, id action.ID) bool {
	k := v.page.Key
	switch id {
	case action.RuleNextZone, action.RulePrevZone:
		d := words.Choose(id == action.RulePrevZone, -1, 1)
		v.zone = revision.NextZone(env.Rev, v.zone, d)
		v.Sync(env)
	case action.RuleNextACL:
		v.nextACL(env)
	case action.RuleLogs:
		env.OpenPage(nav.Page{Kind: nav.Logs, Key: k, Dir: v.page.Dir, Rule: v.page.Rule})
	case action.RuleEdit:
		env.OpenPage(nav.Page{Kind: nav.Edit, Key: k})
	case action.RuleLogging:
		view.AskLogging(env, k)
	case action.Open:
		env.OpenPage(v.SelectedPage())
	default:
		if !v.walkCursor(id) {
			return false
		}
		if e := v.underCursor(); e != nil && e.ID != v.acl {
			v.layOut(env) // the other pane follows the cursor
		}
	}
	return true
}

// walkCursor moves the cursor, and from one pane into the other at their ends.
func (v *RuleView) walkCursor(id action.ID) bool {
	if !v.wide {
		return v.wholePane.Do(id)
	}
	v.onLower = id == action.Bottom || v.onLower && id != action.Top
	p := v.activePane()
	was := p.SelectedID()
	if !p.Do(id) {
		return false
	}
	if p.SelectedID() != was {
		return true
	}
	switch id {
	case action.Down, action.HalfDown, action.PageDown:
		if !v.onLower {
			v.onLower = true
			v.restPane.Do(action.Top)
		}
	case action.Up, action.HalfUp, action.PageUp:
		if v.onLower {
			v.onLower = false
			v.rulePane.Do(action.Bottom)
		}
	}
	return true
}

const aclPrefix = "acl."

// underCursor returns the ACL under the cursor, nil if none.
func (v *RuleView) underCursor() *revision.RuleACL {
	id := v.activePane().SelectedID()
	if i := slices.IndexFunc(v.entries, func(e *revision.RuleACL) bool { return aclPrefix+e.ID == id }); i >= 0 {
		return v.entries[i]
	}
	return nil
}

// shownACL returns the ACL shown, nil if the rule has none.
func (v *RuleView) shownACL() *revision.RuleACL {
	if len(v.entries) == 0 {
		return nil
	}
	return v.entries[max(0, slices.IndexFunc(v.entries, func(e *revision.RuleACL) bool { return e.ID == v.acl }))]
}

func (v *RuleView) nextACL(env *view.Env) {
	i := slices.Index(v.entries, v.shownACL())
	if i < 0 {
		env.ShowText("the rule has no ACL")
		return
	}
	v.acl = v.entries[(i+1)%len(v.entries)].ID
	if v.underCursor() != nil {
		v.selectID(aclPrefix + v.acl)
	}
	v.layOut(env)
}

// rowPage returns the page of the shown ACL.
func (v *RuleView) rowPage() nav.Page {
	if e := v.shownACL(); e != nil {
		return detail.RowPage(v.state, e.Live, e.Desired)
	}
	return nav.Page{}
}

// SelectedPage returns the page of the selected line.
func (v *RuleView) SelectedPage() nav.Page { return v.activePane().LinkedPage() }

// Click puts the cursor on a line.
func (v *RuleView) Click(_ *view.Env, x, y int) bool {
	if !v.wide {
		return v.wholePane.Click(y)
	}
	if y >= v.top {
		v.onLower = true
		return v.restPane.Click(y - v.top)
	}
	if x >= v.lw {
		return false
	}
	v.onLower = false
	return v.rulePane.Click(y)
}

// Wheel scrolls.
func (v *RuleView) Wheel(_ *view.Env, lines int) { v.activePane().Wheel(lines) }

// Crumb names the policy and the rule in the breadcrumbs.
func (v *RuleView) Crumb() string { return v.page.Key.ShortLabel() + " " + v.ruleLabel() }

// titleText returns the heading of the rule in at most w cells.
func (v *RuleView) titleText(w int) string {
	const frame = 4 // of the heading
	for _, name := range []string{v.Crumb(), v.BriefCrumb()} {
		if widget.TextWidth(name)+frame <= w {
			return name
		}
	}
	return widget.CutName(v.BriefCrumb(), w-frame)
}

// BriefCrumb names the rule without its own name.
func (v *RuleView) BriefCrumb() string { return v.page.Title() }

// ruleLabel names the rule.
func (v *RuleView) ruleLabel() string {
	name := ""
	if v.rule != nil {
		name = v.rule.Name
	}
	return revision.RuleLabel(v.page.Dir, v.page.Rule, name)
}

// PointTo shows the zone of a page that is opened again.
func (v *RuleView) PointTo(env *view.Env, to nav.Page) bool {
	v.zone = to.Zone
	v.Sync(env)
	return true
}

// StateLine names the zone shown.
func (v *RuleView) StateLine(env *view.Env) widget.Line {
	if env.Rev.BySelectors(v.policy) {
		return nil
	}
	return detail.ZoneStatus(env, v.state, action.RulePrevZone, action.RuleNextZone)
}

// WhyNot says why an action is not possible for this rule.
func (v *RuleView) WhyNot(env *view.Env, id action.ID) string {
	switch id {
	case action.RuleNextZone, action.RulePrevZone:
		if env.Rev.BySelectors(v.policy) {
			return "this policy has no rows in zones"
		}
	case action.RuleNextACL:
		if len(v.entries) < 2 {
			return "the rule has " + words.Count(len(v.entries), "ACL")
		}
	case action.RuleEdit, action.RuleLogging:
		if v.policy == nil {
			return detail.WhyNoPolicy(env.Rev, v.page.Key)
		}
	}
	return ""
}

// Copies offers texts of the rule, then of the shown ACL.
func (v *RuleView) Copies(env *view.Env) []view.CopyItem {
	out := view.PageCopies(env, v.page)
	if e := v.shownACL(); e != nil {
		a := cmp.Or(e.Desired, e.Live)
		out = append(out, view.CopyItem{What: "match", Text: a.Match}, view.CopyItem{What: "ACL id", Text: e.ID},
			view.CopyItem{What: "ovn-nbctl command for this ACL", Text: detail.FindCommand(v.state, nb.TableACL, nb.KeyID, e.ID)})
	}
	return out
}
