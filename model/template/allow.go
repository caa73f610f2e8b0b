package template

import (
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/words"
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

// Names of answers.
const (
	askLabel      = "label"
	askTenants    = "tenants"
	askLeftOut    = "leave-out"
	askOthers     = "others"
	askPriority   = "priority"
	askName       = "name"
	askNamespaces = "namespaces"
	askDirection  = "direction"
	askFrom       = "from"
	askPorts      = "ports"
	askPods       = "pods"
	askExcept     = "except"
)

// Whom tenants are kept from.
const (
	othersAll     = "all"
	othersTenants = "tenants"
)

// name is the question that every template ends with.
func name() Question {
	return Question{Name: askName, Ask: "What is the set called?", Kind: Name, Extra: true, Empty: true}
}

// priority is the question for one priority, or several.
func priority(n int, b before) Question {
	return Question{Name: askPriority, Ask: words.Form(n, "At which priority?", "At which priorities?"), Kind: Priorities, offer: room(n, b)}
}

// isolation is the tenant isolation of OVN-Kubernetes' feature document: an Allow within each
// tenant, and below all of them a Deny.
var isolation = &Template{
	Name:       "tenant-isolation",
	For:        "tenants reach themselves, and no other tenant reaches them",
	priorities: 2,
	Questions: []Question{
		{Name: askLabel, Ask: "Which label of namespaces tells tenants apart?", Kind: LabelKey, offer: (*World).labelKeys},
		{Name: askTenants, Ask: "Which of its values are tenants to isolate?", Kind: Values, offer: (*World).values},
		priority(2, beforeDenies),
		{Name: askOthers, Ask: "What are tenants kept from: all other namespaces, or other tenants only?", Kind: OneOf, Extra: true,
			offer: offered(Choice{othersAll, "every namespace but their own; the cluster's DNS stays"}, Choice{othersTenants, "namespaces that have the label, too"})},
		{Name: askLeftOut, Ask: "Which values are no tenants to isolate?", Kind: Values, Extra: true, Empty: true, offer: (*World).leftOut},
		name(),
	},
	slots: map[string]int{mainPart: 1},
	parts: func(a Answers) []string {
		out := []string{mainPart}
		for _, v := range list(a[askTenants]) {
			out = append(out, tenantPart(v))
		}
		return out
	},
}

func init() { isolation.make = makeIsolation } // what it makes is named by its parts

// leftOut offers all values that are no tenants: those that come later are then known to be new.
func (w *World) leftOut(a Answers) []Choice {
	tenants := list(a[askTenants])
	var out []string
	for _, l := range w.labels() {
		if l.key == a[askLabel] && !slices.Contains(tenants, l.value) {
			out = append(out, l.value)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return []Choice{{strings.Join(out, ","), "no tenants"}}
}

func tenantPart(value string) string { return "tenant=" + value }

func makeIsolation(m *maker) error {
	key, tenants := m.a[askLabel], list(m.a[askTenants])
	for _, v := range list(m.a[askLeftOut]) {
		if slices.Contains(tenants, v) {
			return fmt.Errorf("%s is among the tenants and among those that are left out", v)
		}
	}
	for _, v := range tenants {
		own := []any{namespaces(label(key, v))}
		m.add(tenantPart(v), fmt.Sprintf("%s=%s reaches itself", key, v), m.at[0], namespaces(label(key, v)),
			[]any{rule(model.Ingress, "allow-own-tenant", model.Allow, own, nil)},
			[]any{rule(model.Egress, "allow-own-tenant", model.Allow, own, nil)})
		own1 := []End{{Spaces: label(key, v)}}
		m.expect(Statement{Name: v + " reaches itself", Allow: true, From: own1, To: own1})
		others := slices.DeleteFunc(slices.Clone(tenants), func(o string) bool { return o == v })
		if len(others) > 0 {
			m.expect(Statement{Name: "no other tenant reaches " + v, From: []End{{Spaces: oneOf(key, others)}}, To: own1})
		}
	}
	others := []any{namespaces(everywhere())}
	var egress []any
	if m.a[askOthers] == othersTenants {
		others = []any{namespaces(has(key))}
	} else {
		var dns []any
		for _, s := range m.w.dnsPods() {
			dns = append(dns, s.peer())
		}
		egress = append(egress, rule(model.Egress, "allow-dns", model.Allow, dns, portObjects(m.w.dnsPorts())))
	}
	egress = append(egress, rule(model.Egress, "deny-others", model.Deny, others, nil))
	main := m.add(mainPart, "tenants reach nobody else, and nobody else reaches them", m.at[1], namespaces(oneOf(key, tenants)),
		[]any{rule(model.Ingress, "deny-others", model.Deny, others, nil)}, egress)
	main.onto = func(old map[string]any) { addTenants(old, key, tenants) }
	return nil
}

// addTenants has the Deny mean all tenants; the rest of it stays as it is.
func addTenants(old object, key string, tenants []string) {
	subject := child(child(old, "spec"), "subject")
	spaces := child(subject, "namespaces")
	all, _ := spaces["matchExpressions"].([]any)
	for _, e := range all {
		r, ok := e.(map[string]any)
		if !ok || r["key"] != key || r["operator"] != "In" {
			continue
		}
		values, _ := r["values"].([]any)
		for _, t := range tenants {
			if !slices.Contains(values, any(t)) {
				values = append(values, t)
			}
		}
		r["values"] = values
		return
	}
	child(old, "spec")["subject"] = namespaces(oneOf(key, tenants))
}
