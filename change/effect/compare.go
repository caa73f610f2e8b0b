package effect

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rung/change"
	"rung/change/guard"
	"rung/model"
	"rung/revision"
)

// Difference is everything that differs between two revisions.
type Difference struct {
	Before, After *revision.Revision
	Policies      []*PolicyChange
	Connections   *revision.Changes
	// Findings of only one of the two.
	NewFindings, GoneFindings []model.Finding
	// Guard rails that the step hits, judged for the pods of After.
	Guards []change.Guard
	// Set if connections, findings and guard rails were not compared, because one of the two has unread
	// objects.
	IsPartial bool
	// Number of ACLs that the policies compile to, before and after.
	ACLs [2]int
	// Omissions of both, with the name of their side.
	NotConsidered []model.Omission
}

// Compare returns the differences between two revisions. names name the two in omissions; protected adds to
// the platform's namespaces that guard rails protect. It fails if ctx ends, or with too many workloads.
func Compare(ctx context.Context, before, after *revision.Revision, names [2]string, protected []string) (*Difference, error) {
	d := &Difference{Before: before, After: after, Policies: comparePolicies(before, after)}
	var err error
	if d.Connections, err = revision.Compare(ctx, before, after); err != nil {
		return nil, err
	}
	if err := d.compareNetworks(ctx, names); err != nil {
		return nil, err
	}
	for i, r := range []*revision.Revision{before, after} {
		if u := r.NeverRead(); u != nil {
			d.IsPartial = true
			d.NotConsidered = append(d.NotConsidered, model.Omission{Code: model.OmittedAll,
				Why: "connections and findings were not compared: " + u.BriefText() + " (" + names[i] + ")"})
		}
	}
	if !d.IsPartial {
		if err := d.compareFindings(ctx); err != nil {
			return nil, err
		}
		if err := d.judgeGuards(ctx, protected); err != nil {
			return nil, err
		}
	}
	var sides [2][]model.Omission
	for i, r := range []*revision.Revision{before, after} {
		// Pods of read networks are compared on their networks.
		sides[i] = slices.DeleteFunc(revision.OmissionsOfAnswers(r, false), func(o model.Omission) bool {
			return o.Code == model.OmittedNetwork && o.Remedy != ""
		})
		policies := 0
		for p := range r.Cluster.EveryPolicy() {
			policies++
			d.ACLs[i] += revision.ACLCount(r, p.Key)
		}
		if r.Cluster.Count(model.KindPod) == 0 && policies == 0 {
			sides[i] = append(sides[i], model.Omission{Code: model.OmittedAll, Why: "nothing to compare: no policies and no pods"})
		}
	}
	d.addOmissions(sides, names)
	if d.Connections.MixedPairs > 0 {
		d.NotConsidered = append(d.NotConsidered, model.Omission{Code: model.OmittedPart, Why: fmt.Sprintf(
			"%d pairs of workloads are mixed before and after: changes between their single pods were not compared",
			d.Connections.MixedPairs)})
	}
	return d, nil
}

// IsEmpty reports whether nothing differs.
func (d *Difference) IsEmpty() bool {
	c := d.Connections
	return len(d.Policies)+len(c.List)+len(c.AddedEnds)+len(c.RemovedEnds)+len(d.NewFindings)+len(d.GoneFindings) == 0
}

// addOmissions adds the omissions of both sides: common ones once, the others with the name of their side.
func (d *Difference) addOmissions(sides [2][]model.Omission, names [2]string) {
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
			d.NotConsidered = append(d.NotConsidered, o)
		}
	}
}

// findingID returns an identity shared by equal findings about the same rule.
func findingID(f *model.Finding) string {
	return strings.Join([]string{f.Code, f.Policy.String(), string(f.Direction), fmt.Sprint(f.Rule), f.Message}, "\x00")
}

// compareFindings finds the findings that only one of the two has.
func (d *Difference) compareFindings(ctx context.Context) error {
	var all [2][]model.Finding
	known := [2]map[string]bool{{}, {}}
	for i, r := range []*revision.Revision{d.Before, d.After} {
		var err error
		if all[i], err = revision.AllFindings(r, ctx); err != nil {
			return fmt.Errorf("look for findings: %w", err)
		}
		for k := range all[i] {
			known[i][findingID(&all[i][k])] = true
		}
	}
	onlyIn := func(side int) []model.Finding {
		return slices.DeleteFunc(slices.Clone(all[side]), func(f model.Finding) bool { return known[1-side][findingID(&f)] })
	}
	d.GoneFindings, d.NewFindings = onlyIn(0), onlyIn(1)
	return nil
}

// judgeGuards judges the step from Before's policies to After's, for After's pods.
func (d *Difference) judgeGuards(ctx context.Context, protected []string) error {
	if len(d.Policies) == 0 {
		return nil
	}
	changes := make([]change.ObjectChange, len(d.Policies))
	for i, p := range d.Policies {
		changes[i] = p.ObjectChange
	}
	before := RevisionBefore(d.After, changes)
	facts := guard.ClusterFacts{Protected: protected}
	_, rails, err := guard.JudgeChanges(ctx, before, d.After, changes, facts)
	if err != nil {
		return fmt.Errorf("judge the guard rails: %w", err)
	}
	d.Guards = append(rails, guard.DeletionRails(changes)...)
	return nil
}
