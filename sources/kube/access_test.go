package kube

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	yes := VerbPatch.QuestionFor(model.PolicyKey{Kind: model.KindANP})
	for range 2 { // the second time it is known
		if a, err := c.MayDo(t.Context(), yes); err != nil || !a.Allowed {
			t.Fatalf("%+v %v", a, err)
		}
	}
	no := AccessQuestion{Verb: "create", Resource: "pods", Subresource: "exec", Namespace: "ovn-kubernetes"}
	a, err := c.MayDo(t.Context(), no)
	if err != nil || a.Allowed || a.Reason != "RBAC: no" || asked != 2 {
		t.Errorf("%+v %v, asked %d times", a, err, asked)
	}
	if got := no.String(); got != "create pods --subresource=exec -n ovn-kubernetes" {
		t.Errorf("%q", got)
	}
	s.Before(nil) // 404 with a Status: no answer about permissions
	if _, err := c.MayDo(t.Context(), AccessQuestion{Verb: "get", Resource: "pods"}); err == nil || strings.Contains(err.Error(), "CRD") {
		t.Errorf("an error is taken for an answer, or for one about a policy: %v", err)
	}
}

// TestServed: what is allowed is asked only of what the server has; a server that does not
// say what that is, is asked about everything.
func TestServed(t *testing.T) {
	s, c := serve(t)
	anp := VerbPatch.QuestionFor(model.PolicyKey{Kind: model.KindANP})
	cnp := VerbPatch.QuestionFor(model.PolicyKey{Kind: model.KindCNP})
	acnp := AccessQuestion{Verb: "list", Group: "crd.antrea.io", Resource: "clusternetworkpolicies"}
	tiers := AccessQuestion{Verb: "list", Group: "crd.antrea.io", Resource: "tiers"}
	pods := AccessQuestion{Verb: "list", Resource: "pods"}
	all := []AccessQuestion{anp, cnp, acnp, tiers, pods}
	has := func(names ...string) map[string]any {
		var list []any
		for _, n := range names {
			list = append(list, map[string]any{"name": n})
		}
		return map[string]any{"kind": "APIResourceList", "apiVersion": "v1", "resources": list}
	}
	const next, antrea = "/apis/policy.networking.k8s.io/v1alpha2", "/apis/crd.antrea.io/v1beta1"
	for _, tc := range []struct {
		name   string
		serves map[string]map[string]any
		code   int // of what is not served
		want   []AccessQuestion
	}{
		{"nothing", nil, 404, []AccessQuestion{anp, pods}},
		{"another resource of the version", map[string]map[string]any{next: has("others")}, 404, []AccessQuestion{anp, pods}},
		{"CNP", map[string]map[string]any{next: has("clusternetworkpolicies", "clusternetworkpolicies/status")}, 404, []AccessQuestion{anp, cnp, pods}},
		{"some of Antrea", map[string]map[string]any{antrea: has("clusternetworkpolicies")}, 404, []AccessQuestion{anp, acnp, pods}},
		{"no word", nil, 403, all},
	} {
		s.Before(func(w http.ResponseWriter, r apiserver.Request) bool {
			w.Header().Set("Content-Type", "application/json")
			if list := tc.serves[r.Path]; list != nil {
				_ = json.NewEncoder(w).Encode(list)
			} else {
				apiserver.Fail(w, tc.code, map[int]string{403: "Forbidden", 404: "NotFound"}[tc.code], "no", nil)
			}
			return true
		})
		got, err := c.ServedQuestions(t.Context(), all)
		if d := cmp.Diff(tc.want, got); err != nil || d != "" {
			t.Errorf("%s: %v: -want +got\n%s", tc.name, err, d)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := c.ServedQuestions(ctx, all); err == nil {
		t.Errorf("without an answer: %v", got)
	}
}
