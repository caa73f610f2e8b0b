package manifests

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"rung/model"
	"rung/sources/manifests/yamltree"
)

// Marshal writes a policy as tidy YAML: what its author decides, in the order
// people write it, without status and what the server keeps. It is written from
// Original, not from the normal form.
func Marshal(p *model.Policy) ([]byte, error) {
	obj, err := ofPolicy(p)
	if err != nil {
		return nil, err
	}
	return yamltree.Marshal(obj), nil
}

// ofPolicy is a policy's typed object as a tidy tree, its kind in it.
func ofPolicy(p *model.Policy) (map[string]any, error) {
	obj, err := Untyped(p.Original)
	if err != nil {
		return nil, fmt.Errorf("write %s as YAML: %w", p.Key, err)
	}
	obj["kind"] = string(p.Kind)
	for i := range kinds {
		if k := &kinds[i]; k.kind == p.Kind && (p.APIVersion == "" || p.APIVersion == k.apiVersion()) {
			obj["kind"], obj["apiVersion"] = k.word(), k.apiVersion()
			break
		}
	}
	return obj, nil
}

// Untyped is a typed object, or one of the forms of a generic one, as a tree of JSON
// values of its own: what its author decides, without status, what the server keeps in
// metadata, and nulls.
func Untyped(o any) (map[string]any, error) {
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
	return yamltree.Tidy(obj), nil
}

// Tree is a policy as a tree of JSON values, integers as int64, made from its own
// text, so that nothing is in it that its author did not write. Status and what
// the API server keeps in metadata are left out. The tree is the caller's.
func Tree(p *model.Policy) (map[string]any, error) {
	obj, _, err := rawObject(p)
	if err != nil {
		return nil, fmt.Errorf("read the text of %s: %w", p.Key.Label(), err)
	}
	return yamltree.Tidy(obj), nil
}
