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

type object = map[string]any

// selector is a selector as JSON has it.
func selector(s *metav1.LabelSelector) (out object) {
	text, _ := json.Marshal(s) // texts only
	_ = json.Unmarshal(text, &out)
	return out
}

// namespaces is a subject, or a peer, of whole namespaces.
func namespaces(s *metav1.LabelSelector) object { return object{"namespaces": selector(s)} }

// pods is a subject, or a peer, of pods.
func pods(in, s *metav1.LabelSelector) object {
	return object{"pods": object{"namespaceSelector": selector(in), "podSelector": selector(s)}}
}

func everywhere() *metav1.LabelSelector { return &metav1.LabelSelector{} }

func label(key, value string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
}

func oneOf(key string, values []string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: metav1.LabelSelectorOpIn, Values: slices.Clone(values)}}}
}

func has(key string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: metav1.LabelSelectorOpExists}}}
}

// rule is one rule; without ports it is about all.
func rule(d model.Direction, name string, action model.Action, peers []any, ports []any) object {
	side := "to"
	if d == model.Ingress {
		side = "from"
	}
	r := object{"name": name, "action": string(action), side: peers}
	if len(ports) > 0 {
		r["ports"] = ports
	}
	return r
}

func portObjects(all []portRange) (out []any) {
	for _, p := range all {
		if p.lo == p.hi {
			out = append(out, object{"portNumber": object{"protocol": p.protocol, "port": p.lo}})
		} else {
			out = append(out, object{"portRange": object{"protocol": p.protocol, "start": p.lo, "end": p.hi}})
		}
	}
	return out
}

// outside are all addresses, of the families that pods have.
func (w *World) outside() object {
	nets := []any{"0.0.0.0/0"}
	if w.IPv6 {
		nets = append(nets, "::/0")
	}
	return object{"networks": nets}
}

// passing are the labels of a pod that tell replicas apart, not workloads.
var passing = []string{"pod-template-hash", "controller-revision-hash", "pod-template-generation", "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index"}

// dnsPods are the pods of the cluster's DNS, one for each namespace, by what their labels have in
// common.
func (w *World) dnsPods() (out []selected) {
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
			out = append(out, selected{label(nameLabel, p.Namespace), &metav1.LabelSelector{MatchLabels: labels}})
			continue
		}
		for k, v := range out[i].pods.MatchLabels {
			if p.Labels.Get(k) != v {
				delete(out[i].pods.MatchLabels, k)
			}
		}
	}
	if len(out) == 0 { // as it usually is
		out = append(out, selected{label(nameLabel, "kube-system"), label("k8s-app", "kube-dns")})
	}
	return out
}

// selected are pods by labels of their namespaces and their own.
type selected struct{ spaces, pods *metav1.LabelSelector }

// peer is the subject or peer; pods without a label in common are their whole namespace.
func (s selected) peer() object {
	if len(s.pods.MatchLabels)+len(s.pods.MatchExpressions) == 0 {
		return namespaces(s.spaces)
	}
	return pods(s.spaces, s.pods)
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
func (w *World) apiPeer() object {
	key := w.controlPlaneLabel()
	if n := len(w.Vital.API); key != "" || n == 0 || n > 25 {
		return object{"nodes": selector(has(cmp.Or(key, controlPlane[0])))}
	}
	var nets []any
	for _, a := range w.Vital.API {
		nets = append(nets, netip.PrefixFrom(a, a.BitLen()).String())
	}
	return object{"networks": nets}
}

func (w *World) apiPorts() []portRange {
	n := int64(cmp.Or(w.Vital.APIPort, 6443))
	return []portRange{{"TCP", n, n}}
}
