package sandbox

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"rung/model"
)

// podHandler passes changes of pods, namespaces, nodes and networks to the zones' keepers, after a delay.
type podHandler struct {
	mu                sync.Mutex
	keepers           map[string]*rowKeeper
	delay             time.Duration
	dueAt             time.Time // of the newest change
	received, applied int       // numbers of the newest changes received and applied
}

// followZone makes a zone's keeper receive changes from now on; nil ends that.
func (h *podHandler) followZone(zone string, k *rowKeeper) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if k == nil {
		delete(h.keepers, zone)
	} else {
		h.keepers[zone] = k
	}
}

func (h *podHandler) setCluster(c *model.Cluster, changes []model.Change) {
	concerns := func(ch model.Change) bool {
		switch ch.Key().Kind {
		case model.KindPod, model.KindNamespace, model.KindNode, model.KindNAD, model.KindUDN, model.KindCUDN:
			return true
		}
		return false
	}
	if changes != nil && !slices.ContainsFunc(changes, concerns) {
		return
	}
	c = cmp.Or(c, &model.Cluster{})
	h.mu.Lock()
	defer h.mu.Unlock()
	if at := time.Now().Add(h.delay); at.After(h.dueAt) { // else a shorter delay would reorder changes
		h.dueAt = at
	}
	h.received++
	number := h.received
	time.AfterFunc(time.Until(h.dueAt), func() { h.applyCluster(number, c) })
}

// applyCluster passes the objects to the keepers, unless they have newer ones.
func (h *podHandler) applyCluster(number int, c *model.Cluster) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if number < h.applied {
		return
	}
	h.applied = number
	objects := &ClusterNetworks{Cluster: c}
	for _, k := range h.keepers {
		k.putObjects(objects)
	}
}
