package manifests

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"rung/model"
)

// What a cluster has of older forms is kept and told: the isolation annotation of a
// namespace, and peers in the first form, which OVN-Kubernetes of today reads as they are
// left.
func TestOlderOnCluster(t *testing.T) {
	conv := NewTyped("prod")
	o, _ := conv.ReadObject(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", Annotations: map[string]string{model.AnnotationIsolation: `{"ingress":{}}`, "other": "x"}}}, nil)
	if ns := o.(*model.Namespace); ns.Annotations[model.AnnotationIsolation] != `{"ingress":{}}` || len(ns.Annotations) != 1 {
		t.Errorf("annotations %v", ns.Annotations)
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "policy.networking.k8s.io/v1alpha1", "kind": "AdminNetworkPolicy",
		"metadata": map[string]any{"name": "a", "uid": "u-1"},
		"spec": map[string]any{"priority": int64(5), "subject": map[string]any{"namespaces": map[string]any{}},
			"ingress": []any{map[string]any{"action": "Deny", "from": []any{map[string]any{"namespaces": map[string]any{
				"namespaceSelector": map[string]any{"matchLabels": map[string]any{"tenant": "blue"}}}}}}}},
	}}
	o, broken := conv.ReadObject(u, nil)
	p := o.(*model.Policy)
	if len(broken) != 1 || broken[0].Code != model.InvalidOlder || broken[0].Severity != model.SeverityWarning || broken[0].Field != "spec.ingress[0].from[0].namespaces.namespaceSelector" {
		t.Errorf("broken %v", broken)
	}
	if p.IsRejected() || p.Ingress[0].Peers[0].String() != "ns: all" {
		t.Errorf("what decides is what is left: %s, refused %v", p.Ingress[0].Peers[0], p.IsRejected())
	}
	if p.Older == nil || !strings.Contains(p.Older.Upgrade, "tenant: blue") {
		t.Fatalf("no upgrade: %+v", p.Older)
	}
	if now, bad := ParsePolicy([]byte(p.Older.Upgrade)); len(bad) > 0 || now.Ingress[0].Peers[0].String() != "ns: tenant=blue" {
		t.Errorf("%v\n%s", bad, p.Older.Upgrade)
	}
}

// Ports of 2022 cannot be read by anybody of today: the policy is named, and left out.
func TestPortsOf2022OnCluster(t *testing.T) {
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "policy.networking.k8s.io/v1alpha1", "kind": "AdminNetworkPolicy", "metadata": map[string]any{"name": "a", "uid": "u-1"},
		"spec": map[string]any{"priority": int64(5), "subject": map[string]any{"namespaces": map[string]any{}},
			"ingress": []any{map[string]any{"action": "Deny", "from": []any{map[string]any{"namespaces": map[string]any{}}},
				"ports": map[string]any{"list": []any{map[string]any{"protocol": "TCP", "port": int64(80)}}}}}},
	}}
	o, broken := NewTyped("prod").ReadObject(u, nil)
	if o != nil || len(broken) != 1 || broken[0].Code != CodeSchema || broken[0].Key.Name != "a" || broken[0].Remedy != "the installed CRD and this release of Rung do not match" {
		t.Errorf("%v, %+v", o, broken)
	}
}
