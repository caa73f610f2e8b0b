package yamltree

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// TidyText writes a tree, which it does not change, as tidy YAML.
func TidyText(obj map[string]any) string {
	return string(Marshal(Tidy(runtime.DeepCopyJSON(obj))))
}

// serverMetadata is kept by the API server; it is not the author's.
var serverMetadata = []string{"uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp",
	"deletionGracePeriodSeconds", "managedFields", "selfLink"}

// Tidy takes out of a tree what its author does not decide; it changes and
// returns it.
func Tidy(obj map[string]any) map[string]any {
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
	return DropNulls(obj).(map[string]any)
}

func DropNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(_ string, e any) bool { return e == nil })
		for k, e := range v {
			v[k] = DropNulls(e)
		}
	case []any:
		for i, e := range v {
			v[i] = DropNulls(e)
		}
	}
	return v
}
