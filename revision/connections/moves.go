package connections

import (
	"context"
	"fmt"
	"strings"

	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/model/words"
	"rung/revision"
	"rung/revision/policies"
)

// Moves counts what flips at every priority an AdminNetworkPolicy could be given. The error
// is that of the context, or says why it cannot be known.
func Moves(r *revision.Revision, ctx context.Context, k model.PolicyKey) (*diff.Moves, error) {
	p := r.Cluster.Policy(k)
	if p == nil {
		return nil, fmt.Errorf("there is no %s", k.Label())
	}
	ranked := r.System.Order != nil
	if ranked && !r.Verdicts().Decides(k) {
		return nil, fmt.Errorf("%s decides nothing, whatever its priority: %s refuses it, or its tier is not there", k.Label(), r.System.Title)
	}
	if ranked || r.None(k) == nil && r.Compiled(k) {
		return diff.NewMoves(ctx, r.Verdicts(), k, true)
	}
	// It is not enforced where it stands: asked is what it would do elsewhere.
	moved := *p
	moved.Priority = 0
	next := r.With([]model.Object{&moved}, nil)
	if none := next.None(k); none != nil {
		return nil, fmt.Errorf("%s is not programmed: %s", k.Label(), policies.NoRowsShort(r, none))
	}
	return diff.NewMoves(ctx, next.Verdicts(), k, false)
}

// FlipsBrief is FlipsText where there is little room: "14 pairs denied, 3 allowed".
func FlipsBrief(totals []diff.Total) string {
	sums := map[verdict.Verdict]int{}
	var order []verdict.Verdict
	for _, t := range totals {
		if t.Before == t.After {
			continue
		}
		if sums[t.After] == 0 {
			order = append(order, t.After)
		}
		sums[t.After] += t.Pairs
	}
	var out []string
	for i, v := range order {
		n := words.Thousands(sums[v])
		if i == 0 {
			n = words.Total(sums[v], "pair")
		}
		out = append(out, n+" "+v.Done())
	}
	if len(out) == 0 {
		return "nothing flips"
	}
	return strings.Join(out, ", ")
}
