package template

import (
	"fmt"
	"strings"

	"rung/model"
	"rung/model/words"
)

// Directions of a deny.
const (
	bothWays    = "both"
	egressOnly  = "egress"
	ingressOnly = "ingress"
)

// The parts of a default deny, besides the Deny.
const (
	needsPart = "needs"
	dnsPart   = "dns"
)

// outsideAddress is one that nobody has, outside of every cluster: it stands for all others.
const outsideAddress = "203.0.113.9"

func directionQuestion(ask string) Question {
	return Question{Name: askDirection, Ask: ask, Kind: OneOf,
		offer: alwaysOffer(Choice{bothWays, "what comes and what leaves"}, Choice{egressOnly, "what leaves"}, Choice{ingressOnly, "what comes"})}
}

// defaultDeny has workloads reach nothing that nothing allows: DNS and the API server first,
// then, after every other policy, a Deny.
var defaultDeny = &Template{
	Name:       "default-deny",
	For:        "what no policy allows is denied; DNS and the API server stay",
	priorities: 3,
	Questions: []Question{
		{Name: askNamespaces, Ask: "Which namespaces?", Kind: Namespaces, offer: (*World).offerWorkloads},
		directionQuestion("Deny what comes, what leaves, or both?"),
		{Name: askPriority, Ask: "At which priorities: two that allow what is needed, and the Deny after all others?", Kind: Priorities, offer: offerRoomAround},
		nameQuestion(),
	},
	parts: func(a Answers) []string {
		if a[askDirection] == ingressOnly {
			return []string{mainPart}
		}
		return []string{needsPart, dnsPart, mainPart}
	},
	slots: map[string]int{needsPart: 0, dnsPart: 1, mainPart: 2},
	make:  makeDefaultDeny,
}

// offerRoomAround offers two priorities before all that denies, and one after everything.
func offerRoomAround(w *World, _ Answers) []Choice {
	board, err := w.placeBoard()
	if err != nil {
		return nil
	}
	at, note, err := board.freeBefore(2, beforeDenies)
	if err != nil {
		return nil
	}
	last, behind, err := board.freeBehind(at[len(at)-1])
	if err != nil {
		return nil
	}
	return []Choice{{placesText(append(at, last)), note + "; the last " + behind}}
}

func makeDefaultDeny(m *setMaker) error {
	spaces, err := selectorOf(m.answers[askNamespaces])
	if err != nil {
		return err
	}
	var ingress, egress []any
	if m.answers[askDirection] != ingressOnly {
		dns := m.world.dnsPods()
		var peers []any
		for _, s := range dns {
			peers = append(peers, s.peerObject())
		}
		m.addANP(needsPart, "workloads reach DNS and the API server", m.priorities[0], namespacesObject(spaces), nil, []any{
			ruleObject(model.Egress, "allow-dns", model.Allow, peers, portObjects(m.world.dnsPorts())),
			ruleObject(model.Egress, "allow-api-server", model.Allow, []any{m.world.apiPeer()}, portObjects(m.world.apiPorts()))})
		// A policy has one subject: of several namespaces with DNS it is the first that lets queries in.
		m.addANP(dnsPart, "DNS takes the queries of workloads", m.priorities[1], dns[0].peerObject(),
			[]any{ruleObject(model.Ingress, "allow-queries", model.Allow, []any{namespacesObject(spaces)}, portObjects(m.world.dnsPorts()))}, nil)
		egress = []any{ruleObject(model.Egress, "default-deny", model.Deny, []any{m.world.outsideObject()}, nil)}
		from := []End{{Spaces: spaces}}
		m.addStatement(Statement{Name: "workloads reach DNS", Allow: true, From: from, To: []End{{Spaces: dns[0].spaces, Pods: dns[0].pods}}, Ports: portTexts(m.world.dnsPorts())})
		if api := m.world.apiEnd(); api != nil {
			m.addStatement(Statement{Name: "workloads reach the API server", Allow: true, From: from, To: api, Ports: portTexts(m.world.apiPorts())})
		}
		m.addStatement(Statement{Name: "nothing leaves the cluster", From: from, To: []End{{Addresses: []string{outsideAddress}}}})
	}
	if m.answers[askDirection] != egressOnly {
		ingress = []any{ruleObject(model.Ingress, "default-deny", model.Deny, []any{namespacesObject(anySelector())}, nil)}
		m.set.Notes = append(m.set.Notes, "what comes from nodes and from outside the cluster stays: its ingress rules are about pods")
	}
	if m.world.Tiers != nil {
		if _, after := m.world.newTierBoard().lastTier(); after != "" {
			m.set.Notes = append(m.set.Notes, after+" decides after every tier, and so after the Deny: what it allows may be denied")
		}
	}
	if len(m.set.Expect) == 0 { // what comes, policies above decide first
		m.set.LeavesTo, m.set.Spaces = LeavesHigher, m.world.namespacesOf(spaces)
	}
	m.addANP(mainPart, "what no policy above allows is denied", m.priorities[2], namespacesObject(spaces), ingress, egress)
	return nil
}

// apiEnd is the API server as an end of expectations: its nodes, else its addresses; none where
// neither is known.
func (w *World) apiEnd() []End {
	if key := w.controlPlaneLabel(); key != "" {
		return []End{{Nodes: hasKeySelector(key)}}
	}
	if len(w.Vital.API) == 0 {
		return nil
	}
	var addrs []string
	for _, a := range w.Vital.API {
		addrs = append(addrs, a.String())
	}
	return []End{{Addresses: addrs}}
}

func portTexts(all []portRange) (out []string) {
	for _, p := range all {
		if p.lo == p.hi {
			out = append(out, fmt.Sprintf("%d/%s", p.lo, p.protocol))
		} else {
			out = append(out, fmt.Sprintf("%d-%d/%s", p.lo, p.hi, p.protocol))
		}
	}
	return out
}

// baseline is the template of the deny that holds where no other policy decides.
var baseline = &Template{
	Name: "baseline",
	For:  "workloads stay shut until a NetworkPolicy opens them",
	Questions: []Question{
		{Name: askNamespaces, Ask: "Which namespaces are workloads?", Kind: Namespaces, offer: (*World).offerWorkloads},
		directionQuestion("Deny what comes, what leaves, or both?"),
		nameQuestion(),
	},
	parts: func(Answers) []string { return []string{mainPart} },
	make: func(m *setMaker) error {
		spaces, err := selectorOf(m.answers[askNamespaces])
		if err != nil {
			return err
		}
		peers := []any{namespacesObject(spaces)}
		var ingress, egress []any
		if m.answers[askDirection] != egressOnly {
			ingress = []any{ruleObject(model.Ingress, "default-deny", model.Deny, peers, nil)}
		}
		if m.answers[askDirection] != ingressOnly {
			egress = []any{ruleObject(model.Egress, "default-deny", model.Deny, peers, nil)}
		}
		key := model.PolicyKey{Kind: model.KindBANP, Name: "default"}
		if m.world.Tiers == nil && m.world.Cluster.Policy(key) != nil {
			m.set.Notes = append(m.set.Notes, "there is a baseline already, and there can be only one: its subject and rules are replaced")
		}
		m.addPolicy(mainPart, "what holds where no other policy decides", key, jsonObject{"subject": namespacesObject(spaces)}, ingress, egress)
		m.set.LeavesTo, m.set.Spaces = LeavesHigher, m.world.namespacesOf(spaces)
		return nil
	},
}

// quarantine shuts pods off by a label.
var quarantine = &Template{
	Name:       "quarantine",
	For:        "a pod that gets a label is shut off from everything",
	priorities: 1,
	Questions: []Question{
		{Name: askPods, Ask: "Which label puts a pod into quarantine?", Kind: Pods, offer: alwaysOffer(Choice{"quarantine=true", "no pod has it until somebody gives it one"})},
		{Name: askExcept, Ask: "Which namespaces still reach it, to look into it? none for nobody", Kind: Namespaces, offer: (*World).offerLookers},
		priorityQuestion(1, beforeDecides),
		nameQuestion(),
	},
	parts: func(Answers) []string { return []string{mainPart} },
	make: func(m *setMaker) error {
		which, err := selectorOf(m.answers[askPods])
		if err != nil {
			return err
		}
		all := []any{namespacesObject(anySelector())}
		var ingress []any
		pod := []End{{Spaces: anySelector(), Pods: which}}
		if m.answers[askExcept] != none {
			except, err := selectorOf(m.answers[askExcept])
			if err != nil {
				return err
			}
			ingress = append(ingress, ruleObject(model.Ingress, "allow-inspection", model.Allow, []any{namespacesObject(except)}, nil))
		} else {
			m.addStatement(Statement{Name: "nobody reaches a pod in quarantine", From: []End{{Spaces: anySelector()}}, To: pod})
		}
		ingress = append(ingress, ruleObject(model.Ingress, "quarantine", model.Deny, all, nil))
		m.addStatement(Statement{Name: "a pod in quarantine reaches nobody", From: pod, To: []End{{Spaces: anySelector()}}})
		m.addStatement(Statement{Name: "a pod in quarantine reaches nothing outside", From: pod, To: []End{{Addresses: []string{outsideAddress}}}})
		m.addANP(mainPart, "a pod with "+strings.TrimSpace(m.answers[askPods])+" is shut off", m.priorities[0], podsObject(anySelector(), which), ingress,
			[]any{ruleObject(model.Egress, "quarantine", model.Deny, append(all, m.world.outsideObject()), nil)}).setLogging(model.LogLevels{Deny: "alert"})
		m.set.Notes = append(m.set.Notes, "nodes still reach such a pod: its ingress rules are about pods")
		return nil
	},
}

// offerLookers offers nobody, then the namespaces.
func (w *World) offerLookers(a Answers) []Choice {
	out := []Choice{{none, "nobody"}}
	for _, c := range w.offerMonitoring(a) {
		c.Note = ""
		out = append(out, c)
	}
	return out
}

// namespaceCount is "1 namespace" for people.
func namespaceCount(spaces []string) string { return words.Count(len(spaces), "namespace") }
