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

type networkLint struct{ *linter }

// checkNetworks reports faults of networks and of policies for them. Without multi the plugin programs no
// MultiNetworkPolicies, so they are not checked.
func (l networkLint) checkNetworks(multi bool) {
	l.checkObjects()
	l.checkNamespaces()
	if multi {
		for p := range l.c.Policies(model.KindMNP) {
			l.checkMulti(p)
		}
	}
	l.checkFirewalls()
	l.checkFrozen()
	l.checkMissingAttachments()
}

func (l networkLint) addAboutObject(kind *Kind, about model.Key, message string) *model.Finding {
	f := model.Finding{Policy: about, Rule: -1, Message: message}
	if o, ok := l.c.Get(about).(interface{ ObjectOrigin() model.Origin }); ok {
		f.Origin = o.ObjectOrigin()
	}
	return l.addFinding(kind, f)
}

// problemKinds maps problems of a table to kinds of findings.
var problemKinds = map[network.ProblemCode]*Kind{
	network.Unreadable: NetworkUnreadable, network.Contradicts: NetworkContradicts, network.SecondPrimary: NetworkSecondPrimary,
	network.Overlaps: NetworkOverlaps, network.NoSubnets: NetworkNoSubnets, network.Unlabeled: NetworkUnlabeled,
}

// checkObjects reports objects that do not define a valid network. Readers report unreadable ones.
func (l networkLint) checkObjects() {
	said := map[network.Problem]bool{}
	for _, p := range l.networks.Problems() {
		if said[p] || p.Code == network.Unreadable && l.readError(p.About) != "" {
			continue
		}
		said[p] = true
		l.addAboutObject(problemKinds[p.Code], p.About, p.Text)
	}
}

// readError returns why the object of a network could not be read; empty if it could.
func (l networkLint) readError(key model.Key) string {
	switch o := l.c.Get(key).(type) {
	case *network.Attachment:
		return o.Err
	case *network.Definition:
		return o.Err
	}
	return ""
}

// checkNamespaces reports namespaces whose policies are not programmed (networks.md#namespaces).
func (l networkLint) checkNamespaces() {
	for _, ns := range slices.Compact(slices.Sorted(l.networks.Namespaces())) {
		at, on := l.networks.Place(ns)
		if at != network.WithoutNetwork && at != network.WithoutLabel {
			continue
		}
		var lost, firewall []string
		for p := range l.c.Policies(model.KindNP, model.KindEF) {
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
			parts = append(parts, words.Count(len(lost), "NetworkPolicy")+" ("+words.ListFew(lost, shown)+")")
		}
		about := model.Key{Kind: model.KindNamespace, Name: ns}
		if at == network.WithoutNetwork {
			if len(firewall) > 0 {
				parts = append(parts, "its EgressFirewall")
			}
			message := "it has the label " + model.LabelPrimaryUDN + " but no primary network"
			if len(parts) == 0 {
				l.addAboutObject(NamespaceWaits, about, message+": policies created there have no rows").Severity = model.SeverityWarning
				continue
			}
			l.addAboutObject(NamespaceWaits, about, message+"; not programmed: "+strings.Join(parts, " and "))
			continue
		}
		message := fmt.Sprintf("it has the primary network %s but not the label %s", on.Name, model.LabelPrimaryUDN)
		f := l.addAboutObject(NamespaceUnlabeled, about, message+": NetworkPolicies created there are not programmed")
		if len(parts) > 0 {
			f.Message = message + "; not programmed: " + parts[0]
		} else {
			f.Severity = model.SeverityWarning
		}
		if len(firewall) > 0 {
			f.Message += ", and its EgressFirewall applies on the default network, excluding the cluster's subnets"
		}
	}
}

// checkMulti reports where OVN-Kubernetes does other than a MultiNetworkPolicy says
// (networks.md#multinetworkpolicy).
func (l networkLint) checkMulti(p *model.Policy) {
	if p.IsRejected() {
		return // already reported
	}
	targets := l.networks.SecondaryTargets(p)
	if why := l.networks.WhyNotSecondary(p); why != "" {
		f := l.addAboutObject(PolicyForNothing, p.Key, why+": it is not programmed")
		if len(targets) > 0 {
			f.Severity = model.SeverityWarning
			f.Message = why + "; it is programmed on " + words.ListFew(names(targets), shown) + " only"
		}
	}
	if len(targets) == 0 {
		return
	}
	if n := len(p.Ingress) + len(p.Egress); !p.IsolatesIngress && !p.IsolatesEgress {
		message := "it has no policyTypes and isolates nothing"
		if n > 0 {
			message += ": its " + words.Count(n, "rule") + " " + words.OneOrMany(n, "has", "have") +
				" no effect unless another policy isolates the pods"
		}
		l.addAboutObject(NoPolicyTypes, p.Key, message)
	}
	l.checkAddressless(p, targets)
}

// checkAddressless reports what a MultiNetworkPolicy cannot do on networks without addresses.
func (l networkLint) checkAddressless(p *model.Policy, targets []*network.Network) {
	bare := slices.DeleteFunc(slices.Clone(targets), (*network.Network).GivesAddresses)
	if len(bare) == 0 {
		return
	}
	on := words.ListFew(names(bare), shown)
	if r := network.PodSelectingRule(p); r != nil {
		message := fmt.Sprintf("it selects pods, and %s %s no addresses: there the whole policy is rejected and isolates nothing", on,
			words.OneOrMany(len(bare), "gives", "give"))
		if rest := len(targets) - len(bare); rest > 0 {
			message += fmt.Sprintf("; it is programmed on %s",
				words.ListFew(names(slices.DeleteFunc(slices.Clone(targets), func(n *network.Network) bool { return !n.GivesAddresses() })), shown))
		}
		l.addAboutRule(p, r, SelectorPeers, message)
		return
	}
	for r := range p.AllRules() {
		if len(r.Peers) == 0 && p.HasType(r.Direction) {
			l.addAboutRule(p, r, IPv6Denied, fmt.Sprintf("it has no peers, and %s %s no addresses: "+
				"there it allows IPv4, and IPv6 stays denied", on, words.OneOrMany(len(bare), "gives", "give")))
		}
	}
}

func names(list []*network.Network) []string {
	return model.MapList(list, func(n *network.Network) string { return n.Name })
}

// checkFirewalls reports EgressFirewall rules for addresses of the namespace's own network, and of the default
// network (networks.md#egressfirewall).
func (l networkLint) checkFirewalls() {
	for p := range l.c.Policies(model.KindEF) {
		at, on := l.networks.Place(p.Namespace)
		if at != network.OnPrimary || p.IsRejected() {
			continue
		}
		for r := range p.AllRules() {
			for _, peer := range r.Peers {
				for _, text := range peer.Networks {
					l.checkDestination(p, r, on, text)
				}
			}
		}
	}
}

func (l networkLint) checkDestination(p *model.Policy, r *model.Rule, on *network.Network, text string) {
	n, ok := selectors.ParseNetwork(text)
	if !ok || n.Bits() == 0 {
		return
	}
	for _, s := range on.Subnets {
		if s.Bits() <= n.Bits() && s.Contains(n.Addr()) {
			f := l.addAboutRule(p, r, FirewallInside, fmt.Sprintf("%s is inside %s of the namespace's own network, %s, which the row excludes: "+
				"its %s never matches", text, s, on.Name, r.Action))
			f.Severity = deniesWarning(r)
			return
		}
	}
	if pods := l.x.InNetwork(n); !pods.IsEmpty() {
		l.addAboutRule(p, r, FirewallDefault,
			fmt.Sprintf("%s contains addresses of %s on the default network, e.g. %s: on %s its %s applies to them",
				text, words.Count(pods.Len(), "pod"), podName(l.x.FirstPod(pods)), on.Name, r.Action))
	}
}

// checkFrozen reports pods whose annotations freeze address sets, and the policies of these sets
// (networks.md#frozen-sets).
func (l networkLint) checkFrozen() {
	frozen := l.x.PodsWhere(func(p *model.Pod) bool {
		return (p.NetworksErr != "" || p.AttachmentsErr != "") && len(l.networks.PodNetworks(p)) > 0
	})
	if frozen.IsEmpty() {
		return
	}
	byPolicy := map[*model.Pod]map[string]bool{}
	for p := range l.c.Policies(model.KindNP, model.KindMNP) {
		on := l.networks.NetworksOfPolicy(p)
		if len(on) == 0 || p.IsRejected() {
			continue
		}
		for r := range p.AllRules() {
			for i := range r.Peers {
				for pod := range l.x.Pods(l.x.PeerSelected(&r.Peers[i]).And(frozen)) {
					if byPolicy[pod] == nil {
						byPolicy[pod] = map[string]bool{}
					}
					if slices.ContainsFunc(on, func(n string) bool { return l.freezesOn(pod, n) }) {
						byPolicy[pod][p.Label()] = true
					}
				}
			}
		}
	}
	for pod := range l.x.Pods(frozen) {
		of := slices.Sorted(maps.Keys(byPolicy[pod]))
		if len(of) == 0 {
			continue // its reader reported the unreadable annotation
		}
		annotation, remedy := model.AnnotationAttachments, SetsFrozen.Remedy
		if pod.NetworksErr != "" {
			annotation, remedy = model.AnnotationPodNetworks, "delete the pod if a controller recreates it: OVN-Kubernetes writes the "+
				"annotation; else correct it"
		}
		l.addAboutObject(SetsFrozen, pod.Key, fmt.Sprintf("address sets of %s keep the members they have: "+
			"the pod's annotation %s is unreadable", words.ListSome(of, shown), annotation)).Remedy = remedy
	}
}

// freezesOn reports whether the pod freezes address sets of the network.
func (l networkLint) freezesOn(p *model.Pod, name string) bool {
	on := l.networks.PodOn(l.networks.Network(name), p)
	return on != nil && network.Freezes(on)
}

// checkMissingAttachments reports missing NetworkAttachmentDefinitions that annotations of pods name. Without any network
// objects they were not read, and nothing is reported.
func (l networkLint) checkMissingAttachments() {
	if l.c.Count(model.KindNAD)+l.c.Count(model.KindUDN)+l.c.Count(model.KindCUDN) == 0 {
		return
	}
	pods := map[string][]string{}
	note := func(key string, p *model.Pod) {
		if key == "default" || l.networks.NetworkOfKey(key) != nil {
			return
		}
		parts := strings.Split(key, "/")
		if len(parts) < 2 || l.c.Get(model.Key{Kind: model.KindNAD, Namespace: parts[0], Name: parts[1]}) != nil {
			return // exists: for another plugin, or with its own finding
		}
		key = parts[0] + "/" + parts[1]
		pods[key] = model.AppendNew(pods[key], podName(p))
	}
	for p := range l.c.Pods() {
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
		l.addAboutObject(PodNetworkUnknown, model.Key{Kind: model.KindNAD, Namespace: ns, Name: name}, fmt.Sprintf(
			"%s (%s) %s it, but it does not exist: its network is unknown and not compiled",
			words.Count(n, "pod"), words.ListFew(pods[key], shown), words.OneOrMany(n, "names", "name")))
	}
}
