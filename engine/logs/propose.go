package logs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"rung/model"
	"rung/model/logline"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/revision"
	"rung/sources/manifests"
)

// ruleName is the name of proposed rules, for kinds whose rules have names.
const ruleName = "from-log"

// Target is the policy to propose rules for.
type Target struct {
	// Policy gets the rules; a missing policy is proposed as a new AdminNetworkPolicy.
	Policy model.PolicyKey
	// Priority of a new policy; -1 for the last free one before all policies that decide about the lines now.
	Priority int32
	Action   model.Action
}

// Proposal is the text of a policy that allows or denies the connections of log lines.
type Proposal struct {
	*logline.Proposal
	Policy   model.PolicyKey
	New      bool
	Priority int32
	Text     string
	Base     string // the current text, or empty for a new policy
	// Kept groups the lines whose connections keep another verdict.
	Kept []KeptVerdict
	// Wanted holds the connections of the lines, Surplus the other connections that change too.
	Wanted  *diff.WantedVerdict
	Surplus *revision.SurplusEffect
}

// KeptVerdict is a group of lines whose connections keep another verdict, and its decider.
type KeptVerdict struct {
	Verdict verdict.Verdict
	By      string
	Lines   int
	Example verdict.Connection
}

// MakeProposal works out a proposal. It chooses the ends at which rules give the most lines the wanted
// verdict, and change the fewest other connections. It adds rules to an existing policy only if that is exact.
// With an error, the proposal may say which lines are left out.
func MakeProposal(ctx context.Context, rev *revision.Revision, t Target, seen []diff.LoggedConnection) (*Proposal, error) {
	if len(seen) == 0 {
		return nil, errors.New("no log line of a connection was selected")
	}
	old := rev.Cluster.Policy(t.Policy)
	if old != nil {
		if none := rev.WhyNoRows(t.Policy); none != nil {
			return nil, fmt.Errorf("%s is not programmed: %s", t.Policy.Label(), revision.NoRowsShort(rev, none))
		}
	}
	var best *Proposal
	var failed error
	for _, ends := range logline.EndsFor(t.Action) {
		p, err := makeAtEnd(ctx, rev, t, old, seen, ends)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("proposing a rule for %s: %w", t.Policy.Label(), ctx.Err())
		}
		switch {
		case best == nil, failed != nil && err == nil, (failed == nil) == (err == nil) && p.isBetterThan(best):
			best, failed = p, err
		}
		if failed == nil && best.isExact() {
			break
		}
	}
	if failed == nil && !best.New && !best.isExact() {
		return best, fmt.Errorf("no rules of %s can cover exactly these lines: %s; use a new policy", t.Policy.Label(), best.whyNotExact())
	}
	return best, failed
}

// makeAtEnd returns a proposal with rules at the given ends.
func makeAtEnd(ctx context.Context, rev *revision.Revision, t Target, old *model.Policy, seen []diff.LoggedConnection,
	ends logline.RuleEnds) (*Proposal, error) {
	out := &Proposal{Policy: t.Policy, New: old == nil}
	var policy model.Policy
	if out.New {
		policy = model.Policy{Meta: model.Meta{Key: t.Policy}, Tier: model.TierAdmin}
	} else {
		policy = *old
	}
	var err error
	out.Proposal, err = logline.Propose(logline.ProposalInput{Before: rev.Verdicts(), Policy: &policy, New: out.New, Action: t.Action,
		Seen: seen, Ends: ends})
	if err != nil {
		return out, fmt.Errorf("no rule for %s: %w", t.Policy.Label(), err)
	}
	if out.New {
		if out.Priority, err = priorityFor(rev, t.Priority, out.Seen); err != nil {
			return out, err
		}
		policy.Priority, policy.Subject = out.Priority, out.Subject
	}
	if policy.Kind.IsAdmin() {
		for i := range out.Rules {
			out.Rules[i].Name = ruleName
		}
	}
	next, err := manifests.WithRules(&policy, out.Rules)
	if err != nil {
		return out, fmt.Errorf("writing the rules into %s: %w", t.Policy.Label(), err)
	}
	out.Text = next.YAML
	if old != nil {
		out.Base = old.YAML
	}
	return out, out.judgeResult(ctx, rev, rev.WithPolicies([]model.Object{next}, nil))
}

// countMissed counts the lines that do not get the wanted verdict.
func (p *Proposal) countMissed() (n int) {
	if p.Proposal == nil {
		return 0
	}
	for _, l := range p.Left {
		n += l.Lines
	}
	for _, s := range p.Kept {
		n += s.Lines
	}
	return n
}

// isExact reports whether all lines get the wanted verdict, and no other connection changes.
func (p *Proposal) isExact() bool { return p.countMissed() == 0 && p.Surplus.IsExact() }

func (p *Proposal) isBetterThan(o *Proposal) bool {
	surplus := func(p *Proposal) int {
		switch s := p.Surplus; {
		case s == nil || s.Unknown != "":
			return math.MaxInt
		case s.IsExact():
			return 0
		default:
			return s.Pairs
		}
	}
	return cmp.Or(cmp.Compare(p.countMissed(), o.countMissed()), cmp.Compare(surplus(p), surplus(o))) < 0
}

// whyNotExact returns the first reason why the proposal is not exact.
func (p *Proposal) whyNotExact() string {
	switch {
	case len(p.Kept) > 0:
		return "some stay " + outcomes[p.Kept[0].Verdict] + ": " + p.Kept[0].By + " decides"
	case len(p.Left) > 0:
		return p.Left[0].Reason
	}
	return "it " + p.Surplus.Text()
}

// priorityFor returns the priority of a new policy: the requested one, if it comes before every policy that
// decides about the lines now, or the last free one there.
func priorityFor(rev *revision.Revision, asked int32, seen []diff.LoggedConnection) (int32, error) {
	first, by := firstDecider(rev, seen)
	switch {
	case asked >= first && by != "":
		return 0, fmt.Errorf("priority %d does not come before %s, which decides: use a number below %d", asked, by, first)
	case asked >= 0:
		return asked, nil
	}
	for at := first - 1; at >= 0; at-- {
		if rev.Ladder().RungAt(at) == nil {
			return at, nil
		}
	}
	return 0, fmt.Errorf("no priority before %s (%d) is free: make room (rung plan --insert)", by, first)
}

// firstDecider returns priority and name of the first admin policy that decides about some lines now, or
// passes them on. Without such a policy it returns the priority behind all others.
func firstDecider(rev *revision.Revision, seen []diff.LoggedConnection) (first int32, by string) {
	first = rev.Flags.MaxPriority + 1
	for i := range seen {
		a, err := verdict.FromPolicies(rev.Verdicts(), seen[i].Connection)
		if err != nil {
			continue
		}
		for st := range a.Stages() {
			hits := slices.Concat(st.Passed, st.Candidates)
			if st.Decided != nil {
				hits = append(hits, *st.Decided)
			}
			for _, h := range hits {
				if p := rev.Cluster.Policy(h.Policy); p != nil && p.Kind.HasPriority() && p.Tier == model.TierAdmin && p.Priority < first {
					first, by = p.Priority, p.Key.Label()
				}
			}
		}
	}
	return first, by
}

// judgeTime bounds the time to compare the verdicts of all other connections.
const judgeTime = 10 * time.Second

// judgeResult works out the verdicts with the rules, of the lines and of all other connections.
func (p *Proposal) judgeResult(ctx context.Context, rev, next *revision.Revision) error {
	p.Wanted = &diff.WantedVerdict{Becomes: verdict.Allow}
	if p.Action == model.Deny {
		p.Wanted.Becomes = verdict.Deny
	}
	had := map[string]int{}
	for i := range p.Seen {
		if i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s := &p.Seen[i]
		p.Wanted.Connections = append(p.Wanted.Connections, s.Connection)
		a, err := verdict.FromPolicies(next.Verdicts(), s.Connection)
		if err == nil && a.Verdict == p.Wanted.Becomes {
			continue
		}
		still := KeptVerdict{Verdict: verdict.Unknown, By: "an unknown rule", Example: revision.LoggedConnection(s)}
		if err == nil {
			still.Verdict, still.By = a.Verdict, deciderNames(&a)
		}
		k := string(still.Verdict) + still.By
		n, known := had[k]
		if !known {
			n = len(p.Kept)
			had[k] = n
			p.Kept = append(p.Kept, still)
		}
		p.Kept[n].Lines += s.Lines
	}
	limit, cancel := context.WithTimeout(ctx, judgeTime)
	defer cancel()
	p.Surplus = revision.FindSurplus(rev, limit, next, p.Wanted)
	return ctx.Err()
}

// deciderNames names the rules that decide a connection, and at which end.
func deciderNames(a *verdict.Answer) string {
	for st := range a.Stages() {
		if st.Verdict != a.Verdict {
			continue
		}
		ds := st.Candidates
		if st.Decided != nil && len(ds) == 0 {
			ds = []verdict.Decider{*st.Decided}
		}
		if len(ds) > 0 || a.Verdict != verdict.Allow {
			return revision.DecidersText(ds)
		}
	}
	return revision.DecidersText(nil)
}
