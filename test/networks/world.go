package networks

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strconv"

	"rung/model"
	"rung/model/network"
	"rung/test/made"
)

// World makes random clusters with networks, and what happens to them, over small pools of names, so that
// things meet. A namespace has at most one primary network, and a network one form.
type World struct {
	*rand.Rand
	networks []*worldNetwork
	// owner is the primary network of a namespace, nil for none.
	owner map[string]*worldNetwork
}

// worldNetwork is a network that a World has.
type worldNetwork struct {
	from      model.Kind // UserDefinedNetwork, ClusterUserDefinedNetwork, NetworkAttachmentDefinition
	namespace string     // of a ClusterUserDefinedNetwork empty
	name      string     // of the object
	config    network.Config
	made      bool // the NetworkAttachmentDefinitions are not among the objects
}

// Zones are the nodes of every World.
var Zones = []string{"n1", "n2", "n3"}

var worldNamespaces = []string{"a", "b", "c-1", "d", "ovn-host-network"}

// NewWorld makes a world of 1 to 5 networks.
func NewWorld(seed uint64) *World {
	w := &World{Rand: rand.New(rand.NewPCG(seed, 7)), owner: map[string]*worldNetwork{}}
	for i := range 1 + w.IntN(5) {
		w.networks = append(w.networks, w.newNetwork(i))
	}
	return w
}

func (w *World) one(s ...string) string { return s[w.IntN(len(s))] }

// odds says yes once in n times.
func (w *World) odds(n int) bool { return w.IntN(n) == 0 }

func (w *World) newNetwork(i int) *worldNetwork {
	n := &worldNetwork{name: w.one("net", "blue-net") + strconv.Itoa(i), made: w.odds(3)}
	free := func() (out []string) {
		for _, ns := range worldNamespaces {
			if w.owner[ns] == nil {
				out = append(out, ns)
			}
		}
		return out
	}()
	n.config.Primary = !w.odds(2) && len(free) > 0
	n.config.Topology = []network.Topology{network.Layer3, network.Layer2, network.Localnet}[w.IntN(3)]
	if n.config.Primary && n.config.Topology == network.Localnet {
		n.config.Topology = network.Layer2
	}
	n.from = []model.Kind{model.KindUDN, model.KindCUDN, model.KindNAD}[w.IntN(3)]
	if n.config.Topology == network.Localnet && n.from == model.KindUDN {
		n.from = model.KindCUDN
	}
	switch n.from {
	case model.KindCUDN:
		n.config.Name = "cluster_udn_" + n.name
		if n.config.Primary {
			for _, ns := range free {
				if w.odds(2) {
					w.owner[ns] = n
				}
			}
		}
	default:
		n.namespace = w.one(worldNamespaces[:4]...)
		if n.config.Primary {
			n.namespace = free[w.IntN(len(free))]
			w.owner[n.namespace] = n
		}
		n.config.Name = n.namespace + "_" + n.name
		if n.from == model.KindNAD {
			n.config.Name, n.made = w.one("hand-made", "x")+strconv.Itoa(i), false
		}
	}
	if n.config.Primary || n.config.Topology == network.Layer3 || !w.odds(3) {
		n.config.Subnets = w.subnets(i, n.config.Topology)
	}
	if n.config.Primary && n.config.Topology == network.Layer2 && w.odds(2) {
		w.infrastructure(&n.config, i)
	}
	return n
}

// subnets are the subnets of a network; of layer 2 and localnet at most one of a family, as the API wants it.
func (w *World) subnets(i int, t network.Topology) (out []netip.Prefix) {
	four, six := netip.MustParsePrefix(fmt.Sprintf("10.%d.0.0/16", 20+i)), netip.MustParsePrefix(fmt.Sprintf("fd30:%d::/48", i))
	switch w.IntN(4) {
	case 0:
		return []netip.Prefix{four}
	case 1:
		return []netip.Prefix{six}
	case 2:
		if t != network.Layer3 {
			break
		}
		return []netip.Prefix{four, netip.MustParsePrefix(fmt.Sprintf("10.%d.0.0/16", 60+i))}
	}
	return []netip.Prefix{four, six}
}

// infrastructure keeps addresses of a layer 2 network for itself.
func (w *World) infrastructure(c *network.Config, i int) {
	for _, s := range c.Subnets {
		if s.Addr().Is4() && w.odds(2) {
			c.InfrastructureSubnets = append(c.InfrastructureSubnets, netip.MustParsePrefix(fmt.Sprintf("10.%d.0.%d/%d", s.Addr().As4()[1], []int{0, 8, 2}[w.IntN(3)], []int{29, 31, 32}[w.IntN(3)])).Masked())
		}
		if w.odds(2) {
			c.Gateways = append(c.Gateways, []netip.Addr{s.Addr().Next(), s.Addr().Next().Next(), s.Addr().Next().Next().Next()}[w.IntN(3)])
		}
	}
}

// Cluster is a random cluster.
func (w *World) Cluster() *model.Cluster {
	var objects []model.Object
	for _, name := range Zones {
		objects = append(objects, w.node(name))
	}
	for _, name := range worldNamespaces {
		if !w.odds(8) {
			objects = append(objects, w.namespace(name))
		}
	}
	for _, n := range w.networks {
		objects = append(objects, w.networkObjects(n)...)
	}
	for range 12 + w.IntN(20) {
		objects = append(objects, w.pod())
	}
	for range 3 + w.IntN(8) {
		objects = append(objects, w.policy())
	}
	c, _ := (*model.Cluster)(nil).Upsert(lastOfEach(objects), nil)
	return c
}

// lastOfEach leaves of the objects of one key the last.
func lastOfEach(all []model.Object) (out []model.Object) {
	last := map[model.Key]int{}
	for i, o := range all {
		last[o.ObjectKey()] = i
	}
	for i, o := range all {
		if last[o.ObjectKey()] == i {
			out = append(out, o)
		}
	}
	return out
}

// Step makes what happens next: objects that are put, and keys that are removed.
func (w *World) Step(c *model.Cluster) (put []model.Object, remove []model.Key) {
	for range 1 + w.IntN(3) {
		switch w.IntN(12) {
		case 0, 1, 2, 3:
			put = append(put, w.pod())
		case 4:
			put = append(put, w.namespace(w.one(worldNamespaces...)))
		case 5:
			put = append(put, w.node(w.one(Zones...)))
		case 6, 7:
			put = append(put, w.policy())
		case 8:
			n := w.networks[w.IntN(len(w.networks))]
			if w.odds(2) && len(n.config.Subnets) > 0 { // it gains one, or loses what it gained
				n.config.Subnets = n.config.Subnets[:1:1]
				more := netip.MustParsePrefix(w.one("10.99.0.0/16", "fd99::/48"))
				if w.odds(2) && (n.config.Topology == network.Layer3 || more.Addr().Is4() != n.config.Subnets[0].Addr().Is4()) {
					n.config.Subnets = append(n.config.Subnets, more)
				}
			}
			put = append(put, w.networkObjects(n)...)
			for a := range model.ObjectsOfKind[*network.Attachment](c, model.KindNAD) { // a network has one form
				if a.Config.Name == n.config.Name {
					changed := *a
					changed.Config = n.config
					put = append(put, &changed)
				}
			}
		case 9:
			n := w.networks[w.IntN(len(w.networks))]
			for _, o := range w.networkObjects(n) {
				if !w.odds(3) || n.from != model.KindCUDN {
					remove = append(remove, o.ObjectKey())
				}
			}
		default:
			var all []model.Key
			for o := range c.Objects() {
				if k := o.ObjectKey(); k.Kind != model.KindNAD {
					all = append(all, k)
				}
			}
			if len(all) > 0 {
				remove = append(remove, all[w.IntN(len(all))])
			}
		}
	}
	put = lastOfEach(put)
	gone := map[model.Key]bool{}
	for _, o := range put {
		gone[o.ObjectKey()] = true // what is put is not removed
	}
	var out []model.Key
	for _, k := range remove {
		if !gone[k] {
			gone[k] = true
			out = append(out, k)
		}
	}
	return put, out
}

// networkObjects are the objects of a network: its definition, and the NetworkAttachmentDefinitions that were
// made of it.
func (w *World) networkObjects(n *worldNetwork) (out []model.Object) {
	nad := func(namespace string) {
		if !n.made {
			out = append(out, &network.Attachment{Meta: newMeta(model.KindNAD, namespace, n.name, ""), Config: n.config, ID: "4"})
		}
	}
	switch n.from {
	case model.KindNAD:
		nad(n.namespace)
	case model.KindUDN:
		out = append(out, &network.Definition{Meta: newMeta(n.from, n.namespace, n.name, ""), Config: n.config})
		nad(n.namespace)
	default:
		out = append(out, &network.Definition{Meta: newMeta(n.from, "", n.name, ""), Config: n.config, Namespaces: made.Sel("on-" + n.name + "=1")})
		for _, ns := range worldNamespaces {
			if w.owner[ns] == n || !n.config.Primary && w.odds(2) {
				nad(ns)
			}
		}
	}
	return out
}

func newMeta(kind model.Kind, namespace, name, labels string) model.Meta {
	return model.Meta{Key: model.Key{Kind: kind, Namespace: namespace, Name: name}, Labels: made.NS(name, labels).Labels}
}

// namespace is a namespace with the label of its network, as a rule.
func (w *World) namespace(name string) *model.Namespace {
	labels := w.one("t=1", "t=2", "t=1,env=p")
	for _, n := range w.networks {
		if n.from == model.KindCUDN && (w.owner[name] == n && !w.odds(5) || !n.config.Primary && w.odds(2)) {
			labels += ",on-" + n.name + "=1"
		}
	}
	if w.owner[name] != nil && !w.odds(8) || w.odds(12) {
		labels += "," + model.LabelPrimaryUDN + "=x"
	}
	ns := made.NS(name, labels)
	ns.Annotations = map[string]string{}
	if w.odds(2) {
		ns.Annotations[model.AnnotationLogging] = w.one(`{"allow":"info","deny":"alert"}`, `{"deny":"warning"}`, `{"allow":"LOUD","deny":"info"}`, `{`)
	}
	// Whether a network that lacks only the label programs the multicast of its namespace is not known.
	if _, labeled := ns.Labels.Map()[model.LabelPrimaryUDN]; w.odds(3) && (labeled || w.owner[name] == nil) {
		ns.Annotations[model.AnnotationMulticast] = w.one("true", "true", "false")
	}
	return ns
}

func (w *World) node(name string) *model.Node {
	i := name[1:]
	n := made.Node(name, w.one("role=w", "role=c", ""), "172.18.0."+i, "fc00::"+i)
	n.Subnets, n.MgmtIPs, n.GatewayIPs = []string{"10.244." + i + ".0/24", "fd01:0:0:" + i + "::/64"}, []string{"10.244." + i + ".2", "fd01:0:0:" + i + "::2"}, []string{"100.64.0." + i}
	for _, x := range w.networks {
		if x.config.Topology != network.Layer3 || w.odds(6) {
			continue
		}
		for _, s := range x.config.Subnets {
			sub := fmt.Sprintf("10.%d.%s.0/24", s.Addr().As16()[13], i)
			if s.Addr().Is6() {
				sub = netip.PrefixFrom(s.Addr().Next(), 64).Masked().String()
			}
			if n.NetworkSubnets == nil {
				n.NetworkSubnets = map[string][]string{}
			}
			n.NetworkSubnets[x.config.Name] = append(n.NetworkSubnets[x.config.Name], sub)
		}
	}
	return n
}
