package logs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rung/engine/logs"
	"rung/engine/revision"
	"rung/engine/statedir"
	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// nothing fills the place of the lines when there is none: with the reasons.
func (v *logPage) nothing(env *view.Env, w, h int) []string {
	st := env.Styles
	title := "  No lines yet. Why?"
	if !v.feed.query.empty() || !v.cleared.IsZero() {
		title = "  No line to show. Why?"
	}
	lines := []string{widget.Styled(title, st.Title).Render(w)}
	if v.feed.pending() {
		lines = []string{widget.Join(widget.Plain("  "), env.Busy(v.scanning, "looking")).Render(w)}
	}
	for _, p := range v.why(env) {
		for i, l := range widget.Flow(p, max(1, w-6)) {
			mark := "   "
			if i == 0 {
				mark = "  · "
			}
			lines = append(lines, widget.Line{{Text: mark, Style: st.Dim}, {Text: strings.Repeat(" ", 4-widget.Width(mark))}, {Text: l}}.Render(w))
		}
	}
	if links := v.above.links(); len(links) > 0 {
		key := env.Keys.Action(action.Open).Shown()
		lines = append(lines, "", widget.Line{{Text: "  " + key, Style: st.Key}, {Text: " opens "}, {Text: links[0].text, Style: st.Accent}}.Render(w))
	}
	for len(lines) < h {
		lines = append(lines, "")
	}
	return lines[:max(0, h)]
}

// why are the reasons for seeing nothing, or less than one expects, the nearest
// first.
func (v *logPage) why(env *view.Env) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if held := len(v.feed.held); held > 0 && v.feed.len() == 0 && !v.feed.query.empty() {
		add("%s buffered, none match the filter; esc clears it.", words.Total(uint64(held), "line"))
	}
	if !v.cleared.IsZero() {
		add("The list was cleared at %s; earlier lines are hidden.", view.Clock(v.cleared, env.Now))
	}
	if k := v.page.Key; k.Kind.IsPolicy() {
		out = append(out, v.whyPolicy(env, k)...)
	} else {
		names, all := env.Rev.Loggers()
		if len(names) == 0 {
			add("None of the %s logs. %s on a policy of the ladder switches logging on.", words.Count(all, "policy"), env.Keys.Action(action.LadderLogging).Shown())
		} else {
			add("%d of %s log: %s. What others decide is not logged.", len(names), words.Count(all, "policy"), words.Few(names, 5))
		}
	}
	switch m := env.Rev.Mode; {
	case m.Simulated:
		add("Traffic is simulated: connections between running pods, at a fixed rate.")
	case m.Sandbox:
		add("The sandbox makes no traffic, so there is nothing to log.")
	case m.Name == revision.ClusterMode:
		out = append(out, v.whyStreams()...)
		out = append(out, whyMeters(env.Rev)...)
	default:
		add("Log lines come from a cluster or the sandbox; here there are only databases. By hand: %s", model.ShellJoin("kubectl", "-n", "ovn-kubernetes", "logs", "ds/ovnkube-node", "-c", "ovn-controller", "-f"))
	}
	add("The meter limits each ACL to %s lines/s per node; the rest is silently discarded.", meterRates(env.Rev))
	if n := v.stats.Unattributed; n > 0 {
		add("The rule behind %s is unknown; only the log of all policies shows them.", words.Total(n, "line"))
	}
	return out
}

// whyPolicy are the reasons that lie in the policy of the page.
func (v *logPage) whyPolicy(env *view.Env, k model.PolicyKey) (out []string) {
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	p := env.Rev.Cluster.Policy(k)
	key := env.Keys.Action(action.LogsLogging).Shown()
	if p == nil {
		add("%s no longer exists.", k.Label())
		return out
	}
	logging := env.Rev.Logging(p)
	now, ns := logging.Levels, logging.Namespace
	command := "To change it: " + env.Rev.NamespaceLogsCommand(ns)
	switch {
	case ns != "" && len(logging.Problems) > 0:
		add("The logging annotation of namespace %s is not valid: %s. %s", ns, strings.Join(logging.Problems, "; "), command)
	case len(logging.Problems) > 0:
		add("Its logging annotation is not valid, so OVN-Kubernetes does not apply the policy: %s. %s sets another.", logging.Problems[0], key)
		return out
	case !now.Any() && ns != "":
		add("The logging of %s is set by the annotation %s of namespace %s, and there is none. %s", k.Label(), model.AnnotationLogging, ns, command)
		return out
	case !now.Any():
		add("%s has no log level, so none of its rules logs. %s switches logging on.", k.Label(), key)
		return out
	}
	if none := env.Rev.None(k); none != nil {
		add("%s has no rows to log with: %s.", k.Label(), env.Rev.NoRowsShort(none))
	}
	out = append(out, v.above.sentences(k)...)
	if k.Kind == model.KindNP {
		out = append(out, whyNetpol(p, now)...)
	} else {
		out = append(out, whyActions(p, v.rules(p), now, ns, key)...)
	}
	if v.page.Dir != "" && len(v.rules(p)) == 0 {
		add("%s no longer exists.", revision.RuleLabel(v.page.Dir, v.page.Rule, ""))
	}
	if len(env.Rev.Subjects(k)) == 0 {
		add("It applies to no pod.")
	}
	out = append(out, whyRows(env.Rev, k)...)
	for _, s := range env.Rev.Shows([]model.PolicyKey{k}, nil) {
		if !s.OK {
			add("Its rows in zone %s are not as desired: %s.", s.Zone, s.Why)
		}
	}
	return out
}

// rules are those of the policy that the page is about.
func (v *logPage) rules(p *model.Policy) (out []model.Rule) {
	if v.page.Dir == "" {
		return slices.Concat(p.Ingress, p.Egress)
	}
	if r := p.Rule(v.page.Dir, v.page.Rule); r != nil {
		out = append(out, *r)
	}
	return out
}

// whyActions are the actions whose rules do not log.
func whyActions(p *model.Policy, rules []model.Rule, now model.LogLevels, ns, key string) (out []string) {
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	change := key + " changes it"
	if ns != "" {
		change = "as namespace " + ns + " says"
	}
	n := ladder.CountRules(rules)
	if len(rules) == 1 && now.For(rules[0].Action) == "" {
		r := &rules[0]
		add("%s says %s, and %s is not logged (%s).", revision.RuleLabel(r.Direction, r.Index, ""), r.Action, r.Action, change)
		return out
	}
	for _, a := range []struct {
		action model.Action
		rules  int
	}{{model.Deny, n.Deny}, {model.Allow, n.Allow}, {model.Pass, n.Pass}} {
		switch level := now.For(a.action); {
		case a.rules > 0 && level == "":
			add("%s rules do not log (%s).", a.action, change)
		case a.rules == 0 && level != "" && len(rules) == len(p.Ingress)+len(p.Egress):
			add("%s is set to %s, but it has no %s rule.", a.action, level, a.action)
		}
	}
	return out
}

// whyNetpol: the rules of a NetworkPolicy log what they allow, the default deny of
// its namespace what none allows (ovn-kubernetes.md#namespace-logging).
func whyNetpol(p *model.Policy, now model.LogLevels) (out []string) {
	if now.Allow == "" {
		out = append(out, "Namespace "+p.Namespace+" sets no level for allow: what its NetworkPolicies allow is not logged.")
	}
	switch {
	case now.Deny == "":
		out = append(out, "Namespace "+p.Namespace+" sets no level for deny: what no NetworkPolicy allows is not logged.")
	case !p.IsolatesIngress && !p.IsolatesEgress:
		out = append(out, "It isolates no pod, so no default deny drops anything because of it.")
	}
	return out
}

// SaveText is what ctrl+s writes: every line that is shown.
func (v *logPage) SaveText(*view.Env) string { return saveText(v.shown()) }

// shown are the entries behind the list, oldest first, at most as many as are
// held.
func (v *logPage) shown() []*logs.Entry {
	upto := v.feed.len()
	if !v.follow {
		upto = v.feed.before(v.until)
	}
	out := make([]*logs.Entry, 0, upto)
	for i := range upto {
		out = append(out, v.feed.entry(v.feed.at(i)))
	}
	return out
}

func saveText(entries []*logs.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(e.Line.At.UTC().Format("2006-01-02T15:04:05.000Z"))
		if e.Gap != nil {
			b.WriteString("  " + e.Sentence() + "\n")
			continue
		}
		b.WriteString("  " + e.Line.Zone + "  " + e.Sentence() + "\n    " + e.Line.Raw + "\n")
	}
	return b.String()
}

// save writes the lines to a file of their own.
func (v *logPage) save(env *view.Env) {
	entries, dir, file := v.shown(), env.SavedDir(), "log-"+env.Stamp()+".txt"
	env.Run("saving the log", func(context.Context) any {
		path, err := statedir.Keep(dir, file, []byte(saveText(entries)))
		return saved{path, len(entries), err}
	})
}

type saved struct {
	path string
	n    int
	err  error
}

// Receive takes what decides first, and says how saving went.
func (v *logPage) Receive(env *view.Env, msg any) {
	switch m := msg.(type) {
	case *above:
		v.above = m
		if m.tell {
			v.tell(env)
		}
	case saved:
		if m.err != nil {
			env.Fail("saving the log: %v", m.err)
			return
		}
		env.Say("saved %s to %s", words.Total(uint64(m.n), "line"), m.path)
	}
}
