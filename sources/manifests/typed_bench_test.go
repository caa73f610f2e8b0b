package manifests

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// BenchmarkTypedPolicy turns a large policy, 40 rules of 3 peers with the
// conditions of 100 zones, into the model's form: every condition that a zone
// writes brings the whole object again.
func BenchmarkTypedPolicy(b *testing.B) {
	var rules, conditions []any
	for i := range 40 {
		var from []any
		for j := range 3 {
			from = append(from, map[string]any{"namespaces": map[string]any{"matchLabels": map[string]any{"tenant": fmt.Sprint("t", i, j)}}})
		}
		rules = append(rules, map[string]any{"name": fmt.Sprint("r", i), "action": "Deny", "from": from})
	}
	for i := range 100 {
		conditions = append(conditions, map[string]any{"type": fmt.Sprint("Ready-In-Zone-", i), "status": "True", "reason": "SetupSucceeded", "message": "ok"})
	}
	obj := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "policy.networking.k8s.io/v1alpha1", "kind": "AdminNetworkPolicy",
		"metadata": map[string]any{"name": "a", "uid": "u", "generation": int64(3), "resourceVersion": "12"},
		"spec":     map[string]any{"priority": int64(5), "subject": map[string]any{"namespaces": map[string]any{}}, "ingress": rules},
		"status":   map[string]any{"conditions": conditions}}}
	conv := NewTyped("prod")
	first, _ := conv.ReadObject(obj, nil)
	if first == nil {
		b.Fatal("not taken in")
	}
	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			conv.ReadObject(obj, nil)
		}
	})
	b.Run("condition", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			conv.ReadObject(obj, first)
		}
	})
}
