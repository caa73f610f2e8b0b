package revision

import (
	"reflect"
	"sync"
	"sync/atomic"

	"rung/compiler"
	"rung/model"
	"rung/model/ladder"
	"rung/model/selectors"
	"rung/model/verdict"
)

// derivedValues holds values that follow from the objects and the compiler's options (units, families,
// subnets). Each is made on demand, and shared by all revisions with the same objects and options.
type derivedValues struct {
	index       Once[*selectors.PodIndex]
	ladder      Once[*ladder.Ladder]
	addrs       Once[map[string][]AddressOwner]
	pods        Once[PodCount]
	verdicts    Once[*verdict.Index]
	placed      Once[[]model.Object]   // pods with an assumed node or address
	plannedPods Once[selectors.PodSet] // those of placed that do not exist yet
	judged      Once[*model.Cluster]
	wholeRows   Once[*compiler.Desired] // for a revision of WithPolicies
	questions   valuesByType
}

// PodIndex returns the index that resolves the selectors of this revision to pods.
func (r *Revision) PodIndex() *selectors.PodIndex {
	if r.changed != nil {
		return r.changed.base.PodIndex() // both revisions have the same pods
	}
	return r.shared.index.Get(func() *selectors.PodIndex {
		x := selectors.NewPodIndex(r.JudgedCluster(), r.Desired.Selectors())
		x.SetFamilies(r.Desired.Families())
		return x
	})
}

// Ladder returns the precedence ladder of this revision.
func (r *Revision) Ladder() *ladder.Ladder {
	return r.shared.ladder.Get(func() *ladder.Ladder {
		opt := ladder.Options{Max: r.Flags.MaxPriority, CNP: r.Flags.CompileCNP, Broken: r.Broken, Units: r.Units(),
			LegacyIsolation: r.Flags.LegacyIsolation, Networks: WholeRevision(r).Desired.Networks(), Elsewhere: r.Network != nil}
		if sharedPriority(r) {
			opt.Index = r.PodIndex() // only policies at one priority can conflict
		}
		return ladder.New(r.Cluster, opt)
	})
}

// sharedPriority reports whether two policies of a tier have the same priority.
func sharedPriority(r *Revision) bool {
	type place struct {
		tier     int
		priority int32
	}
	seen := map[place]bool{}
	for _, k := range []model.Kind{model.KindANP, model.KindCNP} {
		if k == model.KindCNP && !r.Flags.CompileCNP {
			continue
		}
		for p := range r.Cluster.Policies(k) {
			at := place{p.Tier, p.Priority}
			if seen[at] {
				return true
			}
			seen[at] = true
		}
	}
	return false
}

// DialectOfZone returns the settings that a zone's OVN-Kubernetes runs with; for "" the cluster's, which most
// zones have.
func DialectOfZone(r *Revision, zone string) Zone {
	if r.Dialects == nil {
		return Zone{}
	}
	return r.Dialects.ZoneSettings(zone)
}

// Once is a value computed on demand, once. Its zero value is ready to use.
type Once[T any] struct {
	isMade atomic.Bool
	mu     sync.Mutex
	value  T
}

// Get returns the value. The first caller computes it while others wait.
func (o *Once[T]) Get(work func() T) T {
	if !o.isMade.Load() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if !o.isMade.Load() {
			o.value = work()
			o.isMade.Store(true)
		}
	}
	return o.value
}

// valuesByType is a cache with one value for each type.
type valuesByType struct{ byType sync.Map }

// loadValue returns the value of a type, the zero value at first.
func loadValue[T any](m *valuesByType) *T {
	if m == nil {
		return new(T)
	}
	v, ok := m.byType.Load(reflect.TypeFor[T]())
	if !ok {
		v, _ = m.byType.LoadOrStore(reflect.TypeFor[T](), new(T))
	}
	return v.(*T)
}

// SharedValue returns the value of type T shared by all revisions with the same objects and desired rows, the
// zero value at first. Each cache needs a type of its own. T needs its own lock, since callers run
// concurrently.
func SharedValue[T any](r *Revision) *T { return loadValue[T](&r.shared.questions) }

// CarriedValue returns the value of type T that passes from revision to revision, whatever changes. A revision
// of WithPolicies returns a new zero value each time.
func CarriedValue[T any](r *Revision) *T { return loadValue[T](r.carried) }

// AddressOwner is an object that has an address.
type AddressOwner struct {
	Key  model.Key // a Pod or a Node
	Note string    // "host network", "completed"
}

// AddressOwners returns the owners of an address: first pods, then nodes, and last the host-networked and
// completed pods.
func (r *Revision) AddressOwners(ip string) []AddressOwner {
	return r.shared.addrs.Get(func() map[string][]AddressOwner { return addressOwners(r.Cluster) })[ip]
}

// addressOwners indexes the owners by address. Most have one owner, so the owners lie in one array.
func addressOwners(c *model.Cluster) map[string][]AddressOwner {
	n := c.Count(model.KindPod)
	out := make(map[string][]AddressOwner, n)
	owners := make([]AddressOwner, 0, n+n/8)
	put := func(ip string, o AddressOwner) {
		if had := out[ip]; had != nil {
			out[ip] = append(had, o)
			return
		}
		if len(owners) == cap(owners) {
			owners = make([]AddressOwner, 0, 64)
		}
		owners = append(owners, o)
		out[ip] = owners[len(owners)-1 : len(owners) : len(owners)]
	}
	var late []*model.Pod
	for p := range c.Pods() {
		if p.HostNetwork || p.IsCompleted() {
			late = append(late, p)
			continue
		}
		for _, ip := range p.IPs {
			put(ip, AddressOwner{Key: p.Key})
		}
	}
	for n := range c.Nodes() {
		seen := map[string]bool{}
		for _, ips := range [][]string{n.HostIPs, n.InternalIPs} {
			for _, ip := range ips {
				if !seen[ip] {
					seen[ip] = true
					put(ip, AddressOwner{Key: n.Key})
				}
			}
		}
	}
	for _, p := range late {
		note := "completed"
		if p.HostNetwork {
			note = "host network"
		}
		for _, ip := range p.IPs {
			put(ip, AddressOwner{Key: p.Key, Note: note})
		}
	}
	return out
}

// PortPod returns the pod behind the name of a logical switch port, nil if unknown.
func PortPod(r *Revision, lsp string) *model.Pod {
	for i := range lsp {
		if lsp[i] == '_' {
			if p := r.Cluster.Pod(lsp[:i], lsp[i+1:]); p != nil {
				return p
			}
		}
	}
	return nil
}
