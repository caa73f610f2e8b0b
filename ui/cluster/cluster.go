package cluster

import (
	"fmt"
	"time"

	"rung/model/logline"
	"rung/model/signs"
	"rung/model/words"
	"rung/revision"
	"rung/system"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// View is the page.
type View struct {
	detail.PanePage

	// The streams are asked for once a second.
	streams   []logline.Stream // of the nodes
	files     []logline.Stream
	streamsAt time.Time
}

// New makes the view.
func New(nav.Page) view.View {
	return &View{PanePage: detail.NewPage()}
}

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
	v.addCluster(env, s)
	v.addHeader(env, s)
	addResources(env, s)
	addPermissions(env, s)
	addDialect(env, s)
	if env.Rev.System.HasFeature(system.Rows) {
		v.addZones(env, s)
	}
	v.addLogs(env, s)
	v.logFiles(env, s)
	v.Pane.SetItems(s.Lines)
}

// Copies are the commands of the permissions, and the server's address.
func (v *View) Copies(env *view.Env) []view.CopyItem {
	out := []view.CopyItem{{What: "context", Text: env.Rev.Mode.Title}}
	if env.Rev.Mode.Server != "" {
		out = append(out, view.CopyItem{What: "API server", Text: env.Rev.Mode.Server})
	}
	if l, ok := v.Pane.SelectedItem(); ok {
		all := groupPermissions(env.Rev.Access.Permissions())
		for i := range all {
			if id := all[i].lineID(); id == l.ID || id+".command" == l.ID {
				out = append([]view.CopyItem{{What: "kubectl command", Text: all[i].Command}}, out...)
			}
		}
	}
	return out
}

// nameWidth is the column of the names of fields.
const nameWidth = 14

// addCluster names the cluster and the user, and says what Rung does there.
func (v *View) addCluster(env *view.Env, s *detail.Sheet) {
	st, m := env.Styles, env.Rev.Mode
	on := m.Name == revision.ClusterMode
	field := func(id, name, text string, to nav.Page) {
		if text != "" {
			addValue(s, id, name, text, to)
		}
	}
	if !on {
		s.AddHead("no cluster")
		s.AddParagraph("none", 0, signs.Noted, st.Info, st.Text, "Policies and pods come from "+sourceOf(m)+", not from an API server. rung without -f runs on the current kubeconfig context.", nav.PageOf(nav.Contexts))
	} else {
		s.AddHead("cluster")
		field("context", "context", m.Title, nav.PageOf(nav.Contexts))
		field("server", "API server", m.Server, nav.Page{})
		field("user", "user", m.User, nav.Page{})
	}
	if env.Rev.System.HasFeature(system.Rows) {
		s.AddField("rows", "rows", nameWidth, rowsLine(env), nav.PageOf(nav.Zones))
	}
	s.AddField("changes", "changes", nameWidth, changesLine(env), nav.Page{})
	if on {
		return
	}
	for _, src := range env.Rev.Sources {
		sign, look := connSign(src.Conn, st)
		l := widget.StyledLine(sign+" "+string(src.Conn), look).Add("  "+src.Detail, st.Text)
		s.AddField("source."+src.Name, src.Name, nameWidth, l, nav.Page{})
		if src.Error != "" {
			s.AddParagraph("source.error."+src.Name, nameWidth, signs.Failed, st.Error, st.Text, src.Error, nav.Page{})
		}
	}
}

func sourceOf(m revision.Mode) string {
	if m.Name == "demo" {
		return "the built-in demo"
	}
	return m.Title
}

// rowsLine says whether OVN-Kubernetes or Rung writes the rows.
func rowsLine(env *view.Env) widget.Line {
	st, m := env.Styles, env.Rev.Mode
	switch {
	case m.Sandbox:
		return widget.StyledLine("written by Rung, in the sandbox's own zones", st.Text)
	case m.Reconciles:
		return widget.StyledLine("WRITTEN BY RUNG (--reconcile)", st.Warn).Add(" where nobody else owns them", st.Text)
	}
	return widget.StyledLine("observed", st.OK).Add("  OVN-Kubernetes' controller writes them, Rung never does; --reconcile would", st.Dim)
}

// changesLine is whether policies can be changed now, and what would allow it.
func changesLine(env *view.Env) widget.Line {
	st, m := env.Styles, env.Rev.Mode
	key := env.Keys.ActionByID(action.Writes).HintKey()
	switch {
	case m.Writes:
		return widget.StyledLine("ALLOWED", st.Warn).Add("  after a preview and a yes; "+key+" returns to read-only", st.Dim)
	case m.WhyNot != "":
		return widget.StyledLine("never", st.OK).Add("  "+m.WhyNot, st.Dim)
	}
	return widget.StyledLine("off: read-only", st.OK).Add("  "+key+" allows them", st.Dim)
}

// addZones is how many can be read, and how far the sweep is.
func (v *View) addZones(env *view.Env, s *detail.Sheet) {
	st, t, to := env.Styles, view.TallyOf(env.Rev, env.Now), nav.PageOf(nav.Zones)
	s.AddHead("zones")
	if t.All == 0 {
		s.AddParagraph("zones", 0, signs.Unknown, st.Dim, st.Text, "No zones: a zone is a Node, and none was read. Policies are not checked against live rows.", nav.Page{})
		return
	}
	s.Add("zones", append(widget.Line{{Text: words.Total(t.All, "zone") + "  "}}, t.TallyLine(st, true)...), to)
	if line := view.SweepLine(env.Rev.Sweep, t, env.Now); line != "" {
		s.AddParagraph("sweep", 0, signs.Noted, st.Dim, st.Text, line, to)
	}
	if t.Denied > 0 {
		s.AddParagraph("denied", 0, signs.Failed, st.Error, st.Text, fmt.Sprintf("%s cannot be read: rows come through pods/exec in the namespace of OVN-Kubernetes (see the permissions above); without it policies are only compiled.",
			words.Total(t.Denied, "zone")), to)
	}
}
