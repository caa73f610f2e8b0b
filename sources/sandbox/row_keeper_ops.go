package sandbox

import (
	"maps"
	"slices"
	"strconv"

	"rung/model/ovn/nb"
)

// dueOps returns the outstanding operations. If they concern other networks, isolation is the text of their
// tier-0 ACLs.
func (k *rowKeeper) dueOps() (ops []nb.Op, isolation string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.synced {
		return nil, "" // a Resync will wake us
	}
	if k.db.Global() == nil {
		return k.seed, ""
	}
	if !k.isReady {
		k.isReady = true
		close(k.ready)
	}
	sw := k.db.SwitchByName(k.zone)
	if sw == nil || k.objects == nil {
		return nil, ""
	}
	k.objects.collect()
	w := &rowWork{rowKeeper: k, sw: sw, members: map[string][]nb.Ref{}}
	w.addPortOps()
	w.addNamespaceOps()
	w.addManagementOps()
	if len(w.ops) == 0 {
		return k.networkOps()
	}
	return w.ops, ""
}

// rowWork collects the operations of one transaction. Its keeper is locked.
type rowWork struct {
	*rowKeeper
	sw      *nb.LogicalSwitch
	ops     []nb.Op
	members map[string][]nb.Ref // namespace → its pods' ports
}

func (w *rowWork) addPortOps() {
	wanted := w.objects.ports[w.zone]
	var add, remove []nb.Ref
	for i, name := range slices.Sorted(maps.Keys(wanted)) {
		want := wanted[name]
		switch live := w.db.PortByName(name); {
		case live == nil:
			ref := nb.Ref{Name: "port" + strconv.Itoa(i)}
			w.ops = append(w.ops, PodPortOp(ref.Name, w.zone, name, want.namespace, want.uid, want.address))
			add = append(add, ref)
			w.members[want.namespace] = append(w.members[want.namespace], ref)
			w.madeFor[name] = want.uid
		case live.ExternalIDs["pod"] != "true":
		case w.madeFor[name] != "" && w.madeFor[name] != want.uid:
			remove = append(remove, nb.Ref{UUID: live.UUID}) // groups refer weakly and lose it automatically
		default:
			w.madeFor[name] = want.uid
			if !slices.Equal(live.Addresses, []string{want.address}) {
				w.ops = append(w.ops, updateOp(nb.TablePort, live.UUID,
					map[string]any{"addresses": []string{want.address}, "port_security": []string{want.address}}))
			}
			w.members[want.namespace] = append(w.members[want.namespace], nb.Ref{UUID: live.UUID})
		}
	}
	for name := range w.madeFor {
		if _, stays := wanted[name]; stays {
			continue
		}
		if live := w.db.PortByName(name); live != nil && live.ExternalIDs["pod"] == "true" {
			remove = append(remove, nb.Ref{UUID: live.UUID})
		} else {
			delete(w.madeFor, name)
		}
	}
	w.ops = append(append(w.ops, portsOps(nb.TableSwitch, w.sw.UUID, true, add)...), portsOps(nb.TableSwitch, w.sw.UUID, false, remove)...)
}

// portsOps returns the operation that adds ports to a row or removes them, or none without ports.
func portsOps(table, uuid string, add bool, ports []nb.Ref) []nb.Op {
	if len(ports) == 0 {
		return nil
	}
	return []nb.Op{{Kind: nb.OpMutate, Table: table, UUID: uuid, Mutations: []nb.Mutation{{Column: "ports", Insert: add, Refs: ports}}}}
}

// addNamespaceOps gives each namespace its port group, with the ports of its pods in the zone. It leaves the
// group's ACLs alone.
func (w *rowWork) addNamespaceOps() {
	wanted := w.objects.groups
	for _, ns := range slices.Sorted(maps.Keys(wanted)) {
		w.groups[ns] = wanted[ns]
		live := w.db.PortGroupByName(wanted[ns])
		if live == nil {
			w.ops = append(w.ops, InsertOp(nb.TablePortGroup, "", map[string]any{"name": wanted[ns], "external_ids": NamespaceIDs(ns),
				"ports": append([]nb.Ref{}, w.members[ns]...)}))
			continue
		}
		missing := slices.DeleteFunc(w.members[ns], func(r nb.Ref) bool {
			_, has := slices.BinarySearch(live.Ports, r.UUID)
			return has
		})
		w.ops = append(w.ops, portsOps(nb.TablePortGroup, live.UUID, true, missing)...)
	}
	for ns, name := range w.groups {
		if wanted[ns] != "" {
			continue
		}
		if live := w.db.PortGroupByName(name); live != nil && live.ID() == NamespaceIDs(ns)[nb.KeyID] {
			w.ops = append(w.ops, deleteOp(nb.TablePortGroup, live.UUID))
		} else {
			delete(w.groups, ns)
		}
	}
}

func (w *rowWork) addManagementOps() {
	live := w.db.PortByName(nb.ManagementPort(w.zone))
	node := w.objects.Cluster.Node(w.zone)
	if live == nil || node == nil || len(node.MgmtIPs) == 0 {
		return
	}
	if address := addressColumn(w.zone, node.MgmtIPs); !slices.Equal(live.Addresses, []string{address}) {
		w.ops = append(w.ops, updateOp(nb.TablePort, live.UUID, map[string]any{"addresses": []string{address}}))
	}
}

// networkOps returns the outstanding operations on other networks, once the default network is in sync.
func (k *rowKeeper) networkOps() (ops []nb.Op, isolation string) {
	k.segmented = k.segmented || k.objects.Table != nil
	if !k.segmented {
		return nil, ""
	}
	mgmt := k.firstMgmt
	if node := k.objects.Cluster.Node(k.zone); node != nil && len(node.MgmtIPs) > 0 {
		mgmt = node.MgmtIPs
	}
	w := k.objects.In(k.zone, mgmt, k.lab)
	_, _, isolation = isolationACLOps(w.Isolation, false)
	w.IsolateAnew = isolation != k.isolation
	return w.Ops(k.db), isolation
}
