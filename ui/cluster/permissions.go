package cluster

import (
	"slices"
	"strings"

	"rung/revision"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
)

// granted are the verbs of one resource that have the same answer.
type granted struct {
	revision.Permission // the first of them
	verbs               []string
}

// id is the line's identity.
func (g *granted) id() string {
	return "permission." + g.Resource + "." + g.Namespace + "." + g.verbs[0]
}

// grouped puts the verbs of a resource together where the answer is the same.
func grouped(all []revision.Permission) (out []granted) {
	for _, p := range all {
		i := slices.IndexFunc(out, func(g granted) bool {
			return g.Resource == p.Resource && g.Namespace == p.Namespace && g.Allowed == p.Allowed && g.Why == p.Why
		})
		if i < 0 {
			out = append(out, granted{p, []string{p.Verb}})
			continue
		}
		out[i].verbs = append(out[i].verbs, p.Verb)
	}
	return out
}

// permissions are what the server says may be done: refusals first, each with what
// is missed and the command that asks the same.
func permissions(env *view.Env, s *detail.Sheet) {
	if env.Rev.Mode.Name != revision.ClusterMode {
		return
	}
	st := env.Styles
	s.Head("what the API server allows you to do")
	all := grouped(env.Rev.Access.List())
	if len(all) == 0 {
		s.Say("permissions", 0, "◐", st.Info, st.Text, "not answered yet; nothing is blocked meanwhile", nav.Page{})
		return
	}
	for i := range all {
		g := &all[i]
		what := strings.Join(g.verbs, ", ") + " " + g.Resource
		if g.Namespace != "" {
			what += " in " + g.Namespace
		}
		switch {
		case g.Allowed:
			s.Say(g.id(), 0, "✓", st.OK, st.Text, "yes: "+what, nav.Page{})
		case elsewhere(all, g):
			s.Say(g.id(), 0, "–", st.Dim, st.Dim, "no: "+what+": not needed, allowed in the other namespace", nav.Page{})
		default:
			refusal(env, s, g, what)
		}
	}
}

// elsewhere says whether the same is allowed in another namespace: OVN-Kubernetes
// runs in one of two.
func elsewhere(all []granted, g *granted) bool {
	return g.Namespace != "" && slices.ContainsFunc(all, func(o granted) bool {
		return o.Allowed && o.Resource == g.Resource && o.Namespace != g.Namespace && slices.Equal(o.verbs, g.verbs)
	})
}

func refusal(env *view.Env, s *detail.Sheet, g *granted, what string) {
	st := env.Styles
	text := "no: " + what
	if g.Why != "" {
		text += ": " + g.Why
	}
	if why := missed(g); why != "" {
		text += " → " + why
	}
	s.Say(g.id(), 0, "✗", st.Error, st.Text, text, nav.Page{})
	s.Say(g.id()+".command", 4, "$", st.Dim, st.CodeText, g.Command, nav.Page{})
}

// missed is what there is not for want of a permission.
func missed(g *granted) string {
	has := func(verbs ...string) bool {
		return slices.ContainsFunc(verbs, func(v string) bool { return slices.Contains(g.verbs, v) })
	}
	short, _, _ := strings.Cut(g.Resource, ".")
	switch {
	case g.Resource == "pods/exec":
		return "zones are not read through their pods: policies are compiled, not checked against live rows"
	case g.Resource == "pods/log":
		return "no log lines from there"
	case has("create", "update", "patch", "delete"):
		return "these changes are not offered"
	case !has("list"):
		return "changes to them are seen late"
	case short == "pods" || short == "namespaces":
		return "the pods that policies select are unknown"
	case short == "nodes":
		return "no zones"
	case short == "events":
		return "events of policies are not shown"
	}
	return "they are not shown"
}
