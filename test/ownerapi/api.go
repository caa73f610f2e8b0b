package ownerapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"rung/sources/kube"
	"strings"
	"sync"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

// API is an API server with pods and Leases that keeps conditions.
type API struct {
	Mu      sync.Mutex
	Pods    []corev1.Pod
	Leases  map[string][]byte // by name
	Applied []string          // the URIs that conditions were written to
}

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	body, _ := io.ReadAll(r.Body)
	name := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	switch {
	case name == "pods":
		list := corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}}
		if strings.Contains(r.URL.Path, "/ovn-kubernetes/") {
			_, node, one := strings.Cut(r.URL.Query().Get("fieldSelector"), "spec.nodeName=")
			for _, p := range a.Pods {
				if !one || p.Spec.NodeName == node {
					list.Items = append(list.Items, p)
				}
			}
		}
		_ = json.NewEncoder(w).Encode(list)
	case name == "status":
		a.Applied = append(a.Applied, r.URL.RequestURI())
		_, _ = w.Write(body)
	case r.Method == http.MethodGet && a.Leases[name] != nil:
		_, _ = w.Write(a.Leases[name])
	case strings.Contains(r.URL.Path, "/leases") && r.Method != http.MethodGet:
		scheme := runtime.NewScheme()
		if err := coordinationv1.AddToScheme(scheme); err != nil {
			panic(err)
		}
		o, _, err := serializer.NewCodecFactory(scheme).UniversalDeserializer().Decode(body, nil, nil) // protobuf
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		m := o.(metav1.Object)
		o.GetObjectKind().SetGroupVersionKind(coordinationv1.SchemeGroupVersion.WithKind("Lease"))
		a.Leases[m.GetName()], _ = json.Marshal(o)
		_, _ = w.Write(a.Leases[m.GetName()])
	default:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
	}
}

// Open is a client of it.
func (a *API) Open(t testing.TB) *kube.Cluster {
	t.Helper()
	srv := httptest.NewServer(a)
	t.Cleanup(srv.Close)
	file := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: %q}}]\n"+
		"users: [{name: u, user: {}}]\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n", srv.URL)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := kube.Open(kube.Options{Kubeconfig: file, QPS: 1000, Burst: 1000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { http.DefaultTransport.(*http.Transport).CloseIdleConnections() })
	return c
}
