package gate

import (
	"testing"

	"rung/change"
	"rung/model"
	"rung/model/verdict/diff"
	"rung/test/changing"
	"rung/test/given"
)

// TestLinesThatGoOtherwise: whatever the change, its preview says which lines of the log it
// is about, and nothing where no log is read.
func TestLinesThatGoOtherwise(t *testing.T) {
	wall, door := given.ANP("wall", 50, "tenant=blue", "out deny tenant=red"), given.ANP("door", 40, "tenant=blue", "out allow tenant=red tcp:80")
	lines := []string{"blue/web-0 red/web-0 80 allow", "blue/db-1 red/web-0 81 deny", "blue/web-0 green/web-0 80 allow", "blue/gone red/web-0 80 allow"}
	for _, c := range []struct {
		name, want string
		m          change.Mutation
	}{
		{"edit", "3 of 6, 4 lost: allow → deny: blue/web-0 → green/web-0, TCP 80: 3 lines (logged as allowed)",
			changing.Apply(given.ANP("wall", 50, "tenant=blue", "out deny tenant=red", "out deny tenant=green"))},
		{"delete", "2 of 6, 4 lost: deny → allow: blue/db-1 → red/web-0, TCP 81: 2 lines (logged as denied)", changing.Remove("wall")},
		{"move", "1 of 6, 4 lost: allow → deny: blue/web-0 → red/web-0, TCP 80: 1 line (logged as allowed)", changing.Move("door", 60)},
		{"move that does nothing", "0 of 6, 4 lost", changing.Move("door", 45)},
		{"logging", "none", change.Mutation{Op: change.OpLogLevel, Policy: given.ANPKey("wall"), Levels: model.LogLevels{Deny: "info"}}},
	} {
		w := newWorld(t, wall, door)
		g := w.Gate(t.TempDir())
		quiet, err := g.Preview(t.Context(), w.Current(), c.m)
		if err != nil || quiet.Effect != nil && quiet.Effect.Log != nil {
			t.Errorf("%s: without a log: %+v, %v", c.name, quiet.Effect, err)
		}
		g.Config.LogConnections = newest(t, w.Current().Cluster, lines...)
		p, err := g.Preview(t.Context(), w.Current(), c.m)
		if err != nil {
			t.Fatal(err)
		}
		if got := changing.Otherwise(p.Effect); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
		if c.name != "delete" {
			continue
		}
		// Taken back, they go the way they went; and more lines make no other change of it.
		g.Config.LogConnections = newest(t, w.Current().Cluster, lines[:2]...)
		if _, err := g.Commit(t.Context(), p, Confirm{Yes: true, Name: p.ConfirmName}); err != nil {
			t.Fatal(err)
		}
		back, err := g.Preview(t.Context(), w.Current(), change.Mutation{Op: change.OpUndo})
		if err != nil {
			t.Fatal(err)
		}
		want := "2 of 3, 0 lost: allow → deny: blue/db-1 → red/web-0, TCP 81: 2 lines (logged as denied, contradicting the current policies)"
		if got := changing.Otherwise(back.Effect); got != want || back.Effect.Log.Contrary != 2 {
			t.Errorf("undo:\ngot  %s\nwant %s", got, want)
		}
	}
}

// newest is a log that no guard rail looks at.
func newest(t *testing.T, c *model.Cluster, lines ...string) func(allowed bool) *diff.LogConnections {
	return func(allowed bool) *diff.LogConnections {
		if allowed {
			return nil
		}
		return changing.Logged(t, c, lines...)
	}
}
