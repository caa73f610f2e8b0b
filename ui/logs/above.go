package logs

import (
	"context"
	"time"

	"rung/engine/logs/why"
	"rung/model"
	"rung/model/words"
	"rung/revision/connections"
	"rung/themes"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// above is which rules decide before those of the page, as they were in a revision.
type above struct {
	of    *model.Cluster
	rules []connections.Before
	tell  bool // the user asked why
}

// aboveEvery is how often the reasons of an empty page are worked out anew, at most.
const aboveEvery = 5 * time.Second

// findAbove works out what decides first, beside the screen.
func (v *logPage) findAbove(env *view.Env, tell bool) {
	rev, p := env.Rev, v.page
	known := v.above != nil && v.above.of == rev.Cluster
	if !tell && (known || env.Now.Sub(v.aboveAt) < aboveEvery) {
		return
	}
	v.aboveAt = env.Now
	what := ""
	if tell {
		what = "finding what decides first"
	}
	env.Run(what, func(ctx context.Context) any {
		return &above{rev.Cluster, connections.DecidedBefore(rev, ctx, p.Key, p.Dir, p.Rule), tell}
	})
}

// aboveShown bounds the rules of the page that are told about, and those above that can
// be gone to.
const aboveShown = 4

// sentences say it, the rules that decide nothing first.
func (a *above) sentences(k model.PolicyKey) (out []string) {
	if a == nil {
		return nil
	}
	more := 0
	for _, all := range []bool{true, false} {
		for i := range a.rules {
			b := &a.rules[i]
			switch {
			case b.All != all:
			case len(out) == aboveShown:
				more++
			default:
				out = append(out, why.DecidedFirst(k, b))
			}
		}
	}
	if more > 0 {
		out = append(out, words.Total(more, "more rule")+" of it "+words.Form(more, "comes", "come")+" after others like that.")
	}
	return out
}

// link is a rule above, and where it leads.
type link struct {
	text, note string
	to         nav.Page
}

// links are the rules above, each once, those that decide everything first.
func (a *above) links() (out []link) {
	if a == nil {
		return nil
	}
	seen := map[nav.Page]bool{}
	add := func(x *connections.Above) {
		l := link{why.AboveName(model.PolicyKey{}, x), string(x.Action) + ", " + why.AboveLogs(x), nav.ToRule(x.Policy, x.Direction, x.Rule)}
		if x.Rule < 0 {
			l.to = nav.Page{Kind: nav.Rows, Key: x.Policy, Text: detail.RowsFilter(x.Policy)}
		}
		if !seen[l.to] && len(out) < aboveShown {
			seen[l.to] = true
			out = append(out, l)
		}
	}
	for _, b := range a.rules {
		if b.All {
			add(&b.By[len(b.By)-1])
		}
	}
	for _, b := range a.rules {
		for i := range b.By {
			add(&b.By[i])
		}
	}
	return out
}

// whyNote says why nothing is seen; from it one goes to the rules that decide first.
type whyNote struct {
	view.Choose
	body []string
}

// tellWhy opens it.
func tellWhy(env *view.Env, reasons []string, links []link) {
	body := append(reasons,
		"A filter is terms that all must hold: verdict:deny policy:x ns:a->b port:53 not node:w2 since:5m \"text\" /regex/. Also rule:, pod:, src:, dst:, ip:, proto:, dir:, severity:, until:. Commas give a choice, = before a name means all of it.")
	const title = "why no lines"
	if len(links) == 0 {
		env.Ask(&view.Note{Title: title, Body: body})
		return
	}
	n := &whyNote{body: body}
	n.Title = title
	for _, l := range links {
		n.Items = append(n.Items, view.Item{Text: l.text, Note: l.note})
	}
	n.Done = func(env *view.Env, i int) { env.Open(links[i].to) }
	env.Ask(n)
}

// Draw shows the reasons, and the rules one can go to.
func (n *whyNote) Draw(st *themes.Styles, w int) (string, []string) {
	title, items := n.Choose.Draw(st, w)
	var lines []string
	for _, p := range n.body {
		for _, l := range widget.Flow(p, w-2) {
			lines = append(lines, " "+l)
		}
	}
	return title, append(append(lines, "", " ⏎ goes to a rule that decides first, esc closes"), items...)
}
