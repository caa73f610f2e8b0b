package zones

import (
	"maps"
	"slices"
	"strings"

	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/reconciler"
	"rung/sources/nbdb"
)

// takeEndpoints adds the databases given by address, all from one revision on. An unnamed zone is listed under
// its address until its rows tell the name.
func (z *Set) takeEndpoints() {
	for _, name := range slices.Sorted(maps.Keys(z.cfg.NB)) {
		addr := z.cfg.NB[name]
		if name != "" && name != addr {
			z.addMember(z.memberByAddress(name, addr))
			continue
		}
		m := z.memberByAddress(addr, addr)
		m.onNamed = func(name string) { z.renameMember(m, addr, name) }
		z.addMember(m)
	}
	z.rankMembers()
}

// renameMember replaces a zone's address by its name.
func (z *Set) renameMember(m *member, addr, name string) {
	z.removeMember(m.name)
	if z.members[name] != nil {
		z.ReportProblem("zone "+name, words.CleanText(addr)+" claims the zone of another database")
		return
	}
	z.addMember(z.memberByAddress(name, addr))
	z.rankMembers()
}

// IsFile reports whether an address names a database file.
func IsFile(addr string) bool {
	_, ok := nbdb.AddressPath(addr)
	return ok
}

// openNB returns the zone of an address: a server's, or a file's. A zone called by its address has no name
// yet, and may have any.
func (z *Set) openNB(name, addr string) reconciler.Zone {
	if path, ok := nbdb.AddressPath(addr); ok {
		return nbdb.NewZone(nbdb.ZoneConfig{Name: name, AnyName: name == addr, Path: path, Slot: z.cfg.Slots.TakeSlot,
			Options: nbdb.Options{Share: z.cfg.Share, Archives: z.cfg.Archives, Lists: strings.HasPrefix(addr, nbdb.ListPrefix)}})
	}
	return nbdb.Dial(nbdb.Config{Name: name, AnyName: name == addr, Addr: addr, TLS: z.cfg.TLS, Limit: z.dials,
		Slot: z.cfg.Slots.TakeSlot, Share: z.cfg.Share})
}

// zoneNameInDB returns the zone's name in NB_Global; empty if it has none.
func zoneNameInDB(db *nb.DB) string {
	if g := db.Global(); g != nil {
		return g.Name
	}
	return ""
}

// memberByAddress returns the member for a zone given by its address.
func (z *Set) memberByAddress(name, addr string) *member {
	return &member{name: name, writes: z.cfg.Reconcile && !IsFile(addr),
		open: func() (reconciler.Zone, error) { return z.openNB(name, addr), nil }}
}
