package difference

import (
	"context"
	"fmt"
	"slices"

	"rung/change"
	"rung/change/effect"
	"rung/change/guard"
	"rung/model"
	"rung/revision"
)

// Compare returns the differences between two revisions. names name the two, also in omissions; protected adds to
// the platform's namespaces that guard rails protect. It fails if ctx ends, or with too many workloads.
func Compare(ctx context.Context, before, after *revision.Revision, names [2]string, protected []string) (*Facts, error) {
	f := &Facts{Before: names[0], After: names[1], sides: [2]*revision.Revision{before, after}, Policies: comparePolicies(before, after)}
	changes, err := revision.Compare(ctx, before, after)
	if err != nil {
		return nil, err
	}
	if err := f.compareNetworks(ctx, changes, names); err != nil {
		return nil, err
	}
	for i, r := range f.sides {
		if u := r.NeverRead(); u != nil {
			f.isPartial = true
			f.NotConsidered = append(f.NotConsidered, model.Omission{Code: model.OmittedAll,
				Why: "connections and findings were not compared: " + u.BriefText() + " (" + names[i] + ")"})
		}
	}
	var rails []change.Guard
	if !f.isPartial {
		if err := f.compareFindings(ctx); err != nil {
			return nil, err
		}
		if rails, err = f.judgeGuards(ctx, protected); err != nil {
			return nil, err
		}
	}
	var omitted [2][]model.Omission
	var acls [2]int
	for i, r := range f.sides {
		// Pods of read networks are compared on their networks.
		omitted[i] = slices.DeleteFunc(revision.OmissionsOfAnswers(r, false), func(o model.Omission) bool {
			return o.Code == model.OmittedNetwork && o.Remedy != ""
		})
		policies := 0
		for p := range r.Cluster.EveryPolicy() {
			policies++
			acls[i] += revision.ACLCount(r, p.Key)
		}
		if r.Cluster.Count(model.KindPod) == 0 && policies == 0 {
			omitted[i] = append(omitted[i], model.Omission{Code: model.OmittedAll, Why: "nothing to compare: no policies and no pods"})
		}
	}
	f.addOmissions(omitted, names)
	if changes.MixedPairs > 0 {
		f.NotConsidered = append(f.NotConsidered, model.Omission{Code: model.OmittedPart, Why: fmt.Sprintf(
			"%d pairs of workloads are mixed before and after: changes between their single pods were not compared", changes.MixedPairs)})
	}
	f.Connections = make([]*Connection, len(changes.List))
	for i := range changes.List {
		f.Connections[i] = newConnection(&changes.List[i])
	}
	name := func(e revision.End) string { return e.String() }
	f.Workloads = AddedAndRemoved{model.MapList(changes.AddedEnds, name), model.MapList(changes.RemovedEnds, name)}
	f.Findings = NewAndGoneFindings{newFindings(f.onlyIn[1]), newFindings(f.onlyIn[0])}
	f.Guards, f.ACLs = model.MapList(rails, newGuard), BeforeAfter{acls[0], acls[1]}
	return f, nil
}

// addOmissions adds the omissions of both sides: common ones once, the others with the name of their side.
func (f *Facts) addOmissions(sides [2][]model.Omission, names [2]string) {
	same := func(a, b *model.Omission) bool {
		return a.Code == b.Code && a.Key == b.Key && a.Why == b.Why && a.Origin.File == b.Origin.File && a.Origin.Line == b.Origin.Line
	}
	for i, all := range sides {
		for k := range all {
			o := all[k]
			both := slices.ContainsFunc(sides[1-i], func(other model.Omission) bool { return same(&o, &other) })
			if both && i == 1 {
				continue
			}
			if !both {
				o.Why += " (" + names[i] + ")"
			}
			f.NotConsidered = append(f.NotConsidered, o)
		}
	}
}

// compareFindings finds the findings that only one of the two has.
func (f *Facts) compareFindings(ctx context.Context) error {
	var all [2][]model.Finding
	known := [2]map[string]bool{{}, {}}
	for i, r := range f.sides {
		var err error
		if all[i], err = revision.AllFindings(r, ctx); err != nil {
			return fmt.Errorf("look for findings: %w", err)
		}
		for k := range all[i] {
			known[i][effect.FindingID(&all[i][k])] = true
		}
	}
	for i := range all {
		f.onlyIn[i] = slices.DeleteFunc(slices.Clone(all[i]), func(o model.Finding) bool { return known[1-i][effect.FindingID(&o)] })
	}
	return nil
}

// judgeGuards judges the step from the policies of before to those of after, for the pods of after.
func (f *Facts) judgeGuards(ctx context.Context, protected []string) ([]change.Guard, error) {
	if len(f.Policies) == 0 {
		return nil, nil
	}
	changes := model.MapList(f.Policies, func(p *PolicyChange) change.ObjectChange { return p.ObjectChange })
	after := f.sides[1]
	before := effect.RevisionBefore(after, changes)
	facts := guard.ClusterFacts{Protected: protected}
	_, rails, err := guard.JudgeChanges(ctx, before, after, changes, facts)
	if err != nil {
		return nil, fmt.Errorf("judge the guard rails: %w", err)
	}
	return append(rails, guard.DeletionRails(changes)...), nil
}

// compareNetworks adds the connections on all networks except the default one, each with its network. A
// network of only one side is noted and not compared.
func (f *Facts) compareNetworks(ctx context.Context, changes *revision.Changes, names [2]string) error {
	var networks []string
	for _, r := range f.sides {
		if r.Network == nil {
			networks = append(networks, networkNames(r)...)
		}
	}
	slices.Sort(networks)
	for _, name := range slices.Compact(networks) {
		var on [2]*revision.Revision
		for i, r := range f.sides {
			on[i] = revision.OnNetwork(r, name)
			if on[i] == nil {
				f.NotConsidered = append(f.NotConsidered, model.Omission{Code: model.OmittedPart, Key: model.Key{Kind: model.KindPod},
					Why: "network " + name + " does not exist (" + names[i] + "): its connections were not compared"})
			}
		}
		if on[0] == nil || on[1] == nil {
			continue
		}
		there, err := revision.Compare(ctx, on[0], on[1])
		if err != nil {
			return err
		}
		changes.JoinNetwork(there, name)
	}
	return nil
}

func networkNames(r *revision.Revision) []string {
	if w := revision.WholeDesired(r); w != nil && w.Networks() != nil {
		return w.Networks().Names()
	}
	return nil
}
