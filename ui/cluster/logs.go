package cluster

import (
	"fmt"
	"maps"
	"slices"

	"rung/model/logline"
	"rung/model/words"
	"rung/revision"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
)

// addLogs adds the states of the nodes' logs. It groups logs that Rung does not follow by reason.
func (v *View) addLogs(env *view.Env, s *detail.Sheet) {
	if env.Rev.Mode.Name != revision.ClusterMode {
		return
	}
	st, to := env.Styles, nav.NewPage(nav.Logs)
	s.AddHead("logs of the nodes")
	if len(v.streams) == 0 {
		s.AddParagraph("logs", 0, words.Noted, st.Dim, st.Text, "not followed until the log is opened ("+
			env.KeyHint(action.GoLogs)+")", to)
		return
	}
	by := map[logline.StreamState][]*logline.Stream{}
	up := 0
	for i := range v.streams {
		if x := &v.streams[i]; x.IsUp() {
			up++
		} else {
			by[x.State] = append(by[x.State], x)
		}
	}
	sign, look := words.Yes, st.OK
	if up < len(v.streams) {
		sign, look = words.Warned, st.Warn
	}
	s.AddParagraph("logs", 0, sign, look, st.Text, fmt.Sprintf("%s of %s followed", words.Thousands(up), words.Count(len(v.streams), "node")),
		to)
	for _, state := range slices.Sorted(maps.Keys(by)) {
		var names []string
		why := ""
		for _, x := range by[state] {
			names = append(names, x.Zone)
			if why == "" {
				why = x.Error // errors name their node: one stands for all
			}
		}
		text := string(state) + ": " + words.List(names, 4)
		text += words.Between(": ", why, "")
		s.AddParagraph("logs."+string(state), 2, words.Waiting, st.Warn, st.Text, text, to)
	}
}

// filesShown bounds the log files listed; those with problems come first.
const filesShown = 40

// logFiles adds each log file: its state, the age of its last line, unread bytes, and problems.
func (v *View) logFiles(env *view.Env, s *detail.Sheet) {
	if len(v.files) == 0 {
		return
	}
	st, to := env.Styles, nav.NewPage(nav.Logs)
	s.AddHead("log files")
	shown := 0
	for _, up := range []bool{false, true} {
		for i := range v.files {
			x := &v.files[i]
			if x.IsUp() != up || shown == filesShown {
				continue
			}
			shown++
			sign, look := words.Yes, st.OK
			switch {
			case x.State == logline.StreamFailed:
				sign, look = words.Failed, st.Error
			case !up:
				sign, look = words.Warned, st.Warn
			}
			s.AddParagraph("file."+x.File, 0, sign, look, st.Text, fileState(env, x), to)
		}
	}
	if n := len(v.files) - shown; n > 0 {
		s.AddParagraph("file.more", 0, words.Noted, st.Dim, st.Text, words.Count(uint64(n), "more log file"), to)
	}
}

// fileState describes the state of a log file.
func fileState(env *view.Env, x *logline.Stream) string {
	text := x.File + ": " + string(x.State)
	if x.Zone != "" && x.Zone != x.File {
		text = x.File + " (" + x.Zone + "): " + string(x.State)
	}
	if !x.Since.IsZero() {
		text += " for " + words.Age(env.Now.Sub(x.Since))
	}
	text += ", " + words.Count(x.ACLs, "ACL line")
	if !x.Last.IsZero() {
		text += ", last " + words.Age(env.Now.Sub(x.Last)) + " ago"
	}
	if x.Behind > 0 {
		text += ", " + words.Size(x.Behind) + " behind"
	}
	if x.Gaps > 0 {
		text += ", " + words.Count(x.Gaps, "gap")
	}
	text += words.Between(": ", x.Error, "")
	return text
}
