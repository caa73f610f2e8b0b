package made

import (
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rung/model"
)

// DiffPolicies says where two policies in normal form differ in what their author decides,
// whatever object and text they have; empty where nowhere.
func DiffPolicies(want, got *model.Policy) string {
	return cmp.Diff(want, got,
		cmp.Comparer(func(a, b model.Selector) bool { return a.IsNil() == b.IsNil() && a.Key() == b.Key() }),
		cmp.Comparer(func(a, b model.Labels) bool { return a.Key() == b.Key() }),
		cmpopts.EquateEmpty(),
		cmpopts.IgnoreFields(model.Policy{}, "Original", "YAML", "Digested", "Invalid", "Conditions", "Older", "APIVersion"),
		cmpopts.IgnoreFields(model.Meta{}, "UID", "Version", "Created", "Origin"),
		cmpopts.IgnoreFields(model.TieredPolicy{}, "Phase", "NodesRealized", "NodesDesired"),
		cmp.Comparer(func(a, b model.Port) bool {
			return a.Protocol == b.Protocol && a.Name == b.Name && a.Start == b.Start && a.End == b.End &&
				(a.Range || a.End > a.Start) == (b.Range || b.End > b.Start)
		}))
}
