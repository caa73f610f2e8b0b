package change

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/words"
)

// ParsePlace reads where a policy is to stand: PRIORITY, and TIER/PRIORITY where policies stand in tiers
// of their plugin's own; without a priority it stays as it is.
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

// placeWhy says why a policy cannot stand at a place, empty where it can as far as its kind tells.
func placeWhy(p *model.Policy, tier string, priority float64) string {
	switch {
	case !p.Kind.CanMove():
		return p.Key.Label() + " has no priority: it cannot be moved"
	case p.Tiered != nil:
		return ""
	case tier != "":
		return p.Key.Label() + " stands in no tier that can be chosen"
	case priority != math.Trunc(priority) || priority > math.MaxInt32:
		return "priority " + words.Number(priority) + ": want a whole number"
	}
	return ""
}

// PlaceOf is the place that a move gives a policy: what it leaves open is as it is. why says that there
// is no such place.
func (m *Mutation) PlaceOf(p *model.Policy) (tier string, priority float64, why string) {
	tier, priority = m.Tier, m.Priority
	own := float64(p.Priority)
	if p.Tiered != nil {
		own = p.Tiered.Priority
		if tier == "" {
			tier = p.Tiered.Tier
		}
	}
	if m.TierOnly {
		priority = own
	}
	return tier, priority, placeWhy(p, m.Tier, priority)
}
