package template

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/lint"
)

// object is part of an object in the API's form.
type object = map[string]any

// addFacts adds facts of the cluster to the values of the answers' placeholders. All placeholders:
//
//	$label, $direction …   answers that are texts; $priority is places
//	$tenants               a list of texts
//	$namespaces, $pods …   a selector; $namespacesCount and $namespacesText for people
//	$ports                 ports of a rule, nil means all; $portsTexts for expectations
//	$dns, $dnsPorts, $dnsPortTexts, $firstDNS (a subject), $dnsEnd (of expectations)
//	$api (a peer), $apiPorts, $apiPortTexts, $apiEnd
//	$outside               a peer: every address, of the families that pods have
//	$hasBaseline, $afterTiers
func (w *World) addFacts(values object) {
	w.addDNS(values)
	w.addAPI(values)
	nets := []any{"0.0.0.0/0"}
	if w.hasIPv6 {
		nets = append(nets, "::/0")
	}
	values["outside"] = object{"networks": nets}
	values["hasBaseline"], values["afterTiers"] = nil, nil
	if w.tiers == nil && w.Cluster.Policy(model.PolicyKey{Kind: model.KindBANP, Name: baselineName}) != nil {
		values["hasBaseline"] = true
	}
	if w.tiers != nil {
		if _, after := w.tierPlaces().lastTier(); after != "" {
			values["afterTiers"] = after
		}
	}
}

// selectorObject converts a selector to its JSON form.
func selectorObject(s *metav1.LabelSelector) (out object) {
	text, _ := json.Marshal(s) // cannot fail: only texts
	_ = json.Unmarshal(text, &out)
	return out
}

// portValues converts ports for a rule and for expectations; nil for all ports.
func portValues(ports []model.Port) (objects, texts any) {
	if ports == nil {
		return nil, nil
	}
	var all, lines []any
	for _, p := range ports {
		protocol, lo, hi := p.Protocol, int64(p.Start), int64(p.End)
		if lo == hi {
			all = append(all, object{"portNumber": object{"protocol": protocol, "port": lo}})
			lines = append(lines, fmt.Sprintf("%d/%s", lo, protocol))
		} else {
			all = append(all, object{"portRange": object{"protocol": protocol, "start": lo, "end": hi}})
			lines = append(lines, fmt.Sprintf("%d-%d/%s", lo, hi, protocol))
		}
	}
	return all, lines
}

// replicaLabels lists pod labels that distinguish replicas, not workloads.
var replicaLabels = []string{"pod-template-hash", "controller-revision-hash", "pod-template-generation",
	"statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index"}

// addDNS adds the pods of the cluster's DNS, one peer for each namespace, by their common labels. It adds
// their ports for UDP and TCP: long answers come over TCP.
func (w *World) addDNS(values object) {
	var namespaces []string
	labels := map[string]object{}
	for _, p := range w.vital.DNS {
		common, ok := labels[p.Namespace]
		if !ok {
			common = object{}
			for k, v := range p.Labels.Map() {
				if !slices.Contains(replicaLabels, k) {
					common[k] = v
				}
			}
			labels[p.Namespace], namespaces = common, append(namespaces, p.Namespace)
		}
		for k, v := range common {
			if p.Labels.Get(k) != v {
				delete(common, k)
			}
		}
	}
	if len(namespaces) == 0 { // the usual labels
		namespaces, labels["kube-system"] = []string{"kube-system"}, object{"k8s-app": "kube-dns"}
	}
	var peers []any
	for i, ns := range namespaces {
		space := object{"matchLabels": object{nameLabel: ns}}
		end, peer := object{"namespace": space}, object{"namespaces": space}
		if pods := labels[ns]; len(pods) > 0 {
			end["pod"] = object{"matchLabels": pods}
			peer = object{"pods": object{"namespaceSelector": space, "podSelector": end["pod"]}}
		}
		peers = append(peers, peer)
		if i == 0 {
			values["firstDNS"], values["dnsEnd"] = peer, end
		}
	}
	var ports []model.Port
	for _, protocol := range []string{"UDP", "TCP"} {
		n := int32(cmp.Or(w.vital.DNSPorts[protocol], lint.DNSPort))
		ports = append(ports, model.Port{Protocol: protocol, Start: n, End: n})
	}
	values["dns"] = peers
	values["dnsPorts"], values["dnsPortTexts"] = portValues(ports)
}

// controlPlane lists labels of nodes that run the API server.
var controlPlane = []string{"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"}

// addAPI adds the API server: the nodes of the control plane by their label, otherwise its addresses. The end
// for expectations is nil if neither is known.
func (w *World) addAPI(values object) {
	key := ""
	for _, k := range controlPlane {
		for n := range w.Cluster.Nodes() {
			if _, ok := n.Labels.Map()[k]; ok && key == "" {
				key = k
			}
		}
	}
	var addresses, nets []any
	for _, a := range w.vital.API {
		addresses, nets = append(addresses, a.String()), append(nets, netip.PrefixFrom(a, a.BitLen()).String())
	}
	nodes := object{"matchExpressions": []any{object{"key": cmp.Or(key, controlPlane[0]), "operator": "Exists"}}}
	values["api"], values["apiEnd"] = object{"nodes": nodes}, nil
	switch {
	case key != "":
		values["apiEnd"] = object{"node": nodes}
	case len(addresses) > 0:
		values["apiEnd"] = object{"address": addresses}
		if len(nets) <= 25 { // the API's limit
			values["api"] = object{"networks": nets}
		}
	}
	n := int32(cmp.Or(w.vital.APIPort, 6443))
	values["apiPorts"], values["apiPortTexts"] = portValues([]model.Port{{Protocol: "TCP", Start: n, End: n}})
}
