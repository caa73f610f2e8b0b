package sandbox

import (
	"slices"

	"rung/model"
	"rung/model/network"
	"rung/model/ovn/nb"
)

// followNetworks tells the keepers of the networks besides the default one, where there are some or have
// been; what follows from them in a zone its keeper finds.
func (h *podHandler) followNetworks(keepers map[string]*rowKeeper, e *podEvent) {
	concerns := func(ch model.Change) bool {
		return ch.Key().Kind == model.KindNamespace || ch.New != nil && network.IsSource(ch.New) || ch.Old != nil && network.IsSource(ch.Old)
	}
	if e.cluster != nil || slices.ContainsFunc(e.changes, concerns) {
		h.table = network.TableOf(e.now)
	}
	h.segmented = h.segmented || h.table != nil
	if !h.segmented {
		return
	}
	s := &Standing{Cluster: e.now, Table: h.table}
	for _, k := range keepers {
		k.putNetworks(s)
	}
}

// putNetworks says what networks there are.
func (k *rowKeeper) putNetworks(s *Standing) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.networks, k.dirty.networks = s, true
	k.wakeKeeper()
}

// networkOps are the operations that are due on other networks, when the default one is as it is to be.
func (k *rowKeeper) networkOps() ([]nb.Op, *writeTask) {
	if !k.dirty.networks || k.networks == nil {
		return nil, nil
	}
	mgmt := k.mgmt
	if len(mgmt) == 0 {
		mgmt = k.firstMgmt
	}
	w := k.networks.In(k.zone, mgmt, k.lab)
	task := &writeTask{isolation: w.Isolation.Text()}
	w.IsolateAnew = task.isolation != k.isolation
	ops := w.Ops(k.db)
	if len(ops) == 0 {
		k.dirty.networks = false
	}
	return ops, task
}
