package logs

import (
	"context"
	"fmt"
	"slices"

	"rung/model"
	"rung/model/words"
	"rung/revision"
)

// mostBefore bounds the rules of which is said what decides before them.
const mostBefore = 4

// OverruledChecks are the rules of a policy, or the one that is asked for, to which connections
// that they match never come, since other rules decide first: steps of the way to a line
// as those of Why, which are found out only by asking for many verdicts.
func OverruledChecks(ctx context.Context, rev *revision.Revision, about Subject) (out []Check) {
	if !about.Policy.Kind.IsPolicy() || rev.Cluster.Policy(about.Policy) == nil {
		return nil
	}
	found := revision.DecidedBefore(rev, ctx, about.Policy, about.Dir, about.Rule)
	over := 0
	for _, all := range []bool{true, false} {
		for i := range found {
			b := &found[i]
			switch {
			case b.DecidesNothing != all, !all && about.Dir == "" && ownRulesOnly(about.Policy, b):
			case len(out) == mostBefore:
				over++
			default:
				c := Check{Step: "order", State: Unknown, Text: DecidedFirst(about.Policy, b)}
				if all {
					c.State, c.Remedy = Wrong, logRemedy(rev, about.Policy, b)
				}
				out = append(out, c)
			}
		}
	}
	if over > 0 {
		out = append(out, Check{Step: "order", State: Unknown, Text: words.Count(over, "more rule") + " of it " + words.OneOrMany(over, "comes", "come") + " after others like that."})
	}
	return out
}

// ownRulesOnly says whether only earlier rules of the policy decide before a rule: their lines
// are the policy's, too.
func ownRulesOnly(k model.PolicyKey, b *revision.OverruledRule) bool {
	return !slices.ContainsFunc(b.RulesAbove, func(a revision.RuleAbove) bool { return a.Policy != k })
}

// logRemedy is how the rule that decides instead of another is made to log: of an
// AdminNetworkPolicy that logs nothing of its kind.
func logRemedy(rev *revision.Revision, k model.PolicyKey, b *revision.OverruledRule) string {
	by := &b.RulesAbove[len(b.RulesAbove)-1]
	p := rev.Cluster.Policy(by.Policy)
	if by.Level != "" || p == nil || !p.Kind.IsAdmin() || by.Policy == k {
		return ""
	}
	return revision.LogLevelCommand(rev, p, by.Action)
}

// DecidedFirst says of a rule of a policy which rules decide before it.
func DecidedFirst(k model.PolicyKey, b *revision.OverruledRule) string {
	rule := revision.RuleLabel(b.Direction, b.Rule, "")
	if b.Rule < 0 {
		rule = revision.DefaultDeny(k.Namespace, b.Direction).Label()
	}
	if b.OnlyTogether {
		return fmt.Sprintf("%s never decides: %s come first and match all of it together.", rule, words.ListSome(namesAbove(k, b), 3))
	}
	if b.DecidesNothing {
		last := &b.RulesAbove[len(b.RulesAbove)-1]
		rest := ""
		if n := len(b.RulesAbove) - 1; n > 0 {
			rest = fmt.Sprintf(" %s before that one %s part of it.", words.Count(n, "rule"), words.OneOrMany(n, "takes", "take"))
		}
		return fmt.Sprintf("%s never decides: %s comes first, matches all of it and %s.", rule, AboveName(k, last), AboveLogs(last)) + rest
	}
	return fmt.Sprintf("%s decides only part of what it matches; before it: %s.", rule, words.ListSome(namesAbove(k, b), 3))
}

// namesAbove name the rules above, and say of each whether it logs.
func namesAbove(k model.PolicyKey, b *revision.OverruledRule) (out []string) {
	for i := range b.RulesAbove {
		out = append(out, AboveName(k, &b.RulesAbove[i])+" ("+AboveLogs(&b.RulesAbove[i])+")")
	}
	return out
}

// AboveName names a rule above, of the policy that is asked about without its name.
func AboveName(k model.PolicyKey, a *revision.RuleAbove) string {
	switch {
	case a.Rule < 0:
		return "the " + a.Policy.Label()
	case a.Policy == k:
		return revision.RuleLabel(a.Direction, a.Rule, "")
	}
	return a.Policy.ShortLabel() + " " + revision.RuleLabel(a.Direction, a.Rule, "")
}

// AboveLogs says whether a rule above logs.
func AboveLogs(a *revision.RuleAbove) string {
	if a.Level == "" {
		return "does not log"
	}
	return "logs at " + a.Level
}
