package sandbox

import (
	"errors"
	"maps"
	"slices"
	"strconv"

	"rung/model"
	"rung/model/ovn/nb"
)

// writeTask is the purpose of a transaction.
type writeTask struct {
	// owners says of each port the uid of the pod that it will have been made
	// for, if it is there then. The pod may be another one before that.
	owners     map[string]string
	namespaces []string
	isolation  string // the text of the ACLs of tier 0, of a task about other networks
}

// dueOps are the operations that are due, and what they are for; nil for the first
// rows.
func (k *rowKeeper) dueOps() ([]nb.Op, *writeTask) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.synced {
		return nil, nil // a Resync will come and wake us
	}
	if k.db.Global() == nil {
		return k.seed, nil
	}
	if !k.isReady {
		k.isReady = true
		close(k.ready)
	}
	sw := k.db.SwitchByName(k.zone)
	if sw == nil {
		return nil, nil
	}
	w := &rowWork{rowKeeper: k, sw: sw, task: &writeTask{owners: map[string]string{}}, join: map[string][]nb.Ref{}}
	w.addPortOps()
	w.addNamespaceOps()
	w.addManagementOps()
	if len(w.ops) == 0 {
		clear(k.dirty.ports)
		clear(k.dirty.namespaces)
		k.dirty.mgmt = false
		return k.networkOps()
	}
	return w.ops, w.task
}

// rowWork gathers the operations of one transaction. Its keeper is locked.
type rowWork struct {
	*rowKeeper
	sw   *nb.LogicalSwitch
	task *writeTask
	ops  []nb.Op
	// join are ports that their namespace's group lacks.
	join map[string][]nb.Ref
}

func (w *rowWork) addPortOps() {
	var add, remove []nb.Ref
	for i, name := range slices.Sorted(maps.Keys(w.dirty.ports)) {
		want, wanted := w.wantedPorts[name]
		w.task.owners[name] = want.uid
		live := w.db.PortByName(name)
		switch {
		case live == nil && wanted:
			id := "port" + strconv.Itoa(i)
			w.ops = append(w.ops, PodPortOp(id, w.zone, name, want.namespace, want.uid, want.address))
			add = append(add, nb.Ref{Name: id})
			w.join[want.namespace] = append(w.join[want.namespace], nb.Ref{Name: id})
		case live == nil || live.ExternalIDs["pod"] != "true":
		case !wanted, w.madeFor[name] != "" && w.madeFor[name] != want.uid:
			w.task.owners[name] = w.madeFor[name]
			remove = append(remove, nb.Ref{UUID: live.UUID}) // groups lose it by themselves: they refer weakly
		default:
			if len(live.Addresses) != 1 || live.Addresses[0] != want.address {
				w.ops = append(w.ops, nb.Op{Kind: nb.OpUpdate, Table: nb.TablePort, UUID: live.UUID, Row: map[string]any{
					"addresses": []string{want.address}, "port_security": []string{want.address}}})
			}
			if g := w.db.PortGroupByName(w.groups[want.namespace]); g == nil || !slices.Contains(g.Ports, live.UUID) {
				w.join[want.namespace] = append(w.join[want.namespace], nb.Ref{UUID: live.UUID})
			}
		}
	}
	for _, m := range []nb.Mutation{{Column: "ports", Insert: true, Refs: add}, {Column: "ports", Refs: remove}} {
		if len(m.Refs) > 0 {
			w.ops = append(w.ops, nb.Op{Kind: nb.OpMutate, Table: nb.TableSwitch, UUID: w.sw.UUID, Mutations: []nb.Mutation{m}})
		}
	}
}

// addNamespaceOps gives each namespace its group, with the zone's ports of its pods.
// The group's ACLs are others' business.
func (w *rowWork) addNamespaceOps() {
	look := maps.Clone(w.dirty.namespaces)
	noteNames(look, w.join)
	var settled map[string][]nb.Ref
	for _, ns := range slices.Sorted(maps.Keys(look)) {
		name, wanted := w.groups[ns]
		ids := NamespaceIDs(ns)
		if !wanted {
			name = nb.HashedName(ids[nb.KeyID])
		}
		live := w.db.PortGroupByName(name)
		w.task.namespaces = append(w.task.namespaces, ns)
		switch {
		case wanted && live == nil:
			if settled == nil {
				settled = w.settledPorts()
			}
			w.ops = append(w.ops, InsertOp(nb.TablePortGroup, "", map[string]any{"name": name, "external_ids": ids,
				"ports": slices.Concat(w.join[ns], settled[ns])}))
		case wanted && len(w.join[ns]) > 0:
			w.ops = append(w.ops, nb.Op{Kind: nb.OpMutate, Table: nb.TablePortGroup, UUID: live.UUID,
				Mutations: []nb.Mutation{{Column: "ports", Insert: true, Refs: w.join[ns]}}})
		case !wanted && live != nil && live.ID() == ids[nb.KeyID]:
			w.ops = append(w.ops, nb.Op{Kind: nb.OpDelete, Table: nb.TablePortGroup, UUID: live.UUID})
		}
	}
}

// settledPorts are the pods' ports that are not looked at now, by namespace.
func (w *rowWork) settledPorts() map[string][]nb.Ref {
	out := map[string][]nb.Ref{}
	for name, p := range w.wantedPorts {
		if _, ok := w.dirty.ports[name]; ok {
			continue
		}
		if live := w.db.PortByName(name); live != nil && live.ExternalIDs["pod"] == "true" {
			out[p.namespace] = append(out[p.namespace], nb.Ref{UUID: live.UUID})
		}
	}
	return out
}

func (w *rowWork) addManagementOps() {
	live := w.db.PortByName(nb.ManagementPort(w.zone))
	if !w.dirty.mgmt || len(w.mgmt) == 0 || live == nil {
		return
	}
	if address := ManagementAddress(w.zone, w.mgmt); !slices.Equal(live.Addresses, []string{address}) {
		w.ops = append(w.ops, nb.Op{Kind: nb.OpUpdate, Table: nb.TablePort, UUID: live.UUID,
			Row: map[string]any{"addresses": []string{address}}})
	}
}

// noteWritten notes the outcome; it says whether there may be more to do. Transact
// has let the sink know the rows as they are now, so that what is left is found
// by comparing again.
func (k *rowKeeper) noteWritten(t *writeTask, err error) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if errors.Is(err, model.ErrRefused) && t != nil {
		// Somebody's row is in the way; the next change of the object tries again.
		for name := range t.owners {
			delete(k.dirty.ports, name)
		}
		for _, name := range t.namespaces {
			delete(k.dirty.namespaces, name)
		}
		k.dirty.mgmt = false
		if t.isolation != "" {
			k.dirty.networks = false
		}
		return false
	}
	if err != nil {
		k.fault = err.Error()
		return k.synced
	}
	if t == nil {
		return true
	}
	if t.isolation != "" {
		k.isolation = t.isolation
	}
	for name, uid := range t.owners {
		if uid != "" && k.db.PortByName(name) != nil {
			k.madeFor[name] = uid
		} else {
			delete(k.madeFor, name)
		}
	}
	return true
}
