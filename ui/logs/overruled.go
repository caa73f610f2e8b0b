package logs

import (
	"context"
	"fmt"
	"time"

	"rung/engine/logs"
	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// rulesAbove holds the rules that decide before the page's rules, in one revision.
type rulesAbove struct {
	cluster *model.Cluster
	rules   []revision.OverruledRule
	isAsked bool // the user asked why
}

// aboveEvery is the least time between two computations of the reasons of an empty page.
const aboveEvery = 5 * time.Second

// findAbove computes what decides first, in a goroutine.
func (v *logPage) findAbove(env *view.Env, tell bool) {
	rev, p := env.Rev, v.page
	known := v.rulesAbove != nil && v.rulesAbove.cluster == rev.Cluster
	if !tell && (known || env.Now.Sub(v.aboveAt) < aboveEvery) {
		return
	}
	v.aboveAt = env.Now
	what := words.Choose(tell, "finding rules that decide first", "")
	env.Run(what, func(ctx context.Context) any {
		return &rulesAbove{rev.Cluster, revision.DecidedBefore(rev, ctx, p.Key, p.Dir, p.Rule), tell}
	})
}

// linksShown bounds the links to rules above.
const linksShown = 4

// ruleSentences describes the rules above. Page rules that never decide come first.
func (a *rulesAbove) ruleSentences(k model.PolicyKey) (out []string) {
	if a == nil {
		return nil
	}
	few, rest := logs.FewOverruled(a.rules)
	for i := range few {
		out = append(out, logs.DecidedFirst(k, &few[i]))
	}
	if rest != "" {
		out = append(out, rest)
	}
	return out
}

// ruleLink is a rule above, with its page.
type ruleLink struct {
	text, note string
	page       nav.Page
}

// ruleLinks returns the rules above, each once, starting with rules that decide everything.
func (a *rulesAbove) ruleLinks() (out []ruleLink) {
	if a == nil {
		return nil
	}
	seen := map[nav.Page]bool{}
	add := func(x *revision.RuleAbove) {
		l := ruleLink{logs.AboveName(model.PolicyKey{}, x), string(x.Action) + ", " + logs.AboveLogs(x),
			nav.ToRule(x.Policy, x.Direction, x.Rule)}
		if x.Rule < 0 {
			l.page = nav.Page{Kind: nav.Rows, Key: x.Policy, Text: detail.RowsFilter(x.Policy)}
		}
		if !seen[l.page] && len(out) < linksShown {
			seen[l.page] = true
			out = append(out, l)
		}
	}
	for _, b := range a.rules {
		if b.DecidesNothing {
			add(&b.RulesAbove[len(b.RulesAbove)-1])
		}
	}
	for _, b := range a.rules {
		for i := range b.RulesAbove {
			add(&b.RulesAbove[i])
		}
	}
	return out
}

// reasonsNote explains why no lines show, with links to the rules that decide first.
type reasonsNote struct {
	view.ChoiceDialog
	body []string
}

// showReasons opens the note.
func showReasons(env *view.Env, reasons []string, links []ruleLink) {
	body := append(reasons,
		"A filter is a list of terms that must all match: verdict:deny policy:x ns:a->b port:53 not node:w2 since:5m \"text\" /regex/. "+
			"Also rule:, pod:, src:, dst:, ip:, proto:, dir:, severity:, until:. Commas mean or, = before a name means an exact match.")
	const title = "why no lines"
	if len(links) == 0 {
		env.AskDialog(&view.NoteDialog{Title: title, Body: body})
		return
	}
	n := &reasonsNote{body: body}
	n.Title = title
	for _, l := range links {
		n.Items = append(n.Items, view.ChoiceItem{Text: l.text, Note: l.note})
	}
	n.Done = func(env *view.Env, i int) { env.OpenPage(links[i].page) }
	env.AskDialog(n)
}

// Draw shows the reasons and the links.
func (n *reasonsNote) Draw(st *themes.StyleSet, w int) (string, []string) {
	title, items := n.ChoiceDialog.Draw(st, w)
	var lines []string
	for _, p := range n.body {
		for _, l := range widget.FlowText(p, w-2) {
			lines = append(lines, " "+l)
		}
	}
	return title, append(append(lines, "", " ⏎ goes to a rule that decides first, esc closes"), items...)
}

// emptyLines returns the reasons shown instead of lines if there are none.
func (v *logPage) emptyLines(env *view.Env, w, h int) []string {
	st := env.Styles
	title := "  No lines yet. Why?"
	if !v.feed.query.ShowsAll() || !v.cleared.IsZero() {
		title = "  No line to show. Why?"
	}
	lines := []string{widget.StyledLine(title, st.Title).Render(w)}
	if v.feed.isPending() {
		lines = []string{widget.JoinLines(widget.PlainLine("  "), env.BusyLine(v.scanning, "looking")).Render(w)}
	}
	for _, p := range v.emptyReasons(env) {
		lines = append(lines, reasonLines(p, w, st)...)
	}
	if links := v.rulesAbove.ruleLinks(); len(links) > 0 {
		key := env.KeyHint(action.Open)
		lines = append(lines, "", widget.Line{{Text: "  " + key, Style: st.Key}, {Text: " opens "},
			{Text: links[0].text, Style: st.Accent}}.Render(w))
	}
	for len(lines) < h {
		lines = append(lines, "")
	}
	return lines[:max(0, h)]
}

// emptyReasons returns the reasons for seeing no or few lines, the nearest first.
func (v *logPage) emptyReasons(env *view.Env) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if len(v.feed.matches) == 0 && !v.feed.query.ShowsAll() {
		if _, all := v.CountLines(); all > 0 {
			add("0 of %s match the filter; esc clears it.", words.Count(all, "line"))
		} else if held := len(v.feed.held); held > 0 {
			add("%s buffered, none about this page.", words.Count(held, "line"))
		}
	}
	if !v.cleared.IsZero() {
		add("The list was cleared at %s; earlier lines are hidden.", words.Clock(v.cleared, env.Now))
	}
	out = append(out, checkLines(env, v.page)...)
	if k := v.page.Key; k.Kind.IsPolicy() {
		out = append(out, v.rulesAbove.ruleSentences(k)...)
	}
	if n := v.stats.Unattributed; n > 0 {
		add("The rule behind %s is unknown; only the log of all policies shows them.", words.Count(n, "line"))
	}
	return out
}

// ReceiveResult takes the rules above, counted groups, a proposed rule, or the outcome of saving.
func (v *logPage) ReceiveResult(env *view.Env, msg any) {
	switch m := msg.(type) {
	case *rulesAbove:
		v.rulesAbove = m
		if m.isAsked {
			showReasons(env, v.emptyReasons(env), v.rulesAbove.ruleLinks())
		}
	case proposedRule:
		m.openEditor(env)
	case savedResult:
		m.reportSaved(env)
	default:
		v.buckets.receiveBuckets(msg)
	}
}
