package cli

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/revision"
)

// Of a change that cannot be put back it is said why, at once and every 10 s.
func TestTrialTold(t *testing.T) {
	start := time.Date(2026, 11, 3, 10, 0, 0, 0, time.UTC)
	told := trialReport{left: 12 * time.Second}
	var got []string
	for second := range 45 {
		now := start.Add(time.Duration(second) * time.Second)
		u := &revision.UnconfirmedChange{Until: start.Add(12 * time.Second)}
		if second >= 13 {
			u.Why = "no space left"
		}
		if second >= 37 {
			u.Why = "read-only"
		}
		if told.isDue(u, now) {
			got = append(got, fmt.Sprintf("%d %s", second, u.HeaderText(now)))
		}
	}
	want := []string{"2 reverts in 10s", "7 reverts in 5s", "8 reverts in 4s", "9 reverts in 3s", "10 reverts in 2s", "11 reverts in 1s",
		"12 reverting", "13 not reverted yet", "23 not reverted yet", "33 not reverted yet", "37 not reverted yet"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
