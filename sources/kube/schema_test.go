package kube

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/sources/manifests"
)

const crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/adminnetworkpolicies.policy.networking.k8s.io"

func TestSchemas(t *testing.T) {
	s, c := serve(t)
	// None can be read: Rung's own stay.
	_, found, err := c.Schemas(t.Context())
	if err != nil || len(found) > 0 {
		t.Fatalf("%v %v", found, err)
	}
	text, err := os.ReadFile("../manifests/crds/policy.networking.k8s.io_adminnetworkpolicies.yaml")
	if err != nil {
		t.Fatal(err)
	}
	def := tree(t, string(text))
	version := def["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
	spec := version["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)["properties"].(map[string]any)["spec"].(map[string]any)
	props := spec["properties"].(map[string]any)
	props["shiny"] = map[string]any{"type": "string"}
	props["priority"].(map[string]any)["maximum"] = 50
	egress := props["egress"].(map[string]any)["items"].(map[string]any)["properties"].(map[string]any)
	egress["log"] = map[string]any{"type": "boolean"}
	next := tree(t, string(text))["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
	next["name"], next["storage"] = "v1beta1", false
	def["spec"].(map[string]any)["versions"] = []any{version, next}
	s.Put(crdPath, def)
	got, found, err := c.Schemas(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, b := range found {
		said = append(said, b.String())
	}
	want := []string{
		"AdminNetworkPolicy: the installed CRD is newer than OVN-Kubernetes' profile: it serves v1beta1 as well; write policy.networking.k8s.io/v1alpha1",
		"AdminNetworkPolicy: spec.egress[].log: the installed CRD is newer than OVN-Kubernetes' profile: it has this field; OVN-Kubernetes ignores it: remove it",
		"AdminNetworkPolicy: spec.shiny: the installed CRD is newer than OVN-Kubernetes' profile: it has this field; OVN-Kubernetes ignores it: remove it",
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("found (-want +got)\n%s", diff)
	}
	high := strings.Replace(bluePolicy, "priority: 40", "priority: 60", 1)
	for _, c := range []struct {
		by  *manifests.Schemas
		bad bool
	}{{nil, false}, {got, true}} {
		r := manifests.Parse("", []byte(high), manifests.Options{Schemas: c.by})
		if bad := len(r.Broken) > 0; bad != c.bad {
			t.Errorf("60 is judged %v", r.Broken)
		}
	}
}
