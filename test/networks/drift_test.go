package networks_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/reconciler"
	"rung/revision"
	"rung/test/networks"
)

// TestNoFalseDifferences: a database that has the rows of up to five networks differs from the desired
// rows nowhere, and no operation would be sent.
func TestNoFalseDifferences(t *testing.T) {
	worlds := uint64(400)
	if testing.Short() {
		worlds = 50
	}
	units := 0
	for seed := range worlds {
		w := networks.NewWorld(seed)
		d := compiler.Compile(w.Cluster(), settingsOf(w).compiler)
		for _, zone := range networks.Zones {
			for k, p := range judged(d, zone, revision.ZoneDatabase(d, zone)) {
				units++
				if !p.InSync && p.None == nil && !p.NotComparable {
					t.Fatalf("world %d, zone %s: %s differs: %+v", seed, zone, k, p.Diffs)
				}
			}
		}
	}
	t.Logf("%d units in sync", units)
}

func judged(d *compiler.Desired, zone string, db *nb.DB) map[model.PolicyKey]*model.PolicyInZone {
	return reconciler.NewZoneDiffer(d).JudgeZone(reconciler.ZoneRead{Zone: zone, DB: db, At: time.Unix(1, 0)})
}

// TestAlteredRowsAreNamed: a row of each kind that networks have is altered by hand, and taken away; the
// difference names it, under its unit and its network, and nothing else differs.
func TestAlteredRowsAreNamed(t *testing.T) {
	altered := map[string]int{}
	for seed := range uint64(60) {
		w := networks.NewWorld(seed)
		d := compiler.Compile(w.Cluster(), settingsOf(w).compiler)
		if len(d.Networks().Names()) < 3 {
			continue
		}
		for _, zone := range networks.Zones[:1] {
			db := revision.ZoneDatabase(d, zone)
			seen := map[string]bool{}
			for row := range db.OwnedRows() {
				o := nb.OwnerOfRow(row)
				kind := nb.TableName(row) + " " + o.Type
				if o.Network() == "" || seen[kind+o.Network()] || o.Form != nb.FormKnown {
					continue
				}
				next := alteredRow(row)
				if next == nil || isFrozen(d, row.IDs()[nb.KeyID]) {
					continue
				}
				seen[kind+o.Network()] = true
				found := ""
				differ := 0
				for k, p := range judged(d, zone, db.Apply([]nb.RowChange{{Old: row, New: next}})) {
					if k.Network == "" { // how the unit stands under its object
						continue
					}
					for _, diff := range p.Diffs {
						differ++
						if diff.ID == row.IDs()[nb.KeyID] && k.Network == o.Network() {
							found = k.String()
						}
					}
				}
				if found == "" || differ != 1 {
					t.Fatalf("world %d: %s of %s altered: %d differences, named under %q", seed, kind, o.Network(), differ, found)
				}
				altered[kind]++
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(altered)) {
		t.Logf("%4d %s", altered[kind], kind)
	}
	for _, kind := range []string{"ACL NetworkPolicy", "ACL NetpolNamespace", "ACL NetpolDefault", "ACL NetpolNode", "ACL MulticastNS", "ACL MulticastCluster",
		"Address_Set PodSelector", "Port_Group NetworkPolicy", "Port_Group NetpolNamespace"} {
		if altered[kind] == 0 {
			t.Errorf("no %s was altered", kind)
		}
	}
}

// isFrozen says whether a row is an address set whose members are not known.
func isFrozen(d *compiler.Desired, id string) bool {
	for c := range d.Policies() {
		for _, set := range c.Sets {
			if set.ID() == id {
				return set.KeptByOthers
			}
		}
	}
	return false
}

// alteredRow is a row with something changed that somebody may change by hand; nil where the kind has
// nothing of it.
func alteredRow(row nb.Row) nb.Row {
	switch r := row.(type) {
	case *nb.ACL:
		a := *r
		a.Priority++
		return &a
	case *nb.AddressSet:
		s := *r
		s.Addresses = append(slices.Clone(r.Addresses), "203.0.113.9")
		return &s
	case *nb.PortGroup:
		if len(r.Ports) == 0 {
			return nil
		}
		g := *r
		g.Ports = slices.Clone(r.Ports[1:])
		return &g
	}
	return nil
}

// TestRowsOfUnknownNetworksAreLeftAlone: rows of a network that no object is about are somebody else's:
// they are no difference, and no operation touches them; once the network was read and is gone they go.
func TestRowsOfUnknownNetworksAreLeftAlone(t *testing.T) {
	for seed := range uint64(40) {
		w := networks.NewWorld(seed)
		c, s := w.Cluster(), settingsOf(w)
		d := compiler.Compile(c, s.compiler)
		db := revision.ZoneDatabase(d, "n1")
		var gone []model.Key
		for o := range c.Objects() {
			switch o.ObjectKey().Kind {
			case model.KindUDN, model.KindCUDN, model.KindNAD:
				gone = append(gone, o.ObjectKey())
			}
		}
		without, _ := c.Upsert(nil, gone)
		stranger := compiler.Compile(without, s.compiler)
		for k := range judged(stranger, "n1", db) {
			if k.Network != "" {
				t.Fatalf("world %d: %s is judged, whose network nobody read", seed, k)
			}
		}
		tr := reconciler.NewTracker("n1")
		tr.ApplyDesired(stranger, nil, time.Unix(1, 0))
		tr.ApplyLive(model.ZoneUpdate{DB: db})
		ops := tr.NewOps()
		for k := range tr.Tracks {
			if k.Network != "" && len(ops.PolicyOps(k)) > 0 {
				t.Fatalf("world %d: operations on %s, whose network nobody read", seed, k)
			}
		}
	}
}
