package cluster

import (
	"fmt"
	"time"

	"rung/model/logline"
	"rung/model/words"
	"rung/pages/cluster"
	"rung/system"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// View is the page about the connection.
type View struct {
	detail.PanePage
	sections []cluster.Section // of the frame

	// Streams are read once a second.
	streams   []logline.Stream // of the nodes
	files     []logline.Stream
	streamsAt time.Time
}

// New makes the view.
func New(nav.Page) view.View { return &View{PanePage: detail.NewPage()} }

// Sync makes the lines.
func (v *View) Sync(env *view.Env) {
	if l := env.Console.Logs(); l != nil && !v.streamsAt.Equal(env.Now.Truncate(time.Second)) {
		v.streams, v.files, v.streamsAt = nil, nil, env.Now.Truncate(time.Second)
		for _, x := range l.Streams() {
			if x.File == "" {
				v.streams = append(v.streams, x)
			} else {
				v.files = append(v.files, x)
			}
		}
	}
	s := &detail.Sheet{St: env.Styles, W: env.W}
	key := env.KeyHint(action.Writes)
	v.sections = cluster.NewFacts(env.Rev).Sections(cluster.Hints{Allow: key + " allows them", Forbid: key + " returns to read-only"}, env.Now)
	for i := range v.sections {
		addSection(env, s, &v.sections[i])
		if i == 0 {
			v.addHeaderFacts(env, s)
		}
	}
	if env.Rev.System.HasFeature(system.Rows) {
		v.addZones(env, s)
	}
	v.addLogs(env, s)
	v.logFiles(env, s)
	v.Pane.SetItems(s.Lines)
}

// Copies offers the context, the server's address, and the kubectl command of the selected permission.
func (v *View) Copies(env *view.Env) []view.CopyItem {
	out := []view.CopyItem{{What: "context", Text: env.Rev.Mode.Title}}
	if env.Rev.Mode.Server != "" {
		out = append(out, view.CopyItem{What: "API server", Text: env.Rev.Mode.Server})
	}
	l, ok := v.Pane.SelectedItem()
	for i := range v.sections {
		for _, e := range v.sections[i].Entries {
			if ok && e.ID == l.ID && e.Copy != "" {
				out = append([]view.CopyItem{{What: "kubectl command", Text: e.Copy}}, out...)
			}
		}
	}
	return out
}

// addZones adds how many zones can be read, and the progress of the sweep.
func (v *View) addZones(env *view.Env, s *detail.Sheet) {
	st, t, to := env.Styles, view.TallyZones(env.Rev, env.Now), nav.NewPage(nav.Zones)
	s.AddHead("zones")
	if t.All == 0 {
		s.AddNote("zones", 0, words.Unknown, st.Dim, st.Text, "No zones: a zone is a Node, and none was read. Policies are not checked "+
			"against live rows.")
		return
	}
	s.Add("zones", append(widget.Line{{Text: words.Count(t.All, "zone") + "  "}}, t.TallyLine(st, true)...), to)
	if line := view.SweepLine(env.Rev.Sweep, t, env.Now); line != "" {
		s.AddParagraph("sweep", 0, words.Noted, st.Dim, st.Text, line, to)
	}
	if t.Denied > 0 {
		s.AddParagraph("denied", 0, words.Failed, st.Error, st.Text,
			fmt.Sprintf("%s cannot be read: rows come through pods/exec in the namespace of OVN-Kubernetes (see the permissions above); without "+
				"it policies are only compiled.",
				words.Count(t.Denied, "zone")), to)
	}
}
