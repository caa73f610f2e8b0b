package logs

import (
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/changing"
	"rung/test/given"
)

// An ACL that logs as much as its meter lets through is named, per zone and protocol, with
// what something counted.
func TestLosses(t *testing.T) {
	w := changing.New(t, given.ANP("control", 34, "", "in deny * tcp:80 udp:53"))
	meter := &nb.Meter{UUID: "m", Name: nb.LoggingMeter, Bands: []string{"b"}}
	rows := []nb.RowChange{{New: meter}, {New: &nb.MeterBand{UUID: "b", Rate: 5, BurstSize: 8}}}
	for _, proto := range []string{"tcp", "udp"} {
		rows = append(rows, nb.RowChange{New: &nb.ACL{UUID: proto, Name: "ANP:control:Ingress:0", Log: true, ExternalIDs: map[string]string{
			nb.KeyID: "default-network-controller:AdminNetworkPolicy:control:Ingress:0:" + proto, nb.KeyOwnerController: "default-network-controller",
			nb.KeyOwnerType: nb.OwnerANP, nb.KeyName: "control", nb.KeyDirection: "Ingress", nb.KeyGressIndex: "0", nb.KeyProtocol: proto}}})
	}
	w.Zones = []*model.ZoneState{{Name: "worker", DB: (*nb.DB)(nil).Apply(rows)}, {Name: "free", DB: (*nb.DB)(nil).Apply(nil)}, {Name: "unread"}}
	w.Publish()
	l := logWorld(t, w, 100)
	send := func(n int, zone, proto string, port uint16) {
		for range n {
			x := line(w, "ANP:control:Ingress:0", "drop", nb.ToLport, proto, "10.244.0.3", "10.244.0.4", port)
			x.Zone = zone
			l.takeArrival(arrival{line: x})
		}
	}
	tick := func(d time.Duration) {
		w.Mu.Lock()
		defer w.Mu.Unlock()
		w.Now = w.Now.Add(d)
	}
	said := func() (out []string) {
		l.FindMeteredRows()
		for _, x := range l.Losses() {
			if x.Rule.Policy.Name != "control" {
				t.Errorf("the rule is %v", x.Rule)
			}
			out = append(out, x.Zone+" "+x.Part+" "+x.String())
		}
		return out
	}
	want := func(what string, texts ...string) {
		t.Helper()
		got := said()
		for i := range max(len(got), len(texts)) {
			if i >= len(got) || i >= len(texts) || got[i] != texts[i] {
				t.Fatalf("%s:\ngot  %q\nwant %q", what, got, texts)
			}
		}
	}
	send(4, "worker", "tcp", 80)
	send(4, "worker", "udp", 53) // another ACL, another meter
	send(500, "free", "tcp", 80) // no meter, no limit
	send(19, "unread", "tcp", 80)
	want("below")
	send(1, "worker", "tcp", 80)
	send(1, "unread", "tcp", 80)
	want("reached", "unread tcp at the limit of 20 lines/s: lines are being lost, how many is unknown",
		"worker tcp at the limit of 5 lines/s: lines are being lost, how many is unknown")
	dropped := uint64(0)
	l.CountLossesWith(func(zone, acl string) (uint64, bool) { return dropped, zone == "worker" && acl == "tcp" })
	want("counted", "unread tcp at the limit of 20 lines/s: lines are being lost, how many is unknown",
		"worker tcp at the limit of 5 lines/s: no line lost so far")
	dropped = 1300
	want("lost", "worker tcp at the limit of 5 lines/s: lines are being lost, 1,300 lines so far",
		"unread tcp at the limit of 20 lines/s: lines are being lost, how many is unknown")
	if x := l.Losses()[0]; x.FullestSecond != 5 || x.Rate != 5 || x.Burst != 8 || !x.IsLosing() {
		t.Errorf("%+v", x)
	}
	tick(time.Duration(rateSeconds) * time.Second)
	want("quiet again", "worker tcp below its limit again, 1,300 lines lost so far")
}

// Lines may come before the rows of their zone are read: their ACL is counted as soon as they are.
func TestMeterRowsReadLate(t *testing.T) {
	w := changing.New(t, given.ANP("control", 34, "", "in deny *"))
	w.Zones = []*model.ZoneState{{Name: "worker"}}
	w.Publish()
	l := logWorld(t, w, 100)
	l.CountLossesWith(func(_, acl string) (uint64, bool) { return 760, acl == "row" })
	for range DefaultMeterRate {
		x := line(w, "ANP:control:Ingress:0", "drop", nb.ToLport, "tcp", "10.244.0.3", "10.244.0.4", 80)
		x.Zone = "worker"
		l.takeArrival(arrival{line: x})
	}
	l.FindMeteredRows()
	if got := l.Losses(); len(got) != 1 || got[0].Counted {
		t.Fatalf("without rows: %+v", got)
	}
	w.Zones = []*model.ZoneState{{Name: "worker", DB: (*nb.DB)(nil).Apply([]nb.RowChange{{New: &nb.ACL{UUID: "row", Name: "ANP:control:Ingress:0", Log: true, ExternalIDs: map[string]string{
		nb.KeyID: "default-network-controller:AdminNetworkPolicy:control:Ingress:0:None", nb.KeyOwnerController: "default-network-controller",
		nb.KeyOwnerType: nb.OwnerANP, nb.KeyName: "control", nb.KeyDirection: "Ingress", nb.KeyGressIndex: "0", nb.KeyProtocol: "None"}}}})}}
	w.Publish()
	w.Mu.Lock()
	w.Now = w.Now.Add(missingRowsEvery)
	w.Mu.Unlock()
	l.FindMeteredRows()
	if got := l.Losses(); len(got) != 1 || !got[0].Counted || got[0].Lost != 760 {
		t.Errorf("with rows: %+v", got)
	}
}

// A node whose clock goes back, or jumps, is not taken for one that logs too much.
func TestMeterSeconds(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		what  string
		at    []int // seconds
		limit int
		want  bool
	}{
		{"one second", []int{0, 0, 0}, 3, true},
		{"over two", []int{0, 0, 1, 1}, 3, false},
		{"out of order", []int{0, 1, 0, 1, 0}, 3, true},
		{"long before", []int{100, 50, 100, 50}, 3, false},
		{"no meter", []int{0, 0, 0, 0, 0}, 0, false},
	} {
		m := aclMeters{byACL: map[meterKey]*meteredLines{}}
		k := meterKey{zone: "a"}
		for _, s := range c.at {
			at := now.Add(time.Duration(s) * time.Second)
			lines := m.ensureLines(k, now)
			lines.rate = c.limit
			lines.countLine(at, now)
		}
		if got := m.byACL[k].isCapped(now); got != c.want {
			t.Errorf("%s: at its limit %v, want %v", c.what, got, c.want)
		}
	}
}
