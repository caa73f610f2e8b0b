package plan

import "fmt"

// Verify checks steps against the arrangement they start from, without knowing
// how they were made. After every prefix, of two policies that were apart the
// one that decided first still does, and they are apart; a policy is enforced
// (max is the largest priority that is) if and only if it was. After all steps
// those that were tied are tied. The error names the first step that fails.
func Verify(steps []Step, start []Slot, max int32) error {
	was := make(map[string]int32, len(start))
	at := make(map[string]int32, len(start))
	for _, s := range start {
		if _, twice := was[s.Policy]; twice {
			return fmt.Errorf("policy %s stands on the ladder twice", s.Policy)
		}
		was[s.Policy], at[s.Policy] = s.Priority, s.Priority
	}
	for i, s := range steps {
		fail := func(format string, args ...any) error {
			return fmt.Errorf("step %d (%s %d → %d): %s", i+1, s.Policy, s.From, s.To, fmt.Sprintf(format, args...))
		}
		switch p, ok := at[s.Policy]; {
		case !ok:
			return fail("the policy is not on the ladder")
		case p != s.From:
			return fail("the policy stands at %d", p)
		case s.From == s.To:
			return fail("moves nothing")
		case s.To < 0 || s.To > LargestPriority:
			return fail("the API takes 0 to %d", LargestPriority)
		case s.From <= max && s.To > max:
			return fail("the policy would no longer be enforced: above %d", max)
		case s.From > max && s.To <= max:
			return fail("the policy would come into force unasked")
		}
		at[s.Policy] = s.To
		// Only pairs with the policy that moved can have changed.
		for _, o := range start {
			if o.Policy == s.Policy || o.Priority == was[s.Policy] {
				continue
			}
			switch {
			case at[o.Policy] == s.To:
				return fail("ties it with %s", o.Policy)
			case (was[s.Policy] < o.Priority) != (s.To < at[o.Policy]):
				return fail("inverts it with %s (%d)", o.Policy, at[o.Policy])
			}
		}
	}
	first := map[int32]string{}
	for _, s := range start {
		o, ok := first[s.Priority]
		if !ok {
			first[s.Priority] = s.Policy
		} else if at[o] != at[s.Policy] {
			return fmt.Errorf("after all steps %s (%d) and %s (%d), tied before, are apart", o, at[o], s.Policy, at[s.Policy])
		}
	}
	return nil
}
