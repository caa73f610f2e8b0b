package preview_test

import (
	"net/netip"
	"testing"
	"time"

	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/test/uitest"
	"rung/test/wait"
)

// TestLogLinesOnThePreview: a preview counts the log lines that would get a
// different verdict, lists them where there are some, and says nothing where no log is read.
func TestLogLinesOnThePreview(t *testing.T) {
	w := start(t, nil)
	w.s.Resize(120, 100)
	again := func() { w.s.Press("m", "4", "1", "enter") } // the cursor is still there
	move(w.s)
	w.s.Want("▲ opens 122 pairs · 20 across namespaces")
	w.s.WantNot("log line")
	w.s.Press("esc", "esc")

	c := w.g.Engine.Revision().Cluster
	addr := func(ns, name string) netip.Addr { return netip.MustParseAddr(c.Pod(ns, name).IPs[0]) }
	say := func(verdict, from, to string, port uint16) {
		w.g.Engine.Logs().Offer(logline.Line{At: uitest.Now.Add(-time.Minute), Zone: "ovn-worker", Name: "ANP:cluster-control:Egress:5", Verdict: verdict,
			Direction: nb.FromLport, Proto: "tcp", Src: addr("blue", from), Dst: addr("blue", to), DstPort: port})
		n := w.g.Engine.Logs().Stats().Received
		wait.Within(t, wait.Patience, "the line is taken in", func() bool { return w.g.Engine.Logs().LastNumber() == n })
	}
	say("drop", "api-d0", "api-d1", 80)
	again()
	w.s.Want("the one log line of the last 15 min would be decided")
	w.s.Press("esc", "esc")
	say("drop", "api-d0", "api-d1", 80)
	say("allow", "api-d1", "api-d0", 81) // the policies say otherwise
	again()
	w.s.Want("▲ 3 of the 3 log lines of the last 15 min would be decided", "▲ 1 log line contradicts the current policies")
	w.s.Want("deny → allow: blue/api-d0 → blue/api-d1, TCP 80: 2", "logged as denied; for example", "logged as allowed")
}
