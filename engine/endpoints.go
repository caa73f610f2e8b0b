package engine

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
func (e *Engine) runEndpoints() {
	var asked []*endpoint
	e.do(func(s *state) {
		for _, name := range slices.Sorted(maps.Keys(e.cfg.NB)) {
			addr := e.cfg.NB[name]
			if name != "" && name != addr {
				s.set.know(s, e.byAddress(name, addr))
				continue
			}
			p := newEndpoint(e, addr)
			asked = append(asked, p)
			p.show(s)
		}
		s.set.rank(s)
	})
	slots := make(chan struct{}, namesAtOnce)
	for _, p := range asked {
		if !e.loop.Go(func() { p.run(slots) }) {
			return
		}
	}
}

// endpoint is a database whose zone nobody named.
type endpoint struct {
	e     *Engine
	addr  string
	shown model.ZoneState
}

func newEndpoint(e *Engine, addr string) *endpoint {
	return &endpoint{e, addr, model.ZoneState{Name: clean.Text(addr), Endpoint: clean.Text(addr),
		Conn: model.ConnDialling, ConnAt: e.Now(), Writes: e.cfg.Reconcile && !isFile(addr)}}
}

func (p *endpoint) show(s *state) {
	z := p.shown
	s.zones[z.Name] = &z
	s.Changed()
}

// run asks for the zone's name, for as long as that takes, and takes it in.
func (p *endpoint) run(slots chan struct{}) {
	again := retry.Backoff(100*time.Millisecond, 5*time.Second)
	for {
		select {
		case slots <- struct{}{}:
		case <-p.e.loop.Context().Done():
			return
		}
		name, err := p.e.zoneNameOf(p.e.loop.Context(), p.addr)
		<-slots
		if err == nil {
			p.e.do(func(s *state) { p.known(s, name) })
			return
		}
		p.failed(err)
		p.e.do(p.show)
		if !retry.Sleep(p.e.loop.Context(), again.Step()) {
			return
		}
	}
}

// known takes the zone in: under its name, or under its address until the database
// has one.
func (p *endpoint) known(s *state, name string) {
	if name != "" {
		p.named(s, name)
		return
	}
	delete(s.zones, p.shown.Name)
	m := p.e.byAddress(p.addr, p.addr)
	m.named = p.named
	s.set.know(s, m)
	s.set.rank(s)
}

// named puts the zone in the place of its address.
func (p *endpoint) named(s *state, name string) {
	delete(s.zones, p.shown.Name)
	s.set.forget(s, p.addr)
	if m := s.set.members[name]; m != nil {
		s.Problem("zone "+name, clean.Text(p.addr)+" claims the zone of another database")
		return
	}
	s.set.know(s, p.e.byAddress(name, p.addr))
	s.set.rank(s)
}

func (p *endpoint) failed(err error) {
	if conn := connOf(err); p.shown.Conn != conn {
		p.shown.Conn, p.shown.ConnAt = conn, p.e.Now()
	}
	p.shown.Attempts++
	p.shown.Error = clean.Text(err.Error())
}
