package propose

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"rung/engine/revision"
	"rung/model"
	"rung/model/narrow"
	"rung/model/verdict"
	"rung/sources/manifests"
	"rung/sources/manifests/edit"
)

// Target says what is to be proposed.
type Target struct {
	// Policy gets the rules; one that is not there is an AdminNetworkPolicy that is proposed
	// anew.
	Policy model.PolicyKey
	// Priority of a new one, -1 for one before all that decide about the lines now.
	Priority int32
	Action   model.Action
}

// Proposal is the text of a policy that allows or denies the connections of log lines.
type Proposal struct {
	*narrow.Proposal
	Policy   model.PolicyKey
	New      bool
	Priority int32
	Text     string
	Base     string // the text there is now, empty for a new one
	// Still are lines whose connections come to another end than they should all the same.
	Still []Still
}

// Still is who decides about some lines.
type Still struct {
	Verdict verdict.Verdict
	By      string
	Lines   int
	Example verdict.Connection
}

// Make works a proposal out. With an error the proposal may say which lines are left out.
func Make(ctx context.Context, rev *revision.Revision, t Target, seen []verdict.Seen) (*Proposal, error) {
	if len(seen) == 0 {
		return nil, errors.New("no line of a connection was chosen")
	}
	old := rev.Cluster.Policy(t.Policy)
	out := &Proposal{Policy: t.Policy, New: old == nil}
	policy := old
	if old == nil {
		policy = &model.Policy{Meta: model.Meta{Key: t.Policy}, Tier: model.TierAdmin}
	} else if none := rev.None(t.Policy); none != nil {
		return nil, fmt.Errorf("%s is not programmed: %s", t.Policy.Label(), rev.NoRowsShort(none))
	}
	var err error
	out.Proposal, err = narrow.Propose(narrow.Ask{Before: rev.Verdicts(), Policy: policy, New: out.New, Action: t.Action, Seen: seen})
	if err != nil {
		return out, fmt.Errorf("no rule for %s: %w", t.Policy.Label(), err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if out.New {
		if out.Priority = t.Priority; out.Priority < 0 {
			if out.Priority, err = freeBefore(rev, out.Seen); err != nil {
				return out, err
			}
		}
	}
	next, err := out.write(old)
	if err != nil {
		return out, fmt.Errorf("writing the rules into %s: %w", t.Policy.Label(), err)
	}
	if out.Text = next.YAML; old != nil {
		out.Base = old.YAML
	}
	return out, out.judge(ctx, rev.With([]model.Object{next}, nil))
}

// freeBefore is the last free priority before every AdminNetworkPolicy that decides about
// some lines now.
func freeBefore(rev *revision.Revision, seen []verdict.Seen) (int32, error) {
	first := rev.Flags.MaxPriority + 1
	by := ""
	for i := range seen {
		a, err := rev.Verdicts().FromPolicies(seen[i].Connection)
		if err != nil {
			continue
		}
		for _, st := range a.Paths[0].Stages {
			hits := slices.Concat(st.Passed, st.Candidates)
			if st.Decided != nil {
				hits = append(hits, *st.Decided)
			}
			for _, h := range hits {
				if p := rev.Cluster.Policy(h.Policy); p != nil && p.Kind == model.KindANP && p.Priority < first {
					first, by = p.Priority, p.Key.Label()
				}
			}
		}
	}
	for at := first - 1; at >= 0; at-- {
		if rev.Ladder().Rung(at) == nil {
			return at, nil
		}
	}
	return 0, fmt.Errorf("no priority before %s (%d) is free: name one, or make room", by, first)
}

// write puts the rules into a policy, or makes a new one of them.
func (p *Proposal) write(old *model.Policy) (*model.Policy, error) {
	if old != nil {
		object, err := manifests.Untyped(old.Original)
		if err != nil {
			return nil, err
		}
		p.insert(object, old.Kind)
		typed, err := manifests.Typify(old.Kind, object)
		if err != nil {
			return nil, err
		}
		next, broken, err := edit.Policy(old, typed)
		return checked(next, broken, err)
	}
	object := map[string]any{
		"apiVersion": "policy.networking.k8s.io/v1alpha1", "kind": string(model.KindANP),
		"metadata": map[string]any{"name": p.Policy.Name},
		"spec":     map[string]any{"priority": int64(p.Priority), "subject": peerOf(*p.Subject)},
	}
	p.insert(object, model.KindANP)
	typed, err := manifests.Typify(model.KindANP, object)
	if err != nil {
		return nil, err
	}
	made, err := manifests.FromObject(typed, model.Origin{Item: -1})
	if err != nil {
		return nil, err
	}
	next, broken := manifests.ParsePolicy([]byte(made.YAML))
	return checked(next, broken, nil)
}

// checked says whether the text that was written is a policy.
func checked(next *model.Policy, broken []model.Broken, err error) (*model.Policy, error) {
	if err != nil {
		return nil, err
	}
	for _, b := range broken {
		if b.IsError() {
			return nil, errors.New(b.String())
		}
	}
	if next == nil {
		return nil, errors.New("the text is no policy")
	}
	return next, nil
}

// judge asks what becomes of the lines with the rules.
func (p *Proposal) judge(ctx context.Context, next *revision.Revision) error {
	want := verdict.Allow
	if p.Action == model.Deny {
		want = verdict.Deny
	}
	had := map[string]int{}
	for i := range p.Seen {
		if i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s := &p.Seen[i]
		a, err := next.Verdicts().FromPolicies(s.Connection)
		if err != nil || a.Verdict == want {
			continue
		}
		by := deciders(&a)
		k := string(a.Verdict) + by
		n, known := had[k]
		if !known {
			n = len(p.Still)
			had[k] = n
			p.Still = append(p.Still, Still{Verdict: a.Verdict, By: by, Example: revision.SeenConnection(s)})
		}
		p.Still[n].Lines += s.Lines
	}
	return nil
}

// deciders are who settles a connection, and at which end.
func deciders(a *verdict.Answer) string {
	for _, st := range a.Paths[0].Stages {
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
