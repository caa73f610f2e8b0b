package zones

import (
	"maps"
	"slices"

	"rung/model/words"
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
