package logs

import (
	"context"
	"errors"
	"slices"
	"strings"

	"rung/engine/logs"
	"rung/engine/logs/entries"
	"rung/engine/propose"
	"rung/model"
	"rung/model/narrow"
	"rung/model/words"
	"rung/ui/nav"
	"rung/ui/view"
)

// proposed is a rule made of lines, for the editor.
type proposed struct {
	p   *propose.Proposal
	err error
}

// askProposal asks for which lines a rule is to be proposed, the one under the cursor or those
// shown, what it is to do, and for which policy.
func askProposal(env *view.Env, e *entries.Entry, shown []*entries.Entry) {
	shown = slices.DeleteFunc(shown, func(e *entries.Entry) bool { return e.Gap != nil })
	if len(shown) == 0 {
		env.Fail("no lines to propose a rule from")
		return
	}
	c := &view.Choose{Title: "propose a rule"}
	type pick struct {
		of     []*entries.Entry
		action model.Action
	}
	var picks []pick
	add := func(key, what string, of []*entries.Entry, action model.Action) {
		c.Items = append(c.Items, view.Item{Key: key, Text: what})
		picks = append(picks, pick{of, action})
	}
	if e != nil && e.Gap == nil {
		line, what := []*entries.Entry{e}, e.Src.Brief()+" → "+e.Dst.Brief()+" "+e.Traffic()
		add("a", "allow "+what, line, model.Allow)
		add("d", "deny "+what, line, model.Deny)
	}
	all := words.Total(len(shown), "line") + " shown"
	add("A", "allow the "+all, shown, model.Allow)
	add("D", "deny the "+all, shown, model.Deny)
	c.Done = func(env *view.Env, i int) { proposeFor(env, picks[i].of, picks[i].action) }
	env.Ask(c)
}

// proposeFor asks for the policy, and has the rule made.
func proposeFor(env *view.Env, entries []*entries.Entry, action model.Action) {
	env.Ask(&view.Prompt{Title: "propose a rule that " + map[model.Action]string{model.Allow: "allows", model.Deny: "denies"}[action] + " " + words.Total(len(entries), "line"),
		Label: "For which policy? " + strings.ToUpper(propose.TargetHelp[:1]) + propose.TargetHelp[1:] + ".", Value: propose.NewName(env.Rev),
		Check: func(text string) string {
			if _, err := propose.ParseTarget(env.Rev, text, action); err != nil {
				return err.Error()
			}
			return ""
		},
		Done: func(env *view.Env, text string) {
			rev := env.Rev
			env.Run("proposing a rule", func(ctx context.Context) any {
				t, err := propose.ParseTarget(rev, text, action)
				if err != nil {
					return proposed{nil, err}
				}
				log := logs.Connections(entries, narrow.MostSeen)
				if log.Over > 0 {
					return proposed{nil, narrow.ErrTooMany}
				}
				p, err := propose.Make(ctx, rev, t, log.Seen)
				return proposed{p, err}
			})
		}})
}

// tell goes to the editor with what was proposed.
func (m proposed) tell(env *view.Env) {
	if m.err != nil {
		if m.p != nil && m.p.Proposal != nil && len(m.p.Left) > 0 && errors.Is(m.err, narrow.ErrNothing) {
			env.Fail("no rule for %s: %s", m.p.Policy.Label(), m.p.Left[0].Why)
			return
		}
		env.Fail("%v", m.err)
		return
	}
	k, priority := m.p.Policy, int32(0)
	if m.p.New {
		k, priority = model.PolicyKey{}, m.p.Priority
	}
	env.Open(nav.ToProposal(k, priority, m.p.Text, m.p.Base, strings.Join(m.p.Notes(), "\n"), m.p.Wanted))
}
