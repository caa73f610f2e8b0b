package kube

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOwners(t *testing.T) {
	const base = `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata:
  name: blue
  uid: uid-blue
  resourceVersion: "7"
%s
spec:
  priority: 40
  subject: {namespaces: {}}
`
	managed := func(entries ...string) string { return "  managedFields: [" + strings.Join(entries, ", ") + "]" }
	entry := func(manager, op, fields string) string {
		return fmt.Sprintf(`{manager: %s, operation: %s, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: %s}`, manager, op, fields)
	}
	const spec = `{"f:spec": {"f:priority": {}, "f:subject": {}}}`
	const labels = `{"f:metadata": {"f:labels": {"f:a": {}}}}`
	for _, c := range []struct {
		name, meta string
		want       []string // of a move
		gone       []string // of a delete; nil: as of a move
	}{
		{"nobody", "", nil, nil},
		{"kubectl", managed(entry("kubectl-client-side-apply", "Update", spec), entry("kubectl", "Apply", spec), entry("rung", "Apply", spec)), nil, nil},
		{"the controller's status", managed(`{manager: ovn-worker, operation: Apply, subresource: status, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:status": {}}}`), nil, nil},
		{"Flux", managed(entry("kustomize-controller", "Apply", spec)), []string{"kustomize-controller (Flux)"}, nil},
		{"Flux, other fields", managed(entry("kustomize-controller", "Apply", labels)), []string{"maybe kustomize-controller (Flux)"}, []string{"kustomize-controller (Flux)"}},
		{"Flux's labels", "  labels: {kustomize.toolkit.fluxcd.io/name: apps}", []string{"maybe kustomize.toolkit.fluxcd.io/ (Flux)"}, []string{"kustomize.toolkit.fluxcd.io/ (Flux)"}},
		{"Flux twice is one", managed(entry("kustomize-controller", "Apply", spec)) + "\n  labels: {kustomize.toolkit.fluxcd.io/name: apps}", []string{"kustomize-controller (Flux)"}, nil},
		{"Flux helm", managed(entry("helm-controller", "Update", spec)), []string{"helm-controller (Flux)"}, nil},
		{"Argo CD, client side", managed(entry("argocd-controller", "Update", spec)), []string{"argocd-controller (Argo CD)"}, nil},
		{"Argo CD, tracking", "  annotations: {argocd.argoproj.io/tracking-id: 'x:y'}", []string{"maybe argocd.argoproj.io/ (Argo CD)"}, []string{"argocd.argoproj.io/ (Argo CD)"}},
		{"Helm", "  labels: {app.kubernetes.io/managed-by: Helm}", []string{"maybe app.kubernetes.io/managed-by (Helm)"}, []string{"app.kubernetes.io/managed-by (Helm)"}},
		{"managed by hand", "  labels: {app.kubernetes.io/managed-by: ada}", nil, nil},
		{"any other apply that owns it", managed(entry("my-operator", "Apply", spec)), []string{"my-operator"}, nil},
		{"any other apply that owns something else", managed(entry("my-operator", "Apply", labels)), nil, []string{"my-operator"}},
		{"somebody's update", managed(entry("my-script", "Update", spec)), nil, nil},
		{"fields that cannot be read", managed(entry("my-operator", "Apply", `[1]`)), []string{"my-operator"}, nil},
		{"a controller", "  ownerReferences: [{apiVersion: v1, kind: Tenant, name: blue, uid: u, controller: true}]",
			[]string{"maybe Tenant blue (its controller)"}, []string{"Tenant blue (its controller)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, l := start(t, fmt.Sprintf(base, c.meta))
			moved := parsed(t, strings.Replace(l.Policy.YAML, "priority: 40", "priority: 41", 1))
			said := func(os []PolicyOwner) (out []string) {
				for _, o := range os {
					s := o.String()
					if !o.Certain {
						s = "maybe " + s
					}
					out = append(out, s)
				}
				return out
			}
			if diff := cmp.Diff(c.want, said(l.Owners(moved))); diff != "" {
				t.Errorf("of a move (-want +got)\n%s", diff)
			}
			gone := c.gone
			if gone == nil {
				gone = c.want
			}
			if diff := cmp.Diff(gone, said(l.Owners(nil))); diff != "" {
				t.Errorf("of a delete (-want +got)\n%s", diff)
			}
		})
	}
}
