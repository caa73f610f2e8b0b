package manifests

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"rung/model"
	"rung/model/clean"
	"rung/sources/manifests/admission"
	"rung/sources/manifests/check"
	"rung/sources/manifests/older"
	"rung/sources/manifests/policy"
	"rung/sources/manifests/yamltree"
)

// policy takes in a policy that passed the strict check; was is what it was in an older
// form, nil for none.
func (d *decoder) policy(n *yaml.Node, k *kindInfo, key model.Key, origin model.Origin, text []byte, was *older.Form) {
	obj := yamltree.Value(n).(map[string]any)
	dropStatusDoubt(obj)
	if !d.opts.SkipSchema {
		if d.issues(origin, key, d.gated(n, k.kind, obj), 0) {
			return
		}
	}
	typed, err := policy.Typify(k.kind, obj)
	if err != nil {
		d.report(origin, key, check.Issue{Severity: model.SeverityError, Code: check.CodeSchema, Message: clean.Text(err.Error())})
		return
	}
	p := policy.New(d.meta(k, typed, origin), typed)
	for i := range p.Invalid {
		if l := yamltree.LineOfValue(n, p.Invalid[i].Field, p.Invalid[i].Message); l > 0 {
			p.Invalid[i].Origin.Line = d.line + l
		}
	}
	if text != nil {
		p.YAML = string(text) // a copy: the file's text is not kept
	} else {
		p.YAML = yamltree.TidyText(obj)
	}
	if was != nil {
		was.MarkPolicy(p, d.line)
	}
	p.Digested = p.Digests()
	d.out.objects = append(d.out.objects, p)
}

// gated is what gate 1 says of a tree, with the lines of its text.
func (d *decoder) gated(n *yaml.Node, k model.Kind, obj map[string]any) []check.Issue {
	bad := admission.Judge(k, obj, d.opts.Schemas, d.opts.Release)
	for i := range bad {
		bad[i].Line = yamltree.LineOfValue(n, bad[i].Field, bad[i].Message)
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
		typed, err := policy.Typify(k.kind, u.Object)
		if err != nil {
			return nil, err
		}
		obj = typed
	}
	if k == nil || !k.kind.IsPolicy() {
		return nil, fmt.Errorf("%T is not a policy Rung reads", obj)
	}
	p := policy.New(d.meta(k, obj.(metav1.Object), origin), obj)
	text, err := Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write %s as YAML: %w", p.Key, err)
	}
	p.YAML = string(text)
	p.Digested = p.Digests()
	return p, nil
}
