package rows

import (
	"cmp"
	"slices"

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

// RuleView shows one rule: its effect and problems first, then its text, its ACLs and their matches.
type RuleView struct {
	detail.PanePage
	page nav.Page
	zone string // chosen zone
	acl  string // id of the ACL shown

	policy  *model.Policy
	rule    *model.Rule
	hits    *logs.HitSummary // nil without a log
	entries []*revision.RuleACL
	state   *model.ZoneState

	allColumns bool // lists the ACL's columns that are as desired, too
}

// NewRule makes the view of a rule.
func NewRule(page nav.Page) view.View {
	return &RuleView{PanePage: detail.NewPage(), page: page, zone: page.Zone, acl: page.ID}
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
	v.Pane.SetItems(s.Lines)
}

// layOut makes the lines.
func (v *RuleView) layOut(env *view.Env) {
	if e := v.underCursor(); e != nil {
		v.acl = e.ID
	}
	s := &detail.Sheet{St: env.Styles, W: env.W}
	s.AddHead(v.titleText(s.TextWidth()))
	v.meaningLines(env, s)
	s.AddHead("as written")
	v.ruleLines(env, s)
	if !env.Rev.BySelectors(v.policy) {
		v.matchLines(env, s)
		v.flowLines(env, s)
	}
	v.Pane.SetItems(s.Lines)
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
	case action.RuleFold:
		v.allColumns = !v.allColumns
		v.layOut(env)
	default:
		if !v.PanePage.Do(env, id) {
			return false
		}
		if e := v.underCursor(); e != nil && e.ID != v.acl {
			v.layOut(env) // the columns and the match follow the cursor
		}
	}
	return true
}

const aclPrefix = "acl."

// underCursor returns the ACL under the cursor, nil if none.
func (v *RuleView) underCursor() *revision.RuleACL {
	id := v.Pane.SelectedID()
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
		v.Pane.SelectID(aclPrefix + v.acl)
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
	case action.RuleFold:
		if len(v.entries) == 0 {
			return "the rule has no ACL"
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
