package write

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"rung/model"
	"rung/sources/manifests"
)

// Policy makes the API object of a policy that has none, from its normal form, and reads it:
// the policy that comes has the object as Original, its text as YAML, and the same subject,
// rules, labels and annotations. It takes AdminNetworkPolicies, their baseline,
// ClusterNetworkPolicies and policies of Antrea. The error says what of the policy the API
// of its kind has no field for; what the API has a field for and refuses says Validate.
func Policy(p *model.Policy) (*model.Policy, error) {
	w := &writer{p: p}
	obj, err := w.object()
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", p.Key.Label(), err)
	}
	out, err := manifests.FromObject(obj, p.Origin)
	if err != nil {
		return nil, fmt.Errorf("read what was written of %s: %w", p.Key.Label(), err)
	}
	return out, nil
}

// writer writes one policy; the first thing it cannot say is kept.
type writer struct {
	p   *model.Policy
	err error
}

// tree is an object of JSON, as Kubernetes' library takes it.
type tree = map[string]any

func (w *writer) cannot(at, format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("%s "+format, append([]any{at}, args...)...)
	}
}

// object is the policy as its API has it.
func (w *writer) object() (*unstructured.Unstructured, error) {
	if !w.p.Kind.IsAdmin() && !w.p.Kind.IsTiered() {
		return nil, fmt.Errorf("policies of kind %s are not written from their normal form", w.p.Kind)
	}
	meta := tree{"name": w.p.Name}
	if w.p.Kind.Namespaced() {
		meta["namespace"] = w.p.Namespace
	}
	if l := w.p.Labels.Map(); len(l) > 0 {
		meta["labels"] = textsOf(l)
	}
	notes := textsOf(w.p.Annotations)
	delete(notes, model.AnnotationLogging)
	if w.p.HasLogging {
		notes[model.AnnotationLogging] = w.p.Logging
	}
	if len(notes) > 0 {
		meta["annotations"] = notes
	}
	spec := tree{}
	switch w.p.Kind {
	case model.KindACNP, model.KindANNP:
		w.antrea(spec)
	default:
		w.admin(spec)
	}
	apiVersion, kind := manifests.TypeMeta(w.p.Kind)
	return &unstructured.Unstructured{Object: tree{"apiVersion": apiVersion, "kind": kind, "metadata": meta, "spec": spec}}, w.err
}

func textsOf(m map[string]string) tree {
	out := tree{}
	for k, v := range m {
		out[k] = v
	}
	return out
}

func listOf(texts []string) []any {
	out := []any{}
	for _, t := range texts {
		out = append(out, t)
	}
	return out
}

// admin fills the spec of an ANP, BANP or CNP.
func (w *writer) admin(spec tree) {
	switch w.p.Kind {
	case model.KindANP:
		spec["priority"] = int64(w.p.Priority)
	case model.KindCNP:
		spec["priority"], spec["tier"] = int64(w.p.Priority), "Admin"
		if w.p.Tier == model.TierBaseline {
			spec["tier"] = "Baseline"
		}
	}
	s := &w.p.Subject
	switch {
	case s.Namespace != "":
		w.cannot("spec.subject", "is of one namespace by name")
	case s.AllPods:
		spec["subject"] = tree{"namespaces": w.selector(s.Namespaces, "spec.subject.namespaces")}
	default:
		spec["subject"] = tree{"pods": w.pods(s.Namespaces, s.Pods, "spec.subject.pods")}
	}
	for _, d := range model.Directions {
		var rules []any
		for i := range w.p.Rules(d) {
			rules = append(rules, w.adminRule(&w.p.Rules(d)[i], fmt.Sprintf("spec.%s[%d]", d.Lower(), i)))
		}
		if len(rules) > 0 {
			spec[d.Lower()] = rules
		}
	}
}

func (w *writer) adminRule(r *model.Rule, at string) tree {
	out := tree{"action": w.p.Kind.Word(r.Action)}
	if r.Name != "" {
		out["name"] = r.Name
	}
	if r.AnyPeer {
		w.cannot(at, "is about everything: the API has no rule without peers")
	}
	peers := []any{}
	for i := range r.Peers {
		peers = append(peers, w.adminPeer(r, &r.Peers[i], fmt.Sprintf("%s.%s[%d]", at, side(r), i)))
	}
	out[side(r)] = peers
	var ports []any
	for i := range r.Ports {
		if w.p.Kind == model.KindCNP {
			ports = append(ports, w.cnpPort(&r.Ports[i], fmt.Sprintf("%s.protocols[%d]", at, i)))
		} else {
			ports = append(ports, w.anpPort(&r.Ports[i], fmt.Sprintf("%s.ports[%d]", at, i)))
		}
	}
	if field := "ports"; len(ports) > 0 {
		if w.p.Kind == model.KindCNP {
			field = "protocols"
		}
		out[field] = ports
	}
	return out
}

// side is the field of a rule's peers.
func side(r *model.Rule) string {
	if r.Direction == model.Egress {
		return "to"
	}
	return "from"
}

func (w *writer) adminPeer(r *model.Rule, p *model.Peer, at string) tree {
	outward := r.Direction == model.Egress
	switch {
	case p.Namespace != "" || p.Match != nil || len(p.Except) > 0:
	case p.Kind == model.PeerNamespaces:
		return tree{"namespaces": w.selector(p.Namespaces, at+".namespaces")}
	case p.Kind == model.PeerPods:
		return tree{"pods": w.pods(p.Namespaces, p.Pods, at+".pods")}
	case p.Kind == model.PeerNodes && outward:
		return tree{"nodes": w.selector(p.Nodes, at+".nodes")}
	case p.Kind == model.PeerNetworks && outward:
		return tree{"networks": listOf(p.Networks)}
	case p.Kind == model.PeerDNS && outward && w.p.Kind == model.KindCNP:
		return tree{"domainNames": []any{p.DNSName}}
	}
	w.cannot(at, "is of a kind that the API does not have there: %s", p.String())
	return nil
}

func (w *writer) anpPort(p *model.Port, at string) tree {
	switch {
	case p.Name != "":
		return tree{"namedPort": p.Name}
	case p.Range || p.End > p.Start:
		return tree{"portRange": tree{"protocol": p.Protocol, "start": int64(p.Start), "end": int64(p.End)}}
	case p.Start > 0:
		return tree{"portNumber": tree{"protocol": p.Protocol, "port": int64(p.Start)}}
	}
	w.cannot(at, "is a protocol without a port: %s", p.String())
	return nil
}

func (w *writer) cnpPort(p *model.Port, at string) tree {
	var port tree
	switch {
	case p.Name != "":
		return tree{"destinationNamedPort": p.Name}
	case p.Range || p.End > p.Start:
		port = tree{"range": tree{"start": int64(p.Start), "end": int64(p.End)}}
	case p.Start > 0:
		port = tree{"number": int64(p.Start)}
	default:
		w.cannot(at, "is a protocol without a port: %s", p.String())
	}
	if !model.KnowsProtocol(p.Protocol) {
		w.cannot(at, "is of a protocol that the API does not have: %s", p.String())
	}
	return tree{strings.ToLower(p.Protocol): tree{"destinationPort": port}}
}

// pods are a namespace selector and a pod selector, both of which must be there.
func (w *writer) pods(namespaces, pods model.Selector, at string) tree {
	return tree{"namespaceSelector": w.selector(namespaces, at+".namespaceSelector"), "podSelector": w.selector(pods, at+".podSelector")}
}

// selector is a label selector; one that is not there cannot be written.
func (w *writer) selector(s model.Selector, at string) tree {
	l := s.LabelSelector()
	if l == nil {
		w.cannot(at, "has no selector that can be used")
		l = &metav1.LabelSelector{}
	}
	slices.SortFunc(l.MatchExpressions, func(a, b metav1.LabelSelectorRequirement) int { return strings.Compare(a.Key, b.Key) })
	out, err := runtime.DefaultUnstructuredConverter.ToUnstructured(l)
	if err != nil {
		w.cannot(at, "cannot be written: %v", err)
	}
	return out
}
