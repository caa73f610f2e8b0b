package reconciler

import (
	"maps"
	"slices"
	"strconv"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/made"
)

// holders are the rows that units of the world hang their ACLs on: those of
// OVN-Kubernetes' own handlers, which the reconciler never makes.
func holders() []compiler.ACLHolder {
	out := []compiler.ACLHolder{
		compiler.HolderForUnit(model.Key{Kind: model.KindNetpolDefault}),
		compiler.HolderForUnit(model.Key{Kind: model.KindMulticastCluster, Name: "AllowInterNode"}),
	}
	for _, n := range []string{"n1", "n2"} {
		out = append(out, compiler.HolderForUnit(model.Key{Kind: model.KindNetpolNode, Name: n}))
	}
	for _, ns := range []string{"a", "b", "c"} {
		out = append(out, compiler.HolderForUnit(model.Key{Kind: model.KindEF, Namespace: ns}))
	}
	return out
}

func (f *fakeDB) holder(h compiler.ACLHolder) nb.Row {
	switch {
	case h.Table == nb.TableSwitch && f.db.SwitchByName(h.Name) != nil:
		return f.db.SwitchByName(h.Name)
	case h.Table == nb.TablePortGroup && f.db.PortGroupByName(h.Name) != nil:
		return f.db.PortGroupByName(h.Name)
	}
	return nil
}

// hold makes the row ACLs hang on.
func (f *fakeDB) hold(h compiler.ACLHolder) []nb.RowChange {
	if f.holder(h) != nil {
		return nil
	}
	if h.Table == nb.TableSwitch {
		return f.put(nb.RowChange{New: &nb.LogicalSwitch{UUID: f.uuid(), Name: h.Name}})
	}
	return f.put(nb.RowChange{New: &nb.PortGroup{UUID: f.uuid(), Name: h.Name,
		ExternalIDs: map[string]string{nb.KeyOwnerController: nb.DefaultController, nb.KeyOwnerType: nb.OwnerNamespace}}})
}

// meddleHolders does to the rows ACLs hang on what their owners might, and others.
func (w *world) meddleHolders(f *fakeDB) []nb.RowChange {
	all := holders()
	h := all[w.r.IntN(len(all))]
	row := f.holder(h)
	if row == nil {
		return f.hold(h)
	}
	acls := slices.Collect(f.db.ACLs())
	edit := func(in []string) []string {
		out := slices.Clone(in[min(w.r.IntN(3), len(in)):])
		if w.r.IntN(2) == 0 && len(acls) > 0 {
			out = append(out, acls[w.r.IntN(len(acls))].UUID)
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	if w.r.IntN(4) == 0 {
		return f.put(nb.RowChange{Old: row})
	}
	switch old := row.(type) {
	case *nb.LogicalSwitch:
		n := *old
		n.ACLs = edit(old.ACLs)
		return f.put(nb.RowChange{Old: old, New: &n})
	case *nb.PortGroup:
		n := *old
		n.ACLs = edit(old.ACLs)
		if w.r.IntN(5) == 0 {
			n.Name = "renamed" + strconv.Itoa(w.r.IntN(1000000))
		}
		return f.put(nb.RowChange{Old: old, New: &n})
	}
	return nil
}

// damage takes the id of a row away, spoils it, or gives it another row's ids.
func (w *world) damage(f *fakeDB) []nb.RowChange {
	acls, sets, groups := slices.Collect(f.db.ACLs()), slices.Collect(f.db.AddressSets()), slices.Collect(f.db.PortGroups())
	spoil := func(ids, others map[string]string) map[string]string {
		out := map[string]string{}
		maps.Copy(out, ids)
		switch w.r.IntN(5) {
		case 0:
			delete(out, nb.KeyID)
		case 1:
			out[nb.KeyID] += w.pick("x", ":0")
		case 2:
			out[nb.KeyID] = w.pick("", "x", others[nb.KeyID])
		case 3:
			delete(out, nb.KeyID)
			delete(out, w.pick(nb.KeyName, nb.KeyDirection, nb.KeyGressIndex, nb.KeyType))
		case 4:
			return maps.Clone(others)
		}
		return out
	}
	switch n := w.r.IntN(4); {
	case n < 2 && len(acls) > 0:
		old := acls[w.r.IntN(len(acls))]
		row := *old
		row.ExternalIDs = spoil(old.ExternalIDs, acls[w.r.IntN(len(acls))].ExternalIDs)
		return f.put(nb.RowChange{Old: old, New: &row})
	case n == 2 && len(sets) > 0:
		old := sets[w.r.IntN(len(sets))]
		row := *old
		row.ExternalIDs = spoil(old.ExternalIDs, sets[w.r.IntN(len(sets))].ExternalIDs)
		if w.r.IntN(3) == 0 {
			row.Name = "renamed" + strconv.Itoa(w.r.IntN(1000000))
		}
		return f.put(nb.RowChange{Old: old, New: &row})
	case n == 3 && len(groups) > 0:
		old := groups[w.r.IntN(len(groups))]
		if slices.Contains(holders(), compiler.ACLHolder{Table: nb.TablePortGroup, Name: old.Name}) {
			return nil // not Rung's to make whole
		}
		row := *old
		row.ExternalIDs = spoil(old.ExternalIDs, groups[w.r.IntN(len(groups))].ExternalIDs)
		if w.r.IntN(3) == 0 {
			row.Name = "renamed" + strconv.Itoa(w.r.IntN(1000000))
		}
		return f.put(nb.RowChange{Old: old, New: &row})
	}
	return nil
}

// familyObject is an object that tier 2 is compiled from.
func (w *world) familyObject() model.Object {
	switch w.r.IntN(4) {
	case 0:
		n := &model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: w.pick("n1", "n2")}, Labels: labels(w.pick("role=w", ""))}}
		n.MgmtIPs, n.HostIPs = []string{w.pick("10.244.0.2", "10.244.1.2")}, []string{w.pick("172.18.0.2", "172.18.0.3")}
		return n
	case 1:
		ns := namespace(w.pick("a", "b", "c"), w.pick("t=1", "t=2", ""))
		ns.Annotations = map[string]string{model.AnnotationMulticast: w.pick("true", "false"), model.AnnotationLogging: w.pick(`{"deny":"alert"}`, `{"allow":"info"}`, "")}
		return ns
	case 2:
		p := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindEF, Namespace: w.pick("a", "b", "c"), Name: "default"}}, Tier: model.TierNetwork}
		for i := range w.r.IntN(3) {
			peer := []model.Peer{{Kind: model.PeerNetworks, Networks: []string{w.pick("0.0.0.0/0", "10.0.0.0/8")}}, {Kind: model.PeerNodes, Nodes: made.Sel("role=w")},
				{Kind: model.PeerDNS, DNSName: w.pick("a.example", "b.example")}}[w.r.IntN(3)]
			p.Egress = append(p.Egress, model.Rule{Direction: model.Egress, Index: i, Action: model.Action(w.pick("Allow", "Deny")), Peers: []model.Peer{peer}})
		}
		return p
	}
	ns := w.pick("a", "b", "c")
	p := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: ns, Name: w.pick("one", "two")}}, Tier: model.TierNetwork,
		Subject: model.Subject{Namespaces: model.SelectEverything(), Pods: made.Sel(w.pick("", "app=x")), Namespace: ns}, IsolatesIngress: w.r.IntN(3) > 0, IsolatesEgress: w.r.IntN(2) == 0}
	for i := range w.r.IntN(3) {
		r := model.Rule{Direction: model.Ingress, Index: i, Action: model.Allow}
		switch w.r.IntN(4) {
		case 0:
			r.AnyPeer = true
		case 1:
			r.Peers = []model.Peer{{Kind: model.PeerPods, Namespaces: model.SelectEverything(), Pods: made.Sel(w.pick("", "app=x", "app=y")), Namespace: ns}}
		case 2:
			r.Peers = []model.Peer{nsPeer(w.pick("", "t=1")), {Kind: model.PeerNetworks, Networks: []string{"192.0.2.0/24"}}}
		case 3:
			r.Peers = []model.Peer{nsPeer("t=2")}
			r.Ports = tcp(int32(1 + w.r.IntN(3)))
		}
		p.Ingress = append(p.Ingress, r)
	}
	return p
}
