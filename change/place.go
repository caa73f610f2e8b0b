package change

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/words"
)

// ParsePlace parses the destination of a move: PRIORITY, or TIER/PRIORITY for plugins with tiers of their own.
// Without a priority the policy keeps its own.
func (m *Mutation) ParsePlace(text string) error {
	number := strings.TrimSpace(text)
	if t, n, both := strings.Cut(number, "/"); both {
		m.Tier, number = strings.TrimSpace(t), strings.TrimSpace(n)
		m.TierOnly = number == ""
		if m.Tier == "" {
			return fmt.Errorf("%q: want TIER/PRIORITY", text)
		}
	}
	if m.TierOnly {
		return nil
	}
	var err error
	m.Priority, err = strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(m.Priority) || math.IsInf(m.Priority, 0) || m.Priority < 0 {
		if m.Policy.Kind.HasPriority() {
			return fmt.Errorf("priority %q: want a number from 0 to 1000", number)
		}
		return fmt.Errorf("priority %q: want a number", number)
	}
	return nil
}

// placeWhy returns why a policy of this kind cannot be moved to a place, or "".
func placeWhy(p *model.Policy, tier string, priority float64) string {
	switch {
	case !p.Kind.CanMove():
		return p.Key.Label() + " has no priority: it cannot be moved"
	case p.Tiered != nil:
		return ""
	case tier != "":
		return p.Key.Label() + " has a fixed tier: give only a priority"
	case priority != math.Trunc(priority) || priority > math.MaxInt32:
		return "priority " + words.Number(priority) + ": want a whole number"
	}
	return ""
}

// TargetPlace returns the place to which a move takes a policy, with the policy's own tier or priority if not
// given. why is not empty if there is no such place.
func (m *Mutation) TargetPlace(p *model.Policy) (tier string, priority float64, why string) {
	tier, priority = m.Tier, m.Priority
	if p.Tiered != nil {
		tier = cmp.Or(tier, p.Tiered.Tier)
	}
	if m.TierOnly {
		priority = policyPriority(p)
	}
	return tier, priority, placeWhy(p, m.Tier, priority)
}
