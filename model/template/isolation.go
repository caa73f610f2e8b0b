package template

import (
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/words"
)

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
