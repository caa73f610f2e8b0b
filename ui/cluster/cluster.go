package cluster

import (
	"fmt"
	"time"

	"rung/model/logline"
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
	detail.Page

	// The streams are asked for once a second.
	streams   []logline.Stream // of the nodes
	files     []logline.Stream
	streamsAt time.Time
}

// New makes the view.
func New(nav.Page) view.View {
	return &View{Page: detail.NewPage()}
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
	v.about(env, s)
	resources(env, s)
	permissions(env, s)
	dialect(env, s)
	if env.Rev.System.HasFeature(system.Rows) {
		v.zones(env, s)
	}
	v.logs(env, s)
	v.logFiles(env, s)
	v.Pane.SetItems(s.Lines)
}

// Copies are the commands of the permissions, and the server's address.
func (v *View) Copies(env *view.Env) []view.Copy {
	out := []view.Copy{{What: "context", Text: env.Rev.Mode.Title}}
	if env.Rev.Mode.Server != "" {
		out = append(out, view.Copy{What: "API server", Text: env.Rev.Mode.Server})
	}
	if l, ok := v.Pane.Selected(); ok {
		all := grouped(env.Rev.Access.Permissions())
		for i := range all {
			if id := all[i].id(); id == l.ID || id+".command" == l.ID {
				out = append([]view.Copy{{What: "kubectl command", Text: all[i].Command}}, out...)
			}
		}
	}
	return out
}

// nameWidth is the column of the names of fields.
const nameWidth = 14

// about names the cluster and the user, and says what Rung does there.
func (v *View) about(env *view.Env, s *detail.Sheet) {
	st, m := env.Styles, env.Rev.Mode
	on := m.Name == revision.ClusterMode
	field := func(id, name, text string, to nav.Page) {
		if text != "" {
			s.Field(id, name, nameWidth, widget.Plain(text), to)
		}
	}
	if !on {
		s.Head("no cluster")
		s.Say("none", 0, "·", st.Info, st.Text, "Policies and pods come from "+sourceOf(m)+", not from an API server. rung without -f runs on the current kubeconfig context.", nav.To(nav.Contexts))
	} else {
		s.Head("cluster")
		field("context", "context", m.Title, nav.To(nav.Contexts))
		field("server", "API server", m.Server, nav.Page{})
		field("user", "user", m.User, nav.Page{})
	}
	if env.Rev.System.HasFeature(system.Rows) {
		s.Field("rows", "rows", nameWidth, rowsLine(env), nav.To(nav.Zones))
	}
	s.Field("changes", "changes", nameWidth, changesLine(env), nav.Page{})
	if on {
		return
	}
	for _, src := range env.Rev.Sources {
		sign, look := connSign(src.Conn, st)
		l := widget.Styled(sign+" "+string(src.Conn), look).Add("  "+src.Detail, st.Text)
		s.Field("source."+src.Name, src.Name, nameWidth, l, nav.Page{})
		if src.Error != "" {
			s.Say("source.error."+src.Name, nameWidth, "●", st.Error, st.Text, src.Error, nav.Page{})
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
		return widget.Styled("written by Rung, in the sandbox's own zones", st.Text)
	case m.Reconciles:
		return widget.Styled("WRITTEN BY RUNG (--reconcile)", st.Warn).Add(" where nobody else owns them", st.Text)
	}
	return widget.Styled("observed", st.OK).Add("  OVN-Kubernetes' controller writes them, Rung never does; --reconcile would", st.Dim)
}

// changesLine is whether policies can be changed now, and what would allow it.
func changesLine(env *view.Env) widget.Line {
	st, m := env.Styles, env.Rev.Mode
	key := env.Keys.Action(action.Writes).Shown()
	switch {
	case m.Writes:
		return widget.Styled("ALLOWED", st.Warn).Add("  after a preview and a yes; "+key+" returns to read-only", st.Dim)
	case m.WhyNot != "":
		return widget.Styled("never", st.OK).Add("  "+m.WhyNot, st.Dim)
	}
	return widget.Styled("off: read-only", st.OK).Add("  "+key+" allows them", st.Dim)
}

// zones is how many can be read, and how far the sweep is.
func (v *View) zones(env *view.Env, s *detail.Sheet) {
	st, t, to := env.Styles, view.TallyOf(env.Rev, env.Now), nav.To(nav.Zones)
	s.Head("zones")
	if t.All == 0 {
		s.Say("zones", 0, "?", st.Dim, st.Text, "No zones: a zone is a Node, and none was read. Policies are not checked against live rows.", nav.Page{})
		return
	}
	s.Add("zones", append(widget.Line{{Text: words.Total(t.All, "zone") + "  "}}, t.Line(st, true)...), to)
	if line := view.SweepLine(env.Rev.Sweep, t, env.Now); line != "" {
		s.Say("sweep", 0, "·", st.Dim, st.Text, line, to)
	}
	if t.Denied > 0 {
		s.Say("denied", 0, "●", st.Error, st.Text, fmt.Sprintf("%s cannot be read: rows come through pods/exec in the namespace of OVN-Kubernetes (see the permissions above); without it policies are only compiled.",
			words.Total(t.Denied, "zone")), to)
	}
}
