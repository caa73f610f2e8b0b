package ui_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/reconciler"
	"rung/revision"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

// alteration is one row of a database altered by hand.
type alteration struct {
	name    string
	owner   nb.Owner
	changes []nb.RowChange
	row     nb.Row // the row to open, nil if it is gone
}

// alterationsOf alters one row of every table, owner kind and network of a database that was not
// seen before, in each way that matters; with testing.Short in one way.
func alterationsOf(db *nb.DB, seen map[string]bool) (out []alteration) {
	for row := range db.OwnedRows() {
		o := nb.OwnerOfRow(row)
		kind := nb.TableName(row) + " " + o.Type + " " + o.Network()
		if o.Form != nb.FormKnown || seen[kind] {
			continue
		}
		before := len(out)
		add := func(way string, next nb.Row, old nb.Row) {
			if len(out) == before || !testing.Short() {
				out = append(out, alteration{name: kind + " " + way, owner: o, changes: []nb.RowChange{{Old: old, New: next}}, row: next})
			}
		}
		switch r := row.(type) {
		case *nb.ACL:
			match, extra := *r, *r
			match.Match = "ip4.src == 192.0.2.1"
			add("other match", &match, r)
			add("removed", nil, r)
			extra.UUID, extra.Match = uitest.UUID("extra"+r.UUID), "ip4.src == 192.0.2.2"
			add("twice", &extra, nil)
		case *nb.AddressSet:
			added := *r
			added.Addresses = append(slices.Clone(r.Addresses), "203.0.113.9")
			add("address added", &added, r)
			if len(r.Addresses) > 0 {
				removed := *r
				removed.Addresses = slices.Clone(r.Addresses[1:])
				add("address removed", &removed, r)
			}
			add("removed", nil, r)
		case *nb.PortGroup:
			if len(r.ACLs) > 0 {
				emptied := *r
				emptied.ACLs = nil
				add("no ACLs", &emptied, r)
			}
			if len(r.Ports) > 0 {
				port := *r
				port.Ports = slices.Clone(r.Ports[1:])
				add("port removed", &port, r)
			}
			add("removed", nil, r)
		}
		seen[kind] = len(out) > before
	}
	return out
}

// TestAlteredPages alters every kind of row on every kind of network, one at a time, and walks the
// pages: none ends with an internal error, and those that tell of drift name the altered unit.
func TestAlteredPages(t *testing.T) {
	p := uitest.NetworkFacts(t)
	p.Flags.Features.Multicast = "on"
	for ns := range p.Cluster.Namespaces() {
		if ns.Name == "team-a" || ns.Name == "app" {
			annotated := *ns
			annotated.Annotations = map[string]string{model.AnnotationMulticast: "true"}
			p.Cluster, _ = p.Cluster.Upsert([]model.Object{&annotated}, nil)
		}
	}
	d := revision.New(*p, nil).Desired
	judge := func(zone string, db *nb.DB) map[model.PolicyKey]*model.PolicyInZone {
		return reconciler.NewZoneDiffer(d).JudgeZone(reconciler.ZoneRead{Zone: zone, DB: db, At: uitest.Now.Add(-time.Hour)})
	}
	for _, z := range p.Zones {
		z.DB, z.Writes = revision.ZoneDatabase(d, z.Name), false
		z.Policies = judge(z.Name, z.DB)
	}
	seen, networks, kinds := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i, zone := range p.Zones {
		for _, a := range alterationsOf(zone.DB, seen) {
			networks[a.owner.Network()], kinds[a.owner.Type] = true, true
			t.Run(a.name, func(t *testing.T) {
				next := *zone
				next.DB = zone.DB.Apply(a.changes)
				next.Policies = judge(zone.Name, next.DB)
				facts := *p
				facts.Zones = slices.Clone(p.Zones)
				facts.Zones[i] = &next
				walkAltered(t, &facts, &next, a.row)
			})
		}
	}
	if len(networks) < 5 {
		t.Errorf("rows of %d networks were altered", len(networks))
	}
	for _, kind := range []string{nb.OwnerANP, nb.OwnerEgressFirewall, nb.OwnerNetworkPolicy, "NetpolNamespace", "NetpolDefault", "NetpolNode", "PodSelector", "MulticastCluster", "MulticastNS"} {
		if !kinds[kind] {
			t.Errorf("no row of %s was altered", kind)
		}
	}
}

// walkAltered walks the pages of a cluster, one row of whose zone differs.
func walkAltered(t *testing.T, facts *revision.Facts, zone *model.ZoneState, row nb.Row) {
	f, dir := uitest.NewFake(facts), t.TempDir()
	differ := 0
	visit := func(page nav.Page, keys ...string) *uitest.Screen {
		s := uitest.OpenWith(t, f, ui.Options{Page: page, StateDir: dir})
		s.Resize(240, 60)
		frame := s.PlainFrame()
		for _, key := range keys {
			s.Press(key)
			frame += s.PlainFrame()
		}
		if strings.Contains(frame, "internal error") {
			t.Errorf("%+v:\n%s", page, frame)
		}
		return s
	}
	for _, walked := range unreadWalk {
		visit(walked.page)
	}
	for k, in := range zone.Policies {
		if in.InSync || in.None != nil || in.NotComparable {
			continue
		}
		differ++
		visit(nav.Page{Kind: nav.Ladder, Network: k.Network}, "G", "enter")
		visit(nav.ToPolicy(k), "tab", "tab", "tab", "enter", "esc", "tab")
		visit(nav.NewPage(nav.Zones)).Want(k.Label())
		visit(nav.NewPage(nav.Zones), "enter")
		visit(nav.NewPage(nav.Findings), "G", "enter")
		label := strings.TrimPrefix(k.Label(), "ANP ")
		visit(nav.NewPage(nav.Findings)).Want(label[:min(12, len(label))], "zone "+zone.Name+": ") // long names are cut
		visit(nav.NewPage(nav.Ladder)).Want("not in sync")
	}
	if differ == 0 {
		t.Error("nothing differs")
	}
	visit(nav.Page{Kind: nav.Rows, Zone: zone.Name}, "V", "V", "enter")
	if row != nil {
		visit(nav.ToRow(zone.Name, nb.TableName(row), row.RowUUID()), "enter")
	}
	if reports, _ := filepath.Glob(filepath.Join(dir, "error-*")); len(reports) > 0 {
		text, err := os.ReadFile(reports[0])
		t.Errorf("internal error: %s%v", text, err)
	}
}
