package ladder

import (
	"fmt"
	"strings"
	"testing"

	"rung/model"
)

// A policy that is moved leaves its rung and joins or makes another; the ladder it was
// taken from stays as it is.
func TestMoved(t *testing.T) {
	at := func(priority int32, names ...string) Rung {
		r := Rung{Priority: priority, Duplicate: len(names) > 1}
		for _, n := range names {
			p := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindANP, Name: n}}}
			r.Policies = append(r.Policies, RungPolicy{Policy: p, Conflicts: []int{1}})
		}
		return r
	}
	l := &Ladder{Max: 9, Tiers: make([]Tier, 4)}
	l.Tiers[model.TierAdmin].Rungs = []Rung{at(2, "a"), at(4, "b", "c"), at(6, "d")}
	text := func(rungs []Rung) string {
		var b strings.Builder
		for _, r := range rungs {
			fmt.Fprintf(&b, "%d", r.Priority)
			for _, p := range r.Policies {
				b.WriteString(p.Policy.Name)
			}
			if r.Duplicate {
				b.WriteString("=")
			}
			b.WriteString(" ")
		}
		return strings.TrimSpace(b.String())
	}
	was := text(l.Tiers[model.TierAdmin].Rungs)
	for _, tt := range []struct {
		name     string
		priority int32
		want     string
		gaps     []Gap
	}{
		{"a", 4, "4bca= 6d", []Gap{{0, 3}, {5, 5}, {7, 9}}},
		{"a", 5, "4bc= 5a 6d", []Gap{{0, 3}, {7, 9}}},
		{"b", 9, "2a 4c 6d 9b", []Gap{{0, 1}, {3, 3}, {5, 5}, {7, 8}}},
		{"d", 6, "2a 4bc= 6d", []Gap{{0, 1}, {3, 3}, {5, 5}, {7, 9}}},
	} {
		rungs, gaps := l.WithMoved(model.Key{Kind: model.KindANP, Name: tt.name}, tt.priority)
		if got := text(rungs); got != tt.want || fmt.Sprint(gaps) != fmt.Sprint(tt.gaps) {
			t.Errorf("%s to %d: %s, free %v; want %s, free %v", tt.name, tt.priority, got, gaps, tt.want, tt.gaps)
		}
		for _, r := range rungs {
			for _, p := range r.Policies {
				if p.Policy.Name == tt.name && p.Conflicts != nil {
					t.Errorf("%s at %d: conflicts of the place it left", tt.name, tt.priority)
				}
			}
		}
	}
	if now := text(l.Tiers[model.TierAdmin].Rungs); now != was {
		t.Errorf("the ladder is %s, and was %s", now, was)
	}
}
