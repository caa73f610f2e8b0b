package manifests

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/network-policy-api/apis/v1alpha1"
	"sigs.k8s.io/network-policy-api/apis/v1alpha2"

	"rung/model"
	"rung/model/words"
	"rung/sources/manifests/yamltree"
)

// TypedReader converts objects of the API server, as decoded by client-go, to the model's form. It reads like
// manifests, without gate 1, which the server has run. Only one goroutine at a time may use it.
type TypedReader struct{ d *decoder }

// NewTyped makes a converter; source is the Origin.Source of its objects.
func NewTyped(source string) *TypedReader { return &TypedReader{newDecoder(Options{Source: source})} }

// ReadObject converts one object to the model's form: a *corev1.Namespace, Pod, Node, Service or Event, a
// *discoveryv1.EndpointSlice, a *networkingv1.NetworkPolicy, or an *unstructured.Unstructured of another
// supported kind. It removes managedFields from obj, and keeps of it only a policy's typed form. old is the
// last read object, or nil: unchanged parts are taken from it. The result is nil for an unusable object;
// broken then says why, and otherwise holds warnings.
func (t *TypedReader) ReadObject(obj any, old model.Object) (o model.Object, broken []model.Broken) {
	t.d.out = &unitOutcome{}
	m, isObject := obj.(metav1.Object)
	if !isObject {
		return nil, nil
	}
	m.SetManagedFields(nil)
	k := kindOfType(reflect.TypeOf(obj))
	u, generic := obj.(*unstructured.Unstructured)
	if generic {
		k = findWrittenKind(u.GetAPIVersion(), u.GetKind())
	}
	if k == nil || k.toModel == nil {
		return t.convertPolicy(obj, m, old), t.d.out.broken
	}
	key := ShortKey(model.Key{Kind: k.kind, Namespace: m.GetNamespace(), Name: m.GetName()})
	if i := CheckName(k.kind, m.GetNamespace(), m.GetName()); i != nil && !generic {
		t.d.reportIssue(t.clusterOrigin(), key, *i)
		return nil, t.d.out.broken
	}
	about := t.d.readMeta(k, m, t.clusterOrigin())
	about.Version = words.CleanText(m.GetResourceVersion())
	if !generic {
		return k.toModel(t.d, m, about), t.d.out.broken
	}
	o, err := t.d.namedObject(k, u, about)
	if err != nil {
		t.reportUnfit(key, err)
	}
	return o, t.d.out.broken
}

func (t *TypedReader) reportUnfit(key model.Key, err error) {
	t.d.reportIssue(t.clusterOrigin(), key, Issue{Severity: model.SeverityError, Code: CodeSchema, Message: words.CleanText(err.Error()),
		Remedy: "the installed CRD and this release of Rung do not match"})
}

func (t *TypedReader) clusterOrigin() model.Origin {
	return model.Origin{Source: t.d.opts.Source, Item: -1}
}

// convertPolicy converts a policy. A spec field that Rung's types lack (the installed CRD is newer) stays in its
// YAML and is reported: the typed form cannot hold it.
func (t *TypedReader) convertPolicy(obj any, m metav1.Object, old model.Object) model.Object {
	u, generic := obj.(*unstructured.Unstructured)
	if was, _ := old.(*model.Policy); was != nil && generic {
		if p := restatedPolicy(was, u); p != nil {
			t.newerFields(p, u)
			return p
		}
	}
	p, err := t.d.fromObject(obj, t.clusterOrigin())
	if err != nil {
		key := model.Key{Namespace: words.CleanText(m.GetNamespace()), Name: words.CleanText(m.GetName())}
		if generic {
			key.Kind = model.Kind(words.CleanText(string(KindOfTree(u.Object))))
		}
		t.reportUnfit(key, err)
		return nil
	}
	p.Version = words.CleanText(m.GetResourceVersion())
	if !generic {
		return p
	}
	if t.newerFields(p, u) {
		p.YAML = yamltree.TidyText(u.Object)
	}
	return p
}

// newerFields reports the fields that the policy's types lack; true if there are any.
func (t *TypedReader) newerFields(p *model.Policy, u *unstructured.Unstructured) bool {
	var fields []string
	spec := describeType(infoOfKind(p.Kind).goType).fields["spec"]
	collectUnknown(u.Object["spec"], spec, []yamltree.PathStep{yamltree.FieldStep("spec")}, &fields)
	p.Older = nil
	if len(fields) > 0 && p.Kind.IsAdmin() {
		p.Older = OlderOnServer(u.Object)
	}
	for _, field := range fields {
		i := Issue{Severity: model.SeverityWarning, Code: CodeUnknown, Field: field,
			Message: "this release of Rung does not know the field: the policy is shown without it",
			Remedy:  "the installed CRD is newer than Rung; change this policy with kubectl"}
		if p.Older != nil && IsField(field) {
			i.Code, i.Message = model.InvalidOlder, "is of an older form: today's OVN-Kubernetes ignores it and uses the rest"
			i.Remedy = "the console (e) opens the text in today's form; the installed CRD is older, too"
		}
		t.d.reportIssue(t.clusterOrigin(), p.Key, i)
	}
	return len(fields) > 0
}

// restatedPolicy returns a policy of which only status and version changed, else nil. The controllers of all
// zones write their conditions into every policy: that must not cost a reading of all rules.
func restatedPolicy(was *model.Policy, u *unstructured.Unstructured) *model.Policy {
	md, _ := u.Object["metadata"].(map[string]any)
	p := *was
	var now struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
		Status   struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	if md == nil || runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"metadata": md,
		"status": u.Object["status"]}, &now) != nil {
		return nil
	}
	var meta *metav1.ObjectMeta
	var conditions *[]metav1.Condition
	switch o := was.Original.(type) {
	case *v1alpha1.AdminNetworkPolicy:
		c := *o
		p.Original, meta, conditions = &c, &c.ObjectMeta, &c.Status.Conditions
	case *v1alpha1.BaselineAdminNetworkPolicy:
		c := *o
		p.Original, meta, conditions = &c, &c.ObjectMeta, &c.Status.Conditions
	case *v1alpha2.ClusterNetworkPolicy:
		c := *o
		p.Original, meta, conditions = &c, &c.ObjectMeta, &c.Status.Conditions
	default:
		return nil
	}
	meta.ResourceVersion = now.Metadata.ResourceVersion
	if meta.Generation <= 0 || !reflect.DeepEqual(*meta, now.Metadata) {
		return nil
	}
	*conditions = now.Status.Conditions
	p.Version, p.Conditions = words.CleanText(now.Metadata.ResourceVersion), CleanConditions(now.Status.Conditions)
	return &p
}
