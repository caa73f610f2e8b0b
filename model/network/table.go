package network

import (
	"iter"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"strings"

	"rung/model"
)

// Table is the networks of a cluster besides the default one. The zero value and nil have none.
type Table struct {
	byName  map[string]*Network
	byNAD   map[string]*Network // by "namespace/name"
	primary map[string]*Network // by namespace: of its NetworkAttachmentDefinition of role primary
	labeled map[string]bool     // namespaces with the label of primary networks
	names   []string
	// problems are the faults of objects that networks come from.
	problems []Problem
}

// Problem is a fault that keeps an object from being the network that it is meant to be.
type Problem struct {
	About model.Key
	Code  ProblemCode
	// Text is one line.
	Text string
}

// ProblemCode tells problems apart.
type ProblemCode string

// The codes.
const (
	// Unreadable: a configuration that is no JSON, without what a network needs, or with subnets
	// that cannot be used.
	Unreadable ProblemCode = "unreadable"
	// Contradicts: another object has given the network of that name another form.
	Contradicts ProblemCode = "contradicts"
	// SecondPrimary: the namespace has a primary network already.
	SecondPrimary ProblemCode = "second-primary"
	// Overlaps: subnets of the network that overlap each other.
	Overlaps ProblemCode = "overlaps"
	// NoSubnets: a topology that cannot do without subnets.
	NoSubnets ProblemCode = "no-subnets"
	// Unlabeled: a primary network in a namespace without the label for it, which OVN-Kubernetes refuses.
	Unlabeled ProblemCode = "unlabeled"
)

// IsSource says whether networks follow from objects like this: the table has to be made anew when
// one changes. Of a namespace only the labels count.
func IsSource(o model.Object) bool {
	switch o.(type) {
	case *Attachment, *Definition:
		return true
	}
	return false
}

// TableOf reads the networks of a cluster.
func TableOf(c *model.Cluster) *Table {
	b := &tableBuilder{cluster: c, t: &Table{byName: map[string]*Network{}, byNAD: map[string]*Network{},
		primary: map[string]*Network{}, labeled: map[string]bool{}}}
	b.takeLabels()
	for a := range model.ObjectsOf[*Attachment](c, model.KindNAD) {
		b.takeAttachment(a)
	}
	for _, kind := range []model.Kind{model.KindUDN, model.KindCUDN} {
		for d := range model.ObjectsOf[*Definition](c, kind) {
			b.takeDefinition(d)
		}
	}
	if len(b.t.byName)+len(b.t.problems)+len(b.t.labeled) == 0 && !b.anyDefinition {
		return nil
	}
	b.finish()
	return b.t
}

type tableBuilder struct {
	cluster       *model.Cluster
	t             *Table
	anyDefinition bool
}

func (b *tableBuilder) note(about model.Key, code ProblemCode, text string) {
	b.t.problems = append(b.t.problems, Problem{About: about, Code: code, Text: text})
}

func (b *tableBuilder) takeLabels() {
	for ns := range b.cluster.Namespaces() {
		if ns.GivesNetwork() {
			b.t.labeled[ns.Name] = true
		}
	}
}

func (b *tableBuilder) takeAttachment(a *Attachment) {
	switch {
	case a.Foreign:
		return
	case a.Err != "":
		b.note(a.Key, Unreadable, a.Err)
		return
	}
	b.attach(a.Key, a.Key, &a.Config, a.ID, false)
}

// takeDefinition makes the NetworkAttachmentDefinitions that the cluster manager would make, where
// they are not among the objects.
func (b *tableBuilder) takeDefinition(d *Definition) {
	b.anyDefinition = true
	if d.Err != "" {
		b.note(d.Key, Unreadable, d.Err)
		return
	}
	at := func(namespace string) {
		key := model.Key{Kind: model.KindNAD, Namespace: namespace, Name: d.Name}
		if made, has := b.cluster.Get(key).(*Attachment); has {
			if n := b.t.byNAD[key.NamespacedName()]; n != nil && made.Err == "" {
				n.From = d.Key
			}
			return
		}
		if d.Config.Primary && !b.t.labeled[namespace] && b.cluster.Namespace(namespace) != nil {
			b.note(d.Key, Unlabeled, "namespace "+namespace+" lacks the label "+model.LabelPrimaryUDN+
				": OVN-Kubernetes refuses the network there, and the pods stay on the default network")
			return
		}
		b.attach(d.Key, key, &d.Config, "", true)
	}
	if d.Kind == model.KindUDN {
		at(d.Namespace)
		return
	}
	for ns := range b.cluster.Namespaces() {
		if d.Namespaces.Matches(ns.Labels) {
			at(ns.Name)
		}
	}
}

// attach takes in one NetworkAttachmentDefinition, there or to be made.
func (b *tableBuilder) attach(from, nad model.Key, c *Config, id string, made bool) {
	if code, text := wrongConfig(c); text != "" {
		b.note(from, code, text)
		if code != Overlaps {
			return
		}
	}
	n := b.t.byName[c.Name]
	switch {
	case n == nil:
		n = &Network{Config: *c, ID: id, From: from, Made: made}
		for _, s := range c.Subnets {
			n.IPv4, n.IPv6 = n.IPv4 || s.Addr().Is4(), n.IPv6 || !s.Addr().Is4()
		}
		b.t.byName[c.Name] = n
	case !reflect.DeepEqual(n.Config, *c):
		b.note(from, Contradicts, "network "+c.Name+" is another one in "+n.From.Label()+": OVN-Kubernetes takes the one that it saw first")
		return
	}
	key := nad.NamespacedName()
	n.NADs = append(n.NADs, key)
	n.Made = n.Made && made
	if n.ID == "" {
		n.ID = id
	}
	b.t.byNAD[key] = n
	if c.Primary {
		if had := b.t.primary[nad.Namespace]; had != nil && had != n {
			b.note(from, SecondPrimary, "namespace "+nad.Namespace+" has the primary network "+had.Name+" already")
			return
		}
		b.t.primary[nad.Namespace] = n
	}
}

// wrongConfig says what keeps a configuration from being a network, or is odd about it; empty for nothing.
func wrongConfig(c *Config) (ProblemCode, string) {
	switch {
	case c.Name == "":
		return Unreadable, "the network has no name"
	case c.Topology != Layer3 && c.Topology != Layer2 && c.Topology != Localnet:
		return Unreadable, "topology " + string(c.Topology) + " is none of layer3, layer2, localnet"
	case c.Primary && c.Topology == Localnet:
		return Unreadable, "a localnet cannot be a primary network"
	case len(c.Subnets) == 0 && (c.Topology == Layer3 || c.Primary):
		return NoSubnets, "a " + c.Topology.Words() + " network needs subnets, and this one has none: it is not programmed"
	}
	for i, p := range c.Subnets {
		for _, q := range c.Subnets[:i] {
			if p.Overlaps(q) {
				return Overlaps, "subnets " + q.String() + " and " + p.String() + " overlap"
			}
		}
	}
	return "", ""
}

func (b *tableBuilder) finish() {
	for _, n := range b.t.byName {
		slices.Sort(n.NADs)
	}
	b.t.names = slices.Sorted(maps.Keys(b.t.byName))
	slices.SortStableFunc(b.t.problems, func(p, q Problem) int { return p.About.Compare(q.About) })
}

// Names are the names of the networks, sorted.
func (t *Table) Names() []string {
	if t == nil {
		return nil
	}
	return t.names
}

// HasPrimary reports whether a network besides the default one is the primary one of some namespaces.
func (t *Table) HasPrimary() bool {
	for _, name := range t.Names() {
		if t.byName[name].Primary {
			return true
		}
	}
	return false
}

// Network is the network of a name, nil for none.
func (t *Table) Network(name string) *Network {
	if t == nil {
		return nil
	}
	return t.byName[name]
}

// OfKey is the network that a key of a pod's annotations leads to, "namespace/name" with an index or
// without, or that its namespace will give a pod without annotations (model.NetworkOfNamespace); nil
// for none.
func (t *Table) OfKey(key string) *Network {
	if t == nil {
		return nil
	}
	if n := t.byNAD[key]; n != nil {
		return n
	}
	if namespace, waits := strings.CutPrefix(key, model.NetworkOfNamespace); waits {
		if at, n := t.Place(namespace); at == OnPrimary {
			return n
		}
		return nil
	}
	if parts := strings.Split(key, "/"); len(parts) == 3 {
		return t.byNAD[parts[0]+"/"+parts[1]]
	}
	return nil
}

// Problems are the faults of objects that networks come from, by object.
func (t *Table) Problems() []Problem {
	if t == nil {
		return nil
	}
	return t.problems
}

// Placement says which network the policies of a namespace are programmed on.
type Placement uint8

// The placements (networks.md#namespaces).
const (
	// OnDefault: the default network.
	OnDefault Placement = iota
	// OnPrimary: the primary network of the namespace.
	OnPrimary
	// WithoutNetwork: the namespace has the label and no primary network. Nobody programs its
	// policies until the network is there.
	WithoutNetwork
	// WithoutLabel: the namespace has a primary network and no label. Nobody programs its
	// NetworkPolicies; its EgressFirewall is programmed on the default network.
	WithoutLabel
)

// Place says on which network the policies of a namespace are programmed; the network is the
// primary one also where the label is missing, nil where there is none.
func (t *Table) Place(namespace string) (Placement, *Network) {
	if t == nil {
		return OnDefault, nil
	}
	n := t.primary[namespace]
	switch labeled := t.labeled[namespace]; {
	case labeled && n != nil:
		return OnPrimary, n
	case labeled:
		return WithoutNetwork, nil
	case n != nil:
		return WithoutLabel, n
	}
	return OnDefault, nil
}

// Serves says whether the network is the one on which the policies of a namespace are programmed.
func (t *Table) Serves(n *Network, namespace string) bool {
	p, active := t.Place(namespace)
	return p == OnPrimary && active == n
}

// Namespaces are the namespaces that a network has to do with: that have the label, or a primary network.
func (t *Table) Namespaces() iter.Seq[string] {
	return func(yield func(string) bool) {
		if t == nil {
			return
		}
		for ns := range t.labeled {
			if !yield(ns) {
				return
			}
		}
		for ns := range t.primary {
			if !t.labeled[ns] && !yield(ns) {
				return
			}
		}
	}
}

// Namespaces are the namespaces of its NetworkAttachmentDefinitions.
func (n *Network) Namespaces() []string {
	out := make([]string, len(n.NADs))
	for i, key := range n.NADs {
		out[i], _, _ = strings.Cut(key, "/")
	}
	return slices.Compact(out)
}

// SameNetwork says whether two networks are one, so that no row of theirs differs.
func SameNetwork(a, b *Network) bool { return reflect.DeepEqual(a, b) }

// Subnets of one list as text.
func subnetTexts(list []netip.Prefix) []string {
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = p.String()
	}
	return out
}

// SubnetTexts are the network's subnets as text.
func (n *Network) SubnetTexts() []string { return subnetTexts(n.Subnets) }
