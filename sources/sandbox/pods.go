package sandbox

import (
	"context"
	"maps"
	"strings"
	"sync"
	"time"

	"rung/model"
	"rung/model/network"
	"rung/model/ovn/nb"
)

// podHandler turns pods into the ports they should have, zone by zone, and tells
// the zones of namespaces and of their node, each change some time after it was
// told.
type podHandler struct {
	mu      sync.Mutex
	keepers map[string]*rowKeeper // never changed: a new one takes its place
	delay   time.Duration
	queue   []podEvent
	wake    chan struct{}

	// The networks besides the default one, and whether there were ever some: of the goroutine
	// that applies events.
	table     *network.Table
	segmented bool
}

// podEvent is a set of changes that takes effect at a time: of all objects, or of some.
type podEvent struct {
	dueAt   time.Time
	cluster *model.Cluster
	changes []model.Change
	now     *model.Cluster // with the changes
}

// followZone lets a zone's keeper hear of its pods from now on; nil lets nobody.
func (h *podHandler) followZone(zone string, k *rowKeeper) {
	h.mu.Lock()
	defer h.mu.Unlock()
	next := maps.Clone(h.keepers)
	if next == nil {
		next = map[string]*rowKeeper{}
	}
	next[zone] = k
	if k == nil {
		delete(next, zone)
	}
	h.keepers = next
}

func (h *podHandler) setCluster(c *model.Cluster, changes []model.Change) {
	kept := make([]model.Change, 0, len(changes))
	for _, ch := range changes {
		switch ch.Key().Kind {
		case model.KindPod, model.KindNamespace, model.KindNode, model.KindNAD, model.KindUDN, model.KindCUDN:
			kept = append(kept, ch)
		}
	}
	if changes != nil && len(kept) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	e := podEvent{dueAt: time.Now().Add(h.delay), changes: kept, now: c}
	if changes == nil {
		e.cluster = c
		if c == nil {
			e.cluster = &model.Cluster{}
		}
		e.now = e.cluster
	}
	if n := len(h.queue); n > 0 && e.dueAt.Before(h.queue[n-1].dueAt) {
		e.dueAt = h.queue[n-1].dueAt // a shorter delay must not overtake
	}
	h.queue = append(h.queue, e)
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

func (h *podHandler) runEvents(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.wake:
		case <-timer.C:
		}
		for {
			e, wait := h.nextEvent()
			if wait > 0 {
				timer.Reset(wait)
				break
			}
			h.applyEvent(e)
		}
	}
}

// nextEvent takes the next event that is due, or says how long to wait.
func (h *podHandler) nextEvent() (podEvent, time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.queue) == 0 {
		return podEvent{}, time.Hour
	}
	if wait := time.Until(h.queue[0].dueAt); wait > 0 {
		return podEvent{}, wait
	}
	e := h.queue[0]
	h.queue[0] = podEvent{} // what it held goes with it; the others stay where they are
	h.queue = h.queue[1:]
	return e, 0
}

func (h *podHandler) applyEvent(e podEvent) {
	h.mu.Lock()
	keepers := h.keepers
	h.mu.Unlock()
	defer h.followNetworks(keepers, &e)
	if e.cluster != nil {
		replaceAll(keepers, e.cluster)
		return
	}
	for _, ch := range e.changes {
		switch ch.Key().Kind {
		case model.KindPod:
			podChanged(keepers, ch)
		case model.KindNamespace:
			// A new object of an old name changes nothing here.
			if (ch.Old == nil) == (ch.New == nil) {
				continue
			}
			for _, k := range keepers {
				k.putNamespace(ch.Key().Name, ch.New != nil)
			}
		case model.KindNode:
			if n, ok := ch.New.(*model.Node); ok && keepers[n.Name] != nil {
				keepers[n.Name].putManagement(n.MgmtIPs)
			}
		}
	}
}

// replaceAll tells the keepers of everything there is.
func replaceAll(keepers map[string]*rowKeeper, c *model.Cluster) {
	want := map[string]map[string]podPort{}
	for zone := range keepers {
		want[zone] = map[string]podPort{}
	}
	for p := range c.Pods() {
		if ports := want[p.NodeName]; ports != nil && p.CanBeSubject() {
			ports[nb.PortName(p.Namespace, p.Name)] = portOf(p)
		}
	}
	groups := map[string]string{}
	for n := range c.Namespaces() {
		groups[n.Name] = nb.HashedName(NamespaceIDs(n.Name)[nb.KeyID])
	}
	for zone, k := range keepers {
		var mgmt []string
		if n := c.Node(zone); n != nil {
			mgmt = n.MgmtIPs
		}
		k.replacePorts(want[zone], maps.Clone(groups), mgmt)
	}
}

func podChanged(keepers map[string]*rowKeeper, ch model.Change) {
	was, _ := ch.Old.(*model.Pod)
	is, _ := ch.New.(*model.Pod)
	if was != nil && (is == nil || is.NodeName != was.NodeName) {
		if k := keepers[was.NodeName]; k != nil {
			k.putPort(nb.PortName(was.Namespace, was.Name), podPort{}, false)
		}
	}
	if is != nil {
		if k := keepers[is.NodeName]; k != nil {
			k.putPort(nb.PortName(is.Namespace, is.Name), portOf(is), is.CanBeSubject())
		}
	}
}

// portOf is the port of a pod that is to have one. A pod without an address yet
// has one with a hardware address alone.
func portOf(p *model.Pod) podPort {
	first := ""
	if len(p.IPs) > 0 {
		first = p.IPs[0]
	}
	mac := MACOf(first, p.Namespace+"/"+p.Name)
	return podPort{uid: p.UID, namespace: p.Namespace, address: strings.Join(append([]string{mac}, p.IPs...), " ")}
}
