package cluster

import (
	"rung/model/logline"
	"rung/model/words"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
)

// filesShown bounds the log files that are listed; those in trouble come first.
const filesShown = 40

// logFiles is how each log file stands: its state, the age of its last line, what is not
// read yet, and what is wrong.
func (v *View) logFiles(env *view.Env, s *detail.Sheet) {
	if len(v.files) == 0 {
		return
	}
	st, to := env.Styles, nav.To(nav.Logs)
	s.Head("log files")
	shown := 0
	for _, up := range []bool{false, true} {
		for i := range v.files {
			x := &v.files[i]
			if x.Up() != up || shown == filesShown {
				continue
			}
			shown++
			sign, look := "✓", st.OK
			switch {
			case x.State == logline.StreamFailed:
				sign, look = "●", st.Error
			case !up:
				sign, look = "▲", st.Warn
			}
			s.Say("file."+x.File, 0, sign, look, st.Text, fileState(env, x), to)
		}
	}
	if n := len(v.files) - shown; n > 0 {
		s.Say("file.more", 0, "·", st.Dim, st.Text, words.Total(uint64(n), "more log file"), to)
	}
}

// fileState is how one file stands.
func fileState(env *view.Env, x *logline.Stream) string {
	text := x.File + ": " + string(x.State)
	if x.Zone != "" && x.Zone != x.File {
		text = x.File + " (" + x.Zone + "): " + string(x.State)
	}
	if !x.Since.IsZero() {
		text += " for " + words.Age(env.Now.Sub(x.Since))
	}
	text += ", " + words.Total(x.ACLs, "ACL line")
	if !x.Last.IsZero() {
		text += ", last " + words.Age(env.Now.Sub(x.Last)) + " ago"
	}
	if x.Behind > 0 {
		text += ", " + words.Size(x.Behind) + " behind"
	}
	if x.Gaps > 0 {
		text += ", " + words.Total(x.Gaps, "gap")
	}
	if x.Error != "" {
		text += ": " + x.Error
	}
	return text
}
