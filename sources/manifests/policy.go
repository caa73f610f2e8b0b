package manifests

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/network-policy-api/apis/v1alpha1"
	"sigs.k8s.io/network-policy-api/apis/v1alpha2"

	"rung/model"
	"rung/model/clean"
	"rung/sources/manifests/yamltree"
)

// policy takes in a policy that passed the strict check; was is what it was in an older
// form, nil for none.
func (d *decoder) policy(n *yaml.Node, k *kindInfo, key model.Key, origin model.Origin, text []byte, was *older) {
	obj := yamltree.Value(n).(map[string]any)
	dropStatusDoubt(obj)
	if !d.opts.SkipSchema {
		if d.issues(origin, key, d.gated(n, k.kind, obj), 0) {
			return
		}
	}
	typed, err := Typify(k.kind, obj)
	if err != nil {
		d.report(origin, key, issue{sev: model.SeverityError, code: CodeSchema, msg: clean.Text(err.Error())})
		return
	}
	p := newPolicy(d.meta(k, typed, origin), typed)
	for i := range p.Invalid {
		if l := yamltree.LineOfValue(n, p.Invalid[i].Field, p.Invalid[i].Message); l > 0 {
			p.Invalid[i].Origin.Line = d.line + l
		}
	}
	if text != nil {
		p.YAML = string(text) // a copy: the file's text is not kept
	} else {
		p.YAML = tidyText(obj)
	}
	if was != nil {
		was.onto(p, d.line)
	}
	p.Digested = p.Digests()
	d.out.objects = append(d.out.objects, p)
}

// gated is what gate 1 says of a tree, with the lines of its text.
func (d *decoder) gated(n *yaml.Node, k model.Kind, obj map[string]any) []issue {
	bad := d.opts.judged(k, obj)
	for i := range bad {
		bad[i].line = yamltree.LineOfValue(n, bad[i].field, bad[i].msg)
	}
	return bad
}

// readStatus are the fields of a policy's status that are read.
var readStatus = []string{"conditions", "phase", "currentNodesRealized", "desiredNodesRealized"}

// dropStatusDoubt takes fields out of a status that a newer release may have
// added: they were reported, and the status is nobody's intention.
func dropStatusDoubt(obj map[string]any) {
	st, ok := obj["status"].(map[string]any)
	if !ok {
		return
	}
	maps.DeleteFunc(st, func(name string, _ any) bool { return !slices.Contains(readStatus, name) })
	if len(st) == 0 {
		delete(obj, "status")
	}
}

// Typify is the typed API object of a policy's tree, with the CRDs' defaults.
func Typify(k model.Kind, obj map[string]any) (metav1.Object, error) {
	obj = runtime.DeepCopyJSON(obj)
	var into metav1.Object
	switch k {
	case model.KindANP:
		into = &v1alpha1.AdminNetworkPolicy{}
	case model.KindBANP:
		into = &v1alpha1.BaselineAdminNetworkPolicy{}
	case model.KindCNP:
		into = &v1alpha2.ClusterNetworkPolicy{}
	case model.KindNP:
		into = &networkingv1.NetworkPolicy{}
	case model.KindEF, model.KindACNP, model.KindANNP:
		return &unstructured.Unstructured{Object: obj}, nil
	default:
		return nil, fmt.Errorf("%s is not a policy", k)
	}
	if k == model.KindANP || k == model.KindBANP {
		eachPort(obj, func(port map[string]any) {
			if port["protocol"] == nil { // absent, or null
				port["protocol"] = "TCP"
			}
		})
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj, into); err != nil {
		return nil, fmt.Errorf("cannot be read as %s: %w", k, err)
	}
	return into, nil
}

// eachPort calls f for every portNumber and portRange of an ANP or BANP, whose
// protocol the CRD defaults to TCP.
func eachPort(obj map[string]any, f func(map[string]any)) {
	spec, _ := obj["spec"].(map[string]any)
	for _, dir := range []string{"ingress", "egress"} {
		rules, _ := spec[dir].([]any)
		for _, r := range rules {
			rule, _ := r.(map[string]any)
			ports, _ := rule["ports"].([]any)
			for _, p := range ports {
				port, _ := p.(map[string]any)
				for _, form := range []string{"portNumber", "portRange"} {
					if m, ok := port[form].(map[string]any); ok {
						f(m)
					}
				}
			}
		}
	}
}

// FromObject brings a typed policy into the model's form: one of
// *v1alpha1.AdminNetworkPolicy, *v1alpha1.BaselineAdminNetworkPolicy,
// *v1alpha2.ClusterNetworkPolicy, *networkingv1.NetworkPolicy, or an *unstructured.Unstructured of these or of
// an EgressFirewall. The object is kept as Original and must not be changed
// afterwards. Gate 1 is not run (see Validate), gate 2 is: see Policy.Invalid.
func FromObject(obj any, origin model.Origin) (*model.Policy, error) {
	return newDecoder(Options{}).fromObject(obj, origin)
}

func (d *decoder) fromObject(obj any, origin model.Origin) (*model.Policy, error) {
	k := kindOfType(reflect.TypeOf(obj))
	if u, ok := obj.(*unstructured.Unstructured); ok {
		if k = kindOf(u.GetAPIVersion(), u.GetKind()); k == nil || !k.kind.IsPolicy() {
			return nil, fmt.Errorf("%s %s is not a policy Rung reads", u.GetAPIVersion(), u.GetKind())
		}
		typed, err := Typify(k.kind, u.Object)
		if err != nil {
			return nil, err
		}
		obj = typed
	}
	if k == nil || !k.kind.IsPolicy() {
		return nil, fmt.Errorf("%T is not a policy Rung reads", obj)
	}
	p := newPolicy(d.meta(k, obj.(metav1.Object), origin), obj)
	text, err := Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write %s as YAML: %w", p.Key, err)
	}
	p.YAML = string(text)
	p.Digested = p.Digests()
	return p, nil
}

// newPolicy is the normal form of a typed policy, gate 2 included.
func newPolicy(m model.Meta, typed any) *model.Policy {
	p := &model.Policy{Meta: m, Original: typed}
	p.Logging, p.HasLogging = m.Annotations[model.AnnotationLogging]
	n := normaliser{p: p}
	switch o := typed.(type) {
	case *v1alpha1.AdminNetworkPolicy:
		n.anp(o)
	case *v1alpha1.BaselineAdminNetworkPolicy:
		n.banp(o)
	case *v1alpha2.ClusterNetworkPolicy:
		n.cnp(o)
	case *networkingv1.NetworkPolicy:
		n.networkPolicy(o)
	case *unstructured.Unstructured:
		if m.Kind.IsAntrea() {
			n.antreaPolicy(o)
		} else {
			n.egressFirewall(o)
		}
	}
	return p
}

// normaliser fills a policy from its typed object and notes what OVN-Kubernetes
// cannot take.
type normaliser struct{ p *model.Policy }

func (n *normaliser) invalid(code, field, msg, remedy string) {
	n.p.Invalid = append(n.p.Invalid, model.Broken{Severity: model.SeverityError, Origin: n.p.Origin, Key: n.p.Key,
		Field: field, Code: code, Message: msg, Remedy: remedy})
}

func (n *normaliser) selector(s *metav1.LabelSelector, field string) model.Selector {
	sel, err := model.NewSelector(s)
	if err != nil {
		n.invalid(CodeSelector, field, clean.Text(err.Error()), "")
	}
	return sel
}

func (n *normaliser) conditions(cs []metav1.Condition) {
	for _, c := range cs {
		n.p.Conditions = append(n.p.Conditions, model.Condition{Type: clean.Text(c.Type),
			Status: clean.Text(string(c.Status)),
			Reason: clean.Text(c.Reason), Message: clean.Text(c.Message), Changed: c.LastTransitionTime.Time})
	}
}
