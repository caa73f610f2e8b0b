package kube

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

// watchAPI is an API server as far as lists and watches go: pages with a
// continue token, watches from a version, versions that expire, refusals, a
// token, and it can be stopped and started on the same port.
type watchAPI struct {
	t    testing.TB
	addr string
	srv  *httptest.Server

	mu      sync.Mutex
	rv      int
	oldest  int // versions before it are expired
	served  map[string]string
	objects map[string]map[string]map[string]any
	log     []watchEvent
	more    chan struct{} // closed when something is added to log
	cut     chan struct{} // closed to end all watches
	token   string
	// hold makes what is asked of a path wait until its channel is closed.
	hold   map[string]chan struct{}
	refuse map[string]int // path or "path?watch" to status
	once   bool           // a refusal is given once for each path
	blips  map[string]int // how often the same is not found yet
	expire int            // continue tokens still to be refused
	pages  []string
}

type watchEvent struct {
	rv   int
	path string
	kind string
	obj  map[string]any
}

const (
	nsPath   = "/api/v1/namespaces"
	podPath  = "/api/v1/pods"
	evPath   = "/api/v1/events"
	anpPath  = "/apis/policy.networking.k8s.io/v1alpha1/adminnetworkpolicies"
	banpPath = "/apis/policy.networking.k8s.io/v1alpha1/baselineadminnetworkpolicies"
	efPath   = "/apis/k8s.ovn.org/v1/egressfirewalls"
)

func newWatchAPI(t testing.TB) *watchAPI {
	a := &watchAPI{t: t, rv: 10, token: "t-1", more: make(chan struct{}), cut: make(chan struct{}),
		objects: map[string]map[string]map[string]any{}, refuse: map[string]int{}, blips: map[string]int{}, hold: map[string]chan struct{}{},
		served: map[string]string{nsPath: "v1 Namespace", podPath: "v1 Pod", "/api/v1/nodes": "v1 Node", "/api/v1/services": "v1 Service",
			"/apis/discovery.k8s.io/v1/endpointslices": "discovery.k8s.io/v1 EndpointSlice", evPath: "v1 Event",
			"/apis/networking.k8s.io/v1/networkpolicies": "networking.k8s.io/v1 NetworkPolicy",
			anpPath: "policy.networking.k8s.io/v1alpha1 AdminNetworkPolicy", banpPath: "policy.networking.k8s.io/v1alpha1 BaselineAdminNetworkPolicy"}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a.addr = l.Addr().String()
	a.start(l)
	t.Cleanup(a.down)
	return a
}

func (a *watchAPI) start(l net.Listener) {
	// TLS and HTTP/2 as a real one: client-go sends no token without TLS.
	a.srv = &httptest.Server{Listener: l, EnableHTTP2: true, Config: &http.Server{Handler: a, ErrorLog: log.New(io.Discard, "", 0)}}
	a.srv.StartTLS()
}

func (a *watchAPI) down() {
	if a.srv != nil {
		a.endWatches()
		a.srv.CloseClientConnections()
		a.srv.Close()
		a.srv = nil
	}
}

func (a *watchAPI) up() {
	l, err := net.Listen("tcp", a.addr)
	if err != nil {
		a.t.Fatal(err)
	}
	a.start(l)
}

// cluster opens a cluster of the server through a kubeconfig file.
func (a *watchAPI) cluster(token string) (*Cluster, string) {
	a.t.Helper()
	file := filepath.Join(a.t.TempDir(), "config")
	a.writeConfig(file, token)
	c, err := Open(Options{Kubeconfig: file})
	if err != nil {
		a.t.Fatal(err)
	}
	return c, file
}

func (a *watchAPI) writeConfig(file, token string) {
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: prod
contexts: [{name: prod, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://%s", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: %s}}]
`, a.addr, token)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// put makes or changes an object.
func (a *watchAPI) put(path string, o any) {
	a.t.Helper()
	raw, ok := o.(map[string]any)
	if !ok {
		var err error
		if raw, err = runtime.DefaultUnstructuredConverter.ToUnstructured(o); err != nil {
			a.t.Fatal(err)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	apiVersion, kind, _ := strings.Cut(a.served[path], " ")
	raw["apiVersion"], raw["kind"] = apiVersion, kind
	md := raw["metadata"].(map[string]any)
	name := fmt.Sprint(md["namespace"], "/", md["name"])
	a.rv++
	md["resourceVersion"] = strconv.Itoa(a.rv)
	if a.objects[path] == nil {
		a.objects[path] = map[string]map[string]any{}
	}
	what := "ADDED"
	if a.objects[path][name] != nil {
		what = "MODIFIED"
	}
	a.objects[path][name] = raw
	a.tell(watchEvent{a.rv, path, what, raw})
}

func (a *watchAPI) remove(path, name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	raw := maps.Clone(a.objects[path][name])
	delete(a.objects[path], name)
	a.rv++
	md := maps.Clone(raw["metadata"].(map[string]any))
	md["resourceVersion"] = strconv.Itoa(a.rv)
	raw["metadata"] = md
	a.tell(watchEvent{a.rv, path, "DELETED", raw})
}

func (a *watchAPI) tell(ev watchEvent) {
	a.log = append(a.log, ev)
	close(a.more)
	a.more = make(chan struct{})
}

// set changes the server's ways.
func (a *watchAPI) set(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f()
}

// compact makes all versions so far expire and ends the watches.
func (a *watchAPI) compact() {
	a.set(func() { a.rv++; a.oldest = a.rv })
	a.endWatches()
}

func (a *watchAPI) endWatches() {
	a.set(func() { close(a.cut); a.cut = make(chan struct{}) })
}

func (a *watchAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	q, path := r.URL.Query(), r.URL.Path
	watching := q.Get("watch") != ""
	key := path
	if watching {
		key += "?watch"
	} else {
		a.pages = append(a.pages, r.URL.RequestURI())
	}
	if held := a.hold[key]; held != nil && a.blips[key] == 0 {
		a.mu.Unlock()
		select {
		case <-held:
		case <-r.Context().Done():
		}
		a.mu.Lock()
	}
	code := a.refuse[key]
	if a.once {
		delete(a.refuse, key)
	}
	_, known := a.served[path]
	has := a.resources(path)
	cut := a.cut // of the server as it was when it let the request in
	switch {
	case r.Header.Get("Authorization") != "Bearer "+a.token:
		code = http.StatusUnauthorized
	case code == 0 && a.blips[key] > 0:
		a.blips[key]--
		code = http.StatusNotFound
	case code == 0 && !known && has == nil:
		code = http.StatusNotFound
	}
	a.mu.Unlock()
	switch {
	case code == 0 && has != nil:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"apiVersion": "v1", "kind": "APIResourceList", "resources": has})
	case code != 0:
		refuse(w, code)
	case watching:
		a.watch(w, r, cut)
	default:
		a.list(w, r)
	}
}

// resources is what discovery says of a group's version, nil where there is none.
func (a *watchAPI) resources(path string) (out []any) {
	if strings.Count(path, "/") != 3 || !strings.HasPrefix(path, "/apis/") {
		return nil
	}
	for p := range a.served {
		if name, ok := strings.CutPrefix(p, path+"/"); ok {
			out = append(out, map[string]any{"name": name})
		}
	}
	return out
}

var reasons = map[int]string{401: "Unauthorized", 403: "Forbidden", 404: "NotFound", 410: "Expired", 500: "InternalError"}

func watchRefusal(code int) map[string]any {
	return map[string]any{"kind": "Status", "apiVersion": "v1", "metadata": map[string]any{}, "status": "Failure", "code": code,
		"reason": reasons[code], "message": fmt.Sprintf("says\x1b[31m %d", code)}
}

func refuse(w http.ResponseWriter, code int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(watchRefusal(code))
}

func (a *watchAPI) list(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	q, path := r.URL.Query(), r.URL.Path
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(a.objects[path])), func(n string) bool {
		return !selected(q.Get("fieldSelector"), a.objects[path][n])
	})
	from, _ := strconv.Atoi(q.Get("continue"))
	if from > 0 && a.expire > 0 {
		a.expire--
		refuse(w, http.StatusGone)
		return
	}
	names = names[min(from, len(names)):]
	next := ""
	if limit, _ := strconv.Atoi(q.Get("limit")); limit > 0 && len(names) > limit {
		names, next = names[:limit], strconv.Itoa(from+limit)
	}
	items := make([]any, len(names))
	for i, n := range names {
		items[i] = a.objects[path][n]
	}
	apiVersion, kind, _ := strings.Cut(a.served[path], " ")
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"apiVersion": apiVersion, "kind": kind + "List", "items": items,
		"metadata": map[string]any{"resourceVersion": strconv.Itoa(a.rv), "continue": next}})
}

func selected(fields string, o map[string]any) bool {
	kind, ok := strings.CutPrefix(fields, "involvedObject.kind=")
	return !ok || o["involvedObject"].(map[string]any)["kind"] == kind
}

func (a *watchAPI) watch(w http.ResponseWriter, r *http.Request, cut chan struct{}) {
	q, path := r.URL.Query(), r.URL.Path
	from, _ := strconv.Atoi(q.Get("resourceVersion"))
	w.Header().Set("Content-Type", "application/json")
	enc := json.NewEncoder(w)
	flush := w.(http.Flusher).Flush
	flush()
	for {
		a.mu.Lock()
		more := a.more
		var events []watchEvent
		for _, ev := range a.log {
			if ev.rv > from && ev.path == path && selected(q.Get("fieldSelector"), ev.obj) {
				events = append(events, ev)
			}
		}
		old := from < a.oldest
		for _, ev := range events {
			from = ev.rv
			if !old {
				_ = enc.Encode(map[string]any{"type": ev.kind, "object": ev.obj})
			}
		}
		a.mu.Unlock()
		if old {
			_ = enc.Encode(map[string]any{"type": "ERROR", "object": watchRefusal(http.StatusGone)})
			return
		}
		flush()
		select {
		case <-more:
		case <-cut:
			return
		case <-r.Context().Done():
			return
		}
	}
}
