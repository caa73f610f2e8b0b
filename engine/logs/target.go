package logs

import (
	"fmt"
	"strconv"
	"strings"

	"rung/model"
	"rung/revision"
)

// TargetHelp explains how to write a target.
const TargetHelp = "NAME or NAME=PRIORITY of a new AdminNetworkPolicy, or an existing policy if its subject fits exactly"

// NewName returns a free name for a new AdminNetworkPolicy.
func NewName(rev *revision.Revision) string {
	name := ruleName
	for n := 2; rev.Cluster.Policy(model.PolicyKey{Kind: model.KindANP, Name: name}) != nil; n++ {
		name = fmt.Sprintf("%s-%d", ruleName, n)
	}
	return name
}

// ParseTarget finds the policy to propose for by name or NAMESPACE/NAME, preceded by its kind if two have the
// name. Any other name is for a new AdminNetworkPolicy.
func ParseTarget(rev *revision.Revision, text string, action model.Action) (Target, error) {
	name, number, hasNumber := strings.Cut(strings.TrimSpace(text), "=")
	t := Target{Policy: model.PolicyKey{Kind: model.KindANP, Name: name}, Priority: -1, Action: action}
	if name == "" {
		return t, fmt.Errorf("a name is missing: %s", TargetHelp)
	}
	if hasNumber {
		n, err := strconv.ParseInt(number, 10, 32)
		if err != nil || n < 0 || n > int64(rev.Flags.MaxPriority) {
			return t, fmt.Errorf("priority %q: use 0 to %d", number, rev.Flags.MaxPriority)
		}
		t.Priority = int32(n)
	}
	var found []model.PolicyKey
	for p := range rev.Cluster.AllPolicies() {
		k := p.Key
		short := strings.TrimPrefix(k.Namespace+"/"+k.Name, "/")
		if name == short || strings.EqualFold(name, k.Kind.Abbreviation()+"/"+short) || strings.EqualFold(name, string(k.Kind)+"/"+short) {
			found = append(found, k)
		}
	}
	switch {
	case len(found) > 1:
		return t, fmt.Errorf("%q is ambiguous: %s or %s", name, found[0].Label(), found[1].Label())
	case len(found) == 1 && hasNumber:
		return t, fmt.Errorf("%s already exists: omit the priority", found[0].Label())
	case len(found) == 1:
		t.Policy = found[0]
	case strings.Contains(name, "/"):
		return t, fmt.Errorf("no policy %q; a new policy can only be an AdminNetworkPolicy", name)
	}
	return t, nil
}
