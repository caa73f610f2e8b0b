package cluster_test

import (
	"context"
	"testing"
	"time"

	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/test/uitest"
	"rung/test/wait"
	"rung/ui"
	"rung/ui/nav"
)

// Zones in which meters discard lines say so with how many; while none does there is no
// such column.
func TestLostLines(t *testing.T) {
	f := uitest.NewFake(uitest.DemoFacts(t))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { f.LogStore.Run(ctx); close(done) }()
	defer func() { cancel(); <-done }()
	s := uitest.OpenWith(t, f, ui.Options{Page: nav.NewPage(nav.Zones), StateDir: t.TempDir()})
	s.Resize(120, 34)
	s.WantNot("LOG LINES")
	zone := f.Revision().Zones[1]
	live := map[string]bool{}
	const name = "ANP:quarantine:Ingress:0"
	for a := range zone.DB.ACLs() {
		live[a.UUID] = a.Name == name
	}
	lost := uint64(0)
	send := func() {
		t.Helper()
		was := f.LogStore.LastNumber()
		for i := range 20 {
			f.LogStore.Offer(logline.Line{At: f.Now(), Zone: zone.Name, Seq: uint64(i), Verdict: "drop", Severity: "alert", Direction: nb.ToLport, Proto: "tcp", DstPort: 80, Name: name})
		}
		for end := time.Now().Add(wait.Patience); f.LogStore.LastNumber() < was+20; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("lines were not taken in")
			}
		}
		f.LogStore.FindMeteredRows()
		f.Advance(time.Second)
		s.Refresh()
	}
	send()
	s.Want("LOG LINES", "losing")
	f.LogStore.CountLossesWith(func(_, acl string) (uint64, bool) { return lost, live[acl] })
	lost = 1300
	send()
	s.Want("losing 1,300")
	s.Golden("lost")
	f.Advance(time.Minute)
	s.Refresh()
	s.Want("lost 1,300")
}
