package change

import (
	"fmt"

	"rung/model"
	"rung/revision"
	"rung/sources/manifests"
)

// FixMutation returns the change that fixes a finding.
func FixMutation(r *revision.Revision, f *model.Finding) (Mutation, error) {
	if f.Fix.Port == 0 {
		return Mutation{Op: OpMove, Policy: f.Policy, Priority: float64(f.Fix.Priority)}, nil
	}
	p := r.Cluster.Changeable(f.Policy)
	if p == nil {
		return Mutation{}, fmt.Errorf("%s no longer exists", f.Policy.Label())
	}
	next, err := manifests.WithTCPPort(p, f.Fix.Rule, f.Fix.Port)
	if err != nil {
		return Mutation{}, fmt.Errorf("writing the port into %s: %w", f.Policy.Label(), err)
	}
	return Mutation{Op: OpApply, YAML: []byte(next.YAML), Base: []byte(p.YAML)}, nil
}
