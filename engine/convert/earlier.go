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

// conversionWay is a conversion of the policies of a cluster, before anything of it is written.
type conversionWay struct {
	made          labels.Result
	before, after *system.System
	converts      func(model.Kind) bool // the kinds that are converted
	stays         map[model.Key]bool    // the policies that are not converted
	notes         []Note                // about what stays as it is, or is not as it was
}

// wayTo converts policies of a revision's cluster, all or some, as its flags and their system have it.
func wayTo(r *revision.Revision, c *model.Cluster, to Target) (conversionWay, error) {
	is := r.System
	if c != r.Cluster { // the policies left out may be all there are of their system
		is, _ = system.ChooseSystem(r.Flags.System, c, "")
	}
	native := is == system.Antrea && c.Count(model.KindACNP)+c.Count(model.KindANNP) > 0
	way := conversionWay{before: system.OVN, after: system.OVN, converts: model.Kind.IsAdmin, stays: map[model.Key]bool{}}
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
			way.stays[p.Key] = true
			way.notes = append(way.notes, Note{About: p.Key, Text: fmt.Sprintf("stays as it is: OVN-Kubernetes does not enforce priority %d",
				p.Priority)})
		}
		way.made = labels.ToANP(policies)
	default:
		return way, fmt.Errorf("there is no conversion to %q", to)
	}
	return way, nil
}

// earlierResults are the policies of a cluster that a conversion of the others makes, but for their
// priorities: they stand beside what they were made of, and would be in the way of their own names.
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
	way, err := wayTo(r, others, to)
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

// withoutPriority is a policy at the first priority.
func withoutPriority(p *model.Policy) *model.Policy {
	next := *p
	next.Priority, next.Origin = 0, model.Origin{Source: "convert", Item: -1}
	if p.Tiered != nil {
		tiered := *p.Tiered
		tiered.Priority, next.Tiered = 1, &tiered
	}
	return &next
}
