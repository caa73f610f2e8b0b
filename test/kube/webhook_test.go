package kube_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"rung/test/kube/cluster"
	"rung/test/wait"
)

// A webhook may deny a change with any code: its message is shown, and nobody is told that the object was changed
// meanwhile. What it changes is said. A change that another writer overtakes while the webhook looks at it is a
// conflict.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := start(t, cluster.Config{})
	small(t, c)
	codes := map[string]int32{"denied-403": http.StatusForbidden, "denied-409": http.StatusConflict, "denied-422": http.StatusUnprocessableEntity}
	isReal := func(r *admissionv1.AdmissionRequest) bool { return r.DryRun == nil || !*r.DryRun }
	overtake := func(name string) { // as another writer does it
		_, err := c.Any.Resource(anps).Patch(ctx, name, types.MergePatchType, []byte(`{"spec":{"priority":33}}`), metav1.PatchOptions{FieldManager: "other"})
		if err != nil {
			t.Error(err)
		}
	}
	var armed, overtaken atomic.Bool
	jsonPatch := admissionv1.PatchTypeJSONPatch
	end, err := c.AddWebhook(ctx, func(r *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		switch code := codes[r.Name]; {
		case !armed.Load(), r.Name == "guard-blue":
			return nil
		case code != 0, r.Name == "probe":
			return &admissionv1.AdmissionResponse{Result: &metav1.Status{Code: code, Message: "no changes before Monday"}}
		case r.Name == "changed":
			return &admissionv1.AdmissionResponse{Allowed: true, PatchType: &jsonPatch, Patch: []byte(
				`[{"op": "add", "path": "/metadata/labels", "value": {"team": "net"}}, {"op": "replace", "path": "/spec/ingress/0/action", "value": "Pass"}]`)}
		case strings.HasPrefix(r.Name, "overtaken") && isReal(r) && overtaken.CompareAndSwap(false, true):
			overtake(r.Name)
		}
		return nil
	})
	must(t, err)
	defer end()
	names := []string{"denied-403", "denied-409", "denied-422", "changed", "overtaken-move", "overtaken-delete"}
	for i, name := range names {
		must(t, c.Apply(ctx, anp(name, 21+i, "tenant=blue", "in Deny tenant=red")))
	}
	armed.Store(true)
	wait.Within(t, patience, "the API server knows the webhook", func() bool {
		err := c.Apply(ctx, anp("probe", 50, "tenant=blue", "in Deny tenant=red"))
		return err != nil && strings.Contains(err.Error(), "guard.rung.test")
	})

	do := func(stdin string, args ...string) result {
		return rung(t, stdin, on(c, cluster.Admin, append(args, "--write", "--yes", "--confirm-name", args[1])...)...)
	}
	for name, code := range codes {
		for what, r := range map[string]result{
			"move":   do("", "move", name, "61"),
			"delete": do("", "delete", name),
			"apply": rung(t, anp(name, 61, "tenant=blue", "in Deny tenant=red"),
				on(c, cluster.Admin, "apply", "--change", "-", "--write", "--yes", "--force-conflicts")...),
		} {
			said := strings.Join(strings.Fields(r.out+r.err), " ")
			if r.code != 1 || !strings.Contains(said, `admission webhook "guard.rung.test" denied the request: no changes before Monday`) ||
				strings.Contains(said, "meanwhile") {
				t.Errorf("%s of %s, denied with %d: %d\n%s%s", what, name, code, r.code, r.out, r.err)
			}
		}
	}
	force := on(c, cluster.Admin, "apply", "--change", "-", "--write", "--yes", "--force-conflicts", "--confirm-name", "changed")
	r := rung(t, anp("changed", 62, "tenant=blue", "in Deny tenant=red"), force...)
	const want = "the server (a webhook?) changed metadata.labels.team and spec.ingress[0].action of ANP changed"
	if r.code != 0 || !strings.Contains(r.err, want) {
		t.Errorf("a mutating webhook: %d, want %q\n%s%s", r.code, want, r.out, r.err)
	}
	// Fields that the server fills in for everybody are not said.
	r = rung(t, "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: filled, namespace: red}, "+
		"spec: {podSelector: {}, ingress: [{ports: [{port: 8080}], from: [{podSelector: {}}]}]}}", append(force[:len(force):len(force)], "--confirm-name", "filled")...)
	if r.code != 0 || strings.Contains(r.out+r.err, "the server") {
		t.Errorf("defaults: %d\n%s%s", r.code, r.out, r.err)
	}
	if got := live(t, c, "anp", "changed"); got.Metadata.Labels["team"] != "net" || got.Spec.Ingress[0].Action != "Pass" || got.Spec.Priority != 62 {
		t.Errorf("the server has %+v", got)
	}
	for _, args := range [][]string{{"move", "overtaken-move", "63"}, {"delete", "overtaken-delete"}} {
		overtaken.Store(false)
		r := do("", args...)
		if !overtaken.Load() || r.code != 1 || !strings.Contains(r.out+r.err, "was changed meanwhile") || strings.Contains(r.out+r.err, "webhook") {
			t.Errorf("rung %v, overtaken: %d\n%s%s", args, r.code, r.out, r.err)
		}
		if got := live(t, c, "anp", args[1]).Spec.Priority; got != 33 {
			t.Errorf("%s has priority %d, want the other writer's", args[1], got)
		}
	}
}
