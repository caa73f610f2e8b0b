package ladder

import (
	"time"

	"rung/engine/logs"
	"rung/model"
	"rung/revision"
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
	table *widget.Table[*item]
	hits  *logs.Summary // nil without a log

	spread   bool               // every gap slot by slot
	unfolded map[int32]bool     // gaps that are spread, by first priority
	tier0    bool               // the rows of tier 0 are listed
	tier2    bool               // the units of tier 2 are listed
	folded   map[string]bool    // namespaces that are not as they would be, see unfolds
	chosen   map[model.Key]bool // by +, for L
	stage    model.Stage        // the one that is shown, "" for all
	carry    *carry
	frame    frame
	begun    bool // the cursor was put on the first policy
	// wish is the line the cursor was on before the stage changed, placed the one
	// it was put on instead.
	wish, placed string
	filtered     bool // everything is unfolded for the filter
	antrea       bool // the columns are those of a cluster on Antrea
}

// frame is what the lines were made of last.
type frame struct {
	rev    *revision.Revision
	styles *themes.Styles
	keys   *action.Keymap
	now    time.Time
	w      int
}

// New makes the view.
func New(nav.Page) view.View {
	v := &ladderPage{unfolded: map[int32]bool{}, folded: map[string]bool{}, chosen: map[model.Key]bool{}}
	v.table = &widget.Table[*item]{
		ID:   func(it *item) string { return it.id },
		Full: func(it *item) widget.Line { return it.full },
		Fixed: func(it *item) bool {
			return it.kind == band || it.kind == gap || it.kind == slot || it.kind == namespace
		},
		Skip:  func(it *item) bool { return it.kind == band && !it.folds },
		Hold:  func(it *item) int { return it.hold },
		Note:  func(it *item) (notes, rest []widget.Line) { return it.told(v.frame.styles) },
		More:  func(it *item) string { return v.allNotes(it) },
		Text:  func(it *item) string { return it.text() },
		Empty: "nothing on the ladder",
	}
	v.table.Columns = v.columns()
	v.Of = v.table
	return v
}

// Scopes are the ladder's keys, or those of carrying.
func (v *ladderPage) Scopes() []action.Scope {
	if v.carry != nil {
		return []action.Scope{action.Carry}
	}
	return []action.Scope{action.Of(nav.Ladder), action.List, action.Global}
}

// Sync builds the lines anew.
func (v *ladderPage) Sync(env *view.Env) {
	v.frame = frame{env.Rev, env.Styles, env.Keys, env.Now, env.W}
	if v.carry != nil && env.Rev.Cluster.Policy(v.carry.key) == nil {
		env.Fail("%s no longer exists", v.carry.key.Label())
		v.carry = nil
	}
	v.hits = detail.Hits(env)
	v.rebuild()
	v.count(env)
}

func (v *ladderPage) rebuild() {
	if antrea := v.frame.rev.Antrea(); antrea != v.antrea {
		v.antrea, v.stage = antrea, ""
		v.table.Columns = v.columns()
	}
	b := &builder{v: v, frame: v.frame, st: v.frame.styles, ladder: v.frame.rev.Ladder().In(v.stage)}
	items := b.build()
	v.weigh(items)
	v.table.SetItems(items)
	if !v.begun {
		// The first line is a heading's neighbour: begin on a policy.
		for _, it := range items {
			if it.kind == policy && v.table.Select(it.id) {
				v.begun = true
				break
			}
		}
	}
	if v.carry != nil {
		v.table.Select(policyID(v.carry.key))
	}
}

// SetFilter narrows the lines; a filter looks into what is folded, too.
func (v *ladderPage) SetFilter(f widget.Filter) {
	if was := v.filtered; v.frame.rev != nil && was == f.Empty() {
		v.filtered = !was
		v.rebuild()
	}
	v.filtered = !f.Empty()
	v.table.SetFilter(f)
}

// Crumb names the page and the stage.
func (v *ladderPage) Crumb() string {
	if v.stage != "" {
		return "Ladder " + string(v.stage)
	}
	return "Ladder"
}

// Tell says how the lines are ordered, or what is being carried.
func (v *ladderPage) Tell(env *view.Env) widget.Line {
	if v.carry != nil {
		return v.carry.tell(env)
	}
	if by := v.table.SortedBy(); by != "" {
		return widget.Styled("by "+by, env.Styles.Dim)
	}
	if v.stage != "" {
		return v.tellStage(env)
	}
	return nil
}

// Selected is the policy under the cursor, or a new one in the gap there.
func (v *ladderPage) Selected() nav.Page {
	it, ok := v.table.Selected()
	if !ok {
		return nav.Page{}
	}
	return it.page()
}

// Point puts the cursor on a policy.
func (v *ladderPage) Point(_ *view.Env, to nav.Page) bool {
	return v.table.Select(policyID(to.Key))
}

// Counts counts policies.
func (v *ladderPage) Counts() (shown, all int) { return v.table.Counts() }

// WhyNot refuses what the cursor is not fit for.
func (v *ladderPage) WhyNot(_ *view.Env, id action.ID) string {
	it, ok := v.table.Selected()
	if !ok {
		return ""
	}
	if v.antrea {
		switch id {
		case action.LadderNew, action.LadderTemplate:
			return "Rung shows policies of Antrea and does not write them"
		case action.LadderGaps, action.LadderStage, action.LadderPlan:
			return "this is of OVN-Kubernetes' priorities, and this cluster is on Antrea"
		}
	}
	if id == action.LadderNew && len(v.frame.rev.Ladder().Tiers[model.TierAdmin].Gaps) == 0 {
		return "every priority is taken"
	}
	if id == action.LadderFold && !it.folds && it.kind != gap && it.kind != slot {
		return "only gaps, tiers 0 and 2 and namespaces unfold"
	}
	if id == action.LadderGaps && v.stage != "" {
		return "gaps are shown with all stages together"
	}
	if id == action.LadderLogging && len(v.chosen) > 0 {
		return "" // it is about those
	}
	return it.whyNot(id)
}

// Do carries out the ladder's actions.
func (v *ladderPage) Do(env *view.Env, id action.ID) bool {
	if v.carry != nil {
		return v.doCarry(env, id)
	}
	it, ok := v.table.Selected()
	if !ok {
		return v.table.Do(id)
	}
	switch id {
	case action.Open:
		v.open(env, it)
	case action.LadderFold:
		v.fold(env, it)
	case action.LadderGaps:
		v.spread = !v.spread
		clear(v.unfolded)
		v.Sync(env)
	case action.LadderStage:
		v.nextStage()
	case action.LadderNew:
		env.Open(nav.ToNew(v.freeNear(it)))
	case action.LadderTemplate:
		env.Open(nav.ToTemplate(v.freeNear(it)))
	case action.LadderMove:
		if it.key.Kind == model.KindCNP { // it may hold no priority, or one of tier 3
			view.AskMove(env, it.key)
		} else {
			v.pickUp(env, it)
		}
	case action.LadderEdit:
		env.Open(nav.Page{Kind: nav.Edit, Key: it.key})
	case action.LadderDelete:
		view.AskDelete(env, it.key)
	case action.LadderLogging:
		v.askLogging(env, it)
	case action.LadderSelect:
		v.choose(env, it)
	case action.LadderLogs:
		env.Open(it.logs())
	case action.LadderPlan:
		env.Open(nav.To(nav.Plan))
	case action.SortNext, action.SortPrev:
		v.table.Do(id)
		v.rebuild() // names are in full where namespaces have no line
	default:
		return v.table.Do(id)
	}
	return true
}

// open follows the line under the cursor.
func (v *ladderPage) open(env *view.Env, it *item) {
	switch {
	case it.broken != nil:
		env.Ask(brokenNote(*it.broken))
	case it.kind == policy:
		env.Open(nav.ToPolicy(it.key))
	case !it.to.None():
		env.Open(it.to)
	default:
		v.fold(env, it)
	}
}

func (v *ladderPage) fold(env *view.Env, it *item) {
	switch it.kind {
	case band:
		switch {
		case it.folds && it.id == tier0Band:
			v.tier0 = !v.tier0
		case it.folds:
			v.tier2 = !v.tier2
		}
	case namespace:
		v.folded[it.id] = !v.folded[it.id]
	case gap, slot:
		v.unfolded[it.gap.From] = it.kind == gap
		if it.kind == slot && v.spread {
			v.spread = false
		}
	}
	v.Sync(env)
	if it.kind == band && (it.id == tier0Band && v.tier0 || it.id != tier0Band && v.tier2) {
		// What was unfolded is to be seen: its heading goes to the top.
		v.table.Wheel(len(v.table.Items()))
		v.table.Select(it.id)
	}
	if it.kind == gap && !v.table.Select(slotID(it.gap.From)) || it.kind == slot {
		v.table.Select(gapID(it.gap.From))
	}
}

// freeNear is the free priority that a new policy near a line gets: the slot
// under the cursor, the middle of a gap, else the first free one after the
// policy, else the last before it.
func (v *ladderPage) freeNear(it *item) int32 {
	switch it.kind {
	case slot:
		return it.prio
	case gap:
		return (it.gap.From + it.gap.To) / 2
	}
	gaps := v.frame.rev.Ladder().Tiers[model.TierAdmin].Gaps
	best := int32(0)
	for _, g := range gaps {
		if g.From > it.prio && it.kind == policy {
			return g.From
		}
		best = g.To
	}
	return best
}

func brokenNote(b model.Broken) view.Dialog {
	n := &view.Note{Title: "not read"}
	for _, s := range []string{b.Origin.Where(), b.Key.Label(), b.Field, b.Message, b.Remedy} {
		if s != "" && s != " " {
			n.Body = append(n.Body, s)
		}
	}
	return n
}
