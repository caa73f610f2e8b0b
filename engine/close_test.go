package engine

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rung/revision"
	"rung/sources/kube"
	"rung/test/wait"
)

// Close ends whatever asks an API server that never answers, and waits for it: the
// zones that look for their pods, the logs, the questions of permission.
func TestCloseOnASilentServer(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path] = true
		mu.Unlock()
		_, _ = io.Copy(io.Discard, r.Body) // else nobody notices that the client has gone
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	leaks := goleak.IgnoreCurrent()
	t.Setenv("KUBECONFIG", t.TempDir()+"/none")
	var o ClusterOptions
	o.Overrides.ClusterInfo.Server = server.URL
	var cfg Config
	if err := OpenCluster(&cfg, o, true); err != nil {
		t.Fatal(err)
	}
	f := &fleet{t: t, steps: make(chan kube.SourceUpdate, 1)}
	cfg.Mode = revision.Mode{Name: revision.ClusterMode}
	cfg.Sources = append(cfg.Sources, f)
	f.steps <- kube.SourceUpdate{Upsert: f.nodes(3), Loaded: true}
	e, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	pods := "/api/v1/namespaces/" + kube.OVNNamespaces()[0] + "/pods"
	wait.Within(t, wait.Patience, "the zones' pods are asked for", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return asked[pods]
	})
	began := time.Now()
	e.Close()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("Close took %v", took)
	}
	// A connection that was made for a request given up meanwhile is idle, and asks nothing.
	wait.NoLeaks(t, leaks, goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"), goleak.IgnoreAnyFunction("net/http.(*conn).serve"))
}
