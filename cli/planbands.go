package cli

import (
	"errors"
	"fmt"
	"strings"

	"rung/cli/command"
	"rung/model"
	"rung/model/plan"
	"rung/revision"
)

// tierPlace is the JSON of `rung plan --insert` in a system with tiers.
type tierPlace struct {
	Tier     string  `json:"tier"`
	Priority float64 `json:"priority"`
}

// String returns the place as rung move takes it.
func (p tierPlace) String() string { return fmt.Sprintf("%s/%v", p.Tier, p.Priority) }

// tierPlaces is the JSON of `rung plan` in a system with tiers: free places before, between and after the
// policies of each tier.
type tierPlaces struct {
	Places []tierPlace `json:"places"`
}

// errNoSpacing says why policies in tiers are not re-spaced.
var errNoSpacing = errors.New("plan: fractional priorities need no re-spacing; " +
	"--insert ABOVE,BELOW finds a place for rung move")

// tiersAnswer answers `rung plan` in a system whose tiers have fractional priorities.
func tiersAnswer(r *revision.Revision, f *planFlags) (*command.Answer, error) {
	if f.respace {
		return nil, errNoSpacing
	}
	bands, omits := revision.LadderBands(r), revision.OmissionsOfObjects(r)
	if f.insert == "" {
		const usual = 5 // for a tier without policies
		slots, _ := plan.PlacesInTiers(bands, model.Key{}, plan.TierPlace{Priority: usual})
		out := tierPlaces{Places: []tierPlace{}}
		text := "free places, as rung move takes them:\n"
		for _, s := range slots {
			p := tierPlace(s)
			out.Places = append(out.Places, p)
			text += p.String() + "\n"
		}
		return &command.Answer{Value: out, Text: func(bool) string { return text }, NotConsidered: omits}, nil
	}
	above, below, both := strings.Cut(f.insert, ",")
	if !both {
		return nil, fmt.Errorf("--insert %q: want ABOVE,BELOW, two policies by name", f.insert)
	}
	var ends [2]model.Key
	for i, name := range []string{above, below} {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		k, err := command.PolicyNamed(r, name)
		if err != nil {
			return nil, fmt.Errorf("--insert: %w", err)
		}
		ends[i] = k
	}
	slot, err := plan.InsertInTiers(bands, ends[0], ends[1])
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	p := tierPlace(slot)
	return &command.Answer{Value: p, Text: func(bool) string { return p.String() + " is free\n" }, NotConsidered: omits}, nil
}
