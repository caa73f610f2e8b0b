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
		{Name: askFrom, Ask: "Which namespaces is monitoring in?", Kind: Namespaces, offer: (*World).offerMonitoring},
		{Name: askPorts, Ask: "Which ports does it scrape?", Kind: Ports, offer: (*World).offerMetricsPorts},
		priorityQuestion(2, beforeDenies),
		nameQuestion(),
	},
	parts: func(Answers) []string { return []string{mainPart, "scrapes"} },
	slots: map[string]int{"scrapes": 1},
	make: func(m *setMaker) error {
		from, err := selectorOf(m.answers[askFrom])
		if err != nil {
			return err
		}
		ports, err := portsOf(m.answers[askPorts])
		if err != nil {
			return err
		}
		m.addANP(mainPart, "every pod lets monitoring in", m.priorities[0], namespacesObject(anySelector()),
			[]any{ruleObject(model.Ingress, "allow-monitoring", model.Allow, []any{namespacesObject(from)}, portObjects(ports))}, nil)
		m.addANP("scrapes", "monitoring may reach every pod", m.priorities[1], namespacesObject(from), nil,
			[]any{ruleObject(model.Egress, "allow-scraping", model.Allow, []any{namespacesObject(anySelector())}, portObjects(ports))})
		m.addStatement(Statement{Name: "monitoring reaches every pod", Allow: true, From: []End{{Spaces: from}}, To: []End{{Spaces: anySelector()}}, Ports: portTexts(ports)})
		return nil
	},
}

// breakGlass is the way in for people on call.
var breakGlass = &Template{
	Name:       "break-glass",
	For:        "a pod that gets a label reaches every pod, for people on call",
	priorities: 2,
	Questions: []Question{
		{Name: askPods, Ask: "Which label opens the way for a pod?", Kind: Pods, offer: alwaysOffer(Choice{"break-glass=true", "no pod has it until somebody gives it one"})},
		priorityQuestion(2, beforeAll),
		nameQuestion(),
	},
	parts: func(Answers) []string { return []string{mainPart, "opens"} },
	slots: map[string]int{"opens": 1},
	make: func(m *setMaker) error {
		which, err := selectorOf(m.answers[askPods])
		if err != nil {
			return err
		}
		peer, all := []any{podsObject(anySelector(), which)}, []any{namespacesObject(anySelector())}
		log := model.LogLevels{Allow: "notice"}
		what := "a pod with " + strings.TrimSpace(m.answers[askPods])
		m.addANP(mainPart, "every pod lets "+what+" in, and answers it", m.priorities[0], namespacesObject(anySelector()),
			[]any{ruleObject(model.Ingress, "allow-from-support", model.Allow, peer, nil)},
			[]any{ruleObject(model.Egress, "allow-to-support", model.Allow, peer, nil)}).setLogging(log)
		m.addANP("opens", what+" may reach every pod", m.priorities[1], podsObject(anySelector(), which),
			[]any{ruleObject(model.Ingress, "allow-all", model.Allow, all, nil)},
			[]any{ruleObject(model.Egress, "allow-all", model.Allow, all, nil)}).setLogging(log)
		pod, every := []End{{Spaces: anySelector(), Pods: which}}, []End{{Spaces: anySelector()}}
		m.addStatement(Statement{Name: "support reaches every pod", Allow: true, From: pod, To: every})
		m.addStatement(Statement{Name: "every pod reaches support", Allow: true, From: every, To: pod})
		return nil
	},
}

// delegate leaves traffic to the NetworkPolicies of its namespaces.
var delegate = &Template{
	Name:       "delegate",
	For:        "traffic among namespaces is left to NetworkPolicies, by Pass",
	priorities: 1,
	Questions: []Question{
		{Name: askNamespaces, Ask: "Among which namespaces?", Kind: Namespaces, offer: (*World).offerWithPolicies},
		priorityQuestion(1, beforeDecides),
		nameQuestion(),
	},
	parts: func(Answers) []string { return []string{mainPart} },
	make: func(m *setMaker) error {
		spaces, err := selectorOf(m.answers[askNamespaces])
		if err != nil {
			return err
		}
		peers := []any{namespacesObject(spaces)}
		m.addANP(mainPart, "what is among these namespaces is left to NetworkPolicies and the baseline", m.priorities[0], namespacesObject(spaces),
			[]any{ruleObject(model.Ingress, "pass-to-networkpolicies", model.Pass, peers, nil)},
			[]any{ruleObject(model.Egress, "pass-to-networkpolicies", model.Pass, peers, nil)})
		m.set.LeavesTo, m.set.Spaces = LeavesLower, m.world.namespacesOf(spaces)
		m.set.Notes = append(m.set.Notes, "where neither a NetworkPolicy nor the baseline decides, it is let through: "+namespaceCount(m.set.Spaces)+" now")
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

// nameQuestion is the question that every template ends with.
func nameQuestion() Question {
	return Question{Name: askName, Ask: "What is the set called?", Kind: Name, Extra: true, Empty: true}
}

// priorityQuestion is the question for one priority, or several.
func priorityQuestion(n int, b placeBefore) Question {
	return Question{Name: askPriority, Ask: words.OneOrMany(n, "At which priority?", "At which priorities?"), Kind: Priorities, offer: offerPlaces(n, b)}
}

// isolation is the tenant isolation of OVN-Kubernetes' feature document: an Allow within each
// tenant, and below all of them a Deny.
var isolation = &Template{
	Name:       "tenant-isolation",
	For:        "tenants reach themselves, and no other tenant reaches them",
	priorities: 2,
	Questions: []Question{
		{Name: askLabel, Ask: "Which label of namespaces tells tenants apart?", Kind: LabelKey, offer: (*World).offerLabelKeys},
		{Name: askTenants, Ask: "Which of its values are tenants to isolate?", Kind: Values, offer: (*World).offerValues},
		priorityQuestion(2, beforeDenies),
		{Name: askOthers, Ask: "What are tenants kept from: all other namespaces, or other tenants only?", Kind: OneOf, Extra: true,
			offer: alwaysOffer(Choice{othersAll, "every namespace but their own; the cluster's DNS stays"}, Choice{othersTenants, "namespaces that have the label, too"})},
		{Name: askLeftOut, Ask: "Which values are no tenants to isolate?", Kind: Values, Extra: true, Empty: true, offer: (*World).offerLeftOut},
		nameQuestion(),
	},
	slots: map[string]int{mainPart: 1},
	parts: func(a Answers) []string {
		out := []string{mainPart}
		for _, v := range splitList(a[askTenants]) {
			out = append(out, tenantPart(v))
		}
		return out
	},
}

func init() { isolation.make = makeIsolation } // what it makes is named by its parts

// offerLeftOut offers all values that are no tenants: those that come later are then known to be new.
func (w *World) offerLeftOut(a Answers) []Choice {
	tenants := splitList(a[askTenants])
	var out []string
	for _, l := range w.namespaceLabels() {
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

func makeIsolation(m *setMaker) error {
	key, tenants := m.answers[askLabel], splitList(m.answers[askTenants])
	for _, v := range splitList(m.answers[askLeftOut]) {
		if slices.Contains(tenants, v) {
			return fmt.Errorf("%s is among the tenants and among those that are left out", v)
		}
	}
	for _, v := range tenants {
		own := []any{namespacesObject(labelSelector(key, v))}
		m.addANP(tenantPart(v), fmt.Sprintf("%s=%s reaches itself", key, v), m.priorities[0], namespacesObject(labelSelector(key, v)),
			[]any{ruleObject(model.Ingress, "allow-own-tenant", model.Allow, own, nil)},
			[]any{ruleObject(model.Egress, "allow-own-tenant", model.Allow, own, nil)})
		own1 := []End{{Spaces: labelSelector(key, v)}}
		m.addStatement(Statement{Name: v + " reaches itself", Allow: true, From: own1, To: own1})
		others := slices.DeleteFunc(slices.Clone(tenants), func(o string) bool { return o == v })
		if len(others) > 0 {
			m.addStatement(Statement{Name: "no other tenant reaches " + v, From: []End{{Spaces: oneOfSelector(key, others)}}, To: own1})
		}
	}
	others := []any{namespacesObject(anySelector())}
	var egress []any
	if m.answers[askOthers] == othersTenants {
		others = []any{namespacesObject(hasKeySelector(key))}
	} else {
		var dns []any
		for _, s := range m.world.dnsPods() {
			dns = append(dns, s.peerObject())
		}
		egress = append(egress, ruleObject(model.Egress, "allow-dns", model.Allow, dns, portObjects(m.world.dnsPorts())))
	}
	egress = append(egress, ruleObject(model.Egress, "deny-others", model.Deny, others, nil))
	main := m.addANP(mainPart, "tenants reach nobody else, and nobody else reaches them", m.priorities[1], namespacesObject(oneOfSelector(key, tenants)),
		[]any{ruleObject(model.Ingress, "deny-others", model.Deny, others, nil)}, egress)
	main.onto = func(namespaces map[string]any) bool { return addTenants(namespaces, key, tenants) }
	return nil
}

// addTenants has the Deny mean all tenants; the rest of it stays as it is. It is false where the
// namespaces are told by nothing that tenants could be added to.
func addTenants(namespaces jsonObject, key string, tenants []string) bool {
	all, _ := namespaces["matchExpressions"].([]any)
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
		return true
	}
	return false
}
