package logs

import (
	"fmt"
	"testing"
	"time"

	"rung/model"
	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/test/changing"
)

// TestRecent: the connections of the lines of a quarter of an hour, counted, with the pods
// as they were; what is no connection is none.
func TestRecent(t *testing.T) {
	w := changing.New(t)
	l := logWorld(t, w, 100)
	gone := w.Current().Cluster.Pod("red", "web-0")
	put := func(ago time.Duration, verdict, dir, proto, src, dst string, port uint16) {
		x := line(w, "ANP:control:Egress:0", verdict, dir, proto, src, dst, port)
		x.At = w.Clock().Add(-ago)
		l.takeArrival(arrival{line: x})
	}
	put(20*time.Minute, "drop", nb.FromLport, "tcp", "10.244.0.4", "10.244.0.2", 53) // too old
	put(0, "drop", nb.FromLport, "tcp", "10.244.0.4", "10.244.0.2", 80)
	put(3*time.Minute, "drop", nb.FromLport, "tcp", "10.244.0.4", "10.244.0.2", 80) // late
	put(time.Minute, "reject", nb.FromLport, "tcp", "10.244.0.4", "10.244.0.2", 80) // a denial like the others
	put(0, "allow", nb.ToLport, "tcp", "10.244.0.4", "10.244.0.2", 80)
	put(0, "pass", "", "icmp6", "fd00::4", "fd00::2", 0)
	put(0, "allow", "", "udp", "10.244.0.8", "172.18.0.2", 53)
	l.Observe([]model.Change{{Old: gone}})
	put(0, "allow", nb.FromLport, "udp", "10.244.0.8", "8.8.8.8", 53)
	put(0, "drop", nb.FromLport, "arp", "10.244.0.4", "10.244.0.2", 0) // no connection
	put(0, "drop", nb.FromLport, "tcp", "", "", 0)
	l.takeArrival(arrival{gap: &logline.LogGap{}})

	text := func() (out string) {
		log := l.RecentConnections()
		out = fmt.Sprintf("%d lines, fresh %t, over %d, %s–%s\n", log.Lines, log.IsNewest, log.LeftOut, log.From.Format("15:04"), log.To.Format("15:04"))
		for _, s := range log.Connections {
			out += fmt.Sprintf("%s: %q %q %s %d, %s–%s\n", s.Connection, s.LoggedVerdict, s.Stage, s.Zone, s.Lines, s.First.Format("15:04"), s.Last.Format("15:04"))
		}
		return out
	}
	want := `7 lines, fresh true, over 0, 11:57–12:00
red/web-0 (10.244.0.8) → 8.8.8.8 udp 53: "allow" "from-lport-after-lb" worker 1, 12:00–12:00
red/web-0 (10.244.0.8) → 172.18.0.2 udp 53: "allow" "from-lport-after-lb" worker 1, 12:00–12:00
fd00::4 → fd00::2 icmp: "" "from-lport-after-lb" worker 1, 12:00–12:00
blue/web-0 (10.244.0.4) → kube-system/dns-0 (10.244.0.2) tcp 80: "allow" "to-lport" worker 1, 12:00–12:00
blue/web-0 (10.244.0.4) → kube-system/dns-0 (10.244.0.2) tcp 80: "deny" "from-lport-after-lb" worker 3, 11:57–12:00
`
	if got := text(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	// A log that ended an hour ago has the minutes before its end.
	w.Now = w.Now.Add(time.Hour)
	if log := l.RecentConnections(); log.IsNewest || log.Lines != 7 {
		t.Errorf("an hour later: %+v", log)
	}
	// No more different connections than one can judge; more lines of them count.
	if log := recentConnections(l.EntriesAfter(0, 0), w.Clock(), 2); len(log.Connections) != 2 || log.Lines != 2 || log.LeftOut != 5 {
		t.Errorf("bounded: %+v", log)
	}
	if log := New(w.Current, w.Clock, 10).RecentConnections(); log.Lines != 0 || log.Connections != nil {
		t.Errorf("without a line: %+v", log)
	}
}
