package convert

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"rung/model"
	labels "rung/model/convert"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/revision"
)

// comparison compares the two sides of one cluster.
type comparison struct {
	before, after *verdict.Index
	world         *imaginedWorld
	c             *model.Cluster
	differs       []Difference
}

// rulePlace identifies a rule of a policy of either side.
type rulePlace struct {
	policy model.PolicyKey
	dir    model.Direction
	rule   int
}

func (s *comparison) compareSides(ctx context.Context) error {
	d, err := diff.DiffIndexes(ctx, s.before, s.after, diff.DiffQuestions{})
	if err != nil {
		return err
	}
	for i := range d.Flips {
		if err := ctx.Err(); err != nil {
			return err
		}
		one, err := s.newDifference(&d.Flips[i])
		if err != nil {
			return err
		}
		s.differs = append(s.differs, one)
	}
	return nil
}

// newDifference returns a group of connections with the rules its example meets on both sides. It asks for the
// example's verdict separately, which must agree with the comparison.
func (s *comparison) newDifference(g *diff.FlipGroup) (Difference, error) {
	out := differenceOfGroup(g)
	out.rules = map[rulePlace]bool{}
	out.identity = fmt.Sprint(g.Before, g.After, g.Ports, revision.DecidersText(g.ByBefore), revision.DecidersText(g.ByAfter))
	from, imaginedFrom := s.world.describePod(s.c, g.Example.From.Key)
	to, imaginedTo := s.world.describePod(s.c, g.Example.To.Key)
	if imaginedFrom || imaginedTo {
		if !imaginedFrom {
			from = g.Example.From.String()
		}
		if !imaginedTo {
			to = g.Example.To.String()
		}
		out.Text = fmt.Sprintf("%s → %s, %s; %s", from, to, revision.PortsText(g.Ports), revision.DecidedText(g))
		out.From, out.To, out.Example = from, to, ""
	}
	out.addMet(g.ByBefore)
	out.addMet(g.ByAfter)
	for _, side := range []struct {
		x    *verdict.Index
		want verdict.Verdict
	}{{s.before, g.Before}, {s.after, g.After}} {
		a, err := verdict.FromPolicies(side.x, g.Example)
		switch {
		case errors.Is(err, verdict.ErrQuestion):
			continue // this end cannot be asked about separately
		case err != nil:
			return out, fmt.Errorf("ask about %s: %w", g.Example, err)
		case a.Verdict != side.want:
			return out, fmt.Errorf("%s: the comparison says %s, but asked alone it is %s", g.Example, side.want, a.Verdict)
		}
		for st := range a.Stages() {
			out.addMet(st.Passed)
			out.addMet(st.Candidates)
			if st.Decided != nil {
				out.addMet([]verdict.Decider{*st.Decided})
			}
		}
	}
	return out, nil
}

func (d *Difference) addMet(by []verdict.Decider) {
	for i := range by {
		d.rules[rulePlace{by[i].Policy, by[i].Direction, by[i].Rule}] = true
	}
}

// matchesExample reports whether the rule, or a rule made from it, matches the example.
func (d *Difference) matchesExample(r *Rule) bool {
	return d.rules[rulePlace{r.Policy, r.Direction, r.Index}] || slices.ContainsFunc(r.MadeRules, func(at labels.MadeRule) bool {
		return d.rules[rulePlace{at.Policy, at.Direction, at.Index}]
	})
}
