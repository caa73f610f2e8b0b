package gate

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"rung/change"
	"rung/change/effect"
	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/revision/connections"
	"rung/test/given"
)

// Logged is a log of lines "FROM TO PORT SAID": a pod that has its address still, "gone" one
// that has none any more, or an address.
func logged(t *testing.T, c *model.Cluster, lines ...string) *diff.Log {
	t.Helper()
	log := &diff.Log{Fresh: true}
	end := func(text string) verdict.Endpoint {
		if a, err := netip.ParseAddr(text); err == nil {
			return verdict.AddrEnd(a)
		}
		ns, name, _ := strings.Cut(text, "/")
		e := verdict.PodEnd(ns, name)
		if p := c.Pod(ns, name); p != nil {
			e.Addr = netip.MustParseAddr(p.IPs[0])
		} else {
			e.Addr = netip.MustParseAddr("10.244.0.99")
		}
		return e
	}
	for i, text := range lines {
		var from, to, said string
		var port uint16
		if _, err := fmt.Sscan(text, &from, &to, &port, &said); err != nil {
			t.Fatal(err)
		}
		log.Seen = append(log.Seen, diff.Seen{Connection: verdict.Connection{From: end(from), To: end(to), Protocol: verdict.TCP, Port: port},
			Said: verdict.Verdict(said), Stage: model.StageAfterLB, Lines: i + 1})
		log.Lines += i + 1
	}
	return log
}

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
			apply(given.ANP("wall", 50, "tenant=blue", "out deny tenant=red", "out deny tenant=green"))},
		{"delete", "2 of 6, 4 lost: deny → allow: blue/db-1 → red/web-0, TCP 81: 2 lines (logged as denied)", remove("wall")},
		{"move", "1 of 6, 4 lost: allow → deny: blue/web-0 → red/web-0, TCP 80: 1 line (logged as allowed)", move("door", 60)},
		{"move that does nothing", "0 of 6, 4 lost", move("door", 45)},
		{"logging", "none", change.Mutation{Op: change.OpLogLevel, Policy: given.ANPKey("wall"), Levels: model.LogLevels{Deny: "info"}}},
	} {
		w := newWorld(t, wall, door)
		g := w.Gate(t.TempDir())
		quiet, err := g.Preview(t.Context(), w.Current(), c.m)
		if err != nil || quiet.Effect != nil && quiet.Effect.Log != nil {
			t.Errorf("%s: without a log: %+v, %v", c.name, quiet.Effect, err)
		}
		g.Config.Log = func() *diff.Log { return logged(t, w.Current().Cluster, lines...) }
		p, err := g.Preview(t.Context(), w.Current(), c.m)
		if err != nil {
			t.Fatal(err)
		}
		if got := otherwise(p.Effect); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
		if c.name != "delete" {
			continue
		}
		// Taken back, they go the way they went; and more lines make no other change of it.
		g.Config.Log = func() *diff.Log { return logged(t, w.Current().Cluster, lines[:2]...) }
		if _, err := g.Commit(t.Context(), p, Confirm{Yes: true, Name: p.ConfirmName}); err != nil {
			t.Fatal(err)
		}
		back, err := g.Preview(t.Context(), w.Current(), change.Mutation{Op: change.OpUndo})
		if err != nil {
			t.Fatal(err)
		}
		want := "2 of 3, 0 lost: allow → deny: blue/db-1 → red/web-0, TCP 81: 2 lines (logged as denied, which is not what the policies say now)"
		if got := otherwise(back.Effect); got != want || back.Effect.Log.Contrary != 2 {
			t.Errorf("undo:\ngot  %s\nwant %s", got, want)
		}
	}
}

func otherwise(e *effect.Effect) string {
	if e == nil || e.Log == nil {
		return "none"
	}
	o := e.Log
	out := fmt.Sprintf("%d of %d, %d lost", o.Lines, o.Judged, o.Lost)
	for i := range o.Groups {
		g := &o.Groups[i]
		out += fmt.Sprintf(": %s → %s: %s (%s)", g.Before, g.After, connections.SeenText(g), connections.SeenSaid(g))
	}
	return out
}
