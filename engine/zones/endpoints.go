package zones

import (
	"maps"
	"slices"

	"rung/model/words"
)

// takeEndpoints takes in the databases given by address, all from one revision
// on. One whose zone was not named stands there under its address until its rows
// say its name.
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

// renameMember puts a zone in the place of its address.
func (z *Set) renameMember(m *member, addr, name string) {
	z.removeMember(m.name)
	if z.members[name] != nil {
		z.ReportProblem("zone "+name, words.CleanText(addr)+" claims the zone of another database")
		return
	}
	z.addMember(z.memberByAddress(name, addr))
	z.rankMembers()
}
