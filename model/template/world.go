package template

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/lint/vital"
	"rung/model/selectors"
	"rung/model/words"
)

// nameLabel is on every namespace, with its name.
const nameLabel = "kubernetes.io/metadata.name"

// controlPlane are the labels of nodes on which the API server is.
var controlPlane = []string{"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"}

// World is the cluster that answers are picked from.
type World struct {
	Cluster *model.Cluster
	Index   *selectors.PodIndex
	Max     int32 // the largest supported priority
	Vital   vital.VitalEndpoints
	IPv6    bool // pods have IPv6 addresses
	// Tiers is how sets are made where policies stand in tiers; nil for AdminNetworkPolicies.
	Tiers *TierForm
	// keeps is the set that is made anew: its own policies stand in nobody's way.
	keeps string
	// limits and ports were worked out beforehand (PreparedWorld).
	limits   map[placeBefore]int32
	ports    []int
	prepared bool
}

// PreparedWorld works out what takes a while on a large cluster, so that questions come up at
// once.
func (w *World) PreparedWorld() *World {
	limits := map[placeBefore]int32{}
	if w.Tiers != nil {
		w.ports, w.prepared = w.metricsPorts(), true
		return w
	}
	for _, b := range []placeBefore{beforeAll, beforeDecides, beforeDenies} {
		limits[b] = w.limitBefore(b)
	}
	w.limits, w.ports, w.prepared = limits, w.metricsPorts(), true
	return w
}

// namespaceLabel is a label of namespaces with how many have it.
type namespaceLabel struct {
	key, value string
	namespaces []string // namespaces that have it, by name
	ofSystem   bool     // one of them is the system's
}

// namespaceLabels returns the labels of namespaces, by key and value.
func (w *World) namespaceLabels() (out []*namespaceLabel) {
	at := map[[2]string]*namespaceLabel{}
	for ns := range w.Cluster.Namespaces() {
		for k, v := range ns.Labels.Map() {
			if k == nameLabel || v == "" {
				continue
			}
			l := at[[2]string{k, v}]
			if l == nil {
				l = &namespaceLabel{key: k, value: v}
				at[[2]string{k, v}], out = l, append(out, l)
			}
			l.namespaces = append(l.namespaces, ns.Name)
			l.ofSystem = l.ofSystem || model.IsSystemNamespace(ns.Name)
		}
	}
	slices.SortFunc(out, func(a, b *namespaceLabel) int {
		return strings.Compare(a.key+"\x00"+a.value, b.key+"\x00"+b.value)
	})
	return out
}

// usualKeys are the usual keys of tenants, which are offered before others.
var usualKeys = []string{"tenant", "team", "customer", "project", "org", "owner"}

// offerLabelKeys offers the labels that tell namespaces apart: with more than one value, the usual
// ones first, then those on the most namespaces.
func (w *World) offerLabelKeys(_ Answers) (out []Choice) {
	type key struct {
		name               string
		values, namespaces int
	}
	byKey := map[string]*key{}
	var keys []*key
	for _, l := range w.namespaceLabels() {
		if l.ofSystem || strings.HasPrefix(l.key, "pod-security.kubernetes.io/") {
			continue
		}
		k := byKey[l.key]
		if k == nil {
			k = &key{name: l.key}
			byKey[l.key], keys = k, append(keys, k)
		}
		k.values, k.namespaces = k.values+1, k.namespaces+len(l.namespaces)
	}
	rank := func(k *key) int {
		if i := slices.Index(usualKeys, k.name[strings.LastIndex(k.name, "/")+1:]); i >= 0 {
			return i
		}
		return len(usualKeys)
	}
	slices.SortStableFunc(keys, func(a, b *key) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.namespaces, a.namespaces))
	})
	for _, k := range keys {
		if k.values > 1 {
			out = append(out, Choice{k.name, words.Count(k.values, "value") + " on " + words.Count(k.namespaces, "namespace")})
		}
	}
	return out
}

// offerValues offers all values of the label, then each: values that are taken away are left
// out.
func (w *World) offerValues(a Answers) (out []Choice) {
	var all []string
	for _, l := range w.namespaceLabels() {
		if l.key == a[askLabel] {
			all = append(all, l.value)
			out = append(out, Choice{l.value, words.ListFew(l.namespaces, 3)})
		}
	}
	if len(all) > 1 {
		out = slices.Insert(out, 0, Choice{strings.Join(all, ","), "every value there is"})
	}
	return out
}

// offerWorkloads offers namespaces of workloads: a label that many have and the system's have not,
// then all but the system's.
func (w *World) offerWorkloads(Answers) (out []Choice) {
	var system []string
	ordinary := 0
	for ns := range w.Cluster.Namespaces() {
		if model.IsSystemNamespace(ns.Name) {
			system = append(system, ns.Name)
		} else {
			ordinary++
		}
	}
	ls := slices.DeleteFunc(w.namespaceLabels(), func(l *namespaceLabel) bool { return l.ofSystem || len(l.namespaces) < 2 && ordinary > 1 })
	slices.SortStableFunc(ls, func(a, b *namespaceLabel) int { return cmp.Compare(len(b.namespaces), len(a.namespaces)) })
	for _, l := range ls {
		out = append(out, Choice{l.key + "=" + l.value, words.ListFew(l.namespaces, 3)})
	}
	but := Choice{allNamespaces, "every namespace, future ones too"}
	if len(system) > 0 {
		but = Choice{nameLabel + " notin (" + strings.Join(system, ",") + ")", "all but the system's, future ones too"}
	}
	// A label of a few says nothing about workloads.
	if len(ls) == 0 || len(ls[0].namespaces)*2 < ordinary {
		return slices.Insert(out, 0, but)
	}
	return append(out, but)
}

// offerWithPolicies offers workloads whose NetworkPolicies would decide.
func (w *World) offerWithPolicies(a Answers) []Choice {
	has := map[string]bool{}
	for p := range w.Cluster.Policies(model.KindNP) {
		has[p.Namespace] = true
	}
	out := w.offerWorkloads(a)
	for i := range out {
		s, err := selectorOf(out[i].Value)
		if err != nil {
			continue
		}
		n := 0
		for _, ns := range w.namespacesOf(s) {
			if has[ns] {
				n++
			}
		}
		out[i].Note += "; " + words.Count(n, "namespace") + " with NetworkPolicies"
	}
	return out
}

// monitors are the words by which namespaces of monitoring are recognised.
var monitors = []string{"monitoring", "prometheus", "observability", "metrics"}

// offerMonitoring offers namespaces that look like those of monitoring, then all others.
func (w *World) offerMonitoring(Answers) (out []Choice) {
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

// metricsPorts are the names by which ports of metrics are recognised.
var metricsPorts = []string{"metrics", "scrape", "http-metrics", "https-metrics", "prometheus", "exporter"}

// metricsPorts are the ports that pods declare for metrics.
func (w *World) metricsPorts() (ports []int) {
	if w.prepared {
		return w.ports
	}
	seen := map[int]bool{}
	for p := range w.Cluster.Pods() {
		for _, c := range p.Ports {
			if c.Protocol == "TCP" && slices.Contains(metricsPorts, c.Name) && !seen[int(c.Port)] && !p.HostNetwork {
				seen[int(c.Port)], ports = true, append(ports, int(c.Port))
			}
		}
	}
	slices.Sort(ports)
	return ports[:min(len(ports), 20)]
}

// offerMetricsPorts offers the ports that pods declare for metrics.
func (w *World) offerMetricsPorts(Answers) []Choice {
	ports := w.metricsPorts()
	every := Choice{anyPort, "every port"}
	if len(ports) == 0 {
		return []Choice{every}
	}
	var texts []string
	for _, p := range ports {
		texts = append(texts, fmt.Sprint(p))
	}
	return []Choice{{strings.Join(texts, ","), "declared by pods as ports of metrics"}, every}
}

// alwaysOffer always offers the same.
func alwaysOffer(all ...Choice) func(*World, Answers) []Choice {
	return func(*World, Answers) []Choice { return all }
}

// namespacesOf are the namespaces that a selector means, by name.
func (w *World) namespacesOf(s *metav1.LabelSelector) (out []string) {
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
