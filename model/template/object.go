package template

import (
	"cmp"
	"encoding/json"
	"net/netip"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/lint/vital"
)

// These make objects as the API has them.

type jsonObject = map[string]any

// selectorObject is a selector as JSON has it.
func selectorObject(s *metav1.LabelSelector) (out jsonObject) {
	text, _ := json.Marshal(s) // texts only
	_ = json.Unmarshal(text, &out)
	return out
}

// namespacesObject is a subject, or a peer, of whole namespaces.
func namespacesObject(s *metav1.LabelSelector) jsonObject {
	return jsonObject{"namespaces": selectorObject(s)}
}

// podsObject is a subject, or a peer, of pods.
func podsObject(in, s *metav1.LabelSelector) jsonObject {
	return jsonObject{"pods": jsonObject{"namespaceSelector": selectorObject(in), "podSelector": selectorObject(s)}}
}

func anySelector() *metav1.LabelSelector { return &metav1.LabelSelector{} }

func labelSelector(key, value string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
}

func oneOfSelector(key string, values []string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: metav1.LabelSelectorOpIn, Values: slices.Clone(values)}}}
}

func hasKeySelector(key string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: metav1.LabelSelectorOpExists}}}
}

// ruleObject is one rule; without ports it is about all.
func ruleObject(d model.Direction, name string, action model.Action, peers []any, ports []any) jsonObject {
	side := "to"
	if d == model.Ingress {
		side = "from"
	}
	r := jsonObject{"name": name, "action": string(action), side: peers}
	if len(ports) > 0 {
		r["ports"] = ports
	}
	return r
}

func portObjects(all []portRange) (out []any) {
	for _, p := range all {
		if p.lo == p.hi {
			out = append(out, jsonObject{"portNumber": jsonObject{"protocol": p.protocol, "port": p.lo}})
		} else {
			out = append(out, jsonObject{"portRange": jsonObject{"protocol": p.protocol, "start": p.lo, "end": p.hi}})
		}
	}
	return out
}

// outsideObject are all addresses, of the families that pods have.
func (w *World) outsideObject() jsonObject {
	nets := []any{"0.0.0.0/0"}
	if w.IPv6 {
		nets = append(nets, "::/0")
	}
	return jsonObject{"networks": nets}
}

// passing are the labels of a pod that tell replicas apart, not workloads.
var passing = []string{"pod-template-hash", "controller-revision-hash", "pod-template-generation", "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index"}

// dnsPods are the pods of the cluster's DNS, one for each namespace, by what their labels have in
// common.
func (w *World) dnsPods() (out []podsByLabels) {
	at := map[string]int{}
	for _, p := range w.Vital.DNS {
		i, ok := at[p.Namespace]
		if !ok {
			labels := map[string]string{}
			for k, v := range p.Labels.Map() {
				if !slices.Contains(passing, k) {
					labels[k] = v
				}
			}
			at[p.Namespace] = len(out)
			out = append(out, podsByLabels{labelSelector(nameLabel, p.Namespace), &metav1.LabelSelector{MatchLabels: labels}})
			continue
		}
		for k, v := range out[i].pods.MatchLabels {
			if p.Labels.Get(k) != v {
				delete(out[i].pods.MatchLabels, k)
			}
		}
	}
	if len(out) == 0 { // as it usually is
		out = append(out, podsByLabels{labelSelector(nameLabel, "kube-system"), labelSelector("k8s-app", "kube-dns")})
	}
	return out
}

// podsByLabels are pods by labels of their namespaces and their own.
type podsByLabels struct{ spaces, pods *metav1.LabelSelector }

// peerObject is the subject or peer; pods without a label in common are their whole namespace.
func (s podsByLabels) peerObject() jsonObject {
	if len(s.pods.MatchLabels)+len(s.pods.MatchExpressions) == 0 {
		return namespacesObject(s.spaces)
	}
	return podsObject(s.spaces, s.pods)
}

// dnsPorts are the ports of DNS behind its Service, UDP and TCP: long answers come over TCP.
func (w *World) dnsPorts() []portRange {
	var out []portRange
	for _, protocol := range []string{"UDP", "TCP"} {
		n := int64(cmp.Or(w.Vital.DNSPorts[protocol], vital.DNSPort))
		out = append(out, portRange{protocol, n, n})
	}
	return out
}

// controlPlaneLabel is the label of the nodes on which the API server is; empty where none is
// known to be one.
func (w *World) controlPlaneLabel() string {
	for _, key := range controlPlane {
		for n := range w.Cluster.Nodes() {
			if _, ok := n.Labels.Map()[key]; ok {
				return key
			}
		}
	}
	return ""
}

// apiPeer is the API server: the nodes of the control plane by their label, else its addresses.
func (w *World) apiPeer() jsonObject {
	key := w.controlPlaneLabel()
	if n := len(w.Vital.API); key != "" || n == 0 || n > 25 {
		return jsonObject{"nodes": selectorObject(hasKeySelector(cmp.Or(key, controlPlane[0])))}
	}
	var nets []any
	for _, a := range w.Vital.API {
		nets = append(nets, netip.PrefixFrom(a, a.BitLen()).String())
	}
	return jsonObject{"networks": nets}
}

func (w *World) apiPorts() []portRange {
	n := int64(cmp.Or(w.Vital.APIPort, 6443))
	return []portRange{{"TCP", n, n}}
}
