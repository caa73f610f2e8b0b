package kube

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"rung/model"
	"rung/test/apiserver"
)

func TestMay(t *testing.T) {
	s, c := serve(t)
	asked := 0
	s.Before(func(w http.ResponseWriter, r apiserver.Request) bool {
		if r.Path != "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews" {
			return false
		}
		asked++
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1",
			"status": map[string]any{"allowed": asked == 1, "reason": "RBAC:\nno"}})
		return true
	})
	yes := VerbPatch.Of(model.PolicyKey{Kind: model.KindANP})
	for range 2 { // the second time it is known
		if a, err := c.May(t.Context(), yes); err != nil || !a.Allowed {
			t.Fatalf("%+v %v", a, err)
		}
	}
	no := Question{Verb: "create", Resource: "pods", Subresource: "exec", Namespace: "ovn-kubernetes"}
	a, err := c.May(t.Context(), no)
	if err != nil || a.Allowed || a.Reason != "RBAC: no" || asked != 2 {
		t.Errorf("%+v %v, asked %d times", a, err, asked)
	}
	if got := no.String(); got != "create pods --subresource=exec -n ovn-kubernetes" {
		t.Errorf("%q", got)
	}
	s.Before(nil) // 404 with a Status: no answer about permissions
	if _, err := c.May(t.Context(), Question{Verb: "get", Resource: "pods"}); err == nil || strings.Contains(err.Error(), "CRD") {
		t.Errorf("an error is taken for an answer, or for one about a policy: %v", err)
	}
}
