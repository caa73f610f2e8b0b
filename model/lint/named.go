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

// checkNamedPorts is one pass over the named ports of an ANP or BANP rule.
func (l *linter) checkNamedPorts(p *model.Policy, r *model.Rule) {
	if !l.pods || !slices.ContainsFunc(r.Ports, func(port model.Port) bool { return port.Name != "" }) {
		return
	}
	l.checkDeclared(p, r)
	peers := l.x.PeersSet(r)
	l.checkNamedPeers(p, r, peers)
	l.checkNamedFamily(p, r, peers)
}

// checkNamedPeers reports an ingress rule whose rows decide about pods that are not
// its subject: they name the peers' addresses beside the subject's and have no
// outport (ovn-kubernetes.md#named-ports). They count on the nodes where a subject pod
// is.
func (l *linter) checkNamedPeers(p *model.Policy, r *model.Rule, peers selectors.PodSet) {
	subject := l.x.SubjectSet(p)
	// Without a subject pod the rows hang on no switch; a single peer has nobody
	// to connect to but itself, and such traffic does not pass OVN.
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
		"%s connections among the peers, to %s that %s no subject: %s",
		words.OneOrMany(len(names), "port", "ports"), words.ListFew(names, shown), strings.ToLower(string(r.Action)),
		words.Count(hit.Len(), "pod"), words.OneOrMany(hit.Len(), "is", "are"), words.ListFew(pods, shown))
	if useless {
		message += "; no pod of the subject declares such a name, so for the subject the rule does nothing"
	}
	l.addAboutRule(p, r, NamedPortPeers, message)
}

// checkNamedFamily reports rows with addresses of a family the cluster does not
// have: named ports name them whatever the cluster's families are
// (ovn-kubernetes.md#named-ports).
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
	effect := "an egress row has no address set, so it decides about them although the rest of the policy does not see " +
		"that family"
	if r.Direction == model.Ingress {
		effect = "beside the address set of the other family they never match"
	}
	l.addAboutRule(p, r, NamedPortFamily, fmt.Sprintf("%s, yet the rows of the named %s %s name the %s addresses of %s: %s; %s",
		l.missing.reason, words.OneOrMany(len(names), "port", "ports"), words.ListFew(names, shown), family,
		words.Count(hit.Len(), "pod"), words.ListFew(on, shown), effect))
}

// lackedFamily is IPv4 or IPv6 with the network of all its addresses, and why the cluster
// does not have it; the zero value is neither.
type lackedFamily struct {
	name         string
	allAddresses netip.Prefix
	reason       string
}

// missingFamily is the family that rows are not compiled for, or of which no node
// has a pod subnet, where the nodes' subnets are known.
func missingFamily(c *model.Cluster, v4, v6 bool) lackedFamily {
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
		return lackedFamily{"IPv6", netip.MustParsePrefix("::/0"), why + "IPv6"}
	case v6 && !v4:
		return lackedFamily{"IPv4", netip.MustParsePrefix("0.0.0.0/0"), why + "IPv4"}
	}
	return lackedFamily{}
}

// checkDeclared reports names that no container declares where the rule looks.
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
	message := fmt.Sprintf("no pod the rule looks at declares the named %s %s", words.OneOrMany(len(missing), "port", "ports"),
		words.ListFew(missing, shown))
	if names == len(r.Ports) && len(missing) == names {
		severity, message = deniesWarning(r), message+fmt.Sprintf(": the rule compiles to no ACL at all, so its %s does nothing", r.Action)
	}
	l.addAboutRule(p, r, NamedPortUnmatched, message).Severity = severity
}

// isDeclared says whether a named port resolves: on the peers, for ingress on the
// subject too (ovn-kubernetes.md#named-ports).
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

// portNames knows what port names stand for on the pods of a cluster.
type portNames struct {
	x             *selectors.PodIndex
	numbersByName map[string]map[model.Port]bool // numbers by port name, once asked for
}

// portMeaning is a number that a port name stands for and the first pod that says
// so.
type portMeaning struct {
	port model.Port
	pod  *model.Pod
}

// holdersShown bounds on how many pods a name is looked up for one rule: where
// hundreds of pods declare it the others say nothing new.
const holdersShown = 256

// meaningTexts returns the ports that a port name means on pods of a set, as text, each number
// once with its first pod: "tcp 8080 (blue/web-1)". An empty protocol means any.
func (n *portNames) meaningTexts(name, protocol string, on selectors.PodSet) (out []string) {
	for _, m := range n.meanings(name, protocol, on) {
		out = append(out, m.port.String()+" ("+podName(m.pod)+")")
	}
	return out
}

func (n *portNames) meanings(name, protocol string, on selectors.PodSet) (out []portMeaning) {
	numbers := n.numbersOfName(name)
	left := 0 // numbers not seen yet: mostly a name has one, and the first pod says it
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

// numbersOfName are all numbers that a port name stands for in the cluster.
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
