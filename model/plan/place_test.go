package plan

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlace(t *testing.T) {
	for _, c := range []struct {
		name, now string
		n         int
		before    int32
		want      []int32
		none      bool
	}{
		{"an empty ladder has the middle range", "", 2, 100, []int32{40, 43}, false},
		{"one alone", "", 1, 100, []int32{40}, false},
		{"before a policy, with room between", "34 control", 2, 34, []int32{15, 18}, false},
		{"in the last run that leaves room", "30 glass; 34 control", 2, 34, []int32{31, 33}, false},
		{"one in the middle of it", "30 glass; 34 control", 1, 34, []int32{32}, false},
		{"further up where there is no room between", "30 glass; 33 control", 2, 33, []int32{13, 16}, false},
		{"without room where there is none", "2 glass; 3 control", 2, 3, []int32{0, 1}, false},
		{"nothing before the first priority", "0 control", 1, 0, nil, true},
		{"behind the last", "98 control", 1, 100, []int32{99}, false},
		{"a policy that is not enforced takes no place", "120 late", 1, 100, []int32{40}, false},
	} {
		got, err := board(t, c.now, 99).FreePlaces(c.n, c.before)
		if c.none != errors.Is(err, ErrNoSpace) || err != nil && !c.none {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestBehind(t *testing.T) {
	b := board(t, "40 a; 43 b; 98 c", 99)
	if got, err := b.FreePlaceBehind(10); err != nil || got != 99 {
		t.Errorf("behind all: %d, %v", got, err)
	}
	if got, err := board(t, "40 a", 99).FreePlaceBehind(43); err != nil || got != 71 {
		t.Errorf("behind all and 43: %d, %v", got, err)
	}
	if _, err := board(t, "99 a", 99).FreePlaceBehind(10); !errors.Is(err, ErrNoSpace) {
		t.Errorf("behind the last: %v", err)
	}
}
