package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rung/cli/command"
)

// readsNoPods answers as an API server with a user who may not read pods, nor put programs into them.
func readsNoPods(w http.ResponseWriter, r *http.Request) {
	say := func(code int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(v)
	}
	path := r.URL.Path
	switch {
	case strings.HasSuffix(path, "/selfsubjectaccessreviews"):
		body, _ := io.ReadAll(r.Body) // protobuf or JSON
		say(201, map[string]any{"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1",
			"status": map[string]any{"allowed": !bytes.Contains(body, []byte("pods"))}})
	case path == "/api/v1/pods":
		say(403, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403, "message": "pods is forbidden"})
	case r.URL.Query().Has("watch"):
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case strings.Count(path, "/") > 3 || strings.HasPrefix(path, "/api/v1/"):
		say(200, map[string]any{"kind": "List", "apiVersion": "v1", "metadata": map[string]any{"resourceVersion": "1"}, "items": []any{}})
	default:
		say(404, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404})
	}
}

// On a cluster rung can waits for what the API server says, and tells what there is not for want of a
// permission.
func TestCanOnCluster(t *testing.T) {
	noLeaks(t)
	srv := httptest.NewServer(http.HandlerFunc(readsNoPods))
	defer srv.Close()
	kubeconfig := filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: lab\nclusters: [{name: lab, cluster: {server: %q}}]\n"+
		"users: [{name: ada, user: {token: secret}}]\ncontexts: [{name: lab, context: {cluster: lab, user: ada}}]\n", srv.URL)
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		var out, errs bytes.Buffer
		args = append([]string{"can", "--kubeconfig", kubeconfig, "--state-dir", t.TempDir()}, args...)
		if code := runUntil(t.Context(), args, strings.NewReader(""), &out, &errs, nil); code != command.ExitFailed {
			t.Errorf("%s: exit %d, %s", args, code, errs.String())
		}
		return out.String()
	}
	got := run()
	for _, want := range []string{"  context       lab\n", "  changes       off: read-only  --write allows them\n", "  ✗ pods ", "may not list pods",
		"  ✗ no: list, watch pods → the pods that policies select are unknown\n", "  ✗ no: create pods/exec in ",
		" auth can-i list pods\n", "  ✓ yes: patch, list, watch namespaces\n", " objects were not read: "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := run("-o", "wide"); !strings.Contains(got, "auth can-i patch namespaces") {
		t.Errorf("-o wide has not all commands:\n%s", got)
	}
	if got := run("-o", `jsonpath={.permissions[?(@.resource=="pods")].without}`); got != "the pods that policies select are unknown" {
		t.Errorf("%q", got)
	}
}
