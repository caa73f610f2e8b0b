package selectors

import (
	"sync"
	"sync/atomic"

	"rung/model"
)

// Class is one distinct label set. Its table remembers which selectors match it, so
// that a selector meets each label set once, whoever asks. The table lives as long as
// the class: label sets come and go with roll-outs, selectors rarely do.
type Class struct {
	labels model.Labels
	refs   int // pods and namespaces that carry it; owned by the goroutine that follows the cluster

	mu    sync.Mutex
	table atomic.Pointer[[]atomic.Uint32] // by selector id
}

const (
	matchUnknown uint32 = iota
	matchNo
	matchYes
)

// Labels is the label set.
func (c *Class) Labels() model.Labels { return c.labels }

// Matches says whether the selector selects the label set. It must be of the index the
// class is of.
func (c *Class) Matches(s *Selector) bool {
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

func (c *Class) evaluate(s *Selector) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.table.Load()
	if t == nil || s.id >= len(*t) {
		grown := make([]atomic.Uint32, s.id+s.id/4+16)
		if t != nil {
			for i := range *t {
				grown[i].Store((*t)[i].Load())
			}
		}
		t = &grown
		c.table.Store(t)
	}
	yes := s.Selector.Matches(c.labels)
	v := matchNo
	if yes {
		v = matchYes
	}
	(*t)[s.id].Store(v)
	return yes
}
