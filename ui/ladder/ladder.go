package ladder

import (
	"slices"
	"time"

	"rung/engine/logs"
	"rung/model"
	"rung/model/plan"
	"rung/model/words"
	"rung/pages/ladder"
	"rung/revision"
	"rung/system"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// ladderPage is the view.
type ladderPage struct {
	view.List
	table *widget.Table[*ladder.Line]
	hits  *logs.HitSummary // nil without a log

	unfoldsAll bool               // all gaps unfolded
	unfolded   map[int32]bool     // unfolded gaps, by first priority
	toggled    map[string]bool    // headings folded or unfolded by the user, by ID
	chosen     map[model.Key]bool // selected by *, for L
	network    view.OnNetwork     // network shown
	stage      model.Stage        // stage shown, "" for all
	carry      *carriedPolicy
	frame      lineInputs
	begun      bool // the cursor was put on the first policy
	// wantedLine is the line of the cursor before the stage changed, placed its replacement.
	wantedLine, placed string
	filtered           bool           // everything is unfolded for the filter
	system             *system.System // system of the columns
	painted            []paintedLine  // by the line's Place
}

// paintedLine caches a drawn line: in full without columns, else cell by cell on first use.
type paintedLine struct {
	full  widget.Line
	cells []widget.Line
}

// lineInputs holds the inputs of the lines.
type lineInputs struct {
	rev    *revision.Revision
	styles *themes.StyleSet
	keys   *action.Keymap
	now    time.Time
	w      int
}

// New makes the view.
func New(p nav.Page) view.View {
	v := &ladderPage{network: view.OnNetwork{Name: p.Network, Prepare: prepareLines}, unfolded: map[int32]bool{}, toggled: map[string]bool{},
		chosen: map[model.Key]bool{}}
	v.table = &widget.Table[*ladder.Line]{
		ID:   func(l *ladder.Line) string { return l.ID },
		Full: func(l *ladder.Line) widget.Line { return v.painted[l.Place].full },
		Fixed: func(l *ladder.Line) bool {
			switch l.Kind {
			case ladder.Band, ladder.Part, ladder.Gap, ladder.FreePriority, ladder.Namespace, ladder.Examples:
				return true
			}
			return false
		},
		Skip:  func(l *ladder.Line) bool { return (l.Kind == ladder.Band || l.Kind == ladder.Part) && !l.Foldable },
		Hold:  func(l *ladder.Line) int { return v.styledLine(l.Text[:l.Hold]).LineWidth() },
		Note:  v.notesBelow,
		More:  v.allNotes,
		Text:  v.filterText,
		Empty: "nothing on the ladder",
	}
	v.Widget = v.table
	return v
}

// Scopes returns the ladder's keys, or those of carrying.
func (v *ladderPage) Scopes() []action.Scope {
	if v.carry != nil {
		return []action.Scope{action.Carry}
	}
	return []action.Scope{action.PageScope(nav.Ladder), action.List, action.Global}
}

// Sync rebuilds the lines.
func (v *ladderPage) Sync(env *view.Env) {
	rev := v.network.RevisionNow(env)
	if rev == nil {
		v.table.Empty = v.network.WaitText()
		v.table.SetItems(nil) // earlier lines may be gone
		v.carry = nil
		return
	}
	v.table.Empty = "nothing on the ladder"
	v.frame = lineInputs{rev, env.Styles, env.Keys, env.Now, env.W}
	if v.carry != nil && env.Rev.Cluster.Policy(v.carry.key) == nil {
		env.ShowFailure("%s no longer exists", v.carry.key.Label())
		v.carry = nil
	}
	v.hits = detail.RuleHits(env)
	v.rebuildLines()
	v.countFlips(env)
}

func (v *ladderPage) rebuildLines() {
	if is := v.frame.rev.System; is != v.system || len(v.table.Columns) == 0 {
		v.system, v.stage = is, ""
		v.setColumns()
	}
	lines := v.paintLines(ladder.LadderLines(v.frame.rev, v.ladderOptions()))
	v.rankColumns(lines)
	v.table.SetItems(lines)
	if !v.begun {
		// The first line is next to a heading: begin on a policy.
		for _, l := range lines {
			if l.Kind == ladder.Policy && v.table.SelectID(l.ID) {
				v.begun = true
				break
			}
		}
	}
	if v.carry != nil {
		v.table.SelectID(ladder.PolicyID(v.carry.key))
	}
}

// prepareLines computes the expensive inputs of a revision's lines.
func prepareLines(r *revision.Revision) {
	revision.FindLadderRows(r)
	ladder.LadderLines(r, ladder.LadderOptions{Now: r.At, Screen: true})
}

// SetFilter filters the lines, folded ones included. If the selected line is filtered out, the cursor goes to
// the first policy with a matching name, else to the first policy found.
func (v *ladderPage) SetFilter(f widget.LineFilter) {
	was := v.table.SelectedID()
	if filtered := v.filtered; v.frame.rev != nil && filtered == f.IsEmpty() {
		v.filtered = !filtered
		v.rebuildLines()
	}
	v.filtered = !f.IsEmpty()
	v.table.SetFilter(f)
	if f.IsEmpty() || v.table.SelectedID() == was {
		return
	}
	to := ""
	for l := range v.table.ShownItems() {
		if l.Kind == ladder.Policy && f.MatchesText(l.Key.Name) {
			to = l.ID
			break
		}
		if l.Kind == ladder.Policy && to == "" {
			to = l.ID
		}
	}
	if to != "" {
		v.table.SelectID(to)
	}
}

// Crumb names the page, the network and the stage.
func (v *ladderPage) Crumb() string {
	return "Ladder" + words.OnNetwork(v.network.Name) + words.Between(" ", string(v.stage), "")
}

// StateLine shows the order of the lines, or the carried policy.
func (v *ladderPage) StateLine(env *view.Env) widget.Line {
	if v.carry != nil {
		return v.carry.carryLine(env)
	}
	if by := v.table.Arrangement().Sort; by != "" {
		return widget.StyledLine("by "+by, env.Styles.Dim)
	}
	if v.stage != "" {
		return v.stageLine(env)
	}
	return nil
}

// SelectedPage returns the selected policy, or a new one in the selected gap.
func (v *ladderPage) SelectedPage() nav.Page {
	l, ok := v.table.SelectedItem()
	if !ok {
		return nav.Page{}
	}
	return linePage(l)
}

// PointTo puts the cursor on a policy.
func (v *ladderPage) PointTo(_ *view.Env, to nav.Page) bool {
	return v.table.SelectID(ladder.PolicyID(to.Key))
}

// WhyNot says why an action is not possible on the selected line.
func (v *ladderPage) WhyNot(_ *view.Env, id action.ID) string {
	l, ok := v.table.SelectedItem()
	if !ok {
		return ""
	}
	if v.network.Name != "" && (id == action.LadderNew || id == action.LadderTemplate || id == action.LadderPlan) {
		return "AdminNetworkPolicies are not enforced on " + v.network.Name
	}
	if id == action.LadderNew && v.frame.rev.System.Bands != nil {
		return ""
	}
	if u := v.frame.rev.Unread(model.KindANP); (id == action.LadderNew || id == action.LadderTemplate) &&
		u.HidesCount(v.frame.rev.Cluster.Count(model.KindANP)) {
		return u.Text()
	}
	if id == action.LadderNew && len(v.frame.rev.Ladder().Tiers[model.TierAdmin].Gaps) == 0 {
		return "every priority is taken"
	}
	if id == action.LadderFold && !l.Foldable && l.Kind != ladder.Gap && l.Kind != ladder.FreePriority {
		return "only gaps, headings and namespaces unfold"
	}
	if id == action.LadderGaps && v.stage != "" {
		return "gaps are shown with all stages together"
	}
	if id == action.LadderLogging && len(v.chosen) > 0 {
		return "" // it applies to the selected ones
	}
	return whyNot(l, id)
}

// Do carries out the ladder's actions.
func (v *ladderPage) Do(env *view.Env, id action.ID) bool {
	if v.carry != nil {
		return v.doCarry(env, id)
	}
	if id == action.LadderNetwork {
		view.AskNetwork(env, view.NetworkChoice{Now: v.network.Name, Page: nav.NewPage(nav.Ladder).OnNetwork})
		return true
	}
	l, ok := v.table.SelectedItem()
	if !ok {
		return v.table.Do(id)
	}
	switch id {
	case action.Open:
		v.openLine(env, l)
	case action.LadderFold:
		v.foldLine(env, l)
	case action.LadderGaps:
		v.unfoldsAll = !v.unfoldsAll
		clear(v.unfolded)
		v.Sync(env)
	case action.LadderStage:
		v.setStage(v.stage.NextStage()) // after the last come all stages
	case action.LadderNew, action.LadderTemplate:
		to := nav.Page{Kind: words.Choose(id == action.LadderNew, nav.Edit, nav.Template)}
		if v.frame.rev.System.Bands != nil {
			to.Place = v.freePlace(l)
		} else {
			to.Priority = v.freeNear(l)
		}
		env.OpenPage(to)
	case action.LadderMove:
		if l.Key.Kind == model.KindCNP { // it may have no priority, or one of tier 3
			view.AskMove(env, l.Key)
		} else {
			v.beginCarry(env, l)
		}
	case action.LadderEdit:
		if l.Kind == ladder.Broken {
			env.OpenPage(nav.ToFile(l.Broken.Origin))
			break
		}
		env.OpenPage(nav.Page{Kind: nav.Edit, Key: l.Key})
	case action.LadderDelete:
		view.AskDelete(env, l.Key)
	case action.LadderLogging:
		v.askLogging(env, l)
	case action.LadderSelect:
		v.chooseLine(env, l)
	case action.LadderLogs:
		env.OpenPage(linesPage(l))
	case action.LadderPlan:
		env.OpenPage(nav.NewPage(nav.Plan))
	case action.SortNext, action.SortPrev:
		v.table.Do(id)
		v.rebuildLines() // without namespace lines names are shown in full
	default:
		return v.table.Do(id)
	}
	return true
}

// openLine opens the selected line.
func (v *ladderPage) openLine(env *view.Env, l *ladder.Line) {
	switch to := linePage(l); {
	case l.Kind == ladder.Broken:
		env.AskDialog(brokenNote(*l.Broken))
	case l.Kind == ladder.Gap, l.Kind == ladder.FreePriority, to.IsNone():
		v.foldLine(env, l)
	default:
		env.OpenPage(to)
	}
}

func (v *ladderPage) foldLine(env *view.Env, l *ladder.Line) {
	switch l.Kind {
	case ladder.Band, ladder.Namespace, ladder.Examples:
		v.toggled[l.ID] = !v.toggled[l.ID]
	case ladder.Gap, ladder.FreePriority:
		v.unfolded[l.Gap.From] = l.Kind == ladder.Gap
		v.unfoldsAll = v.unfoldsAll && l.Kind == ladder.Gap
	}
	v.Sync(env)
	if l.Kind == ladder.Band && v.toggled[l.ID] {
		// Scroll the heading to the top, so that the unfolded lines are in sight.
		v.table.Wheel(len(v.table.AllItems()))
		v.table.SelectID(l.ID)
	}
	if l.Kind == ladder.Gap && !v.table.SelectID(ladder.FreePriorityID(l.Gap.From)) || l.Kind == ladder.FreePriority {
		v.table.SelectID(ladder.GapID(l.Gap.From))
	}
}

// freeNear returns the free priority for a new policy near a line: the selected slot, the middle of a gap,
// else the first free one after the policy, else the last before it.
func (v *ladderPage) freeNear(l *ladder.Line) int32 {
	switch l.Kind {
	case ladder.FreePriority:
		return l.Priority
	case ladder.Gap:
		return (l.Gap.From + l.Gap.To) / 2
	}
	gaps := v.frame.rev.Ladder().Tiers[model.TierAdmin].Gaps
	best := int32(0)
	for _, g := range gaps {
		if g.From > l.Priority && l.Kind == ladder.Policy {
			return g.From
		}
		best = g.To
	}
	return best
}

// freePlace returns the place for a new policy near a line in a plugin's own tiers: after the policy under the cursor,
// else at the end of its tier, else of the default tier.
func (v *ladderPage) freePlace(l *ladder.Line) plan.TierPlace {
	want := plan.TierPlace{Tier: v.frame.rev.System.TiersAroundNetpol[0], Priority: newInTier}
	switch {
	case l.Kind == ladder.Policy && l.Policy.Tiered != nil:
		want = plan.TierPlace{Tier: l.Policy.Tiered.Tier, Priority: l.Policy.Tiered.Priority}
	case l.Kind == ladder.Band:
		want.Tier = l.ID
	}
	slots, _ := plan.PlacesInTiers(revision.LadderBands(v.frame.rev), model.Key{}, plan.TierPlace{Priority: newInTier})
	best := want
	for _, s := range slots {
		if s.Tier != want.Tier {
			continue
		}
		best = s
		if l.Kind == ladder.Policy && s.Priority > want.Priority {
			break
		}
	}
	return best
}

// newInTier is the priority of a new policy in an empty tier.
const newInTier = 10

func brokenNote(b model.Broken) view.Dialog {
	n := &view.NoteDialog{Title: "not read"}
	n.Body = slices.DeleteFunc([]string{b.Origin.Place(), b.Key.Label(), b.Field, b.Message, b.Remedy}, func(s string) bool {
		return s == "" || s == " "
	})
	return n
}
