package manifests

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"rung/model"
	"rung/model/words"
	"rung/sources/manifests/yamltree"
)

// takePolicy decodes a policy that passed the strict check; was is its older form, or nil.
func (d *decoder) takePolicy(n *yaml.Node, k *kindInfo, key model.Key, origin model.Origin, text []byte, was *OlderForm) {
	obj := yamltree.JSONValue(n).(map[string]any)
	dropStatusDoubt(obj)
	if !d.opts.SkipSchema {
		if bad := d.gateIssues(n, k.kind, obj); d.reportIssues(origin, key, bad, 0) {
			d.reportUnsupported(n, k, key, origin, bad)
			return
		}
	}
	typed, err := TypedPolicy(k.kind, obj)
	if err != nil {
		d.reportIssue(origin, key, Issue{Severity: model.SeverityError, Code: CodeSchema, Message: words.CleanText(err.Error())})
		return
	}
	p := New(d.readMeta(k, typed, origin), typed)
	for i := range p.Invalid {
		if l := yamltree.LineOfValue(n, p.Invalid[i].Field, p.Invalid[i].Message); l > 0 {
			p.Invalid[i].Origin.Line = d.line + l
		}
	}
	p.YAML = textOr(text, obj)
	if was != nil {
		was.MarkPolicy(p, d.line)
	}
	p.Digested = p.Digests()
	d.out.objects = append(d.out.objects, p)
}

// textOr returns a copy of an object's own text, so that the file's text is freed; without one, tidy text.
func textOr(own []byte, obj map[string]any) string {
	if own == nil {
		return yamltree.TidyText(obj)
	}
	return string(own)
}

// gateIssues returns the issues that gate 1 finds in a tree, with their lines.
func (d *decoder) gateIssues(n *yaml.Node, k model.Kind, obj map[string]any) []Issue {
	bad := JudgeTree(k, obj, d.opts.Schemas, d.opts.Release)
	for i := range bad {
		bad[i].Line = yamltree.LineOfValue(n, bad[i].Field, bad[i].Message)
	}
	return bad
}

// readStatus are the status fields of a policy that Rung reads.
var readStatus = []string{"conditions", "phase", "currentNodesRealized", "desiredNodesRealized"}

// dropStatusDoubt removes unknown, already reported status fields: no author writes the status.
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

// FromObject converts a typed policy to the model's form: *v1alpha1.AdminNetworkPolicy,
// *v1alpha1.BaselineAdminNetworkPolicy, *v1alpha2.ClusterNetworkPolicy, *networkingv1.NetworkPolicy, or an
// *unstructured.Unstructured of these, of an EgressFirewall, a Tier or a group. The object is kept as Original
// and must not be changed afterwards. It runs gate 2 (see Policy.Invalid) but not gate 1 (see Validate).
func FromObject(obj any, origin model.Origin) (*model.Policy, error) {
	return newDecoder(Options{}).fromObject(obj, origin)
}

func (d *decoder) fromObject(obj any, origin model.Origin) (*model.Policy, error) {
	k := kindOfType(reflect.TypeOf(obj))
	if u, ok := obj.(*unstructured.Unstructured); ok {
		k = findWrittenKind(u.GetAPIVersion(), u.GetKind())
		if k != nil && k.kind.IsReferenced() {
			o, err := d.namedObject(k, u, d.readMeta(k, u, origin))
			return model.AsPolicy(o), err
		}
		if k == nil || !k.kind.IsPolicy() {
			return nil, fmt.Errorf("%s %s is not a policy that Rung supports", u.GetAPIVersion(), u.GetKind())
		}
		typed, err := TypedPolicy(k.kind, u.Object)
		if err != nil {
			return nil, err
		}
		obj = typed
	}
	if k == nil || !k.kind.IsPolicy() {
		return nil, fmt.Errorf("%T is not a policy that Rung supports", obj)
	}
	p := New(d.readMeta(k, obj.(metav1.Object), origin), obj)
	text, err := Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write %s as YAML: %w", p.Key, err)
	}
	p.YAML = string(text)
	p.Digested = p.Digests()
	return p, nil
}

// Validate runs gate 1 on a policy: it returns what the API server would reject, with lines if the policy's
// text is known. It is safe for concurrent use. The first call for a kind takes milliseconds.
func Validate(p *model.Policy) []model.Broken { return (&Options{}).validatePolicy(p) }

// validatePolicy is Validate with the CRDs of the options.
func (o *Options) validatePolicy(p *model.Policy) []model.Broken {
	obj, root, err := rawObject(p)
	if err != nil {
		return []model.Broken{{Severity: model.SeverityError, Origin: p.Origin, Key: p.Key, Code: CodeYAML,
			Message: words.CleanText(err.Error())}}
	}
	if p.Older != nil && root != nil { // older parts are already reported; check the rest
		ModerniseTree(root)
		obj = yamltree.JSONValue(root).(map[string]any)
	}
	var out []model.Broken
	priority, ranked := int32(0), false
	if root != nil {
		priority, ranked = priorityIn(root, p.Kind)
	}
	for _, i := range JudgeTree(p.Kind, obj, o.Schemas, o.Release) {
		b := i.broken(p.Origin, p.Key)
		b.Priority, b.HasPriority = priority, ranked
		if root != nil && p.Origin.Item < 0 && p.Origin.Line > 0 {
			b.Origin.Line += yamltree.LineOfValue(root, i.Field, i.Message) - root.Line
		}
		out = append(out, b)
	}
	return out
}

// rawObject returns a policy as written, if possible from its text: the typed object lost which fields were absent.
func rawObject(p *model.Policy) (map[string]any, *yaml.Node, error) {
	if p.YAML == "" {
		obj, err := typedTree(p)
		return obj, nil, err
	}
	root, err := yamltree.ParseFlat([]byte(p.YAML), yamltree.DefaultAliasNodes)
	if err != nil {
		return nil, nil, err
	}
	if root == nil || root.Kind != yaml.MappingNode {
		return nil, nil, fmt.Errorf("is not a Kubernetes object")
	}
	return yamltree.JSONValue(root).(map[string]any), root, nil
}

// Marshal writes a policy as tidy YAML: the author's fields, in the usual order, without status and server
// fields. It is written from Original, not from the model's form.
func Marshal(p *model.Policy) ([]byte, error) {
	obj, err := typedTree(p)
	if err != nil {
		return nil, err
	}
	return yamltree.Marshal(obj), nil
}

// typedTree returns a policy's typed object as a tidy tree, with its kind.
func typedTree(p *model.Policy) (map[string]any, error) {
	obj, err := UntypedTree(p.Original)
	if err != nil {
		return nil, fmt.Errorf("write %s as YAML: %w", p.Key, err)
	}
	apiVersion, _ := obj["apiVersion"].(string)
	obj["kind"] = string(p.Kind)
	if k := findKind(func(k *kindInfo) bool {
		return k.kind == p.Kind && (p.APIVersion == "" || p.APIVersion == k.apiVersion())
	}); k != nil && (p.Kind != model.KindMNP || findWrittenKind(apiVersion, string(p.Kind)) == nil) {
		obj["kind"], obj["apiVersion"] = k.writtenName(), k.apiVersion()
	}
	return obj, nil
}

// UntypedTree converts an object to a new tree of JSON values: without status, server metadata and nulls.
func UntypedTree(o any) (map[string]any, error) {
	var obj map[string]any
	switch v := o.(type) {
	case nil:
		return nil, fmt.Errorf("there is no object")
	case map[string]any:
		obj = runtime.DeepCopyJSON(v)
	case *unstructured.Unstructured:
		obj = runtime.DeepCopyJSON(v.Object)
	default:
		var err error
		if obj, err = runtime.DefaultUnstructuredConverter.ToUnstructured(o); err != nil {
			return nil, err
		}
	}
	return yamltree.TidyObject(obj), nil
}

// PolicyTree returns a policy as a new tree of JSON values, integers as int64. It is made from the policy's
// own text, so it has only fields that the author wrote, without status and server metadata.
func PolicyTree(p *model.Policy) (map[string]any, error) {
	obj, _, err := rawObject(p)
	if err != nil {
		return nil, fmt.Errorf("read the text of %s: %w", p.Key.Label(), err)
	}
	return yamltree.TidyObject(obj), nil
}
