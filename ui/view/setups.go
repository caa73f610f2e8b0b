package view

import "rung/ui/nav"

// Setups are how pages of a kind were last set up by the user, for the next page of that
// kind: until the console ends. The zero value and nil keep nothing.
type Setups struct{ by map[nav.Kind]any }

// Keep keeps what the next page of a kind begins with.
func (k *Setups) Keep(kind nav.Kind, set any) {
	if k == nil {
		return
	}
	if k.by == nil {
		k.by = map[nav.Kind]any{}
	}
	k.by[kind] = set
}

// Of is what was kept for a kind of page, nil for nothing.
func (k *Setups) Of(kind nav.Kind) any {
	if k == nil {
		return nil
	}
	return k.by[kind]
}
