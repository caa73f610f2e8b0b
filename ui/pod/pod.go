package pod

import (
	"fmt"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/revision/connections"
	"rung/revision/policies"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// View shows one pod.
type View struct {
	key   model.Key
	table widget.Table[*item]
	st    *themes.Styles
	pod   *model.Pod
	head  []widget.Line

	// touches are worked out again only when the objects changed.
	cluster *model.Cluster
	touches []*item
}

// New makes the view of a pod.
func New(page nav.Page) view.View {
	v := &View{key: page.Key}
	v.table = widget.Table[*item]{
		Columns: v.columns(),
		ID:      func(it *item) string { return it.id },
		Full:    func(it *item) widget.Line { return it.full },
		Skip:    func(it *item) bool { return it.skip },
		Fixed:   func(it *item) bool { return it.skip },
		Empty:   "no rule touches this pod",
	}
	return v
}

// Sync makes the lines from the revision.
func (v *View) Sync(env *view.Env) {
	if v.st != env.Styles {
		v.cluster = nil
	}
	v.st = env.Styles
	v.pod = env.Rev.Cluster.Pod(v.key.Namespace, v.key.Name)
	if v.pod == nil {
		v.cluster, v.touches = nil, nil
		v.head = []widget.Line{widget.Join(widget.Styled(" ● ", v.st.Error), widget.Plain(detail.ThingName(v.key)+" no longer exists."))}
		v.table.Empty, v.table.NoHeader = "", true
		v.table.SetItems(nil)
		return
	}
	v.table.NoHeader = false
	v.head = v.headLines(env)
	if v.cluster != env.Rev.Cluster {
		v.cluster = env.Rev.Cluster
		v.touches = v.touchItems(env)
	}
	v.table.SetItems(append(v.touches[:len(v.touches):len(v.touches)], v.networkItems(env)...))
}

// headLines say which pod this is and what is special about it.
func (v *View) headLines(env *view.Env) []widget.Line {
	st, p := env.Styles, v.pod
	parts := []string{"no address"}
	if len(p.IPs) > 0 {
		parts[0] = strings.Join(p.IPs, " ")
	}
	node := p.NodeName
	if node == "" {
		node = "not scheduled"
	}
	parts = append(parts, node, p.Phase)
	if p.Deleting {
		parts = append(parts, "being deleted")
	}
	lines := []widget.Line{{{Text: " " + p.Namespace + "/" + p.Name, Style: st.Title}, {Text: "   " + strings.Join(parts, " · ")}}}
	labels := widget.Line{{Text: " labels  ", Style: st.Dim}, {Text: words.OrNone(p.Labels.String())}}
	if ns := env.Rev.Cluster.Namespace(p.Namespace); ns != nil {
		labels = labels.Add(" · namespace labels: ", st.Dim).Add(words.OrNone(nsLabels(ns)), st.Text)
	}
	lines = append(lines, labels)
	if note, bad := policies.PodNote(p); note != "" {
		look, sign := st.Info, "·"
		if bad {
			look, sign = st.Warn, "▲"
		}
		lines = append(lines, widget.Line{{Text: " " + sign + " ", Style: look}, {Text: note}})
	}
	return lines
}

// nsLabels leaves out the label that only repeats the name.
func nsLabels(ns *model.Namespace) string {
	m := map[string]string{}
	for k, val := range ns.Labels.Map() {
		if k != "kubernetes.io/metadata.name" || val != ns.Name {
			m[k] = val
		}
	}
	return model.NewLabels(m).String()
}

// Render draws what the pod is and below it the rules.
func (v *View) Render(env *view.Env, w, h int) string {
	n := v.above(h)
	lines := make([]string, n)
	for i := range lines {
		lines[i] = v.head[i].Render(w)
	}
	table := v.table.Render(env.Styles, w, h-n)
	if n == 0 {
		return table
	}
	return strings.Join(lines, "\n") + "\n" + table
}

// above is how many lines are over the table.
func (v *View) above(h int) int {
	if h < 6 {
		return min(1, h-1, len(v.head))
	}
	return len(v.head)
}

// Do walks along the rules.
func (v *View) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.PodLogs:
		env.Open(nav.Page{Kind: nav.Logs, Key: v.key})
	case action.Open:
		env.Open(v.Selected())
	default:
		return v.table.Do(id)
	}
	return true
}

// Selected is where the line under the cursor leads.
func (v *View) Selected() nav.Page {
	if it, ok := v.table.Selected(); ok && it != nil {
		return it.to
	}
	return nav.Page{}
}

// SetFilter shows only rules that match.
func (v *View) SetFilter(f widget.Filter) { v.table.SetFilter(f) }

// Complete finds how a word of the rules goes on.
func (v *View) Complete(begin string) string { return v.table.Complete(begin) }

// Counts are the lines shown and all.
func (v *View) Counts() (shown, all int) { return v.table.Counts() }

// Click puts the cursor on a line.
func (v *View) Click(env *view.Env, _, y int) bool { return v.table.Click(y - v.above(env.H)) }

// Wheel scrolls.
func (v *View) Wheel(_ *view.Env, lines int) { v.table.Wheel(lines) }

// Crumb names the pod.
func (v *View) Crumb() string { return "pod " + v.key.Namespace + "/" + v.key.Name }

// Copies returns the facts about the pod that can be copied.
func (v *View) Copies(env *view.Env) []view.Copy {
	out := view.CopiesOf(env, nav.ToPod(v.key))
	if v.pod != nil && len(v.pod.IPs) > 0 {
		out = append(out, view.Copy{What: "address", Text: v.pod.IPs[0]})
	}
	return append(out, view.Copy{What: "logical port", Text: portName(v.key)},
		view.Copy{What: "ovn-nbctl command for its port", Text: detail.FindNamed(nil, "Logical_Switch_Port", portName(v.key))})
}

// placedItems are the rules that touch the pod where policies stand in tiers of their plugin's
// own, with a heading for each tier.
func (v *View) placedItems(env *view.Env, order []ladder.Place, touches []connections.RuleTouch) []*item {
	of := map[model.PolicyKey][]connections.RuleTouch{}
	for _, t := range touches {
		of[t.Policy] = append(of[t.Policy], t)
	}
	var out []*item
	last := ""
	for _, place := range order {
		list := of[place.Policy.Key]
		if len(list) == 0 {
			continue
		}
		title := fmt.Sprintf("tier %s (%d) · the first that matches decides", place.TierName, place.Tier)
		switch {
		case place.Missing:
			title = "tier " + place.TierName + " does not exist: decides nothing"
		case place.Policy.Kind == model.KindNP:
			title = "NetworkPolicy · where no tier above decided"
		case place.TierName == "":
			title = fmt.Sprintf("%s (%d)", place.Policy.Kind, place.Tier)
		}
		if title != last {
			out = append(out, v.heading(title))
			last = title
		}
		for _, t := range list {
			it := v.touch(env, place.Policy, t)
			if place.Policy.Kind != model.KindNP {
				it.prio = strconv.FormatFloat(place.Priority(), 'g', -1, 64)
			}
			out = append(out, it)
		}
	}
	for _, dir := range model.Directions {
		by := connections.IsolatingPolicies(env.Rev, v.pod, dir)
		if len(by) == 0 {
			continue
		}
		names := make([]string, len(by))
		for i, k := range by {
			names[i] = "NP " + k.Name
		}
		l := widget.Line{{Text: "isolated, " + dir.Lower(), Style: v.st.Accent}, {Text: "  "}, {Text: string(model.Deny), Style: v.st.Deny}}
		out = append(out, v.line("isolated."+string(dir), l.Add("  by "+words.List(names, 4)+": what no NetworkPolicy allows is dropped", v.st.Text), nav.Page{}))
	}
	return out
}
