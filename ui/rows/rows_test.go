package rows_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/test/live"
	"rung/test/uitest"
	"rung/ui/nav"
)

var since = uitest.Now.Add(-54 * time.Second)

func tampered(t testing.TB) *revision.Facts {
	t.Helper()
	p := demo(t)
	live.Tampered(t, p, since)
	return p
}

func open(t testing.TB, zone string) *uitest.Screen {
	t.Helper()
	return uitest.OpenScreen(t, tampered(t), nav.Page{Kind: nav.Rows, Zone: zone})
}

func TestGoldens(t *testing.T) {
	s := open(t, "ovn-worker2")
	s.Golden("acls")
	s.Press("V")
	s.Golden("sets")
	s.Press("V")
	s.Golden("groups")
	s.ResizeAll()
	s = open(t, "ovn-worker")
	s.Press("w")
	s.Golden("wide")
	s.ResizeAll()
	s = uitest.OpenScreen(t, others(t), nav.Page{Kind: nav.Rows, Zone: "ovn-worker"})
	s.Press("s", "s", "s")
	s.Golden("others")
	s.ResizeAll()
}

func TestPipelineOrderWithForeignOwners(t *testing.T) {
	p := tampered(t)
	all := lines(aclCount(p.Zones[1].DB))
	s := uitest.OpenScreen(t, p, nav.Page{Kind: nav.Rows, Zone: "ovn-worker"})
	s.Resize(160, 34)
	s.Want("── from-lport · what leaves a pod, before load balancing ──", "no owner", all, "zone ovn-worker ●")
	s.Press("G")
	s.Want("node ovn-worker 10.244.1.2", "BANP default ingress 0")
	s.Press("s")
	s.Want("rows: ACLs", "from-lport ", "1 line")
	s.Press("s", "s")
	s.Want("to-lport", "ANP cluster-control ingress 1 tcp-namedPort")
	s.WantNot("from-lport-after-lb")
	s.Press("s")
	s.Want(all)
}

// The order on the screen is the engine's, with missing rows in their place.
func TestOrderIsThePipelines(t *testing.T) {
	p := tampered(t)
	s := uitest.OpenScreen(t, p, nav.Page{Kind: nav.Rows, Zone: "ovn-worker2"})
	s.Resize(120, 100)
	var got []string
	for _, l := range strings.Split(s.PlainFrame(), "\n") {
		f := strings.Fields(strings.NewReplacer("▸", " ", "▲", "", "=", "").Replace(l))
		if len(f) > 3 && len(f[0]) == 1 && f[0] >= "0" && f[0] <= "3" && !strings.Contains(l, "≠ missing") {
			got = append(got, f[0]+" "+f[1]+" "+f[2])
		}
	}
	var want []string
	for _, a := range revision.SortedACLs(p.Zones[2].DB) {
		want = append(want, fmt.Sprintf("%d %d %s", a.Tier, a.Priority, a.Action))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("on the screen:\n%s\nin the database:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var around []string
	for _, l := range strings.Split(s.PlainFrame(), "\n") {
		if strings.Contains(l, "cluster-control egress") {
			around = append(around, l)
		}
	}
	if len(around) != 6 || !strings.Contains(around[1], "≠ missing") {
		t.Errorf("the missing row is not in its place:\n%s", strings.Join(around, "\n"))
	}
}

func TestMarksAndLinks(t *testing.T) {
	s := open(t, "ovn-worker2")
	for _, want := range []struct{ line, page string }{
		{"cluster-control egress 1", "Missing here: this is the desired row."},
		{"cluster-control egress 5", "2 columns differ from the desired row"},
		{"blue-tenant ingress 7", "Extra: no policy desires this row."},
	} {
		s.Press("g")
		for range 40 {
			if strings.Contains(s.Line("▸"), want.line) {
				break
			}
			s.Press("j")
		}
		if !strings.Contains(s.Line("▸"), "≠") {
			t.Errorf("%s: %q has no mark", want.line, s.Line("▸"))
		}
		s.Press("enter")
		s.Want(want.page)
		s.Press("esc")
		if l := s.Line("▸"); !strings.Contains(l, want.line) {
			t.Errorf("back on %q, want %s", l, want.line)
		}
	}
	s.Press("V", "/")
	s.Type("≠")
	s.Press("enter")
	s.Want("ANP cluster-control ingress 2", "1 of ")
}

func TestZonesAndTables(t *testing.T) {
	s := open(t, "")
	s.Want("zone ovn-control-plane")
	s.Press("[")
	s.Want("zone ovn-worker2")
	s.Press("]", "]")
	s.Want("zone ovn-worker ●")
	s.Press("V")
	s.Want("rows: address sets", "MEMBERS")
	s.Press("V")
	s.Want("rows: port groups", "PORTS")
	s.Press("enter")
	s.Want("› port group")
}

func TestFilterFindsWhatIsNotShown(t *testing.T) {
	p := tampered(t)
	n := 1 // the missing one
	for a := range p.Zones[2].DB.ACLs() {
		if a.Stage() == "from-lport-after-lb" {
			n++
		}
	}
	s := uitest.OpenScreen(t, p, nav.Page{Kind: nav.Rows, Zone: "ovn-worker2"})
	s.Resize(80, 24) // MATCH has no room here
	s.Press("/")
	s.Type("tcp.dst==.8991")
	s.Press("enter")
	s.Want("cluster-control egress 2", "1 of ")
	s.Press("/")
	s.Press("ctrl+u")
	s.Type("after-lb")
	s.Press("enter")
	s.Want(fmt.Sprintf("%d of ", n))
}

func TestSortKeepsTheSelection(t *testing.T) {
	s := open(t, "ovn-worker2")
	s.Press("j", "j")
	was := s.Line("▸")
	s.Press(">", ">", ">")
	s.Want("by ACTION")
	if now := s.Line("▸"); strings.Fields(now)[5] != strings.Fields(was)[5] || !strings.Contains(now, "≠ missing") {
		t.Errorf("the cursor went from %q to %q", was, now)
	}
}

func TestZonesThatWereNotRead(t *testing.T) {
	p := uitest.DemoFacts(t)
	z := live.Zone(t, p, "ovn-control-plane")
	z.Conn, z.Error, z.SyncedAt = model.ConnLost, "connection refused", uitest.Now.Add(-3*time.Minute)
	*live.Zone(t, p, "ovn-worker") = model.ZoneState{Name: "ovn-worker", Conn: model.ConnDialling}
	*live.Zone(t, p, "ovn-worker2") = model.ZoneState{Name: "ovn-worker2", Conn: model.ConnDenied, Error: "pods/exec is forbidden"}
	s := uitest.OpenScreen(t, p, nav.Page{Kind: nav.Rows})
	s.Want("○ lost, rows read 14:02:00 (3m): connection refused", "ANP cluster-control egress 0")
	s.ResizeAll()
	s.Press("]")
	s.Want("not read yet: dialling, never read")
	s.Press("]")
	s.Want("no permission to read this zone: pods/exec is forbidden")
	p.Zones = nil
	s.Console.Set(p)
	s.Refresh()
	s.Want("no zone is known yet")
	s.ResizeAll()
}

func TestSettlingRowsAreNotCalledDifferent(t *testing.T) {
	p := uitest.DemoFacts(t)
	live.Tampered(t, p, uitest.Now.Add(-time.Second))
	s := uitest.OpenScreen(t, p, nav.Page{Kind: nav.Rows, Zone: "ovn-worker2"})
	s.Want("◐ settling")
	s.WantNot("≠ differs")
}

// A zone that has just been emptied: what is missing stands where it belongs.
func TestEmptyZone(t *testing.T) {
	p := uitest.DemoFacts(t)
	live.Edit(t, p, "ovn-worker", func(db *nb.DB) []nb.RowChange {
		var out []nb.RowChange
		for a := range db.ACLs() {
			out = append(out, nb.RowChange{Old: a})
		}
		for s := range db.AddressSets() {
			out = append(out, nb.RowChange{Old: s})
		}
		for g := range db.PortGroups() {
			out = append(out, nb.RowChange{Old: g})
		}
		return out
	})
	live.Judge(t, p, since)
	rev := revision.New(*p, nil)
	acls, sets, groups := 0, 0, 0
	for _, k := range rev.Units() {
		want := rev.Rows(k, "ovn-worker")
		if want == nil {
			continue
		}
		acls, sets = acls+len(want.ACLs), sets+len(want.AddressSets)
		if want.PortGroup != nil {
			groups++
		}
	}
	s := uitest.OpenScreen(t, p, nav.Page{Kind: nav.Rows, Zone: "ovn-worker"})
	s.Resize(120, 100)
	s.Want(lines(acls), "BANP default egress 0", "EF yellow rule 0", "default deny of blue, ingress")
	s.Press("V")
	s.Want(lines(sets), "EF DNS mirror.example.com", "ANP cluster-control ingress 2", "–  ≠ missing")
	s.Press("enter")
	s.Want("≠ Missing here: this is the desired row.", "3 addresses")
	s.Press("esc", "V")
	s.Want(lines(groups))
	s.Press("enter")
	s.Want("Missing here", "logical ports")
}

func TestCopies(t *testing.T) {
	s := open(t, "ovn-worker2")
	s.Press("j", "j", "j", "j", "j", "j", "y")
	s.Want("match", "UUID", "ovn-nbctl list command", "record")
}

// A zone of 50 policies of 20 rules on 1,000 pods, one set changed.
func BenchmarkSync(b *testing.B) {
	p := uitest.DemoFacts(b)
	p.Cluster, p.Desired = live.Big(1000, 50, 20), nil
	uitest.Sync(p)
	s := uitest.OpenScreen(b, p, nav.Page{Kind: nav.Rows, Zone: "node-0"})
	s.Want("1,000 lines")
	f := s.Console
	for b.Loop() {
		b.StopTimer()
		live.Edit(b, p, "node-0", func(db *nb.DB) []nb.RowChange {
			for set := range db.AddressSets() {
				c := *set
				return []nb.RowChange{{Old: set, New: &c}}
			}
			return nil
		})
		f.Set(p)
		revision.FindingsOfObjects(f.Revision())
		b.StartTimer()
		s.Refresh()
	}
}

// The line over the rows is about those that the filter and the stage let through.
func TestTiesOfWhatIsShown(t *testing.T) {
	s := open(t, "ovn-worker2")
	const rest = " decide differently: which one wins is undefined"
	s.Want("▲ rows at 26596 and 24000" + rest)
	s.Press("/")
	s.Type("quarantine|allow-metrics")
	s.Want("▲ rows at 24000" + rest)
	s.Press("ctrl+u")
	s.Type("BANP")
	s.WantNot("decide differently")
	s.Press("ctrl+u")
	s.Type("egress 5")
	s.Press("enter")
	s.Want("▲ rows at 26596" + rest)
	s.Press("V")
	s.WantNot("decide differently")
	s.Press("V", "V", "esc")
	s.Want("▲ rows at 26596 and 24000" + rest)
	s.Press("s", "s", "s") // to-lport, where only these two share a place
	s.Want("▲ rows at 24000" + rest)
}
