package plan

import (
	"errors"
	"strings"
	"testing"

	"rung/model"
	"rung/model/ladder"
)

func TestInsertInTiers(t *testing.T) {
	key := func(name string) model.Key { return model.Key{Kind: model.KindACNP, Name: name} }
	band := func(tier string, at map[float64][]string, order ...float64) ladder.Band {
		b := ladder.Band{Name: tier, Tier: &model.Tier{}}
		for _, p := range order {
			r := ladder.BandRung{Priority: p}
			for _, name := range at[p] {
				r.Policies = append(r.Policies, ladder.RungPolicy{Policy: &model.Policy{Meta: model.Meta{Key: key(name)}}})
			}
			b.Rungs = append(b.Rungs, r)
		}
		return b
	}
	bands := []ladder.Band{
		band("ops", map[float64][]string{1: {"first"}, 5: {"five", "same"}, 5.1: {"near"}, 9: {"nine"}}, 1, 5, 5.1, 9),
		band("full", map[float64][]string{10000: {"last"}}, 10000),
	}
	for _, tt := range []struct {
		above, below string
		want         TierPlace
		wrong        string
	}{
		{"five", "near", TierPlace{"ops", 5.05}, ""},
		{"first", "nine", TierPlace{"ops", 3}, ""}, // in the widest room between them
		{"nine", "", TierPlace{"ops", 10}, ""},
		{"", "five", TierPlace{"ops", 3}, ""},
		{"", "first", TierPlace{}, "no room in tier ops at that place"},
		{"last", "", TierPlace{}, "no room in tier full at that place"},
		{"five", "same", TierPlace{}, "share priority 5"},
		{"nine", "five", TierPlace{}, "comes after"},
		{"nine", "last", TierPlace{}, "a policy cannot be between two tiers"},
		{"nobody", "", TierPlace{}, "in no tier"},
		{"", "", TierPlace{}, "name at least one policy"},
	} {
		var keys [2]model.Key
		for i, name := range []string{tt.above, tt.below} {
			if name != "" {
				keys[i] = key(name)
			}
		}
		got, err := InsertInTiers(bands, keys[0], keys[1])
		if got != tt.want && tt.wrong == "" || (err == nil) != (tt.wrong == "") || err != nil && !strings.Contains(err.Error(), tt.wrong) {
			t.Errorf("between %q and %q: %v, %v; want %v, %q", tt.above, tt.below, got, err, tt.want, tt.wrong)
		}
	}
	if _, err := InsertInTiers(bands, key("last"), model.Key{}); !errors.Is(err, ErrNoSpace) {
		t.Errorf("no room is told by %v", err)
	}
}
