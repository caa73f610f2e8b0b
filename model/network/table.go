package network

import (
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"

	"rung/model"
)

// Table has the networks of a cluster other than the default. The zero value and nil have none.
type Table struct {
	byName  map[string]*Network
	byNAD   map[string]*Network // by "namespace/name"
	primary map[string]*Network // by namespace of a NetworkAttachmentDefinition of role primary
	labeled map[string]bool     // namespaces with the label of primary networks
	names   []string
	// problems are the faults of the source objects.
	problems []Problem
}

// Problem is a fault of an object that should define a network.
type Problem struct {
	About model.Key
	Code  ProblemCode
	// Text is one line.
	Text string
}

// ProblemCode is the kind of a problem.
type ProblemCode string

// The codes.
const (
	// Unreadable: the configuration is not JSON, lacks a required field, or has unusable subnets.
	Unreadable ProblemCode = "unreadable"
	// Contradicts: another object gives the network of that name another configuration.
	Contradicts ProblemCode = "contradicts"
	// SecondPrimary: the namespace already has a primary network.
	SecondPrimary ProblemCode = "second-primary"
	// Overlaps: subnets of the network overlap each other.
	Overlaps ProblemCode = "overlaps"
	// NoSubnets: the topology requires subnets.
	NoSubnets ProblemCode = "no-subnets"
	// Unlabeled: a primary network is in a namespace without the label for it; OVN-Kubernetes rejects that.
	Unlabeled ProblemCode = "unlabeled"
)

// IsSource reports whether networks come from objects of this type: the table must be rebuilt if one changes.
// Namespaces are no sources, although the table depends on their labels.
func IsSource(o model.Object) bool {
	switch o.(type) {
	case *Attachment, *Definition:
		return true
	}
	return false
}

// NewTable reads the networks of a cluster.
func NewTable(c *model.Cluster) *Table {
	b := &tableBuilder{cluster: c, t: &Table{byName: map[string]*Network{}, byNAD: map[string]*Network{},
		primary: map[string]*Network{}, labeled: map[string]bool{}}}
	b.takeLabels()
	for a := range model.ObjectsOfKind[*Attachment](c, model.KindNAD) {
		b.takeAttachment(a)
	}
	for _, kind := range []model.Kind{model.KindUDN, model.KindCUDN} {
		for d := range model.ObjectsOfKind[*Definition](c, kind) {
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

// takeDefinition adds the NetworkAttachmentDefinitions that the cluster manager would make, unless they exist.
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
				": OVN-Kubernetes rejects the network there, and the pods stay on the default network")
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

// attach adds one NetworkAttachmentDefinition, existing or to be made.
func (b *tableBuilder) attach(from, nad model.Key, c *Config, id string, made bool) {
	if code, text := configFault(c); text != "" {
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
		b.note(from, Contradicts, "network "+c.Name+" is configured differently in "+n.From.Label()+": OVN-Kubernetes keeps the first it saw")
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

// configFault returns the fault of a configuration; empty if it has none.
func configFault(c *Config) (ProblemCode, string) {
	switch {
	case c.Name == "":
		return Unreadable, "the network has no name"
	case c.Topology != Layer3 && c.Topology != Layer2 && c.Topology != Localnet:
		return Unreadable, "topology " + string(c.Topology) + " is not layer3, layer2 or localnet"
	case c.Primary && c.Topology == Localnet:
		return Unreadable, "a localnet cannot be a primary network"
	case len(c.Subnets) == 0 && (c.Topology == Layer3 || c.Primary):
		return NoSubnets, "a " + c.Topology.Words() + " network needs subnets: it is not programmed"
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

// Names returns the names of the networks, sorted.
func (t *Table) Names() []string {
	if t == nil {
		return nil
	}
	return t.names
}

// HasPrimary reports whether some namespaces have their own primary network.
func (t *Table) HasPrimary() bool {
	for _, name := range t.Names() {
		if t.byName[name].Primary {
			return true
		}
	}
	return false
}

// Network returns the network with a name, or nil.
func (t *Table) Network(name string) *Network {
	if t == nil {
		return nil
	}
	return t.byName[name]
}

// NetworkOfKey returns the network of a key of a pod's annotations, "namespace/name" with or without an index. For
// model.NetworkOfNamespace it is the network that the namespace will give the pod. nil if there is none.
func (t *Table) NetworkOfKey(key string) *Network {
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

// Problems returns the faults of the source objects, by object.
func (t *Table) Problems() []Problem {
	if t == nil {
		return nil
	}
	return t.problems
}

// Placement tells which network, if any, gets a namespace's policies.
type Placement uint8

// The placements (networks.md#namespaces).
const (
	// OnDefault: the default network.
	OnDefault Placement = iota
	// OnPrimary: the primary network of the namespace.
	OnPrimary
	// WithoutNetwork: the namespace has the label and no primary network. Its policies are not programmed.
	WithoutNetwork
	// WithoutLabel: the namespace has a primary network and no label. Its NetworkPolicies are not programmed;
	// its EgressFirewall is programmed on the default network.
	WithoutLabel
)

// Place returns where the policies of a namespace are programmed, and its primary network. Without the label
// it still returns the network; nil if there is none.
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

// Serves reports whether the policies of a namespace are programmed on the network.
func (t *Table) Serves(n *Network, namespace string) bool {
	p, active := t.Place(namespace)
	return p == OnPrimary && active == n
}

// Namespaces yields the namespaces with the label or a primary network.
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

// Namespaces returns the namespaces of its NetworkAttachmentDefinitions.
func (n *Network) Namespaces() []string {
	out := make([]string, len(n.NADs))
	for i, key := range n.NADs {
		out[i], _, _ = strings.Cut(key, "/")
	}
	return slices.Compact(out)
}

// SameNetwork reports whether two networks are equal, so their rows do not differ.
func SameNetwork(a, b *Network) bool { return reflect.DeepEqual(a, b) }

// SubnetTexts returns the network's subnets as text.
func (n *Network) SubnetTexts() []string {
	out := make([]string, len(n.Subnets))
	for i, p := range n.Subnets {
		out[i] = p.String()
	}
	return out
}
