package cluster

import (
	"fmt"
	"slices"
	"strings"

	"rung/model/logline"
	"rung/model/words"
	"rung/revision"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
)

// logs is how the nodes' logs stand, those that do not come grouped by reason.
func (v *View) logs(env *view.Env, s *detail.Sheet) {
	if env.Rev.Mode.Name != revision.ClusterMode {
		return
	}
	st, to := env.Styles, nav.To(nav.Logs)
	s.Head("logs of the nodes")
	if len(v.streams) == 0 {
		s.Say("logs", 0, "·", st.Dim, st.Text, "not followed until the log is opened ("+env.Keys.Action(action.GoLogs).Shown()+")", to)
		return
	}
	by := map[logline.StreamState][]*logline.Stream{}
	up := 0
	for i := range v.streams {
		if x := &v.streams[i]; x.Up() {
			up++
		} else {
			by[x.State] = append(by[x.State], x)
		}
	}
	sign, look := "✓", st.OK
	if up < len(v.streams) {
		sign, look = "▲", st.Warn
	}
	s.Say("logs", 0, sign, look, st.Text, fmt.Sprintf("%d of %s followed", up, words.Total(len(v.streams), "node")), to)
	states := make([]logline.StreamState, 0, len(by))
	for state := range by {
		states = append(states, state)
	}
	slices.SortFunc(states, func(a, b logline.StreamState) int { return strings.Compare(string(a), string(b)) })
	for _, state := range states {
		var names []string
		why := ""
		for _, x := range by[state] {
			names = append(names, x.Zone)
			if why == "" {
				why = x.Error // errors name their node: one tells for all
			}
		}
		text := string(state) + ": " + words.List(names, 4)
		if why != "" {
			text += ": " + why
		}
		s.Say("logs."+string(state), 2, "○", st.Warn, st.Text, text, to)
	}
}
