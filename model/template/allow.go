package template

import (
	"strings"

	"rung/model"
)

// monitoring lets what scrapes reach every pod, at both ends.
var monitoring = &Template{
	Name:       "monitoring",
	For:        "monitoring reaches every pod, whatever else is denied",
	priorities: 2,
	Questions: []Question{
		{Name: askFrom, Ask: "Which namespaces is monitoring in?", Kind: Namespaces, offer: (*World).monitoring},
		{Name: askPorts, Ask: "Which ports does it scrape?", Kind: Ports, offer: (*World).scraped},
		priority(2, beforeDenies),
		name(),
	},
	parts: func(Answers) []string { return []string{mainPart, "scrapes"} },
	slots: map[string]int{"scrapes": 1},
	make: func(m *maker) error {
		from, err := selectorOf(m.a[askFrom])
		if err != nil {
			return err
		}
		ports, err := portsOf(m.a[askPorts])
		if err != nil {
			return err
		}
		m.add(mainPart, "every pod lets monitoring in", m.at[0], namespaces(everywhere()),
			[]any{rule(model.Ingress, "allow-monitoring", model.Allow, []any{namespaces(from)}, portObjects(ports))}, nil)
		m.add("scrapes", "monitoring may reach every pod", m.at[1], namespaces(from), nil,
			[]any{rule(model.Egress, "allow-scraping", model.Allow, []any{namespaces(everywhere())}, portObjects(ports))})
		m.expect(Statement{Name: "monitoring reaches every pod", Allow: true, From: []End{{Spaces: from}}, To: []End{{Spaces: everywhere()}}, Ports: portTexts(ports)})
		return nil
	},
}

// breakGlass is the way in for people on call.
var breakGlass = &Template{
	Name:       "break-glass",
	For:        "a pod that gets a label reaches every pod, for people on call",
	priorities: 2,
	Questions: []Question{
		{Name: askPods, Ask: "Which label opens the way for a pod?", Kind: Pods, offer: offered(Choice{"break-glass=true", "no pod has it until somebody gives it one"})},
		priority(2, beforeAll),
		name(),
	},
	parts: func(Answers) []string { return []string{mainPart, "opens"} },
	slots: map[string]int{"opens": 1},
	make: func(m *maker) error {
		which, err := selectorOf(m.a[askPods])
		if err != nil {
			return err
		}
		peer, all := []any{pods(everywhere(), which)}, []any{namespaces(everywhere())}
		log := model.LogLevels{Allow: "notice"}
		what := "a pod with " + strings.TrimSpace(m.a[askPods])
		m.add(mainPart, "every pod lets "+what+" in, and answers it", m.at[0], namespaces(everywhere()),
			[]any{rule(model.Ingress, "allow-from-support", model.Allow, peer, nil)},
			[]any{rule(model.Egress, "allow-to-support", model.Allow, peer, nil)}).logs(log)
		m.add("opens", what+" may reach every pod", m.at[1], pods(everywhere(), which),
			[]any{rule(model.Ingress, "allow-all", model.Allow, all, nil)},
			[]any{rule(model.Egress, "allow-all", model.Allow, all, nil)}).logs(log)
		pod, every := []End{{Spaces: everywhere(), Pods: which}}, []End{{Spaces: everywhere()}}
		m.expect(Statement{Name: "support reaches every pod", Allow: true, From: pod, To: every})
		m.expect(Statement{Name: "every pod reaches support", Allow: true, From: every, To: pod})
		return nil
	},
}

// delegate leaves traffic to the NetworkPolicies of its namespaces.
var delegate = &Template{
	Name:       "delegate",
	For:        "traffic among namespaces is left to NetworkPolicies, by Pass",
	priorities: 1,
	Questions: []Question{
		{Name: askNamespaces, Ask: "Among which namespaces?", Kind: Namespaces, offer: (*World).withPolicies},
		priority(1, beforeDecides),
		name(),
	},
	parts: func(Answers) []string { return []string{mainPart} },
	make: func(m *maker) error {
		spaces, err := selectorOf(m.a[askNamespaces])
		if err != nil {
			return err
		}
		peers := []any{namespaces(spaces)}
		m.add(mainPart, "what is among these namespaces is left to NetworkPolicies and the baseline", m.at[0], namespaces(spaces),
			[]any{rule(model.Ingress, "pass-to-networkpolicies", model.Pass, peers, nil)},
			[]any{rule(model.Egress, "pass-to-networkpolicies", model.Pass, peers, nil)})
		m.set.LeavesTo, m.set.Spaces = LeavesLower, m.w.spaces(spaces)
		m.set.Notes = append(m.set.Notes, "where neither a NetworkPolicy nor the baseline decides, it is let through: "+count(m.set.Spaces)+" now")
		return nil
	},
}
