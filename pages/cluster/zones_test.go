package cluster

import (
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/revision"
)

// What is wrong with a zone is told whole to screen and command: not its last error alone.
// Where only databases are read nothing is in sync or not.
func TestWrong(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	z := &model.ZoneState{Name: "a", Conn: model.ConnLost, Paused: "the zone does not answer", Error: "refused", Attempts: 7}
	r := &revision.Revision{Facts: revision.Facts{Mode: revision.Mode{Name: revision.RowsMode}}}
	o := FactsOfZone(r, z, &revision.ZoneTally{InSync: 1, Policies: 2}, now)
	if got := strings.Join(o.ProblemTexts(), " · "); got != "writing paused: the zone does not answer · refused · 7 attempts" {
		t.Error(got)
	}
	for _, c := range Table.Columns {
		if got := c.Cell(o).String(); c.Key == "in_sync" && got != "–" {
			t.Error(got)
		}
	}
}
