package manifests

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"rung/model"
)

// PolicyObject makes the API object of a policy without one from the model's form, and reads it back. The
// result has the object as Original, its text as YAML, and the same subject, rules, labels and annotations. It
// supports AdminNetworkPolicies, their baseline, ClusterNetworkPolicies and Antrea policies. The error names
// content without an API field; Validate reports what the API would reject.
func PolicyObject(p *model.Policy) (*model.Policy, error) {
	w := &policyWriter{p: p}
	obj, err := w.policyObject()
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", p.Key.Label(), err)
	}
	out, err := FromObject(obj, p.Origin)
	if err != nil {
		return nil, fmt.Errorf("read back %s: %w", p.Key.Label(), err)
	}
	return out, nil
}

// WithRules returns a policy with more rules, each inserted at its Index among the present rules of its
// direction. The text of the policy is edited; a policy without an object gets a new text. It supports the
// policies of PolicyObject's untiered kinds, and NetworkPolicies.
func WithRules(p *model.Policy, rules []model.Rule) (*model.Policy, error) {
	w, old := &policyWriter{p: p}, p
	write := w.adminRule
	if p.Kind == model.KindNP {
		write = w.netpolRule
	}
	var object any = p.Original
	if object == nil {
		made, err := w.policyObject()
		if err != nil {
			return nil, err
		}
		object, old = made, nil
	}
	tree, err := UntypedTree(object)
	if err != nil {
		return nil, err
	}
	spec, _ := tree["spec"].(jsonTree)
	added := map[model.Direction]int{}
	for i := range rules {
		d := rules[i].Direction
		list, _ := spec[d.Lower()].([]any)
		at := min(rules[i].Index+added[d], len(list))
		spec[d.Lower()] = slices.Insert(slices.Clone(list), at, any(write(&rules[i], "the new rule")))
		added[d]++
	}
	if w.err != nil {
		return nil, w.err
	}
	return PolicyOfTree(old, p.Kind, tree)
}

// WithTCPPort returns an ANP, BANP or CNP whose egress rule has one more TCP port. The text of the policy is edited.
func WithTCPPort(p *model.Policy, rule int, port int32) (*model.Policy, error) {
	w := &policyWriter{p: p}
	field, added := w.adminPorts([]model.Port{{Protocol: "TCP", Start: port, End: port}}, "the new port")
	tree, err := UntypedTree(p.Original)
	if err != nil {
		return nil, err
	}
	spec, _ := tree["spec"].(jsonTree)
	rules, _ := spec["egress"].([]any)
	if rule >= len(rules) {
		return nil, fmt.Errorf("%s has no egress rule %d", p.Key.Label(), rule)
	}
	changed := maps.Clone(rules[rule].(jsonTree))
	ports, _ := changed[field].([]any)
	changed[field] = slices.Concat(ports, added)
	rules = slices.Clone(rules)
	rules[rule], spec["egress"] = changed, rules
	return PolicyOfTree(p, p.Kind, tree)
}

// policyWriter writes one policy, and keeps the first error.
type policyWriter struct {
	p   *model.Policy
	err error
}

// jsonTree is a JSON object.
type jsonTree = map[string]any

func (w *policyWriter) addCannot(at, format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("%s "+format, append([]any{at}, args...)...)
	}
}

// policyObject returns the policy in its API's form.
func (w *policyWriter) policyObject() (*unstructured.Unstructured, error) {
	if !w.p.Kind.IsAdmin() && !w.p.Kind.IsTiered() {
		return nil, fmt.Errorf("policies of kind %s cannot be written", w.p.Kind)
	}
	meta := jsonTree{"name": w.p.Name}
	if w.p.Kind.IsNamespaced() {
		meta["namespace"] = w.p.Namespace
	}
	if l := w.p.Labels.Map(); len(l) > 0 {
		meta["labels"] = writtenTexts(l)
	}
	notes := writtenTexts(w.p.Annotations)
	delete(notes, model.AnnotationLogging)
	if w.p.HasLogging {
		notes[model.AnnotationLogging] = w.p.Logging
	}
	if len(notes) > 0 {
		meta["annotations"] = notes
	}
	spec := jsonTree{}
	if w.p.Kind.IsTiered() {
		w.fillAntrea(spec)
	} else {
		w.fillAdmin(spec)
	}
	apiVersion, kind := TypeMeta(w.p.Kind)
	return &unstructured.Unstructured{Object: jsonTree{"apiVersion": apiVersion, "kind": kind, "metadata": meta, "spec": spec}}, w.err
}

func writtenTexts(m map[string]string) jsonTree {
	out := jsonTree{}
	for k, v := range m {
		out[k] = v
	}
	return out
}

func anyList(texts []string) []any {
	out := []any{}
	for _, t := range texts {
		out = append(out, t)
	}
	return out
}

// fillAdmin fills the spec of an ANP, BANP or CNP.
func (w *policyWriter) fillAdmin(spec jsonTree) {
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
		w.addCannot("spec.subject", "selects a namespace by name")
	case s.AllPods:
		spec["subject"] = jsonTree{"namespaces": w.labelSelector(s.Namespaces, "spec.subject.namespaces")}
	default:
		spec["subject"] = jsonTree{"pods": w.podsSelector(s.Namespaces, s.Pods, "spec.subject.pods")}
	}
	w.fillRules(spec, w.adminRule)
}

// fillRules writes the rules of both directions.
func (w *policyWriter) fillRules(spec jsonTree, write func(r *model.Rule, at string) jsonTree) {
	for _, d := range model.Directions {
		var rules []any
		for i := range w.p.Rules(d) {
			rules = append(rules, write(&w.p.Rules(d)[i], fmt.Sprintf("spec.%s[%d]", d.Lower(), i)))
		}
		if len(rules) > 0 {
			spec[d.Lower()] = rules
		}
	}
}

func (w *policyWriter) adminRule(r *model.Rule, at string) jsonTree {
	out := jsonTree{"action": w.p.Kind.ActionWord(r.Action)}
	if r.Name != "" {
		out["name"] = r.Name
	}
	if r.AnyPeer {
		w.addCannot(at, "has no peers, which the API requires")
	}
	peers := []any{}
	for i := range r.Peers {
		peers = append(peers, w.adminPeer(r, &r.Peers[i], fmt.Sprintf("%s.%s[%d]", at, peersField(r.Direction), i)))
	}
	out[peersField(r.Direction)] = peers
	if field, ports := w.adminPorts(r.Ports, at); len(ports) > 0 {
		out[field] = ports
	}
	return out
}

// adminPorts returns ports in the form of the policy's API, and the field of a rule that holds them.
func (w *policyWriter) adminPorts(ports []model.Port, at string) (field string, out []any) {
	field, write := "ports", w.anpPort
	if w.p.Kind == model.KindCNP {
		field, write = "protocols", w.cnpPort
	}
	for i := range ports {
		out = append(out, write(&ports[i], fmt.Sprintf("%s.%s[%d]", at, field, i)))
	}
	return field, out
}

// netpolRule returns a rule of a NetworkPolicy whose peers are selectors and networks, and whose ports are numbers.
func (w *policyWriter) netpolRule(r *model.Rule, at string) jsonTree {
	var peers, ports []any
	for _, p := range r.Peers {
		for _, n := range p.Networks {
			peers = append(peers, jsonTree{"ipBlock": jsonTree{"cidr": n}})
		}
		if p.Kind != model.PeerNetworks {
			peers = append(peers, w.podsSelector(p.Namespaces, p.Pods, at))
		}
	}
	out := jsonTree{peersField(r.Direction): peers}
	for _, p := range r.Ports {
		port := jsonTree{"protocol": p.Protocol, "port": int64(p.Start)}
		if p.End > p.Start {
			port["endPort"] = int64(p.End)
		}
		ports = append(ports, port)
	}
	if len(ports) > 0 {
		out["ports"] = ports
	}
	return out
}

// peersField returns the name of the field with the peers of a rule.
func peersField(d model.Direction) string {
	if d == model.Egress {
		return "to"
	}
	return "from"
}

func (w *policyWriter) adminPeer(r *model.Rule, p *model.Peer, at string) jsonTree {
	outward := r.Direction == model.Egress
	switch {
	case p.Namespace != "" || p.Match != nil || len(p.Except) > 0:
	case p.Kind == model.PeerNamespaces:
		return jsonTree{"namespaces": w.labelSelector(p.Namespaces, at+".namespaces")}
	case p.Kind == model.PeerPods:
		return jsonTree{"pods": w.podsSelector(p.Namespaces, p.Pods, at+".pods")}
	case p.Kind == model.PeerNodes && outward:
		return jsonTree{"nodes": w.labelSelector(p.Nodes, at+".nodes")}
	case p.Kind == model.PeerNetworks && outward:
		return jsonTree{"networks": anyList(p.Networks)}
	case p.Kind == model.PeerDNS && outward && w.p.Kind == model.KindCNP:
		return jsonTree{"domainNames": []any{p.DNSName}}
	}
	w.addCannot(at, "is a kind of peer that the API does not allow there: %s", p.String())
	return nil
}

func (w *policyWriter) anpPort(p *model.Port, at string) jsonTree {
	switch {
	case p.Name != "":
		return jsonTree{"namedPort": p.Name}
	case p.Range || p.End > p.Start:
		return jsonTree{"portRange": jsonTree{"protocol": p.Protocol, "start": int64(p.Start), "end": int64(p.End)}}
	case p.Start > 0:
		return jsonTree{"portNumber": jsonTree{"protocol": p.Protocol, "port": int64(p.Start)}}
	}
	w.addCannot(at, "is a protocol without a port: %s", p.String())
	return nil
}

func (w *policyWriter) cnpPort(p *model.Port, at string) jsonTree {
	var port jsonTree
	switch {
	case p.Name != "":
		return jsonTree{"destinationNamedPort": p.Name}
	case p.Range || p.End > p.Start:
		port = jsonTree{"range": jsonTree{"start": int64(p.Start), "end": int64(p.End)}}
	case p.Start > 0:
		port = jsonTree{"number": int64(p.Start)}
	default:
		w.addCannot(at, "is a protocol without a port: %s", p.String())
	}
	if !model.KnowsProtocol(p.Protocol) {
		w.addCannot(at, "has a protocol that the API lacks: %s", p.String())
	}
	return jsonTree{strings.ToLower(p.Protocol): jsonTree{"destinationPort": port}}
}

// podsSelector returns a namespace selector and a pod selector, both required by the API.
func (w *policyWriter) podsSelector(namespaces, pods model.Selector, at string) jsonTree {
	return jsonTree{"namespaceSelector": w.labelSelector(namespaces, at+".namespaceSelector"), "podSelector": w.labelSelector(pods,
		at+".podSelector")}
}

// labelSelector returns a selector in the API's form, and notes an error if it has none.
func (w *policyWriter) labelSelector(s model.Selector, at string) jsonTree {
	l := s.LabelSelector()
	if l == nil {
		w.addCannot(at, "has no usable selector")
		l = &metav1.LabelSelector{}
	}
	slices.SortFunc(l.MatchExpressions, func(a, b metav1.LabelSelectorRequirement) int { return strings.Compare(a.Key, b.Key) })
	out, err := runtime.DefaultUnstructuredConverter.ToUnstructured(l)
	if err != nil {
		w.addCannot(at, "cannot be written: %v", err)
	}
	return out
}
