//go:build unix

package streaming

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	cri "k8s.io/cri-streaming/pkg/streaming"
)

// Server is an API server with one kubelet behind it.
type Server struct {
	// URL is where it listens: https where TLS was asked for, whose certificate
	// is Certificate of the embedded server.
	*httptest.Server

	kubelet    *httptest.Server
	streams    cri.Server
	kubeletURL *url.URL

	mu       sync.Mutex
	pods     map[string]*pod // by namespace/name
	sets     map[string]*appsv1.DaemonSet
	conns    map[net.Conn]struct{}
	refused  func(verb, resource string) bool
	spdyOnly bool
	requests []string
	commands [][]string
	running  map[*process]struct{}
	closed   chan struct{}
}

// Options say how a server is started.
type Options struct{ TLS bool }

type pod struct {
	object *corev1.Pod
	image  Image
}

// Start starts a server. Close ends it and every command it still runs.
func Start(o Options) (*Server, error) {
	s := &Server{pods: map[string]*pod{}, sets: map[string]*appsv1.DaemonSet{}, conns: map[net.Conn]struct{}{}, running: map[*process]struct{}{}, closed: make(chan struct{})}
	s.kubelet = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.streams.ServeHTTP(w, r) }))
	s.kubelet.Listener = tracked{s.kubelet.Listener, s}
	s.kubeletURL = &url.URL{Scheme: "http", Host: s.kubelet.Listener.Addr().String(), Path: "/"}
	config := cri.DefaultConfig
	config.Addr, config.BaseURL = s.kubeletURL.Host, s.kubeletURL
	config.StreamCreationTimeout = 5 * time.Second // a client that was cut off holds a goroutine as long
	var err error
	if s.streams, err = cri.NewServer(config, s); err != nil {
		s.kubelet.Close()
		return nil, fmt.Errorf("starting the kubelet: %w", err)
	}
	s.kubelet.Start()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/namespaces/{ns}/pods", s.listPods)
	mux.HandleFunc("GET /apis/apps/v1/namespaces/{ns}/daemonsets/{name}", s.getDaemonSet)
	mux.HandleFunc("/api/v1/namespaces/{ns}/pods/{pod}/exec", s.serveExec)
	s.Server = httptest.NewUnstartedServer(mux)
	s.Listener = tracked{s.Listener, s}
	if o.TLS {
		s.StartTLS()
	} else {
		s.Server.Start()
	}
	return s, nil
}

// Close ends the server, its connections and its commands.
func (s *Server) Close() {
	close(s.closed)
	s.Cut()
	s.kill()
	s.Server.Close()
	s.kubelet.Close()
}

// Set adds or replaces a pod that runs the image in each of its containers.
func (s *Server) Set(p *corev1.Pod, i Image) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pods[p.Namespace+"/"+p.Name] = &pod{p, i}
}

// Remove takes a pod away. Its commands go on.
func (s *Server) Remove(namespace, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pods, namespace+"/"+name)
}

// SetDaemonSet adds or replaces a DaemonSet.
func (s *Server) SetDaemonSet(d *appsv1.DaemonSet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sets[d.Namespace+"/"+d.Name] = d
}

// Refuse forbids requests; resource is "pods", "pods/exec" or "daemonsets".
func (s *Server) Refuse(refuse func(verb, resource string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused = refuse
}

// SPDYOnly lets the server refuse WebSockets, as old ones do.
func (s *Server) SPDYOnly(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spdyOnly = on
}

// Cut drops every connection.
func (s *Server) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close()
	}
}

// Requests returns the requests so far, as "VERB RESOURCE" or "exec websocket|spdy".
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// allowed notes a request and answers it where it is refused.
func (s *Server) allowed(w http.ResponseWriter, verb, resource, name string) bool {
	s.mu.Lock()
	s.requests = append(s.requests, verb+" "+resource)
	refused := s.refused != nil && s.refused(verb, resource)
	s.mu.Unlock()
	if refused {
		kind, _, _ := strings.Cut(resource, "/")
		refuse(w, apierrors.NewForbidden(schema.GroupResource{Resource: kind}, name, fmt.Errorf("user \"reader\" cannot %s resource %q", verb, resource)))
	}
	return !refused
}

func refuse(w http.ResponseWriter, err *apierrors.StatusError) {
	s := err.Status()
	s.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(int(s.Code))
	_ = json.NewEncoder(w).Encode(s) // the client has gone if this fails
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client has gone if this fails
}

func (s *Server) listPods(w http.ResponseWriter, r *http.Request) {
	if !s.allowed(w, "list", "pods", "") {
		return
	}
	selector, err := labels.Parse(r.URL.Query().Get("labelSelector"))
	if err != nil {
		refuse(w, apierrors.NewBadRequest(err.Error()))
		return
	}
	list := corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}, Items: []corev1.Pod{}}
	s.mu.Lock()
	for _, p := range s.pods {
		if p.object.Namespace == r.PathValue("ns") && selector.Matches(labels.Set(p.object.Labels)) {
			list.Items = append(list.Items, *p.object)
		}
	}
	s.mu.Unlock()
	reply(w, list)
}

func (s *Server) getDaemonSet(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if !s.allowed(w, "get", "daemonsets", name) {
		return
	}
	s.mu.Lock()
	d := s.sets[r.PathValue("ns")+"/"+name]
	s.mu.Unlock()
	if d == nil {
		refuse(w, apierrors.NewNotFound(schema.GroupResource{Group: "apps", Resource: "daemonsets"}, name))
		return
	}
	d = d.DeepCopy()
	d.TypeMeta = metav1.TypeMeta{Kind: "DaemonSet", APIVersion: "apps/v1"}
	reply(w, d)
}

// tracked is a listener whose connections Cut closes, taken over or not.
type tracked struct {
	net.Listener
	s *Server
}

func (t tracked) Accept() (net.Conn, error) {
	c, err := t.Listener.Accept()
	if err != nil {
		return nil, err
	}
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	k := &trackedConn{c, t.s}
	t.s.conns[k] = struct{}{}
	return k, nil
}

type trackedConn struct {
	net.Conn
	s *Server
}

// Close forgets the connection, unless Cut has it in hand.
func (c *trackedConn) Close() error {
	go func() {
		c.s.mu.Lock()
		defer c.s.mu.Unlock()
		delete(c.s.conns, c)
	}()
	return c.Conn.Close()
}
