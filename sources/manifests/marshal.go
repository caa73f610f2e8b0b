package manifests

import (
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
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
	return tidy(obj), nil
}

// tidyText writes a tree, which it does not change, as tidy YAML.
func tidyText(obj map[string]any) string {
	return string(yamltree.Marshal(tidy(runtime.DeepCopyJSON(obj))))
}

// serverMetadata is kept by the API server; it is not the author's.
var serverMetadata = []string{"uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp",
	"deletionGracePeriodSeconds", "managedFields", "selfLink"}

// tidy takes out of a tree what its author does not decide; it changes and
// returns it.
func tidy(obj map[string]any) map[string]any {
	delete(obj, "status")
	if md, ok := obj["metadata"].(map[string]any); ok {
		for _, f := range serverMetadata {
			delete(md, f)
		}
		if a, ok := md["annotations"].(map[string]any); ok {
			delete(a, corev1.LastAppliedConfigAnnotation)
			if len(a) == 0 {
				delete(md, "annotations")
			}
		}
	}
	return dropNulls(obj).(map[string]any)
}

func dropNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(_ string, e any) bool { return e == nil })
		for k, e := range v {
			v[k] = dropNulls(e)
		}
	case []any:
		for i, e := range v {
			v[i] = dropNulls(e)
		}
	}
	return v
}
