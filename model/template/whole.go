package template

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"rung/model"
)

// ErrWhole says that a set misses nothing.
var ErrWhole = errors.New("nothing is missing")

// Whole makes what a set misses: the policies of tenants that came since, with what has to
// name them, and those that are gone, at the priorities where the others of the set are now.
// Values of leaveOut are recorded as no tenants. Only what has to be written is in the set
// that comes back.
func (k *Known) Whole(w *World, leaveOut []string) (*Set, error) {
	if k.Template == nil {
		return nil, fmt.Errorf("set %s is of the template %q, which this Rung does not know", k.Name, k.Called)
	}
	if len(leaveOut) > 0 && k.Template != isolation {
		return nil, fmt.Errorf("set %s has no tenants to leave out", k.Name)
	}
	missing := k.Missing(w.Cluster)
	given := maps.Clone(k.Answers)
	delete(given, askPriority)
	delete(given, askName)
	tenants := list(given[askTenants])
	if k.Template == isolation {
		for _, v := range k.added(w.Cluster) {
			if !slices.Contains(leaveOut, v) {
				tenants = append(tenants, v)
			}
		}
		tenants = slices.DeleteFunc(tenants, func(v string) bool { return slices.Contains(leaveOut, v) })
		given[askTenants] = strings.Join(tenants, ",")
		given[askLeftOut] = strings.Join(append(list(given[askLeftOut]), leaveOut...), ",")
		if given[askLeftOut] == "" {
			delete(given, askLeftOut) // nobody is: no first offer either, all values are tenants
		}
	}
	for _, v := range leaveOut {
		if k.parts[tenantPart(v)] != nil {
			return nil, fmt.Errorf("%s is a tenant of the set %s: delete its policy first", v, k.Name)
		}
	}
	own := *w
	own.keeps = k.Name
	a, err := k.Template.Complete(&own, given, true)
	if err != nil {
		return nil, fmt.Errorf("the annotation of the set %s: %w", k.Name, err)
	}
	if k.Template.priorities > 0 {
		if a[askPriority], err = k.priorities(&own); err != nil {
			return nil, fmt.Errorf("set %s: %w", k.Name, err)
		}
	}
	s, err := k.Template.build(&own, a, k.Name)
	if err != nil {
		return nil, err
	}
	grown := len(list(k.Answers[askTenants])) != len(tenants) || len(leaveOut) > 0
	s.Policies = slices.DeleteFunc(s.Policies, func(p Policy) bool {
		gone := slices.ContainsFunc(missing, func(m Missing) bool { return m.Part == p.Part })
		return !gone && !(p.Part == mainPart && grown)
	})
	if len(s.Policies) == 0 {
		return nil, fmt.Errorf("set %s: %w", k.Name, ErrWhole)
	}
	for _, p := range s.Policies {
		old := w.Cluster.Policy(p.Key)
		if r, ok := (Record{}), false; old != nil {
			if r, ok = RecordOf(old); (!ok || r.Set != k.Name || r.Part != p.Part) && p.Key.Kind == model.KindANP {
				return nil, fmt.Errorf("set %s: there is a policy %s already, which is not of the set", k.Name, p.Key.Name)
			}
		}
	}
	return s, nil
}

// priorities are those where the policies of the set are now; one that no policy has any more
// is as it was, or the next free one.
func (k *Known) priorities(w *World) (string, error) {
	board, err := w.board()
	if err != nil {
		return "", err
	}
	taken := map[int32]bool{}
	for _, s := range board.Slots() {
		taken[s.Priority] = true
	}
	at := make([]int32, k.Template.priorities)
	was := list(k.Answers[askPriority])
	live := make([]bool, len(at))
	for part, p := range k.parts {
		if i := k.Template.slots[part]; p.Kind == model.KindANP && (!live[i] || p.Priority < at[i]) {
			at[i], live[i] = p.Priority, true
		}
	}
	for i := range at {
		if live[i] {
			continue
		}
		if i < len(was) {
			if n, err := strconv.ParseInt(was[i], 10, 32); err == nil && n >= 0 && n <= int64(w.Max) && !taken[int32(n)] {
				at[i] = int32(n)
				continue
			}
		}
		before := int32(-1)
		if i > 0 {
			before = at[i-1]
		}
		if at[i], err = board.After(before); err != nil {
			return "", err
		}
	}
	return prioritiesText(at), nil
}
