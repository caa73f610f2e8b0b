package cluster

import (
	"slices"
	"strings"

	"rung/model"
	"rung/model/signs"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// connSign is the sign of a connection's state; the word stands beside it.
func connSign(c model.ConnState, st *themes.StyleSet) (string, themes.Style) {
	switch c {
	case model.ConnSynced, model.ConnReadOnly:
		return signs.Yes, st.OK
	case model.ConnDenied:
		return signs.No, st.Error
	case model.ConnLost:
		return signs.Failed, st.Error
	case model.ConnAbsent:
		return signs.Gone, st.Warn
	}
	return signs.Working, st.Info
}

// addResources are the parts of the API server that are followed: those in trouble with
// what to do.
func addResources(env *view.Env, s *detail.Sheet) {
	if env.Rev.Mode.Name != revision.ClusterMode {
		return
	}
	s.AddHead("resources of the API server")
	for _, src := range env.Rev.Sources {
		if len(src.Resources) == 0 {
			sign, look := connSign(src.Conn, env.Styles)
			text := src.Name + ": " + string(src.Conn)
			if src.Error != "" {
				text += ": " + src.Error
			}
			s.AddParagraph("source."+src.Name, 0, sign, look, env.Styles.Text, text, nav.Page{})
			continue
		}
		short := env.W < fullNames
		wide := 0
		for _, r := range src.Resources {
			wide = max(wide, widget.TextWidth(resourceName(r.Name, short)))
		}
		wide += 4
		for i := range src.Resources {
			r := &src.Resources[i]
			// A dead server tells the same of all: once is enough.
			again := i+1 < len(src.Resources) && src.Resources[i+1].Error == r.Error && src.Resources[i+1].Conn == r.Conn
			addResource(env, s, r, resourceName(r.Name, short), wide, !again)
		}
	}
	for _, b := range env.Rev.Broken {
		if b.Code == model.CodeNewer {
			s.AddParagraph("newer."+b.Message, 0, signs.Warned, env.Styles.Warn, env.Styles.Text, b.String(), nav.Page{})
		}
	}
}

// fullNames is from what width on resources are named with their group.
const fullNames = 110

// resourceName is a resource's name, short without its group.
func resourceName(name string, short bool) string {
	if !short {
		return name
	}
	name, _, _ = strings.Cut(name, ".")
	return name
}

// addResource is one line, and what is wrong with it below.
func addResource(env *view.Env, s *detail.Sheet, r *model.SourceResource, called string, wide int, why bool) {
	st := env.Styles
	sign, look := connSign(r.Conn, st)
	if r.Conn == model.ConnAbsent && r.Optional {
		look = st.Dim
	}
	name := widget.Line{{Text: sign + " ", Style: look}, {Text: called}}
	l := widget.StyledLine(string(r.Conn), look)
	if r.Conn == model.ConnSynced {
		l = l.Add("  "+words.Total(r.Count, "object"), st.Text)
	} else if !r.At.IsZero() {
		l = l.Add(" since "+detail.SinceText(r.At, env.Now), st.Text)
	}
	if r.Conn != model.ConnSynced && r.Count > 0 {
		l = l.Add("  "+words.Total(r.Count, "object")+" as last read", st.Dim)
	}
	if r.Attempts > 1 {
		l = l.Add("  "+words.Total(r.Attempts, "failed attempt"), st.Dim)
	}
	if r.Optional && r.Conn == model.ConnAbsent {
		l = l.Add("  (optional)", st.Dim)
	}
	s.Add("resource."+r.Name, detail.SideBySide(name, wide, l), resourcePage(r.Name))
	if r.Error != "" && why && (r.Conn != model.ConnAbsent || !r.Optional) {
		s.AddParagraph("resource.error."+r.Name, 4, signs.Failed, st.Error, st.Text, r.Error, nav.Page{})
	}
}

// resourcePage is where objects of a resource are seen.
func resourcePage(name string) nav.Page {
	switch short, _, _ := strings.Cut(name, "."); short {
	case "adminnetworkpolicies", "baselineadminnetworkpolicies", "networkpolicies", "egressfirewalls":
		return nav.PageOf(nav.Ladder)
	case "nodes":
		return nav.PageOf(nav.Zones)
	}
	return nav.Page{}
}

// grantedVerbs are the verbs of one resource that have the same answer.
type grantedVerbs struct {
	revision.Permission // the first of them
	verbs               []string
}

// lineID is the line's identity.
func (g *grantedVerbs) lineID() string {
	return "permission." + g.Resource + "." + g.Namespace + "." + g.verbs[0]
}

// groupPermissions puts the verbs of a resource together where the answer is the same.
func groupPermissions(all []revision.Permission) (out []grantedVerbs) {
	for _, p := range all {
		i := slices.IndexFunc(out, func(g grantedVerbs) bool {
			return g.Resource == p.Resource && g.Namespace == p.Namespace && g.Allowed == p.Allowed && g.Why == p.Why
		})
		if i < 0 {
			out = append(out, grantedVerbs{p, []string{p.Verb}})
			continue
		}
		out[i].verbs = append(out[i].verbs, p.Verb)
	}
	return out
}

// addPermissions adds the permissions that the server reports: refusals first, each with its
// consequence and the command that asks the same.
func addPermissions(env *view.Env, s *detail.Sheet) {
	if env.Rev.Mode.Name != revision.ClusterMode {
		return
	}
	st := env.Styles
	s.AddHead("what the API server allows you to do")
	all := groupPermissions(env.Rev.Access.Permissions())
	if len(all) == 0 {
		s.AddParagraph("permissions", 0, signs.Working, st.Info, st.Text, "not answered yet; nothing is blocked meanwhile", nav.Page{})
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
			s.AddParagraph(g.lineID(), 0, signs.Yes, st.OK, st.Text, "yes: "+what, nav.Page{})
		case isAllowedElsewhere(all, g):
			s.AddParagraph(g.lineID(), 0, "–", st.Dim, st.Dim, "no: "+what+": not needed, allowed in the other namespace", nav.Page{})
		default:
			addRefusal(env, s, g, what)
		}
	}
}

// isAllowedElsewhere says whether the same is allowed in another namespace: OVN-Kubernetes
// runs in one of two.
func isAllowedElsewhere(all []grantedVerbs, g *grantedVerbs) bool {
	return g.Namespace != "" && slices.ContainsFunc(all, func(o grantedVerbs) bool {
		return o.Allowed && o.Resource == g.Resource && o.Namespace != g.Namespace && slices.Equal(o.verbs, g.verbs)
	})
}

func addRefusal(env *view.Env, s *detail.Sheet, g *grantedVerbs, what string) {
	st := env.Styles
	text := "no: " + what
	if g.Why != "" {
		text += ": " + g.Why
	}
	if why := missedFeature(g); why != "" {
		text += " → " + why
	}
	s.AddParagraph(g.lineID(), 0, signs.No, st.Error, st.Text, text, nav.Page{})
	s.AddParagraph(g.lineID()+".command", 4, "$", st.Dim, st.CodeText, g.Command, nav.Page{})
}

// missedFeature says which feature is missing for want of a permission, empty for none.
func missedFeature(g *grantedVerbs) string {
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
