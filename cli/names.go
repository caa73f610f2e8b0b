package cli

import (
	"fmt"
	"slices"
	"strings"

	"rung/cli/command"
	"rung/model"
	"rung/revision"
)

// CheckName rejects labels and fields next to a name, as kubectl does.
func (s *Selection) CheckName(name string) error {
	if s.byContent() {
		return fmt.Errorf("%s names one: leave -l and --field-selector out", name)
	}
	return nil
}

// UnitsNamed returns the named policy ("cluster-control", "ANP/cluster-control", "BANP/default", "blue/web")
// and the units with rows for it; without a name the selected units.
func (s *Selection) UnitsNamed(r *revision.Revision, names []string) ([]model.PolicyKey, error) {
	if err := s.Check(r); err != nil {
		return nil, err
	}
	if len(names) == 0 {
		keeps := s.UnitFilter(r)
		return slices.DeleteFunc(slices.Clone(r.Units()), func(k model.PolicyKey) bool { return !keeps(k) }), nil
	}
	k, err := s.PolicyNamed(r, names[0])
	if err != nil {
		return nil, err
	}
	return append([]model.PolicyKey{k}, r.RelatedUnits(k)...), nil
}

// PolicyNamed returns the policy called name; -n may give its namespace.
func (s *Selection) PolicyNamed(r *revision.Revision, name string) (model.PolicyKey, error) {
	if err := s.CheckName(name); err != nil {
		return model.PolicyKey{}, err
	}
	ns := s.Namespace()
	if ns == "" {
		return command.PolicyNamed(r, name)
	}
	if err := s.Check(r); err != nil {
		return model.PolicyKey{}, err
	}
	full := ns + "/" + name
	if kind, rest, ok := strings.Cut(name, "/"); ok {
		full = kind + "/" + ns + "/" + rest
	}
	k, err := command.PolicyNamed(r, full)
	if err == nil {
		return k, nil
	}
	if k, other := command.PolicyNamed(r, name); other == nil {
		err = nil
		if !s.keepsNamespace(k) {
			err = fmt.Errorf("%s is not in namespace %s", k.Label(), ns)
		}
		return k, err
	}
	return k, err
}

// PodName returns the NAMESPACE/NAME of a pod; -n may give the namespace.
func (s *Selection) PodName(name string) (string, error) {
	if err := s.CheckName(name); err != nil {
		return "", err
	}
	ns := s.Namespace()
	if ns == "" {
		return name, nil
	}
	short := strings.TrimPrefix(name, model.KindPod.ResourceName()+"/")
	in, _, ok := strings.Cut(short, "/")
	switch {
	case !ok:
		return ns + "/" + short, nil
	case in != ns:
		return "", fmt.Errorf("%s is not in namespace %s", short, ns)
	}
	return short, nil
}
