package template

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/lint"
	"rung/model/words"
	"rung/revision"
	"rung/system"
)

// nameLabel is on every namespace, with its name.
const nameLabel = "kubernetes.io/metadata.name"

// World holds the facts of a cluster from which answers are offered.
type World struct {
	Cluster *model.Cluster
	// maxPriority is the largest supported priority; hasIPv6 means that pods have IPv6 addresses.
	maxPriority int32
	hasIPv6     bool
	vital       lint.VitalEndpoints
	// tiers makes sets for a system with tiers; nil for AdminNetworkPolicies.
	tiers *system.TierForm
	// limits holds the priorities of the first AdminNetworkPolicies that a set must come before.
	limits map[placeBefore]int32
	labels []namespaceLabel
	// metricsPorts lists the ports that pods declare for metrics.
	metricsPorts []string
}

// NewWorld collects what templates need of a revision's cluster. It is slow on a large cluster.
func NewWorld(rev *revision.Revision) *World {
	w := &World{Cluster: rev.Cluster, maxPriority: cmp.Or(rev.Flags.MaxPriority, model.MaxPriority),
		vital: revision.VitalEndpoints(rev), tiers: rev.System.Templates, labels: namespaceLabels(rev.Cluster)}
	ports := map[int]bool{}
	for p := range rev.Cluster.Pods() {
		for _, ip := range p.IPs {
			w.hasIPv6 = w.hasIPv6 || strings.Contains(ip, ":")
		}
		for _, c := range p.Ports {
			if c.Protocol == "TCP" && slices.Contains(metricsNames, c.Name) && !p.HostNetwork {
				ports[int(c.Port)] = true
			}
		}
	}
	for _, p := range slices.Sorted(maps.Keys(ports)) {
		w.metricsPorts = append(w.metricsPorts, fmt.Sprint(p))
	}
	w.metricsPorts = w.metricsPorts[:min(len(w.metricsPorts), 20)]
	w.limits = priorityLimits(rev, w.maxPriority)
	return w
}

// metricsNames lists port names recognised as metrics.
var metricsNames = []string{"metrics", "scrape", "http-metrics", "https-metrics", "prometheus", "exporter"}

// namespaceLabel is a label of namespaces.
type namespaceLabel struct {
	key, value string
	namespaces []string // with this label, sorted by name
	isSystem   bool     // some namespace with it is a system namespace
}

// namespaceLabels returns the labels of namespaces, sorted by key and value.
func namespaceLabels(c *model.Cluster) (out []namespaceLabel) {
	at := map[[2]string]*namespaceLabel{}
	for ns := range c.Namespaces() {
		for k, v := range ns.Labels.Map() {
			if k == nameLabel || v == "" {
				continue
			}
			l := at[[2]string{k, v}]
			if l == nil {
				l = &namespaceLabel{key: k, value: v}
				at[[2]string{k, v}] = l
			}
			l.namespaces = append(l.namespaces, ns.Name)
			l.isSystem = l.isSystem || model.IsSystemNamespace(ns.Name)
		}
	}
	for _, l := range at {
		out = append(out, *l)
	}
	slices.SortFunc(out, func(a, b namespaceLabel) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.value, b.value)) })
	return out
}

// noneOrNamespaces is the offer of questions that accept "none".
const noneOrNamespaces = "nobody or namespaces"

// OfferedChoices returns answers to a question, best first, based on the earlier answers.
func (w *World) OfferedChoices(t *Template, q *Question, before Answers) []Choice {
	switch {
	case q.Kind == Priorities:
		return w.offerPlaces(t)
	case len(q.Choices) > 0:
		return q.Choices
	}
	switch q.Offer {
	case "tenant labels":
		return w.offerLabelKeys()
	case "values":
		return w.offerValues(before["label"])
	case "workloads":
		return w.offerWorkloads()
	case "workloads with policies":
		return w.offerWithPolicies()
	case "monitoring":
		return w.offerMonitoring()
	case noneOrNamespaces:
		out := []Choice{{noneAnswer, "nobody"}}
		for _, c := range w.offerMonitoring() {
			out = append(out, Choice{Value: c.Value})
		}
		return out
	case "metrics ports":
		every := Choice{anyPort, "every port"}
		if len(w.metricsPorts) == 0 {
			return []Choice{every}
		}
		return []Choice{{strings.Join(w.metricsPorts, ","), "metrics ports declared by pods"}, every}
	}
	return nil
}

// FirstChoice returns the first offered answer; empty if none.
func (w *World) FirstChoice(t *Template, q *Question, before Answers) string {
	if all := w.OfferedChoices(t, q, before); len(all) > 0 {
		return all[0].Value
	}
	return ""
}

// usualKeys lists usual label keys of tenants, offered first.
var usualKeys = []string{"tenant", "team", "customer", "project", "org", "owner"}

// offerLabelKeys offers label keys with more than one value among namespaces: usual keys first, then those on
// the most namespaces.
func (w *World) offerLabelKeys() (out []Choice) {
	values, namespaces := map[string]int{}, map[string]int{}
	for _, l := range w.labels {
		if !l.isSystem && !strings.HasPrefix(l.key, "pod-security.kubernetes.io/") {
			values[l.key]++
			namespaces[l.key] += len(l.namespaces)
		}
	}
	rank := func(key string) int {
		if i := slices.Index(usualKeys, key[strings.LastIndex(key, "/")+1:]); i >= 0 {
			return i
		}
		return len(usualKeys)
	}
	keys := slices.Sorted(maps.Keys(values))
	slices.SortStableFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(namespaces[b], namespaces[a]))
	})
	for _, k := range keys {
		if values[k] > 1 {
			out = append(out, Choice{k, words.Count(values[k], "value") + " on " + words.Count(namespaces[k], "namespace")})
		}
	}
	return out
}

// offerValues offers all values of a label as one answer, from which the user removes the unwanted ones, and
// then each value alone.
func (w *World) offerValues(key string) (out []Choice) {
	var all []string
	for _, l := range w.labels {
		if l.key == key {
			all = append(all, l.value)
			out = append(out, Choice{l.value, words.ListFew(l.namespaces, 3)})
		}
	}
	if len(all) > 1 {
		out = slices.Insert(out, 0, Choice{strings.Join(all, ","), "every value"})
	}
	return out
}

// offerWorkloads offers namespaces of workloads: by common labels that system namespaces lack, then all
// namespaces except the system's.
func (w *World) offerWorkloads() (out []Choice) {
	var ofSystem []string
	ordinary := 0
	for ns := range w.Cluster.Namespaces() {
		if model.IsSystemNamespace(ns.Name) {
			ofSystem = append(ofSystem, ns.Name)
		} else {
			ordinary++
		}
	}
	ls := slices.DeleteFunc(slices.Clone(w.labels), func(l namespaceLabel) bool { return l.isSystem || len(l.namespaces) < 2 && ordinary > 1 })
	slices.SortStableFunc(ls, func(a, b namespaceLabel) int { return cmp.Compare(len(b.namespaces), len(a.namespaces)) })
	for _, l := range ls {
		out = append(out, Choice{l.key + "=" + l.value, words.ListFew(l.namespaces, 3)})
	}
	others := Choice{allNamespaces, "every namespace, future ones too"}
	if len(ofSystem) > 0 {
		others = Choice{nameLabel + " notin (" + strings.Join(ofSystem, ",") + ")", "all but the system's, future ones too"}
	}
	// A label on few namespaces says nothing about workloads.
	if len(ls) == 0 || len(ls[0].namespaces)*2 < ordinary {
		return slices.Insert(out, 0, others)
	}
	return append(out, others)
}

// offerWithPolicies offers workloads, with the number of their namespaces that have NetworkPolicies.
func (w *World) offerWithPolicies() []Choice {
	has := map[string]bool{}
	for p := range w.Cluster.Policies(model.KindNP) {
		has[p.Namespace] = true
	}
	out := w.offerWorkloads()
	for i := range out {
		n := 0
		if s, err := parseSelector(out[i].Value); err == nil {
			for _, ns := range w.selectNamespaces(s) {
				if has[ns] {
					n++
				}
			}
		}
		out[i].Note += "; " + words.Count(n, "namespace") + " with NetworkPolicies"
	}
	return out
}

// monitors lists words in the names of monitoring namespaces.
var monitors = []string{"monitoring", "prometheus", "observability", "metrics"}

// offerMonitoring offers namespaces that look like monitoring, then all others.
func (w *World) offerMonitoring() (out []Choice) {
	var others []Choice
	for ns := range w.Cluster.Namespaces() {
		c := Choice{Value: "name=" + ns.Name}
		if slices.ContainsFunc(monitors, func(m string) bool { return strings.Contains(ns.Name, m) }) {
			c.Note = "looks like monitoring"
			out = append(out, c)
		} else if !model.IsSystemNamespace(ns.Name) {
			others = append(others, c)
		}
	}
	return append(out, others...)
}

// selectNamespaces returns the namespaces that a selector matches, by name.
func (w *World) selectNamespaces(s *metav1.LabelSelector) (out []string) {
	sel, err := model.NewSelector(s)
	if err != nil {
		return nil
	}
	for ns := range w.Cluster.Namespaces() {
		if sel.Matches(ns.Labels) {
			out = append(out, ns.Name)
		}
	}
	return out
}
