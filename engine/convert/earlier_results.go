package convert

import (
	"fmt"
	"slices"

	"rung/model"
	labels "rung/model/convert"
	"rung/revision"
	"rung/sources/manifests"
	"rung/system"
)

// conversionPlan is a conversion of a cluster's policies, before any text is written.
type conversionPlan struct {
	made          labels.Result
	before, after *system.System
	converts      func(model.Kind) bool // reports whether a kind is converted
	unconverted   map[model.Key]bool    // policies not converted
	notes         []Note                // about unconverted or changed policies
}

// planConversion converts all or some policies of a revision's cluster, under its flags and their system.
func planConversion(r *revision.Revision, c *model.Cluster, to Target) (conversionPlan, error) {
	is := r.System
	if c != r.Cluster { // perhaps no policy of its system is left in c
		is, _ = system.ChooseSystem(r.Flags.System, c, "")
	}
	native := is == system.Antrea && c.Count(model.KindACNP)+c.Count(model.KindANNP) > 0
	way := conversionPlan{before: system.OVN, after: system.OVN, converts: model.Kind.IsAdmin, unconverted: map[model.Key]bool{}}
	switch {
	case to == ToAntrea:
		way.made, way.before, way.after = labels.ToAntrea(c), is, system.Antrea
	case to == ToCNP && native:
		way.made, way.before, way.converts = labels.FromAntrea(c, model.KindCNP), system.Antrea, model.Kind.IsTiered
	case to == ToANP && native:
		way.made, way.before, way.converts = labels.FromAntrea(c, model.KindANP), system.Antrea, model.Kind.IsTiered
	case to == ToCNP:
		way.made = labels.ToCNP(slices.Collect(c.AllPolicies()))
		for p := range c.Policies(model.KindANP) {
			if p.Priority > r.Flags.MaxPriority {
				way.notes = append(way.notes, Note{About: p.Key, Text: fmt.Sprintf("not enforced now (priority %d is above %d); the CNP may be",
					p.Priority, r.Flags.MaxPriority)})
			}
		}
	case to == ToANP:
		var policies []*model.Policy
		for p := range c.AllPolicies() {
			if idle := p.Kind == model.KindANP && p.Priority > r.Flags.MaxPriority; !idle ||
				c.Policy(model.Key{Kind: model.KindCNP, Name: p.Name}) != nil {
				policies = append(policies, p)
				continue
			}
			way.unconverted[p.Key] = true
			way.notes = append(way.notes, Note{About: p.Key, Text: fmt.Sprintf("not converted: OVN-Kubernetes does not enforce priority %d",
				p.Priority)})
		}
		way.made = labels.ToANP(policies)
	default:
		return way, fmt.Errorf("no conversion to %q", to)
	}
	return way, nil
}

// earlierResults returns the policies of a cluster that a conversion of the others makes again, except for
// their priorities. They exist next to their originals, so new results would collide with their names.
func earlierResults(r *revision.Revision, to Target) (out []model.Key, err error) {
	var theirs []model.Key
	for o := range r.Cluster.Objects() {
		if p, ok := o.(*model.Policy); ok && to.writesKind(p.Kind) {
			theirs = append(theirs, p.Key)
		}
	}
	if len(theirs) == 0 {
		return nil, nil
	}
	others, _ := r.Cluster.Upsert(nil, theirs)
	way, err := planConversion(r, others, to)
	if err != nil {
		return nil, err
	}
	for _, p := range way.made.Policies {
		was := r.Cluster.Policy(p.Key)
		if was == nil {
			continue
		}
		again, err := manifests.PolicyObject(withoutPriority(p))
		if err != nil {
			return nil, err
		}
		if is, err := manifests.PolicyObject(withoutPriority(was)); err == nil && is.YAML == again.YAML {
			out = append(out, p.Key)
		}
	}
	return out, nil
}

// withoutPriority returns a copy of the policy at the first priority.
func withoutPriority(p *model.Policy) *model.Policy {
	next := *p
	next.Priority, next.Origin = 0, model.Origin{Source: "convert", Item: -1}
	if p.Tiered != nil {
		tiered := *p.Tiered
		tiered.Priority, next.Tiered = 1, &tiered
	}
	return &next
}
