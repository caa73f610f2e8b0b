package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rung/model"
	"rung/model/network"
	"rung/model/selectors"
	"rung/model/words"
)

// shown is how many names a message lists before it counts the rest.
const networksShown = 3

// checker is one run.
type checker struct {
	c   *model.Cluster
	t   *network.Table
	x   *selectors.PodIndex
	out []model.Finding
}

// Find looks at the networks of a cluster and at what is for them. The table is nil where there are
// none, or no policy can be for one; the index is of the same cluster. Without multi nobody programs
// MultiNetworkPolicies, which is no fault of theirs.
func Find(c *model.Cluster, t *network.Table, x *selectors.PodIndex, multi bool) []model.Finding {
	k := &checker{c: c, t: t, x: x}
	k.checkObjects()
	k.checkNamespaces()
	if multi {
		for p := range c.Policies(model.KindMNP) {
			k.checkMulti(p)
		}
	}
	k.checkFirewalls()
	k.checkFrozen()
	k.checkUnknown()
	return k.out
}

// say adds a finding about an object.
func (k *checker) say(kind *Kind, about model.Key, message string) *model.Finding {
	f := model.Finding{Code: kind.Code, Severity: kind.Severity, Remedy: kind.Remedy, Policy: about, Rule: -1, Message: message}
	f.Origin = originOf(k.c.Get(about))
	k.out = append(k.out, f)
	return &k.out[len(k.out)-1]
}

// originOf is where an object was read.
func originOf(o model.Object) (from model.Origin) {
	switch o := o.(type) {
	case *model.Namespace:
		return o.Origin
	case *model.Pod:
		return o.Origin
	case *model.Policy:
		return o.Origin
	case *network.Attachment:
		return o.Origin
	case *network.Definition:
		return o.Origin
	}
	return from
}

// sayOfRule adds a finding about a rule.
func (k *checker) sayOfRule(kind *Kind, p *model.Policy, r *model.Rule, message string) *model.Finding {
	f := k.say(kind, p.Key, message)
	f.Direction, f.Rule = r.Direction, r.Index
	return f
}

// problemKinds are the findings that problems of a table are.
var problemKinds = map[network.ProblemCode]*Kind{
	network.Unreadable: NetworkUnreadable, network.Contradicts: NetworkContradicts, network.SecondPrimary: NetworkSecondPrimary,
	network.Overlaps: NetworkOverlaps, network.NoSubnets: NetworkNoSubnets, network.Unlabeled: NetworkUnlabeled,
}

// checkObjects reports objects that are not the network that they are meant to be; one that could not be
// read is reported by its reader.
func (k *checker) checkObjects() {
	said := map[network.Problem]bool{}
	for _, p := range k.t.Problems() {
		if said[p] || p.Code == network.Unreadable && k.readError(p.About) != "" {
			continue
		}
		said[p] = true
		k.say(problemKinds[p.Code], p.About, p.Text)
	}
}

// readError is why an object that a network comes from could not be read.
func (k *checker) readError(key model.Key) string {
	switch o := k.c.Get(key).(type) {
	case *network.Attachment:
		return o.Err
	case *network.Definition:
		return o.Err
	}
	return ""
}

// checkNamespaces reports namespaces whose policies nobody programs (networks.md#namespaces).
func (k *checker) checkNamespaces() {
	for _, ns := range slices.Compact(slices.Sorted(k.t.Namespaces())) {
		at, on := k.t.Place(ns)
		if at != network.WithoutNetwork && at != network.WithoutLabel {
			continue
		}
		var lost, firewall []string
		for p := range k.c.Policies(model.KindNP, model.KindEF) {
			switch {
			case p.Namespace != ns:
			case p.Kind == model.KindNP:
				lost = append(lost, p.Name)
			default:
				firewall = append(firewall, p.Name)
			}
		}
		var parts []string
		if len(lost) > 0 {
			parts = append(parts, words.Count(len(lost), "NetworkPolicy")+" ("+words.ListFew(lost, networksShown)+")")
		}
		about := model.Key{Kind: model.KindNamespace, Name: ns}
		if at == network.WithoutNetwork {
			if len(firewall) > 0 {
				parts = append(parts, "its EgressFirewall")
			}
			message := "it has the label " + model.LabelPrimaryUDN + " and no primary network: "
			if len(parts) == 0 {
				k.say(NamespaceWaits, about, message+"policies made there have no rows").Severity = model.SeverityWarning
				continue
			}
			k.say(NamespaceWaits, about, message+"nobody programs "+strings.Join(parts, " and "))
			continue
		}
		message := fmt.Sprintf("it has the primary network %s and not the label %s: ", on.Name, model.LabelPrimaryUDN)
		f := k.say(NamespaceUnlabeled, about, message+"nobody programs NetworkPolicies made there")
		if len(parts) > 0 {
			f.Message = message + "nobody programs " + parts[0]
		} else {
			f.Severity = model.SeverityWarning
		}
		if len(firewall) > 0 {
			f.Message += ", and its EgressFirewall is on the default network, with the subnets of the cluster left out"
		}
	}
}

// checkMulti reports what a MultiNetworkPolicy says and OVN-Kubernetes does not do
// (networks.md#multinetworkpolicy).
func (k *checker) checkMulti(p *model.Policy) {
	if p.IsRefused() {
		return // which is said already
	}
	targets := k.t.SecondaryTargets(p)
	if why := k.t.WhyNoTarget(p); why != "" {
		f := k.say(PolicyForNothing, p.Key, why+": nobody programs it")
		if len(targets) > 0 {
			f.Severity = model.SeverityWarning
			f.Message = why + "; it is programmed on " + words.ListFew(names(targets), networksShown) + " alone"
		}
	}
	if len(targets) == 0 {
		return
	}
	if n := len(p.Ingress) + len(p.Egress); !p.IsolatesIngress && !p.IsolatesEgress {
		message := "it has no policyTypes, and isolates nothing"
		if n > 0 {
			message += ": what its " + words.Count(n, "rule") + " " + words.OneOrMany(n, "allows", "allow") + " is allowed without it, unless another policy isolates"
		}
		k.say(NoPolicyTypes, p.Key, message)
	}
	k.checkAddressless(p, targets)
}

// checkAddressless reports what cannot be, or comes to less, on networks that give no addresses.
func (k *checker) checkAddressless(p *model.Policy, targets []*network.Network) {
	bare := slices.DeleteFunc(slices.Clone(targets), (*network.Network).GivesAddresses)
	if len(bare) == 0 {
		return
	}
	on := words.ListFew(names(bare), networksShown)
	if r := network.RefusedPeer(p); r != nil {
		message := fmt.Sprintf("it selects pods, and %s %s no addresses: there the whole policy is refused, and isolates nothing", on,
			words.OneOrMany(len(bare), "gives", "give"))
		if rest := len(targets) - len(bare); rest > 0 {
			message += fmt.Sprintf("; it is programmed on %s", words.ListFew(names(slices.DeleteFunc(slices.Clone(targets), func(n *network.Network) bool { return !n.GivesAddresses() })), networksShown))
		}
		k.sayOfRule(SelectorPeers, p, r, message)
		return
	}
	for r := range p.AllRules() {
		if len(r.Peers) == 0 && p.HasType(r.Direction) {
			k.sayOfRule(IPv6Denied, p, r, fmt.Sprintf("it has no peers, and %s %s no addresses: there it allows IPv4, and IPv6 stays denied", on,
				words.OneOrMany(len(bare), "gives", "give")))
		}
	}
}

func names(list []*network.Network) (out []string) {
	for _, n := range list {
		out = append(out, n.Name)
	}
	return out
}

// checkFirewalls reports rules of EgressFirewalls for addresses of the network that their namespace is
// on, and of the default one (networks.md#egressfirewall).
func (k *checker) checkFirewalls() {
	for p := range k.c.Policies(model.KindEF) {
		at, on := k.t.Place(p.Namespace)
		if at != network.OnPrimary || p.IsRefused() {
			continue
		}
		for r := range p.AllRules() {
			for _, peer := range r.Peers {
				for _, text := range peer.Networks {
					k.checkDestination(p, r, on, text)
				}
			}
		}
	}
}

func (k *checker) checkDestination(p *model.Policy, r *model.Rule, on *network.Network, text string) {
	n, ok := selectors.ParseNetwork(text)
	if !ok || n.Bits() == 0 {
		return
	}
	for _, s := range on.Subnets {
		if s.Bits() <= n.Bits() && s.Contains(n.Addr()) {
			f := k.sayOfRule(FirewallInside, p, r, fmt.Sprintf("%s is inside %s of the namespace's own network, %s, which the row leaves out: its %s never matches", text, s, on.Name, r.Action))
			if r.Action == model.Deny {
				f.Severity = model.SeverityWarning
			}
			return
		}
	}
	if pods := k.x.InNetwork(n); !pods.IsEmpty() {
		k.sayOfRule(FirewallDefault, p, r, fmt.Sprintf("%s holds the addresses of %s on the default network, e.g. %s: on %s its %s decides about them",
			text, words.Count(pods.Len(), "pod"), networkPodName(k.x.FirstPod(pods)), on.Name, r.Action))
	}
}

func networkPodName(p *model.Pod) string { return p.Namespace + "/" + p.Name }

// checkFrozen reports pods whose annotations freeze address sets, with the policies whose sets these are
// (networks.md#frozen-sets).
func (k *checker) checkFrozen() {
	frozen := k.x.PodsWhere(func(p *model.Pod) bool {
		return (p.NetworksErr != "" || p.AttachmentsErr != "") && len(k.t.NetworksOf(p)) > 0
	})
	if frozen.IsEmpty() {
		return
	}
	byPolicy := map[*model.Pod]map[string]bool{}
	for p := range k.c.Policies(model.KindNP, model.KindMNP) {
		on := k.t.OfPolicy(p)
		if len(on) == 0 || p.IsRefused() {
			continue
		}
		for r := range p.AllRules() {
			for i := range r.Peers {
				for pod := range k.x.Pods(k.x.PeerSelected(&r.Peers[i]).And(frozen)) {
					if byPolicy[pod] == nil {
						byPolicy[pod] = map[string]bool{}
					}
					if slices.ContainsFunc(on, func(n string) bool { return k.freezesOn(pod, n) }) {
						byPolicy[pod][p.Label()] = true
					}
				}
			}
		}
	}
	for pod := range k.x.Pods(frozen) {
		of := slices.Sorted(maps.Keys(byPolicy[pod]))
		if len(of) == 0 {
			continue // its reader has said that the annotation cannot be read
		}
		annotation, remedy := model.AnnotationAttachments, SetsFrozen.Remedy
		if pod.NetworksErr != "" {
			annotation, remedy = model.AnnotationPodNetworks, "delete the pod if something makes it anew: OVN-Kubernetes writes the annotation; else correct it"
		}
		k.say(SetsFrozen, pod.Key, fmt.Sprintf("address sets of %s keep the members they have, since the annotation %s of the pod cannot be read",
			words.ListSome(of, networksShown), annotation)).Remedy = remedy
	}
}

// freezesOn says whether the pod, as it stands on the network, freezes sets there.
func (k *checker) freezesOn(p *model.Pod, name string) bool {
	on := k.t.PodOn(k.t.Network(name), p)
	return on != nil && network.Freezes(on)
}

// checkUnknown reports NetworkAttachmentDefinitions that annotations of pods name and that there are not.
// Where there are no objects of networks at all, they were not read, which is said where it matters.
func (k *checker) checkUnknown() {
	if k.c.Count(model.KindNAD)+k.c.Count(model.KindUDN)+k.c.Count(model.KindCUDN) == 0 {
		return
	}
	pods := map[string][]string{}
	note := func(key string, p *model.Pod) {
		if key == "default" || k.t.OfKey(key) != nil {
			return
		}
		parts := strings.Split(key, "/")
		if len(parts) < 2 || k.c.Get(model.Key{Kind: model.KindNAD, Namespace: parts[0], Name: parts[1]}) != nil {
			return // it is there, and of another plugin, or its own finding says what is wrong
		}
		key = parts[0] + "/" + parts[1]
		if name := networkPodName(p); !slices.Contains(pods[key], name) {
			pods[key] = append(pods[key], name)
		}
	}
	for p := range k.c.Pods() {
		if p.HostNetwork || p.IsCompleted() {
			continue
		}
		for i := range p.Networks {
			note(p.Networks[i].Name, p)
		}
		for _, key := range p.Attachments {
			note(key, p)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(pods)) {
		ns, name, _ := strings.Cut(key, "/")
		n := len(pods[key])
		k.say(PodNetworkUnknown, model.Key{Kind: model.KindNAD, Namespace: ns, Name: name}, fmt.Sprintf(
			"%s (%s) %s it, and there is no such object: Rung does not know the network, and no row of it is compiled",
			words.Count(n, "pod"), words.ListFew(pods[key], networksShown), words.OneOrMany(n, "names", "name")))
	}
}
