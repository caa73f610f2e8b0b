package apiserver

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
)

// Request is one request that a server of the test was sent.
type Request struct {
	Method, Path, Query, Type string
	Body                      map[string]any
	Patch                     []any
}

// Server is as much of an API server as changes of policies need: it keeps objects by
// path, lists them by labels, checks preconditions and versions, and patches as the real
// one does.
type Server struct {
	t   *testing.T
	srv *httptest.Server

	mu      sync.Mutex
	objects map[string]map[string]any
	version int
	got     []Request
	// before, when set, may answer a request by itself; it says whether it did.
	before func(w http.ResponseWriter, r Request) bool
	lists  bool                     // see Lists
	mutate func(obj map[string]any) // see Mutates
}

// New starts a server; kubeconfig is a file whose current context is "lab".
func New(t *testing.T) (s *Server, kubeconfig string) {
	t.Helper()
	s = &Server{t: t, objects: map[string]map[string]any{}, version: 100}
	srv := httptest.NewServer(s)
	s.srv = srv
	t.Cleanup(srv.Close)
	kubeconfig = filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: lab
clusters: [{name: lab, cluster: {server: %q}}]
users: [{name: ada, user: {token: secret}}]
contexts: [{name: lab, context: {cluster: lab, user: ada}}]
`, srv.URL)
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return s, kubeconfig
}

// Leave ends the server for all who ask from now on: connections are refused. (A
// connection that is cut instead is what client-go tries again for ten seconds.)
func (s *Server) Leave() { _ = s.srv.Listener.Close() }

// ANPs is where AdminNetworkPolicies are.
const ANPs = "/apis/policy.networking.k8s.io/v1alpha1/adminnetworkpolicies"

// Put stores an object as somebody else would.
func (s *Server) Put(path string, obj map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store(path, obj)
}

func (s *Server) store(path string, obj map[string]any) {
	s.version++
	md := obj["metadata"].(map[string]any)
	md["resourceVersion"] = strconv.Itoa(s.version)
	if md["uid"] == nil {
		md["uid"] = "uid-" + md["name"].(string)
	}
	s.objects[path] = obj
}

// Object is an object as it is stored, nil when there is none.
func (s *Server) Object(path string) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[path]
}

// Requests takes what was sent since the last call.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.got
	s.got = nil
	return got
}

// Fail answers with a Status.
func Fail(w http.ResponseWriter, code int, reason, message string, details map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code,
		"reason": reason, "message": message, "details": details})
}

// Before sets who may answer a request first; it says whether it did.
func (s *Server) Before(answer func(w http.ResponseWriter, r Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = answer
}

// Mutates has a webhook change every object that is written.
func (s *Server) Mutates(webhook func(obj map[string]any)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mutate = webhook
}

// ServeHTTP notes the request and answers it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	req := Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.Query().Encode(), Type: r.Header.Get("Content-Type")}
	if strings.HasPrefix(string(body), "[") {
		_ = json.Unmarshal(body, &req.Patch)
	} else {
		_ = json.Unmarshal(body, &req.Body)
	}
	s.mu.Lock()
	s.got = append(s.got, req)
	before := s.before
	s.mu.Unlock()
	if before != nil && before(w, req) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer(w, r, req, body)
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, req Request, body []byte) {
	name := filepath.Base(req.Path)
	now, there := s.objects[req.Path]
	dry := r.URL.Query().Get("dryRun") == "All"
	if req.Method == http.MethodPost {
		req.Path += "/" + req.Body["metadata"].(map[string]any)["name"].(string)
		if _, taken := s.objects[req.Path]; taken {
			Fail(w, 409, "AlreadyExists", "already exists", nil)
			return
		}
	} else if s.lists && req.Method == http.MethodGet && isList(req.Path) {
		s.list(w, r)
		return
	} else if !there && req.Type != "application/apply-patch+yaml" {
		Fail(w, 404, "NotFound", name+" not found", map[string]any{"name": name})
		return
	}
	next := req.Body
	switch req.Method {
	case http.MethodGet:
		next, dry = now, true
	case http.MethodPut:
		if next["metadata"].(map[string]any)["resourceVersion"] != now["metadata"].(map[string]any)["resourceVersion"] {
			Fail(w, 409, "Conflict", "the object has been modified", nil)
			return
		}
	case http.MethodPatch:
		if req.Type == "application/merge-patch+json" {
			was, _ := json.Marshal(now)
			is, err := jsonpatch.MergePatch(was, body)
			if err != nil {
				s.t.Error(err)
			}
			next = nil
			_ = json.Unmarshal(is, &next)
		}
		if req.Type == "application/json-patch+json" {
			p, err := jsonpatch.DecodePatch(body)
			if err != nil {
				s.t.Error(err)
			}
			was, _ := json.Marshal(now)
			is, err := p.Apply(was)
			if err != nil {
				Fail(w, 422, "Invalid", "the server rejected our request due to an error in our request", map[string]any{})
				return
			}
			next = nil
			_ = json.Unmarshal(is, &next)
		}
	case http.MethodDelete:
		pre, _ := req.Body["preconditions"].(map[string]any)
		md := now["metadata"].(map[string]any)
		if pre["uid"] != md["uid"] || pre["resourceVersion"] != md["resourceVersion"] {
			Fail(w, 409, "Conflict", "Precondition failed", nil)
			return
		}
		// DeleteOptions carry dryRun in their body.
		if d, _ := req.Body["dryRun"].([]any); len(d) == 0 {
			delete(s.objects, req.Path)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Success"})
		return
	}
	if s.mutate != nil && req.Method != http.MethodGet {
		next = runtime.DeepCopyJSON(next)
		s.mutate(next)
	}
	if !dry {
		next = runtime.DeepCopyJSON(next) // what was sent is compared later
		s.store(req.Path, next)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(next)
}

// Lists makes the server answer lists, too: until then no resource is served as a whole.
func (s *Server) Lists() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists = true
}

// listed is the path of the list that an object is in, and that of all namespaces.
func listed(path string) (list, all string) {
	list = filepath.Dir(path)
	version, rest, namespaced := strings.Cut(list, "/namespaces/")
	if _, resource, ok := strings.Cut(rest, "/"); namespaced && ok {
		return list, version + "/" + resource
	}
	return list, list
}

// list answers with the objects of a path that have the labels, in the order of their paths.
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	selector, err := labels.Parse(r.URL.Query().Get("labelSelector"))
	if err != nil {
		s.t.Error(err)
	}
	items := []map[string]any{}
	for _, path := range slices.Sorted(maps.Keys(s.objects)) {
		if list, all := listed(path); r.URL.Path != list && r.URL.Path != all {
			continue
		}
		u := unstructured.Unstructured{Object: s.objects[path]}
		if selector.Matches(labels.Set(u.GetLabels())) {
			items = append(items, u.Object)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"items": items}) // of the kind that the client waits for
}

// isList says whether a path is a resource's rather than an object's.
func isList(path string) bool {
	_, rest, _ := strings.Cut(strings.TrimPrefix(path, "/apis/"), "/v1")
	at := strings.Count(rest, "/")
	return at == 1 || at == 3 && strings.HasPrefix(rest, "/namespaces/")
}
