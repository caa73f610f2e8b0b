package compiler

import (
	"sync"
	"sync/atomic"

	"rung/model"
)

// class is one distinct label set. Its table remembers which selectors match
// it, so that a selector meets each label set once, whoever asks. The table
// lives as long as the class: label sets come and go with roll-outs, selectors
// rarely do.
type class struct {
	labels model.Labels
	refs   int // pods or namespaces that carry it; owned by the compiler

	mu    sync.Mutex
	table atomic.Pointer[[]atomic.Uint32] // by selector id
}

const (
	matchUnknown uint32 = iota
	matchNo
	matchYes
)

// selector is an interned label selector: equal selectors are one.
type selector struct {
	id  int
	sel model.Selector
}

// matches says whether the selector selects the label set.
func (c *class) matches(s *selector) bool {
	if t := c.table.Load(); t != nil && s.id < len(*t) {
		switch (*t)[s.id].Load() {
		case matchYes:
			return true
		case matchNo:
			return false
		}
	}
	return c.evaluate(s)
}

func (c *class) evaluate(s *selector) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.table.Load()
	if t == nil || s.id >= len(*t) {
		grown := make([]atomic.Uint32, s.id+16)
		if t != nil {
			for i := range *t {
				grown[i].Store((*t)[i].Load())
			}
		}
		t = &grown
		c.table.Store(t)
	}
	yes := s.sel.Matches(c.labels)
	v := matchNo
	if yes {
		v = matchYes
	}
	(*t)[s.id].Store(v)
	return yes
}

// classes interns label sets.
type classes map[string]*class

func (cs classes) acquire(l model.Labels) *class {
	c := cs[l.Key()]
	if c == nil {
		c = &class{labels: l}
		cs[l.Key()] = c
	}
	c.refs++
	return c
}

func (cs classes) release(c *class) {
	if c == nil {
		return
	}
	if c.refs--; c.refs == 0 {
		delete(cs, c.labels.Key())
	}
}

// selectors interns selectors. Ids are never used twice: a class's table may
// outlive a selector.
type selectors struct {
	byKey map[string]*selector
	next  int
}

func (ss *selectors) intern(s model.Selector) *selector {
	if ss.byKey == nil {
		ss.byKey = map[string]*selector{}
	}
	k := s.Key()
	if s.IsNil() {
		k = "\x00none"
	}
	n := ss.byKey[k]
	if n == nil {
		n = &selector{id: ss.next, sel: s}
		ss.next++
		ss.byKey[k] = n
	}
	return n
}
