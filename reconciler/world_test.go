package reconciler

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/made"
)

func labels(s string) model.Labels {
	m := map[string]string{}
	for _, f := range strings.Fields(s) {
		k, v, _ := strings.Cut(f, "=")
		m[k] = v
	}
	return model.NewLabels(m)
}

func namespace(name, l string) *model.Namespace {
	return &model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: name}, Labels: labels(l)}}
}

func pod(nsname, l, node string, ips ...string) *model.Pod {
	ns, name, _ := strings.Cut(nsname, "/")
	return &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: ns, Name: name}, Labels: labels(l)},
		NodeName: node, Phase: "Running", IPs: ips}
}

func policy(kind model.Kind, name string, prio int32, subject string, rules ...model.Rule) *model.Policy {
	p := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: kind, Name: name}}, Tier: model.TierAdmin, Priority: prio,
		Subject: model.Subject{Namespaces: made.Sel(subject), Pods: model.SelectEverything(), AllPods: true}}
	if kind == model.KindBANP {
		p.Tier = model.TierBaseline
	}
	for _, r := range rules {
		if r.Direction == model.Ingress {
			r.Index = len(p.Ingress)
			p.Ingress = append(p.Ingress, r)
		} else {
			r.Index = len(p.Egress)
			p.Egress = append(p.Egress, r)
		}
	}
	return p
}

func anp(name string, prio int32, subject string, rules ...model.Rule) *model.Policy {
	return policy(model.KindANP, name, prio, subject, rules...)
}

func rule(dir model.Direction, a model.Action, ports []model.Port, peers ...model.Peer) model.Rule {
	return model.Rule{Direction: dir, Action: a, Peers: peers, Ports: ports}
}

func nsPeer(s string) model.Peer {
	return model.Peer{Kind: model.PeerNamespaces, Namespaces: made.Sel(s), Pods: model.SelectEverything()}
}

func tcp(port int32) []model.Port {
	return []model.Port{{Protocol: "TCP", Start: port, End: port}}
}

func keyOf(name string) model.PolicyKey { return model.PolicyKey{Kind: model.KindANP, Name: name} }

// world is a cluster that changes at random, with its compiler.
type world struct {
	r       *rand.Rand
	cluster *model.Cluster
	c       *compiler.Compiler
	d       *compiler.Desired
	changes []model.Change // of the last step
}

func newWorld(seed uint64) *world {
	cluster, _ := (*model.Cluster)(nil).Upsert(nil, nil)
	w := &world{r: rand.New(rand.NewPCG(seed, 7)), cluster: cluster, c: compiler.New(compiler.Options{})}
	w.d, _ = w.c.Apply(w.cluster, nil)
	return w
}

// set makes one step of the cluster.
func (w *world) set(upsert []model.Object, remove ...model.Key) *compiler.Delta {
	next, changes := w.cluster.Upsert(upsert, remove)
	w.cluster = next
	var delta *compiler.Delta
	w.d, delta = w.c.Apply(next, changes)
	w.changes = changes
	return delta
}

func (w *world) add(objects ...model.Object) *compiler.Delta { return w.set(objects) }

func (w *world) pick(s ...string) string { return s[w.r.IntN(len(s))] }

// step changes up to three things.
func (w *world) step() *compiler.Delta {
	var upsert []model.Object
	var remove []model.Key
	for range 1 + w.r.IntN(3) {
		o := w.object()
		if w.r.IntN(3) == 0 {
			o = w.familyObject()
		}
		if w.r.IntN(4) == 0 {
			remove = append(remove, o.ObjectKey())
		} else {
			upsert = append(upsert, o)
		}
	}
	return w.set(upsert, remove...)
}

func (w *world) object() model.Object {
	switch n := w.r.IntN(20); {
	case n < 11:
		p := pod(w.pick("a", "b", "c")+"/p"+strconv.Itoa(w.r.IntN(5)), w.pick("app=x", "app=y", ""), w.pick("n1", "n1", "n2", ""),
			"10.0.0."+strconv.Itoa(w.r.IntN(20)))
		p.Phase = w.pick("Running", "Running", "Running", "Succeeded")
		if w.r.IntN(3) == 0 {
			p.Ports = []model.ContainerPort{{Name: w.pick("http", "dns"), Protocol: w.pick("TCP", "UDP"), Port: int32(1 + w.r.IntN(3))}}
		}
		if w.r.IntN(40) == 0 {
			p.IPs = append(p.IPs, "fd00::1") // switches a family on
		}
		return p
	case n < 14:
		return namespace(w.pick("a", "b", "c"), w.pick("t=1", "t=2", ""))
	}
	var rules []model.Rule
	for range w.r.IntN(4) {
		var peers []model.Peer
		for range 1 + w.r.IntN(2) {
			if w.r.IntN(4) == 0 {
				peers = append(peers, model.Peer{Kind: model.PeerNetworks, Networks: []string{w.pick("10.0.0.0/8", "10.0.0.3/32", "bad")}})
			} else {
				peers = append(peers, nsPeer(w.pick("", "t=1", "t=2")))
			}
		}
		var ports []model.Port
		switch w.r.IntN(4) {
		case 0:
			ports = tcp(int32(1 + w.r.IntN(3)))
		case 1:
			ports = []model.Port{{Name: w.pick("http", "dns")}}
		}
		rules = append(rules, rule(model.Direction(w.pick("Ingress", "Egress")), model.Action(w.pick("Allow", "Deny", "Pass")), ports, peers...))
	}
	if w.r.IntN(8) == 0 {
		return policy(model.KindBANP, "default", 0, w.pick("", "t=1"), rules...)
	}
	p := anp(w.pick("one", "two", "three"), int32(w.r.IntN(104)), w.pick("", "t=1", "t=2"), rules...)
	if w.r.IntN(3) == 0 {
		p.HasLogging, p.Logging = true, w.pick(`{"deny":"alert"}`, `{"deny":"LOUD"}`)
	}
	return p
}

// meddle changes live rows at random, as somebody with ovn-nbctl would. Rows
// that are not Rung's are added too; returns what changed.
func (w *world) meddle(f *fakeDB) []nb.RowChange {
	acls, sets, groups := slices.Collect(f.db.ACLs()), slices.Collect(f.db.AddressSets()), slices.Collect(f.db.PortGroups())
	ports := slices.Collect(f.db.Ports())
	anyOf := func(n int) int { return w.r.IntN(max(n, 1)) }
	switch n := w.r.IntN(21); {
	case n >= 18:
		return w.damage(f)
	case n >= 16:
		return w.meddleHolders(f)
	case n < 4: // ports as the pod handler makes and removes them
		name := w.pick("a", "b", "c") + "_p" + strconv.Itoa(w.r.IntN(5))
		if p := f.db.PortByName(name); p != nil {
			ch := []nb.RowChange{{Old: p}}
			if w.r.IntN(3) == 0 { // made anew in the same transaction
				ch = append(ch, nb.RowChange{New: &nb.LogicalSwitchPort{UUID: f.uuid(), Name: name}})
			}
			return f.put(ch...)
		}
		return f.put(nb.RowChange{New: &nb.LogicalSwitchPort{UUID: f.uuid(), Name: name}})
	case n < 6 && len(sets) > 0:
		s := sets[anyOf(len(sets))]
		if w.r.IntN(3) == 0 {
			return f.put(nb.RowChange{Old: s})
		}
		row := *s
		row.Addresses = append(slices.Clone(s.Addresses[min(anyOf(3), len(s.Addresses)):]), "10.9.9."+strconv.Itoa(w.r.IntN(3)))
		slices.Sort(row.Addresses)
		row.Addresses = slices.Compact(row.Addresses)
		if w.r.IntN(6) == 0 {
			row.ExternalIDs = map[string]string{"who": "me"}
		}
		return f.put(nb.RowChange{Old: s, New: &row})
	case n < 9 && len(groups) > 0:
		g := groups[anyOf(len(groups))]
		row := *g
		switch w.r.IntN(6) {
		case 0:
			return f.put(nb.RowChange{Old: g})
		case 1:
			row.ExternalIDs = map[string]string{"who": "me"}
		case 2:
			row.ACLs = g.ACLs[min(anyOf(3), len(g.ACLs)):]
		case 3:
			if len(acls) > 0 {
				row.ACLs = append(slices.Clone(g.ACLs), acls[anyOf(len(acls))].UUID)
			}
		default:
			row.Ports = slices.Clone(g.Ports[min(anyOf(3), len(g.Ports)):])
			if len(ports) > 0 {
				row.Ports = append(row.Ports, ports[anyOf(len(ports))].UUID)
			}
		}
		slices.Sort(row.ACLs)
		slices.Sort(row.Ports)
		row.ACLs, row.Ports = slices.Compact(row.ACLs), slices.Compact(row.Ports)
		return f.put(nb.RowChange{Old: g, New: &row})
	case n < 12 && len(acls) > 0:
		a := acls[anyOf(len(acls))]
		row := *a
		switch w.r.IntN(4) {
		case 0:
			row.Priority++
		case 1:
			row.Match, row.Log = "0", !row.Log
		case 2:
			row.ExternalIDs = map[string]string{"who": "me"}
		case 3: // a copy of the row
			if len(groups) == 0 {
				return nil
			}
			row.UUID = f.uuid()
			g := *groups[anyOf(len(groups))]
			g.ACLs = append(slices.Clone(g.ACLs), row.UUID)
			return f.put(nb.RowChange{New: &row}, nb.RowChange{Old: f.db.PortGroup(g.UUID), New: &g})
		}
		return f.put(nb.RowChange{Old: a, New: &row})
	case n < 13:
		return f.put(nb.RowChange{New: &nb.AddressSet{UUID: f.uuid(), Name: "foreign" + strconv.Itoa(w.r.IntN(1000000)), Addresses: []string{"1.1.1.1"}}})
	case n < 14: // rows of a policy that is not there
		name := w.pick("gone", "one", "two")
		ids := nb.IDs(nb.DefaultController, nb.OwnerANP, nb.IDPair{Key: nb.KeyName, Value: name}, nb.IDPair{Key: nb.KeyDirection, Value: "Ingress"},
			nb.IDPair{Key: nb.KeyGressIndex, Value: "7"}, nb.IDPair{Key: nb.KeyIPFamily, Value: "v4"})
		if n := nb.HashedName(ids[nb.KeyID]); f.db.AddressSetByName(n) == nil {
			return f.put(nb.RowChange{New: &nb.AddressSet{UUID: f.uuid(), Name: n, ExternalIDs: ids}})
		}
	}
	return nil
}
