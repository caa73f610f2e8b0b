package manifests

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"rung/model"
	"rung/model/clean"
	"rung/sources/manifests/check"
	"rung/sources/manifests/yamltree"
)

// Typed brings objects of the API server, as client-go decodes them, into the
// model's form: the same reading as that of manifests, without gate 1, which the
// server has run. It is used by one goroutine at a time.
type Typed struct{ d *decoder }

// NewTyped makes a converter; source is what Origin.Source of its objects says.
func NewTyped(source string) *Typed { return &Typed{newDecoder(Options{Source: source})} }

// Object brings one object into the model's form: a *corev1.Namespace, Pod, Node,
// Service or Event, a *discoveryv1.EndpointSlice, a *networkingv1.NetworkPolicy,
// or an *unstructured.Unstructured of an ANP, a BANP, a CNP, an EgressFirewall or a kind of
// Antrea. Nothing
// of obj is kept but a policy's typed form, without managedFields, which are taken
// out of obj. The result is nil for what cannot be taken in: broken says why then,
// and holds doubts about what was taken in otherwise.
func (t *Typed) Object(obj any) (o model.Object, broken []model.Broken) { return t.Again(obj, nil) }

// Again is Object for one that was read before: old is what it was then, or nil,
// and what did not change is taken from it.
func (t *Typed) Again(obj any, old model.Object) (o model.Object, broken []model.Broken) {
	t.d.out = &outcome{}
	m, isObject := obj.(metav1.Object)
	if !isObject {
		return nil, nil
	}
	m.SetManagedFields(nil)
	k := kindOfType(reflect.TypeOf(obj))
	u, generic := obj.(*unstructured.Unstructured)
	if generic {
		if k = kindOf(u.GetAPIVersion(), u.GetKind()); k != nil && k.read != nil {
			return t.generic(k, u), t.d.out.broken
		}
	}
	if k == nil || k.read == nil {
		return t.policy(obj, m, old), t.d.out.broken
	}
	if i := check.Name(k.kind, m.GetNamespace(), m.GetName()); i != nil {
		t.d.report(t.origin(), check.ShortKey(model.Key{Kind: k.kind, Namespace: m.GetNamespace(), Name: m.GetName()}), *i)
		return nil, t.d.out.broken
	}
	about := t.d.meta(k, m, t.origin())
	about.Version = clean.Text(m.GetResourceVersion())
	return k.read(t.d, m, about), t.d.out.broken
}

// generic brings an object that is no policy and has no type of client-go's into the
// model's form: Tiers and groups of Antrea.
func (t *Typed) generic(k *kindInfo, u *unstructured.Unstructured) model.Object {
	typed := reflect.New(k.goType).Interface().(metav1.Object)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, typed); err != nil {
		t.d.report(t.origin(), check.ShortKey(model.Key{Kind: k.kind, Namespace: u.GetNamespace(), Name: u.GetName()}),
			check.Issue{Severity: model.SeverityError, Code: check.CodeSchema, Message: clean.Text(err.Error()),
				Remedy: "the installed CRD and this release of Rung do not fit"})
		return nil
	}
	about := t.d.meta(k, typed, t.origin())
	about.Version = clean.Text(u.GetResourceVersion())
	o := k.read(t.d, typed, about)
	if g, ok := o.(*model.Group); ok {
		g.Original, g.YAML = u, yamltree.TidyText(u.Object)
	}
	return o
}

func (t *Typed) origin() model.Origin { return model.Origin{Source: t.d.opts.Source, Item: -1} }
