package selectors

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"rung/model"
)

// Index holds the distinct selectors and label sets. The zero value is empty and ready to use.
type Index struct {
	mu        sync.RWMutex
	selectors map[string]*Selector
	classes   map[string]*Class // written only by the goroutine that follows the cluster
}

// Selector is a label selector; equal selectors share one.
type Selector struct {
	model.Selector
	id int
}

// SelectorKey returns a text that is equal for equal selectors. A selector that matches nothing has another
// key than the empty selector, which matches everything.
func SelectorKey(s model.Selector) string {
	if s.IsNil() {
		return "\x00"
	}
	return s.Key()
}

// InternSelector returns the shared Selector that equals s. Ids are never reused, since the table of a Class
// may outlive a selector.
func (x *Index) InternSelector(s model.Selector) *Selector {
	key := SelectorKey(s)
	x.mu.RLock()
	known := x.selectors[key]
	x.mu.RUnlock()
	if known != nil {
		return known
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	known = x.selectors[key]
	if known == nil {
		if x.selectors == nil {
			x.selectors = map[string]*Selector{}
		}
		known = &Selector{s, len(x.selectors)}
		x.selectors[key] = known
	}
	return known
}

// SelectorCount counts the selectors interned so far.
func (x *Index) SelectorCount() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.selectors)
}

// AcquireClass returns the class of a label set and counts one more object with it. ReleaseClass counts one
// less; after the last one the index forgets the class.
func (x *Index) AcquireClass(l model.Labels) *Class {
	c := x.HeldClass(l)
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

// ReleaseClass gives up an acquired class; it ignores nil.
func (x *Index) ReleaseClass(c *Class) {
	if c == nil {
		return
	}
	c.refs--
	if c.refs == 0 {
		x.mu.Lock()
		delete(x.classes, c.labels.Key())
		x.mu.Unlock()
	}
}

// HeldClass returns the class of an acquired label set, or nil.
func (x *Index) HeldClass(l model.Labels) *Class { return x.classes[l.Key()] }

// ClassOfLabels returns the class of a label set: the acquired one, or a private one for the caller.
func (x *Index) ClassOfLabels(l model.Labels) *Class {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if c := x.HeldClass(l); c != nil {
		return c
	}
	return &Class{labels: l}
}

// Class is a distinct label set. Its table caches which selectors match it, so each pair is evaluated only
// once. The table lives as long as the class: label sets come and go with roll-outs, selectors rarely do.
type Class struct {
	labels model.Labels
	refs   int // pods and namespaces with it; owned by the goroutine that follows the cluster

	mu    sync.Mutex
	table atomic.Pointer[[]atomic.Uint32] // by selector id
}

const (
	matchUnknown uint32 = iota
	matchNo
	matchYes
)

// Labels returns the label set.
func (c *Class) Labels() model.Labels { return c.labels }

// Matches reports whether the selector selects the label set. Both must belong to the same index.
func (c *Class) Matches(s *Selector) bool {
	if t := c.table.Load(); t != nil && s.id < len(*t) {
		switch (*t)[s.id].Load() {
		case matchYes:
			return true
		case matchNo:
			return false
		}
	}
	return c.evaluateSelector(s)
}

func (c *Class) evaluateSelector(s *Selector) bool {
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

// ReplicaKey returns a key that is equal for pods that policies treat as replicas: of one namespace, with
// equal labels except those that Kubernetes generates for every pod, rollout or run.
func ReplicaKey(p *model.Pod) string {
	lines := strings.Split(strings.TrimSuffix(p.Labels.Key(), "\n"), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool {
		key, _, _ := strings.Cut(l, "=")
		return generated[key]
	})
	return p.Namespace + "\t" + strings.Join(lines, "\t")
}

// generated are the labels that distinguish replicas, rollouts and runs of one workload.
var generated = map[string]bool{
	model.LabelTemplateHash: true, "pod-template-generation": true, "controller-revision-hash": true,
	"statefulset.kubernetes.io/pod-name": true, "apps.kubernetes.io/pod-index": true,
	"controller-uid": true, "job-name": true,
	"batch.kubernetes.io/controller-uid": true, "batch.kubernetes.io/job-name": true,
	"batch.kubernetes.io/job-completion-index": true,
}
