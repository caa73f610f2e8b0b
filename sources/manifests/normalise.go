package manifests

import (
	"fmt"
	"net/netip"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"rung/model"
	"rung/model/ovn/match"
	"rung/model/words"
)

// TypedPolicy converts a policy's tree to the typed API object, with the CRDs' defaults.
func TypedPolicy(k model.Kind, obj map[string]any) (metav1.Object, error) {
	obj = runtime.DeepCopyJSON(obj)
	switch k {
	case model.KindANP, model.KindBANP:
		defaultProtocols(obj)
	case model.KindCNP, model.KindNP:
	case model.KindEF, model.KindMNP, model.KindACNP, model.KindANNP:
		return &unstructured.Unstructured{Object: obj}, nil
	default:
		return nil, fmt.Errorf("%s is not a policy", k)
	}
	typed, err := infoOfKind(k).readObject(obj)
	if err != nil {
		return nil, fmt.Errorf("cannot be read as %s: %w", k, err)
	}
	return typed, nil
}

// defaultProtocols sets the absent protocols of an ANP's or BANP's ports, as the CRD does.
func defaultProtocols(obj map[string]any) {
	spec, _ := obj["spec"].(map[string]any)
	for _, dir := range []string{"ingress", "egress"} {
		rules, _ := spec[dir].([]any)
		for _, r := range rules {
			rule, _ := r.(map[string]any)
			ports, _ := rule["ports"].([]any)
			for _, p := range ports {
				port, _ := p.(map[string]any)
				for _, form := range []string{"portNumber", "portRange"} {
					if m, ok := port[form].(map[string]any); ok && m["protocol"] == nil { // absent, or null
						m["protocol"] = "TCP"
					}
				}
			}
		}
	}
}

// New converts a typed policy to the model's form, with gate 2.
func New(m model.Meta, typed any) *model.Policy {
	p := &model.Policy{Meta: m, Original: typed}
	p.Logging, p.HasLogging = m.Annotations[model.AnnotationLogging]
	infoOfKind(m.Kind).readPolicy(&normaliser{p: p})
	return p
}

// normaliser fills a policy from its typed object, and notes what OVN-Kubernetes cannot use.
type normaliser struct{ p *model.Policy }

func (n *normaliser) addInvalid(code, field, msg, remedy string) {
	n.p.Invalid = append(n.p.Invalid, model.Broken{Severity: model.SeverityError, Origin: n.p.Origin, Key: n.p.Key,
		Field: field, Code: code, Message: msg, Remedy: remedy})
}

// invalidIf notes a problem if a condition holds.
func (n *normaliser) invalidIf(holds bool, code, field, msg, remedy string) {
	if holds {
		n.addInvalid(code, field, msg, remedy)
	}
}

func (n *normaliser) readSelector(s *metav1.LabelSelector, field string) model.Selector {
	sel, err := model.NewSelector(s)
	if err != nil {
		n.addInvalid(CodeSelector, field, words.CleanText(err.Error()), "")
	}
	return sel
}

// CleanConditions returns the conditions of a status with clean texts; nil for none.
func CleanConditions(cs []metav1.Condition) (out []model.Condition) {
	for _, c := range cs {
		out = append(out, model.Condition{Type: words.CleanText(c.Type),
			Status: words.CleanText(string(c.Status)),
			Reason: words.CleanText(c.Reason), Message: words.CleanText(c.Message), Changed: model.Stamp{Time: c.LastTransitionTime.Time}})
	}
	return out
}

// IsCommonCIDR reports whether every program accepts a CIDR's form: no leading zeros, no IPv4 within IPv6.
func IsCommonCIDR(s string) bool {
	p, err := netip.ParsePrefix(s)
	return err == nil && !p.Addr().Is4In6()
}

// CIDRRemedy returns how to write a CIDR correctly.
func CIDRRemedy(s string) string {
	if p, ok := match.ParseCIDR(s); ok {
		if p.Addr().Is4In6() {
			p = p.Masked()
		}
		return "write " + p.String()
	}
	if a, err := netip.ParseAddr(s); err == nil && a.Zone() == "" {
		return fmt.Sprintf("write %s/%d", a, a.BitLen())
	}
	return "write address/length, as 10.0.0.0/8 or fd00::/8"
}
