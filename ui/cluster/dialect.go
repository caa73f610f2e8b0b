package cluster

import (
	"rung/revision"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// dialect is what the cluster's OVN-Kubernetes runs with, as most zones say, and
// where each setting was read.
func dialect(env *view.Env, s *detail.Sheet) {
	if env.Rev.Dialects == nil {
		return
	}
	st := env.Styles
	s.Head("OVN-Kubernetes configuration · in most zones")
	settings := revision.Dialect(env.Rev, "").Settings
	wide := nameWidth
	for _, x := range settings {
		wide = max(wide, widget.Width(x.Name)+2)
	}
	for _, x := range settings {
		l := widget.Plain(x.Value).Add("  by "+x.Source, st.Dim)
		if x.Evidence != "" {
			l = l.Add(": "+x.Evidence, st.Dim)
		}
		s.Field("setting."+x.Name, x.Name, wide, l, nav.Page{})
	}
}
