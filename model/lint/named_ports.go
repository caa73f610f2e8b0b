package lint

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"rung/model"
	"rung/model/selectors"
	"rung/model/verdict"
	"rung/model/words"
)

func (l *linter) checkNamedPorts(p *model.Policy, r *model.Rule) {
	if !l.pods || !slices.ContainsFunc(r.Ports, func(port model.Port) bool { return port.Name != "" }) {
		return
	}
	l.checkDeclared(p, r)
	peers := l.x.PeersSet(r)
	l.checkNamedPeers(p, r, peers)
	l.checkNamedFamily(p, r, peers)
}

// checkNamedPeers reports an ingress rule whose rows also decide about other pods than its subject. They match
// addresses of subject and peers and have no outport (ovn-kubernetes.md#named-ports). They apply on nodes with
// a subject pod.
func (l *linter) checkNamedPeers(p *model.Policy, r *model.Rule, peers selectors.PodSet) {
	subject := l.x.SubjectSet(p)
	// Without a subject pod the rows are on no switch; a single peer connects only to itself, outside OVN.
	if r.Direction != model.Ingress || subject.IsEmpty() || peers.Len() < 2 {
		return
	}
	others := peers.AndNot(subject)
	var names, pods []string
	var hit selectors.PodSet
	useless := true // no subject pod declares any of the names
	for i := range r.Ports {
		name := r.Ports[i].Name
		if name == "" {
			useless = false
			continue
		}
		holders := l.x.WithPort(name)
		useless = useless && !holders.Meets(subject)
		if on := holders.And(others); !on.IsEmpty() {
			names = append(names, r.Ports[i].String())
			pods = append(pods, l.portNames.meaningTexts(name, "", on)...)
			hit = hit.Or(on)
		}
	}
	if len(names) == 0 {
		return
	}
	message := fmt.Sprintf("the rows of the named %s %s have no outport: on nodes with a pod of the subject they also "+
		"%s connections between peers, to %s outside the subject: %s",
		words.OneOrMany(len(names), "port", "ports"), words.ListFew(names, shown), strings.ToLower(string(r.Action)),
		words.Count(hit.Len(), "pod"), words.ListFew(pods, shown))
	if useless {
		message += "; no subject pod declares the name, so the rule does nothing for the subject"
	}
	l.addAboutRule(p, r, NamedPortPeers, message)
}

// checkNamedFamily reports rows with addresses of a family that the cluster lacks: rows of named ports have
// them regardless (ovn-kubernetes.md#named-ports).
func (l *linter) checkNamedFamily(p *model.Policy, r *model.Rule, pods selectors.PodSet) {
	family, every := l.missing.name, l.missing.allAddresses
	if family == "" {
		return
	}
	if r.Direction == model.Ingress {
		pods = pods.Or(l.x.SubjectSet(p))
	}
	odd := pods.And(l.x.InNetwork(every))
	var names, on []string
	var hit selectors.PodSet
	for i := range r.Ports {
		if with := l.x.WithPort(r.Ports[i].Name).And(odd); r.Ports[i].Name != "" && !with.IsEmpty() {
			names, on, hit = append(names, r.Ports[i].String()), append(on, l.portNames.meaningTexts(r.Ports[i].Name, "", with)...), hit.Or(with)
		}
	}
	if len(names) == 0 {
		return
	}
	effect := "an egress row has no address set, so it matches them although the rest of the policy ignores that family"
	if r.Direction == model.Ingress {
		effect = "they never match together with the other family's address set"
	}
	l.addAboutRule(p, r, NamedPortFamily, fmt.Sprintf("%s, yet the rows of the named %s %s have the %s addresses of %s: %s; %s",
		l.missing.reason, words.OneOrMany(len(names), "port", "ports"), words.ListFew(names, shown), family,
		words.Count(hit.Len(), "pod"), words.ListFew(on, shown), effect))
}

// missingAddressFamily is the family that the cluster lacks, the network of all its addresses, and why.
type missingAddressFamily struct {
	name         string
	allAddresses netip.Prefix
	reason       string
}

// missingFamily returns the family that rows are not compiled for, or in which no node has a pod subnet.
func missingFamily(c *model.Cluster, v4, v6 bool) missingAddressFamily {
	why := "rows are not compiled for "
	if v4 == v6 {
		why, v4, v6 = "no node has a pod subnet of ", false, false
		for n := range c.Nodes() {
			for _, a := range verdict.ParseAddrs(n.MgmtIPs) {
				v4, v6 = v4 || a.Is4(), v6 || a.Is6()
			}
		}
	}
	switch {
	case v4 && !v6:
		return missingAddressFamily{"IPv6", netip.MustParsePrefix("::/0"), why + "IPv6"}
	case v6 && !v4:
		return missingAddressFamily{"IPv4", netip.MustParsePrefix("0.0.0.0/0"), why + "IPv4"}
	}
	return missingAddressFamily{}
}

// checkDeclared reports port names that no relevant container declares.
func (l *linter) checkDeclared(p *model.Policy, r *model.Rule) {
	var missing []string
	names := 0
	for i := range r.Ports {
		if r.Ports[i].Name == "" {
			continue
		}
		names++
		if !l.isDeclared(p, r, r.Ports[i].Name) {
			missing = append(missing, r.Ports[i].String())
		}
	}
	if len(missing) == 0 {
		return
	}
	severity := model.SeverityInfo
	message := fmt.Sprintf("no receiving pod of the rule declares the named %s %s", words.OneOrMany(len(missing), "port", "ports"),
		words.ListFew(missing, shown))
	if names == len(r.Ports) && len(missing) == names {
		severity, message = deniesWarning(r), message+fmt.Sprintf(": the rule compiles to no ACL at all, so its %s does nothing", r.Action)
	}
	l.addAboutRule(p, r, NamedPortUnmatched, message).Severity = severity
}

// isDeclared reports whether a named port resolves: on the peers, for ingress also on the subject
// (ovn-kubernetes.md#named-ports).
func (l *linter) isDeclared(p *model.Policy, r *model.Rule, name string) bool {
	holders := l.x.WithPort(name)
	if r.Direction == model.Ingress && holders.Meets(l.x.SubjectSet(p)) {
		return true
	}
	for i := range r.Peers {
		if holders.Meets(l.x.PeerSelected(&r.Peers[i])) {
			return true
		}
	}
	return false
}

type portNames struct {
	x             *selectors.PodIndex
	numbersByName map[string]map[model.Port]bool // numbers by port name, as looked up so far
}

// portMeaning is a number of a port name and the first pod that declares it.
type portMeaning struct {
	port model.Port
	pod  *model.Pod
}

// holdersShown limits the pods examined for a name in one rule: beyond hundreds of pods the rest adds nothing.
const holdersShown = 256

// meaningTexts returns the numbers of a port name on pods of a set as text, each with its first pod: "tcp 8080
// (blue/web-1)". An empty protocol means any.
func (n *portNames) meaningTexts(name, protocol string, on selectors.PodSet) (out []string) {
	for _, m := range n.meanings(name, protocol, on) {
		out = append(out, m.port.String()+" ("+podName(m.pod)+")")
	}
	return out
}

func (n *portNames) meanings(name, protocol string, on selectors.PodSet) (out []portMeaning) {
	numbers := n.numbersOfName(name)
	left := 0 // numbers not found yet: mostly one, on the first pod
	for port := range numbers {
		if protocol == "" || port.Protocol == protocol {
			left++
		}
	}
	if left == 0 {
		return nil
	}
	pods := 0
	for pod := range n.x.Pods(n.x.WithPort(name).And(on)) {
		for _, c := range pod.Ports {
			port := model.Port{Protocol: c.Protocol, Start: c.Port, End: c.Port}
			if c.Name != name || !numbers[port] || protocol != "" && c.Protocol != protocol ||
				slices.ContainsFunc(out, func(m portMeaning) bool { return m.port == port }) {
				continue
			}
			out, left = append(out, portMeaning{port, pod}), left-1
		}
		pods++
		if left == 0 || pods == holdersShown {
			break
		}
	}
	return out
}

// numbersOfName returns all numbers of a port name in the cluster.
func (n *portNames) numbersOfName(name string) map[model.Port]bool {
	if known, ok := n.numbersByName[name]; ok {
		return known
	}
	numbers := map[model.Port]bool{}
	for pod := range n.x.Pods(n.x.WithPort(name)) {
		for _, c := range pod.Ports {
			if c.Name == name && c.Protocol != "" {
				numbers[model.Port{Protocol: c.Protocol, Start: c.Port, End: c.Port}] = true
			}
		}
	}
	n.numbersByName[name] = numbers
	return numbers
}
