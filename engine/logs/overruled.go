package logs

import (
	"context"
	"fmt"
	"slices"

	"rung/model"
	"rung/model/words"
	"rung/revision"
)

// mostBefore bounds the overruled rules listed.
const mostBefore = 4

// OverruledChecks returns steps, like CheckSteps, about a policy's rules, or the given rule, if other rules
// decide their connections first. They are separate because they need many verdicts.
func OverruledChecks(ctx context.Context, rev *revision.Revision, about Subject) (out []Check) {
	if !about.Policy.Kind.IsPolicy() || rev.Cluster.Policy(about.Policy) == nil {
		return nil
	}
	found := slices.DeleteFunc(revision.DecidedBefore(rev, ctx, about.Policy, about.Dir, about.Rule), func(b revision.OverruledRule) bool {
		others := slices.ContainsFunc(b.RulesAbove, func(a revision.RuleAbove) bool { return a.Policy != about.Policy })
		return !b.DecidesNothing && about.Dir == "" && !others // lines of the policy's own rules are the policy's, too
	})
	few, rest := FewOverruled(found)
	for i := range few {
		b := &few[i]
		c := Check{Step: "order", State: Unknown, Text: DecidedFirst(about.Policy, b)}
		if b.DecidesNothing {
			c.State, c.Remedy = Wrong, logRemedy(rev, about.Policy, b)
		}
		out = append(out, c)
	}
	if rest != "" {
		out = append(out, Check{Step: "order", State: Unknown, Text: rest})
	}
	return out
}

// FewOverruled returns the first few overruled rules, starting with rules that never decide, and a sentence
// about the rest; empty if none.
func FewOverruled(found []revision.OverruledRule) (few []revision.OverruledRule, rest string) {
	var never, partly []revision.OverruledRule
	for _, b := range found {
		if b.DecidesNothing {
			never = append(never, b)
		} else {
			partly = append(partly, b)
		}
	}
	few = append(never, partly...)
	if more := len(few) - mostBefore; more > 0 {
		rest = words.Count(more, "more rule") + " " + words.OneOrMany(more, "is", "are") + " overruled like this."
	}
	return few[:min(len(few), mostBefore)], rest
}

// logRemedy returns the command that makes the deciding rule log; empty unless that is an AdminNetworkPolicy
// that does not log that action.
func logRemedy(rev *revision.Revision, k model.PolicyKey, b *revision.OverruledRule) string {
	by := &b.RulesAbove[len(b.RulesAbove)-1]
	p := rev.Cluster.Policy(by.Policy)
	if by.Level != "" || p == nil || !p.Kind.IsAdmin() || by.Policy == k {
		return ""
	}
	return revision.LogLevelCommand(rev, p, by.Action)
}

// DecidedFirst tells which rules decide before a rule of a policy.
func DecidedFirst(k model.PolicyKey, b *revision.OverruledRule) string {
	rule := revision.RuleLabel(b.Direction, b.Rule, "")
	if b.Rule < 0 {
		rule = revision.DefaultDeny(k.Namespace, b.Direction).Label()
	}
	if b.OnlyTogether {
		return fmt.Sprintf("%s never applies: %s together match all of it first.", rule, words.ListSome(namesAbove(k, b), 3))
	}
	if b.DecidesNothing {
		last := &b.RulesAbove[len(b.RulesAbove)-1]
		rest := ""
		if n := len(b.RulesAbove) - 1; n > 0 {
			rest = fmt.Sprintf(" %s above it %s part of it.", words.Count(n, "rule"), words.OneOrMany(n, "matches", "match"))
		}
		return fmt.Sprintf("%s never applies: %s matches all of it first and %s.", rule, AboveName(k, last), AboveLogs(last)) + rest
	}
	return fmt.Sprintf("%s decides only part of what it matches; rules before: %s.", rule, words.ListSome(namesAbove(k, b), 3))
}

// namesAbove names the rules above and says of each whether it logs.
func namesAbove(k model.PolicyKey, b *revision.OverruledRule) (out []string) {
	for i := range b.RulesAbove {
		out = append(out, AboveName(k, &b.RulesAbove[i])+" ("+AboveLogs(&b.RulesAbove[i])+")")
	}
	return out
}

// AboveName names a rule above, without the policy if it is k.
func AboveName(k model.PolicyKey, a *revision.RuleAbove) string {
	switch {
	case a.Rule < 0:
		return "the " + a.Policy.Label()
	case a.Policy == k:
		return revision.RuleLabel(a.Direction, a.Rule, "")
	}
	return a.Policy.ShortLabel() + " " + revision.RuleLabel(a.Direction, a.Rule, "")
}

// AboveLogs tells whether a rule above logs.
func AboveLogs(a *revision.RuleAbove) string {
	return words.Choose(a.Level == "", "does not log", "logs at "+a.Level)
}
