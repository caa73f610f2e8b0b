package engine

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"rung/model"
	"rung/sources/kube"
	"rung/test/apiserver"
)

// What may be done with ClusterNetworkPolicies and with Antrea's resources is asked only
// where the server has them, and forgotten when they go.
func TestAccessOfWhatIsServed(t *testing.T) {
	s, kubeconfig := apiserver.New(t)
	c, err := kube.Open(kube.Options{Kubeconfig: kubeconfig})
	if err != nil {
		t.Fatal(err)
	}
	var serves atomic.Bool
	s.Before(func(w http.ResponseWriter, r apiserver.Request) bool {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.Path, "/selfsubjectaccessreviews"):
			_ = json.NewEncoder(w).Encode(map[string]any{"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1",
				"status": map[string]any{"allowed": false}})
		case serves.Load() && r.Path == "/apis/crd.antrea.io/v1beta1":
			_ = json.NewEncoder(w).Encode(map[string]any{"kind": "APIResourceList", "apiVersion": "v1", "resources": []any{map[string]any{"name": "tiers"}}})
		case serves.Load() && r.Path == "/apis/policy.networking.k8s.io/v1alpha2":
			_ = json.NewEncoder(w).Encode(map[string]any{"kind": "APIResourceList", "apiVersion": "v1", "resources": []any{map[string]any{"name": "clusternetworkpolicies"}}})
		default:
			apiserver.Fail(w, 404, "NotFound", "no such thing", nil)
		}
		return true
	})
	known := map[kube.AccessQuestion]kube.AccessAnswer{}
	of := func(resource string) (n int) {
		for _, p := range newAccess(model.Kubectl{}, known).Permissions() {
			if p.Resource == resource {
				n++
			}
		}
		return n
	}
	for _, served := range []bool{false, true, false} {
		serves.Store(served)
		if !askServedKinds(t.Context(), c, accessQuestions(nil), known) {
			t.Fatal("not all was answered")
		}
		wantCNP, wantTiers := 0, 0
		if served {
			wantCNP, wantTiers = 6, 6 // four changes, list and watch; Antrea's are read only
		}
		for resource, want := range map[string]int{"adminnetworkpolicies.policy.networking.k8s.io": 6, "clusternetworkpolicies.policy.networking.k8s.io": wantCNP,
			"tiers.crd.antrea.io": wantTiers, "groups.crd.antrea.io": 0, "clusternetworkpolicies.crd.antrea.io": 0} {
			if got := of(resource); got != want {
				t.Errorf("served %v: %d answers about %s, want %d", served, got, resource, want)
			}
		}
	}
}
