package logs

import (
	"rung/engine/logs"
	"rung/model"
	"rung/ui/action"

	"time"

	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// Do carries out the log's actions and moves along the lines.
func (v *logPage) Do(env *view.Env, id action.ID) bool {
	if v.by != ungrouped && v.doBuckets(env, id) {
		return true
	}
	if d := widget.CursorStride(id, v.height); d != 0 {
		v.moveBy(d)
		return true
	}
	switch id {
	case action.Top:
		v.moveBy(-v.list.n)
	case action.Bottom:
		v.setPaused(false)
	case action.Left, action.Right:
		v.left = widget.SidewaysOffset(id, v.left)
	case action.Wide:
		v.wide, v.left = !v.wide, 0
	case action.Wrap:
		v.writer.Wrap, v.left = !v.writer.Wrap, 0
	case action.LogsTime:
		v.writer.Clock = (v.writer.Clock + 1) % clocks
		v.keepSetup(env)
		v.writer.seenWidths = partWidths{}
		v.buckets.recount()
		updateBuckets(v, env)
		env.ShowText("%s", v.writer.Clock.Description(env.Now))
	case action.LogsPause:
		if v.follow || v.by != ungrouped || v.list.group {
			v.setPaused(v.follow)
		} else {
			v.markLine(env)
		}
	case action.LogsAggregate:
		if v.by != ungrouped {
			v.groupBy(env, ungrouped)
			break
		}
		v.list.group, v.marked = !v.list.group, nil
		v.feed.groups.reset()
		v.updateList()
	case action.LogsBy:
		askDimension(env, v.by, v.groupBy)
	case action.LogsColumns:
		AskColumns(env, v.writer.Columns, func(env *view.Env, chosen []LineColumn) {
			v.writer.Columns, v.left = chosen, 0
			v.keepSetup(env)
		})
	case action.LogsMore:
		v.widenContext(env, 1)
	case action.LogsLess:
		v.widenContext(env, -1)
	case action.LogsMark:
		v.addMark(env.Now)
	case action.LogsClear:
		v.feed.hideAll()
		v.list.marks, v.marked, v.cleared = nil, nil, env.Now
		v.follow = true
		v.updateList()
	case action.Find:
		v.askSearch(env)
	case action.FindNext:
		v.findNext(env, 1)
	case action.FindPrev:
		v.findNext(env, -1)
	default:
		return v.doLine(env, id)
	}
	return true
}

// doLine carries out actions about the selected line or the policy.
func (v *logPage) doLine(env *view.Env, id action.ID) bool {
	switch id {
	case action.Open:
		if p := v.SelectedPage(); p.IsNone() {
			env.ShowFailure("nothing to open: the rule behind this line is unknown")
		} else {
			env.OpenPage(p)
		}
	case action.LogsRows:
		openRow(env, v.selectedEntry())
	case action.LogsPod:
		openPod(env, v.selectedEntry())
	case action.GoProbe:
		probeLine(env, v.selectedEntry())
	case action.LogsTrace:
		v.traceLines(env, nav.ToTrace, view.AskTrace)
	case action.LogsOVN:
		v.traceLines(env, nav.ToOVNTrace, view.AskOVNTrace)
	case action.LogsPropose:
		askProposal(env, v.selectedEntry(), &v.lineWalk)
	case action.LogsLogging:
		k := pagePolicy(v.page, v.selectedEntry())
		if k.Name == "" {
			env.ShowFailure("no policy here")
			return true
		}
		view.AskLogging(env, k)
	case action.LogsWhy:
		if v.page.Key.Kind.IsPolicy() {
			v.findAbove(env, true) // shown once known
		} else {
			showReasons(env, v.emptyReasons(env), v.rulesAbove.ruleLinks())
		}
	case action.LogsSave:
		askSave(env, &v.lineWalk)
	default:
		return false
	}
	return true
}

// addMark inserts a user mark after the newest line.
func (v *lineWalk) addMark(now time.Time) {
	v.list.marks = append(v.list.marks, userMark{after: v.feed.lastHeld(), text: "mark " + now.Format("15:04:05")})
	if n := len(v.list.marks); n > maxMarks {
		v.list.marks = append([]userMark(nil), v.list.marks[n-maxMarks:]...)
	}
	v.updateList()
}

// pagePolicy returns the policy that the page or the line is about.
func pagePolicy(p nav.Page, e *logs.Entry) model.PolicyKey {
	if p.Key.Kind.IsPolicy() {
		return p.Key
	}
	if e != nil && e.Attributed {
		return e.UnitKey()
	}
	return model.PolicyKey{}
}

// openPod opens the pod at one end of a line.
func openPod(env *view.Env, e *logs.Entry) {
	if e == nil || e.Gap != nil {
		env.ShowFailure("no line here")
		return
	}
	var ends []logs.End
	c := &view.ChoiceDialog{Title: "which pod"}
	for i, d := range []logs.End{e.Src, e.Dst} {
		if d.Key.Kind != model.KindPod {
			continue
		}
		ends = append(ends, d)
		it := view.ChoiceItem{Key: []string{"s", "d"}[i], Text: d.Key.Namespace + "/" + d.Key.Name, Note: []string{"source", "destination"}[i]}
		if env.Rev.Cluster.Pod(d.Key.Namespace, d.Key.Name) == nil {
			it.WhyNot = "no longer exists"
		}
		c.Items = append(c.Items, it)
	}
	switch {
	case len(ends) == 0:
		env.ShowFailure("no pod at either end: %s, %s", e.Src, e.Dst)
	case len(ends) == 1 && c.Items[0].WhyNot == "":
		env.OpenPage(nav.ToPod(ends[0].Key))
	case len(ends) == 1:
		env.ShowFailure("%s no longer exists", c.Items[0].Text)
	default:
		c.Done = func(env *view.Env, i int) { env.OpenPage(nav.ToPod(ends[i].Key)) }
		env.AskDialog(c)
	}
}
