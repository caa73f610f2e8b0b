package logs

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"

	"rung/engine"
	"rung/model"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// nothing fills the place of the lines when there is none: with the reasons.
func (v *logs) nothing(env *view.Env, w, h int) []string {
	st := env.Styles
	lines := []string{widget.Styled("  No line yet. Why?", st.Title).Render(w)}
	if v.feed.pending() {
		lines = []string{widget.Styled("  Looking …", st.Info).Render(w)}
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
	for len(lines) < h {
		lines = append(lines, "")
	}
	return lines[:max(0, h)]
}

// why are the reasons for seeing nothing, or less than one expects, the nearest
// first.
func (v *logs) why(env *view.Env) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if held := len(v.feed.held); held > 0 && v.feed.len() == 0 && !v.feed.query.empty() {
		add("%s held and the filter shows none of them: esc clears it.", plural(uint64(held), "line"))
	}
	if !v.cleared.IsZero() {
		add("The list was cleared at %s; lines from before are not shown.", view.Clock(v.cleared, env.Now))
	}
	if k := v.page.Key; k.Kind.IsPolicy() {
		out = append(out, v.whyPolicy(env, k)...)
	} else {
		names, all := loggers(env.Rev)
		if len(names) == 0 {
			add("None of the %d policies logs. %s on a policy of the ladder switches logging on.", all, env.Keys.Action(action.LadderLogging).Shown())
		} else {
			add("Only what %s decides is logged: of %d policies %d log.", some(names, 6), all, len(names))
		}
	}
	switch m := env.Rev.Mode; {
	case m.Simulated:
		add("The connections are simulated: between running pods, at a set rate. Pods under a NetworkPolicy make none until NetworkPolicies are compiled.")
	case m.Sandbox:
		add("The sandbox makes no traffic, so there is nothing to log.")
	default:
		add("Only the sandbox's lines are read in this version. On a cluster: %s", model.ShellJoin("kubectl", "-n", "ovn-kubernetes", "logs", "ds/ovnkube-node", "-c", "ovn-controller", "-f"))
	}
	add("Each ACL logs so many lines a second and node as its meter lets through (20 unless configured); more are dropped without a word.")
	if n := v.stats.Unattributed; n > 0 {
		add("Of %s the rule could not be told; they are in the log of all policies only.", plural(n, "line"))
	}
	return out
}

// whyPolicy are the reasons that lie in the policy of the page.
func (v *logs) whyPolicy(env *view.Env, k model.PolicyKey) (out []string) {
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	p := env.Rev.Cluster.Policy(k)
	key := env.Keys.Action(action.LogsLogging).Shown()
	switch {
	case p == nil:
		add("%s is gone.", k.Label())
		return out
	case !k.Kind.IsAdmin():
		add("%s logs as the annotation of its namespace says, and is not compiled yet.", k.Label())
		return out
	}
	now, err := p.LogLevels()
	switch {
	case err != nil:
		add("Its logging annotation is not valid, and OVN-Kubernetes then leaves the whole policy as it was: %v. %s sets another.", err, key)
		return out
	case !now.Any():
		add("%s has no log level, so none of its rules logs. %s switches logging on.", k.Label(), key)
		return out
	}
	if none := env.Rev.None(k); none != nil {
		add("%s has no rows to log with: %s.", k.Label(), engine.NoRowsShort(none, env.Rev.Ladder().Max))
	}
	in, eg := model.CountRules(p.Ingress), model.CountRules(p.Egress)
	for _, a := range []struct {
		action model.Action
		rules  int
	}{{model.Deny, in.Deny + eg.Deny}, {model.Allow, in.Allow + eg.Allow}, {model.Pass, in.Pass + eg.Pass}} {
		switch level := now.For(a.action); {
		case a.rules > 0 && level == "":
			add("%s rules do not log: what they decide leaves no line (%s changes it).", a.action, key)
		case a.rules == 0 && level != "":
			add("%s is set to %s, but it has no %s rule.", a.action, level, a.action)
		}
	}
	if v.page.Dir != "" {
		if r := p.Rule(v.page.Dir, v.page.Rule); r == nil {
			add("%s is gone.", engine.RuleLabel(v.page.Dir, v.page.Rule, ""))
		}
	}
	if len(env.Rev.Subjects(k)) == 0 {
		add("It applies to no pod.")
	}
	for _, s := range env.Rev.Shows([]model.PolicyKey{k}, nil) {
		if !s.OK {
			add("Zone %s does not have its rows as they should be: %s.", s.Zone, s.Why)
		}
	}
	return out
}

// SaveText is what ctrl+s writes: every line that is shown.
func (v *logs) SaveText(*view.Env) string { return saveText(v.shown()) }

// shown are the entries behind the list, oldest first, at most as many as are
// held.
func (v *logs) shown() []*engine.LogEntry {
	upto := v.feed.len()
	if !v.follow {
		upto = v.feed.before(v.until)
	}
	out := make([]*engine.LogEntry, 0, upto)
	for i := range upto {
		out = append(out, v.feed.entry(v.feed.at(i)))
	}
	return out
}

func saveText(entries []*engine.LogEntry) string {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(e.Line.At.UTC().Format("2006-01-02T15:04:05.000Z"))
		b.WriteString("  " + e.Line.Zone + "  " + e.Sentence() + "\n    " + e.Line.Raw + "\n")
	}
	return b.String()
}

// save writes the lines to a file of their own.
func (v *logs) save(env *view.Env) {
	entries, dir := v.shown(), env.StateDir
	if dir == "" {
		dir = filepath.Join(xdg.StateHome, "rung")
	}
	path := filepath.Join(dir, "saved", "log-"+env.Now.UTC().Format("20060102-150405")+".txt")
	env.Run("saving the log", func(context.Context) any {
		path, err := engine.Keep(filepath.Dir(path), filepath.Base(path), []byte(saveText(entries)))
		return saved{path, len(entries), err}
	})
}

type saved struct {
	path string
	n    int
	err  error
}

// Receive says how saving went.
func (v *logs) Receive(env *view.Env, msg any) {
	m, ok := msg.(saved)
	switch {
	case !ok:
	case m.err != nil:
		env.Fail("saving the log: %v", m.err)
	default:
		env.Say("saved %s to %s", plural(uint64(m.n), "line"), m.path)
	}
}
