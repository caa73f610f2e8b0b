package compiler

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/made"
)

// world makes random events over small pools of names, so that things meet.
type world struct {
	t       *testing.T
	r       *rand.Rand
	cluster *model.Cluster
}

var zones = []string{"n1", "n2", "n3"}

func (w *world) pick(s ...string) string { return s[w.r.IntN(len(s))] }

func (w *world) object() (model.Object, bool) {
	switch n := w.r.IntN(20); {
	case n < 10:
		p := pod(w.pick("a", "b", "c", "d")+"/p"+strconv.Itoa(w.r.IntN(6)), w.pick("app=x", "app=y", "app=x tier=1", ""), w.pick("n1", "n2", "n3", "", "n1"))
		if w.r.IntN(8) > 0 {
			// A small pool: two pods may carry one address for a while.
			p.IPs = append(p.IPs, "10.0.0."+strconv.Itoa(w.r.IntN(30)))
		}
		if w.r.IntN(6) == 0 {
			p.IPs = append(p.IPs, "fd00::"+strconv.Itoa(1+w.r.IntN(9)))
		}
		p.UID = strconv.Itoa(w.r.IntN(3)) // now and then another pod of the same name
		p.HostNetwork = w.r.IntN(10) == 0
		p.Phase = w.pick("Running", "Running", "Pending", "Succeeded")
		if w.r.IntN(2) == 0 {
			p.Ports = []model.ContainerPort{{Name: w.pick("http", "dns"), Protocol: w.pick("TCP", "UDP", "SCTP", ""), Port: int32(1 + w.r.IntN(5))}}
		}
		return p, w.r.IntN(4) == 0
	case n < 14:
		return namespace(w.pick("a", "b", "c", "d"), w.pick("t=1", "t=2", "t=1 env=p", "")), w.r.IntN(4) == 0
	case n < 16:
		nd := node(w.pick(zones...), w.pick("role=w", "role=c", ""), "10.0.0."+strconv.Itoa(w.r.IntN(30)), "fd00::"+strconv.Itoa(1+w.r.IntN(9)))
		if w.r.IntN(6) == 0 {
			nd.HostIPs, nd.HostErr = nil, "broken"
		}
		return nd, w.r.IntN(5) == 0
	}
	return w.policy(), w.r.IntN(5) == 0
}

func (w *world) policy() *model.Policy {
	subject := model.Subject{Namespaces: made.Sel(w.pick("", "t=1", "t in (1,2)")), Pods: made.Sel(w.pick("", "app=x", "!app"))}
	var rules []model.Rule
	for range w.r.IntN(4) {
		dir := model.Direction(w.pick("Ingress", "Egress"))
		var peers []model.Peer
		for range 1 + w.r.IntN(3) {
			switch w.r.IntN(4) {
			case 0:
				peers = append(peers, nsPeer(w.t, w.pick("", "t=1", "t=2")))
			case 1:
				peers = append(peers, podPeer(w.t, w.pick("", "t=1", "env=p"), w.pick("", "app=x", "app=y")))
			case 2:
				peers = append(peers, netPeer(w.pick("10.1.2.3/8", "::/0", "10.0.0.1/32", "0.0.0.0/0")))
			case 3:
				peers = append(peers, nodePeer(w.t, w.pick("", "role=w")))
			}
		}
		rules = append(rules, rule(dir, model.Action(w.pick("Allow", "Deny", "Pass")), ports(w.t, w.pick("", "", "TCP/80", "http", "http dns UDP/53")), peers...))
	}
	if w.r.IntN(6) == 0 {
		for i := range rules {
			if rules[i].Action == model.Pass {
				rules[i].Action = model.Deny
			}
		}
		return banp(subject, rules...)
	}
	p := anp(w.pick("one", "two", "three", "four"), int32(w.r.IntN(110)), subject, rules...)
	if w.r.IntN(8) == 0 {
		p.Logging, p.HasLogging = w.pick(`{"deny":"alert"}`, `{"deny":"LOUD"}`), true
	}
	return p
}

// naive lists what a set or port group must hold by asking every pod.
func naiveRows(cl *model.Cluster, p *model.Policy, zone string, v4, v6 bool) (sets map[string][]string, ports []string) {
	sets = map[string][]string{}
	matches := func(ns, pods model.Selector, pod *model.Pod) bool {
		n := cl.Namespace(pod.Namespace)
		return n != nil && ns.Matches(n.Labels) && pods.Matches(pod.Labels)
	}
	for pod := range cl.Pods() {
		if pod.CanBeSubject() && (zone == "" || pod.NodeName == zone) && matches(p.Subject.Namespaces, p.Subject.Pods, pod) {
			ports = append(ports, nb.PortName(pod.Namespace, pod.Name))
		}
	}
	for _, dir := range []model.Direction{model.Ingress, model.Egress} {
		for i, r := range p.Rules(dir) {
			var all []string
			for _, peer := range r.Peers {
				for pod := range cl.Pods() {
					if (peer.Kind == model.PeerNamespaces || peer.Kind == model.PeerPods) && pod.CanBePeer() && matches(peer.Namespaces, peer.Pods, pod) {
						all = append(all, pod.IPs...)
					}
				}
				for n := range cl.Nodes() {
					if peer.Kind == model.PeerNodes && peer.Nodes.Matches(n.Labels) {
						all = append(all, n.HostIPs...)
					}
				}
				for _, n := range peer.Networks {
					all = append(all, maskedNetwork(n))
				}
			}
			slices.Sort(all)
			for _, family := range []string{"v4", "v6"} {
				six := family == "v6"
				if (six && !v6) || (!six && !v4) {
					continue
				}
				id := fmt.Sprintf("%s%s:%s:%s:%d:%s", d, p.Kind, p.Name, dir, i, family)
				of := []string{}
				for _, a := range slices.Compact(slices.Clone(all)) {
					if isV6(a) == six {
						of = append(of, a)
					}
				}
				sets[id] = of
			}
		}
	}
	slices.Sort(ports)
	return sets, ports
}
