package zones

import (
	"maps"
	"slices"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/sources/retry"
)

// namesAtOnce is how many databases are asked for their names at a time.
const namesAtOnce = 4

// takeEndpoints takes in the databases given by address, all from one revision
// on. One whose zone was not named stands there under its address until it says
// its name.
func (z *Set) takeEndpoints() {
	slots := make(chan struct{}, namesAtOnce)
	for _, name := range slices.Sorted(maps.Keys(z.cfg.NB)) {
		addr := z.cfg.NB[name]
		if name != "" && name != addr {
			z.addMember(z.memberByAddress(name, addr))
			continue
		}
		p := newEndpoint(z, addr)
		p.publishState()
		z.Go(func() { p.askName(slots) })
	}
	z.rankMembers()
}

// unnamedDatabase is a database whose zone nobody named.
type unnamedDatabase struct {
	zones *Set
	addr  string
	state model.ZoneState
}

func newEndpoint(z *Set, addr string) *unnamedDatabase {
	return &unnamedDatabase{z, addr, model.ZoneState{Name: words.CleanText(addr), Endpoint: words.CleanText(addr),
		Conn: model.ConnDialling, ConnAt: z.Now(), Writes: z.cfg.Reconcile && !IsFile(addr)}}
}

func (p *unnamedDatabase) publishState() {
	shown := p.state
	p.zones.states[shown.Name] = &shown
	p.zones.MarkChanged()
}

// askName asks for the zone's name, for as long as that takes, and takes it in.
func (p *unnamedDatabase) askName(slots chan struct{}) {
	again := retry.Backoff(100*time.Millisecond, 5*time.Second)
	for {
		select {
		case slots <- struct{}{}:
		case <-p.zones.Context().Done():
			return
		}
		name, err := p.zones.zoneNameOf(p.zones.Context(), p.addr)
		<-slots
		if err == nil {
			p.zones.Do(func() { p.takeZone(name) })
			return
		}
		p.reportFailure(err)
		p.zones.Do(p.publishState)
		if !retry.Sleep(p.zones.Context(), again.Step()) {
			return
		}
	}
}

// takeZone takes the zone in: under its name, or under its address until the database
// has one.
func (p *unnamedDatabase) takeZone(name string) {
	if name != "" {
		p.renameZone(name)
		return
	}
	delete(p.zones.states, p.state.Name)
	m := p.zones.memberByAddress(p.addr, p.addr)
	m.onNamed = p.renameZone
	p.zones.addMember(m)
	p.zones.rankMembers()
}

// renameZone puts the zone in the place of its address.
func (p *unnamedDatabase) renameZone(name string) {
	delete(p.zones.states, p.state.Name)
	p.zones.removeMember(p.addr)
	if m := p.zones.members[name]; m != nil {
		p.zones.ReportProblem("zone "+name, words.CleanText(p.addr)+" claims the zone of another database")
		return
	}
	p.zones.addMember(p.zones.memberByAddress(name, p.addr))
	p.zones.rankMembers()
}

func (p *unnamedDatabase) reportFailure(err error) {
	if conn := connOf(err); p.state.Conn != conn {
		p.state.Conn, p.state.ConnAt = conn, p.zones.Now()
	}
	p.state.Attempts++
	p.state.Error = words.CleanText(err.Error())
}
