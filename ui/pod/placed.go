package pod

import (
	"fmt"
	"strconv"

	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/revision/connections"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// placedItems are the rules that touch the pod where policies stand in tiers of their plugin's
// own, with a heading for each tier.
func (v *View) placedItems(env *view.Env, order []ladder.Place, touches []connections.Touch) []*item {
	of := map[model.PolicyKey][]connections.Touch{}
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
		by := connections.Isolating(env.Rev, v.pod, dir)
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
