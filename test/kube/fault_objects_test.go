package kube_test

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// policy writes a random AdminNetworkPolicy over what the object has.
func (e *randomEditor) policy(o *unstructured.Unstructured) {
	o.SetAPIVersion("policy.networking.k8s.io/v1alpha1")
	o.SetKind("AdminNetworkPolicy")
	if e.rand.IntN(4) == 0 {
		a := o.GetAnnotations()
		if a == nil {
			a = map[string]string{}
		}
		a["k8s.ovn.org/acl-logging"] = fmt.Sprintf(`{"deny":%q}`, []string{"alert", "info", "warning"}[e.rand.IntN(3)])
		o.SetAnnotations(a)
	}
	tenant := func() any {
		return map[string]any{"matchLabels": map[string]any{"tenant": []string{"blue", "red", "green"}[e.rand.IntN(3)]}}
	}
	rules := func(peers string) []any {
		var out []any
		for i := range 1 + e.rand.IntN(3) {
			r := map[string]any{"name": fmt.Sprintf("r%d", i), "action": []string{"Allow", "Deny", "Pass"}[e.rand.IntN(3)],
				peers: []any{map[string]any{"namespaces": tenant()}}}
			if e.rand.IntN(2) == 0 {
				r["ports"] = []any{map[string]any{"portNumber": map[string]any{"protocol": "TCP", "port": int64(1 + e.rand.IntN(9000))}}}
			}
			out = append(out, r)
		}
		return out
	}
	o.Object["spec"] = map[string]any{"priority": int64(1 + e.rand.IntN(98)), "subject": map[string]any{"namespaces": tenant()},
		"ingress": rules("from"), "egress": rules("to")}
}

// pod makes a new pod, or gives one that is there another label.
func (e *randomEditor) pod(o *unstructured.Unstructured) {
	o.SetAPIVersion("v1")
	o.SetKind("Pod")
	o.SetLabels(map[string]string{"app": []string{"a", "b", "c"}[e.rand.IntN(3)]})
	if o.GetUID() == "" {
		o.Object["spec"] = map[string]any{"nodeName": smallNodes[e.rand.IntN(len(smallNodes))], "containers": []any{map[string]any{
			"name": "c", "image": "none.invalid/c", "ports": []any{map[string]any{"name": "http", "containerPort": int64(8080), "protocol": "TCP"}}}}}
	}
}
