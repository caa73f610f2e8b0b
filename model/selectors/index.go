package selectors

import (
	"sync"

	"rung/model"
)

// Index holds the distinct selectors and label sets. The zero value is empty and ready
// to use.
type Index struct {
	mu        sync.RWMutex
	selectors map[string]*Selector
	classes   map[string]*Class // written only by the goroutine that follows the cluster
}

// Selector is a label selector; of equal ones there is one.
type Selector struct {
	model.Selector
	id int
}

// Key is equal for equal selectors. That of one that matches nothing is another than the
// empty one of everything.
func Key(s model.Selector) string {
	if s.IsNil() {
		return "\x00"
	}
	return s.Key()
}

// Selector is the one that equals s. Ids are never used twice, since the table of a
// Class may outlive a selector.
func (x *Index) Selector(s model.Selector) *Selector {
	key := Key(s)
	x.mu.RLock()
	known := x.selectors[key]
	x.mu.RUnlock()
	if known != nil {
		return known
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if known = x.selectors[key]; known == nil {
		if x.selectors == nil {
			x.selectors = map[string]*Selector{}
		}
		known = &Selector{s, len(x.selectors)}
		x.selectors[key] = known
	}
	return known
}

// Selectors counts the selectors that were ever asked for.
func (x *Index) Selectors() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.selectors)
}

// Acquire is the class of a label set that one more object carries now; Release says that
// one less does. With the last the index forgets the class.
func (x *Index) Acquire(l model.Labels) *Class {
	c := x.Held(l)
	if c == nil {
		c = &Class{labels: l}
		x.mu.Lock()
		if x.classes == nil {
			x.classes = map[string]*Class{}
		}
		x.classes[l.Key()] = c
		x.mu.Unlock()
	}
	c.refs++
	return c
}

// Release gives up a class that was acquired; nil stands for none.
func (x *Index) Release(c *Class) {
	if c == nil {
		return
	}
	if c.refs--; c.refs == 0 {
		x.mu.Lock()
		delete(x.classes, c.labels.Key())
		x.mu.Unlock()
	}
}

// Held is the class of a label set that is acquired, nil for any other.
func (x *Index) Held(l model.Labels) *Class { return x.classes[l.Key()] }

// Class is the class of a label set: the one that is acquired, or one for the caller alone.
func (x *Index) Class(l model.Labels) *Class {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if c := x.Held(l); c != nil {
		return c
	}
	return &Class{labels: l}
}
