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

// derivedValues holds the values that follow from the objects and from the options they are
// compiled with (which units there are, the families, the subnets). Each is made when
// first asked for, and all revisions that have both in common share them.
type derivedValues struct {
	index     Once[*selectors.PodIndex]
	ladder    Once[*ladder.Ladder]
	addrs     Once[map[string][]AddressOwner]
	pods      Once[PodCount]
	verdicts  Once[*verdict.Index]
	placed    Once[[]model.Object]   // pods of which a place is assumed
	toBe      Once[selectors.PodSet] // those of them that do not exist yet
	judged    Once[*model.Cluster]
	wholeRows Once[*compiler.Desired] // of a revision of WithPolicies
	questions valuesByType
}

// PodIndex answers which pods the selectors of this revision mean.
func (r *Revision) PodIndex() *selectors.PodIndex {
	if r.changed != nil {
		return r.changed.base.PodIndex() // of the same pods
	}
	return r.shared.index.Get(func() *selectors.PodIndex {
		x := selectors.NewPodIndex(r.JudgedCluster(), r.Desired.Selectors())
		x.SetFamilies(r.Desired.Families())
		return x
	})
}

// Ladder is the precedence ladder of this revision.
func (r *Revision) Ladder() *ladder.Ladder {
	return r.shared.ladder.Get(func() *ladder.Ladder {
		opt := ladder.Options{Max: r.Flags.MaxPriority, CNP: r.Flags.CompileCNP, Broken: r.Broken, Units: r.Units(),
			LegacyIsolation: r.Flags.LegacyIsolation, Networks: WholeRevision(r).Desired.Networks(), Elsewhere: r.Network != nil}
		if sharedPriority(r) {
			opt.Index = r.PodIndex() // only who holds a priority together can conflict
		}
		return ladder.New(r.Cluster, opt)
	})
}

// sharedPriority says whether two policies of a tier hold one priority.
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

// DialectOfZone returns the settings that the OVN-Kubernetes of a zone runs with; for the
// name "" the cluster's, which are the settings of most zones.
func DialectOfZone(r *Revision, zone string) Zone {
	if r.Dialects == nil {
		return Zone{}
	}
	return r.Dialects.ZoneSettings(zone)
}

// Once is a value that is worked out when first asked for. Its zero value is ready.
type Once[T any] struct {
	isMade atomic.Bool
	mu     sync.Mutex
	value  T
}

// Get is the value; whoever asks first works it out, and others wait meanwhile.
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

// valuesByType keeps what questions worked out, one value of each type.
type valuesByType struct{ byType sync.Map }

// valueOf is the value of a type; it is made empty when first asked for.
func valueOf[T any](m *valuesByType) *T {
	if m == nil {
		return new(T)
	}
	v, ok := m.byType.Load(reflect.TypeFor[T]())
	if !ok {
		v, _ = m.byType.LoadOrStore(reflect.TypeFor[T](), new(T))
	}
	return v.(*T)
}

// SharedValue is the one value of a type for all revisions of the same objects and desired rows,
// empty when first asked for. A question keeps there what it worked out of them, under a type
// of its own, which guards itself: many ask at once.
func SharedValue[T any](r *Revision) *T { return valueOf[T](&r.shared.questions) }

// CarriedValue is the one value of a type that goes on from revision to revision, whatever changes.
// A revision of WithPolicies carries none: it gets an empty one each time.
func CarriedValue[T any](r *Revision) *T { return valueOf[T](r.carried) }

// AddressOwner is the object that carries an address.
type AddressOwner struct {
	Key  model.Key // a Pod or a Node
	Note string    // "host network", "completed"
}

// AddressOwners says who carries an address: pods that count first, then nodes, then
// host-networked and completed pods.
func (r *Revision) AddressOwners(ip string) []AddressOwner {
	return r.shared.addrs.Get(func() map[string][]AddressOwner { return addressOwners(r.Cluster) })[ip]
}

// addressOwners lists who carries what. Nearly every address has one owner, so the
// owners lie in one array.
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

// PortPod is the pod behind a logical switch port name of a zone, nil when none
// is known.
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
