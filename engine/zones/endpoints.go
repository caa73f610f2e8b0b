package zones

import (
	"maps"
	"slices"
	"time"

	"rung/model"
	"rung/model/clean"
	"rung/sources/retry"
)

// namesAtOnce is how many databases are asked for their names at a time.
const namesAtOnce = 4

// runEndpoints takes in the databases given by address, all from one revision
// on. One whose zone was not named stands there under its address until it says
// its name.
func (z *Set) runEndpoints() {
	var asked []*endpoint
	z.Do(func() {
		for _, name := range slices.Sorted(maps.Keys(z.cfg.NB)) {
			addr := z.cfg.NB[name]
			if name != "" && name != addr {
				z.know(z.byAddress(name, addr))
				continue
			}
			p := newEndpoint(z, addr)
			asked = append(asked, p)
			p.show()
		}
		z.rank()
	})
	slots := make(chan struct{}, namesAtOnce)
	for _, p := range asked {
		if !z.Go(func() { p.run(slots) }) {
			return
		}
	}
}

// endpoint is a database whose zone nobody named.
type endpoint struct {
	z     *Set
	addr  string
	shown model.ZoneState
}

func newEndpoint(z *Set, addr string) *endpoint {
	return &endpoint{z, addr, model.ZoneState{Name: clean.Text(addr), Endpoint: clean.Text(addr),
		Conn: model.ConnDialling, ConnAt: z.Now(), Writes: z.cfg.Reconcile && !IsFile(addr)}}
}

func (p *endpoint) show() {
	shown := p.shown
	p.z.states[shown.Name] = &shown
	p.z.Changed()
}

// run asks for the zone's name, for as long as that takes, and takes it in.
func (p *endpoint) run(slots chan struct{}) {
	again := retry.Backoff(100*time.Millisecond, 5*time.Second)
	for {
		select {
		case slots <- struct{}{}:
		case <-p.z.Context().Done():
			return
		}
		name, err := p.z.zoneNameOf(p.z.Context(), p.addr)
		<-slots
		if err == nil {
			p.z.Do(func() { p.known(name) })
			return
		}
		p.failed(err)
		p.z.Do(p.show)
		if !retry.Sleep(p.z.Context(), again.Step()) {
			return
		}
	}
}

// known takes the zone in: under its name, or under its address until the database
// has one.
func (p *endpoint) known(name string) {
	if name != "" {
		p.named(name)
		return
	}
	delete(p.z.states, p.shown.Name)
	m := p.z.byAddress(p.addr, p.addr)
	m.named = p.named
	p.z.know(m)
	p.z.rank()
}

// named puts the zone in the place of its address.
func (p *endpoint) named(name string) {
	delete(p.z.states, p.shown.Name)
	p.z.forget(p.addr)
	if m := p.z.members[name]; m != nil {
		p.z.Problem("zone "+name, clean.Text(p.addr)+" claims the zone of another database")
		return
	}
	p.z.know(p.z.byAddress(name, p.addr))
	p.z.rank()
}

func (p *endpoint) failed(err error) {
	if conn := connOf(err); p.shown.Conn != conn {
		p.shown.Conn, p.shown.ConnAt = conn, p.z.Now()
	}
	p.shown.Attempts++
	p.shown.Error = clean.Text(err.Error())
}
