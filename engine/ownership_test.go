package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"rung/change/write"
	"rung/engine/source"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/sources/kube"
	"rung/sources/nbdb"
	"rung/sources/sandbox"
	"rung/test/given"
	"rung/test/wait"
)

func TestJudgeOwner(t *testing.T) {
	ok := ownerFacts{zone: "n1", loaded: true, node: true, cluster: true, asked: true}
	with := func(change func(*ownerFacts)) ownerFacts { f := ok; change(&f); return f }
	running := []kube.Controller{{Node: "n1", Namespace: "ovn-kubernetes", Pod: "ovnkube-node-x", Container: "ovnkube-controller"}}
	for _, c := range []struct {
		name, hold string
		f          ownerFacts
		override   bool // the long flag helps
	}{
		{"nobody else", "", ok, false},
		{"not loaded", "waiting for the first complete read", with(func(f *ownerFacts) { f.loaded = false }), false},
		{"a controller runs", "runs in ovn-kubernetes/ovnkube-node-x ovnkube-controller", with(func(f *ownerFacts) { f.controllers = running }), true},
		{"pods cannot be listed", "forbidden", with(func(f *ownerFacts) { f.err = errors.New("pods is forbidden") }), true},
		{"not asked yet", "looking for other controllers", with(func(f *ownerFacts) { f.asked = false }), false},
		{"the zone is no node's", "no Node is named n1", with(func(f *ownerFacts) { f.node = false }), true},
		{"no cluster", "without a cluster", with(func(f *ownerFacts) { f.cluster = false }), true},
		{"the node is gone", "the zone's node no longer exists", with(func(f *ownerFacts) { f.node, f.nodeGone = false, true }), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := judgeOwner(c.f)
			if !strings.Contains(g.Hold, c.hold) || (c.hold == "" && g.Hold != "") || g.Note != "" {
				t.Errorf("%+v, want a hold of %q", g, c.hold)
			}
			c.f.override = true
			g = judgeOwner(c.f)
			if free := g.Hold == ""; free != (c.override || c.hold == "") {
				t.Errorf("overridden: %+v", g)
			}
			if c.override && !strings.Contains(g.Note, c.hold) {
				t.Errorf("an override hides what it overrides: %+v", g)
			}
		})
	}
}

// ownerAPI is an API server with pods and Leases that keeps conditions.
type ownerAPI struct {
	mu      sync.Mutex
	pods    []corev1.Pod
	leases  map[string][]byte
	applied []string
}

func (a *ownerAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	body, _ := io.ReadAll(r.Body)
	name := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	switch {
	case name == "pods":
		list := corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}}
		if strings.Contains(r.URL.Path, "/ovn-kubernetes/") {
			_, node, one := strings.Cut(r.URL.Query().Get("fieldSelector"), "spec.nodeName=")
			for _, p := range a.pods {
				if !one || p.Spec.NodeName == node {
					list.Items = append(list.Items, p)
				}
			}
		}
		_ = json.NewEncoder(w).Encode(list)
	case name == "status":
		a.applied = append(a.applied, r.URL.RequestURI())
		_, _ = w.Write(body)
	case r.Method == http.MethodGet && a.leases[name] != nil:
		_, _ = w.Write(a.leases[name])
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
		a.leases[m.GetName()], _ = json.Marshal(o)
		_, _ = w.Write(a.leases[m.GetName()])
	default:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
	}
}

func (a *ownerAPI) open(t *testing.T) *kube.Cluster {
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

// A zone beside others is not written while a controller runs there, then led by a
// Lease and an epoch, watched for other hands, reported and measured.
func TestReconcile(t *testing.T) {
	dir, err := os.MkdirTemp("", "rung-own-") // short: it holds sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	sb, err := sandbox.Start(t.Context(), sandbox.Config{Zones: []string{"worker"}, Dir: filepath.Join(dir, "s"), Server: sandbox.ServerBuiltin})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sb.Close)
	addr := sb.Endpoints()["worker"]
	path := filepath.Join(dir, "objects.yaml")
	if err := os.WriteFile(path, []byte(given.Objects()+`---
apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: isolate}
spec:
  priority: 10
  subject: {namespaces: {matchLabels: {tenant: blue}}}
  ingress: [{name: none, action: Deny, from: [{namespaces: {matchLabels: {tenant: red}}}]}]
`), 0o600); err != nil {
		t.Fatal(err)
	}
	api := &ownerAPI{leases: map[string][]byte{}, pods: []corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Namespace: "ovn-kubernetes", Name: "ovnkube-node-x"},
		Spec:   corev1.PodSpec{NodeName: "worker", Containers: []corev1.Container{{Name: "ovnkube-controller"}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning}}}}
	e, err := New(t.Context(), Config{Mode: revision.Mode{Name: "files"}, Sources: []source.Source{write.NewFiles(write.FileOptions{Paths: []string{path}})}, Kube: api.open(t),
		NB: map[string]string{"worker": addr}, Reconcile: true,
		Own: Ownership{Writer: "w1", Report: true, Quiet: 2 * time.Second, Lease: &LeaseConfig{Namespace: "rung", Duration: 3 * time.Second,
			RenewDeadline: 2 * time.Second, RetryPeriod: 100 * time.Millisecond}}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	until := func(what string, holds func(z *model.ZoneState) bool) {
		t.Helper()
		for end := time.Now().Add(wait.Patience); ; time.Sleep(20 * time.Millisecond) {
			z := e.Revision().Zone("worker")
			if z != nil && holds(z) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%s: %+v\n%v", what, z, e.Revision().Broken)
			}
		}
	}
	until("no hold", func(z *model.ZoneState) bool { return strings.Contains(z.Paused, "ovnkube-node-x ovnkube-controller") })
	if z := e.Revision().Zone("worker"); z.Epoch != 0 || z.DB.Global().ExternalIDs[nb.KeyWriter] != "" {
		t.Errorf("the zone was claimed although it is held: %+v", z.DB.Global())
	}
	if err := e.Ready(); err == nil {
		t.Error("ready although the zone it leads is not written")
	}
	api.mu.Lock()
	api.pods = nil
	api.mu.Unlock()
	until("not written", func(z *model.ZoneState) bool {
		p := z.Policy(model.PolicyKey{Kind: model.KindANP, Name: "isolate"})
		return z.Held && z.Epoch == 1 && z.Writer == "w1" && p != nil && p.InSync
	})
	until("not ready", func(*model.ZoneState) bool { return e.Ready() == nil })
	until("not reported", func(*model.ZoneState) bool {
		api.mu.Lock()
		defer api.mu.Unlock()
		return len(api.applied) > 0 && strings.HasSuffix(api.applied[0], "/adminnetworkpolicies/isolate/status?fieldManager=worker&force=true")
	})

	srv := httptest.NewServer(e.Handler())
	defer srv.Close()
	get := func(path string) string {
		t.Helper()
		res, err := srv.Client().Get(srv.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		return res.Status + "\n" + string(text)
	}
	text := get("/metrics")
	for _, want := range []string{
		"ovnkube_controller_admin_network_policies 1", "ovnkube_controller_baseline_admin_network_policies 0",
		`ovnkube_controller_admin_network_policies_rules{action="Deny",direction="Ingress"} 1`,
		`ovnkube_controller_admin_network_policies_rules{action="Pass",direction="Egress"} 0`,
		`ovnkube_controller_baseline_admin_network_policies_rules{action="Allow",direction="Egress"} 0`,
		`ovnkube_controller_admin_network_policies_db_objects{table_name="ACL"} 1`,
		`ovnkube_controller_baseline_admin_network_policies_db_objects{table_name="Address_Set"} 0`,
		`rung_zone_writer_held{zone="worker"} 1`, `rung_zone_writer_epoch{zone="worker"} 1`, `rung_zone_paused{zone="worker"} 0`,
		`rung_zone_connection_state{state="synced",zone="worker"} 1`, `rung_zone_transactions_total{result="ok",zone="worker"}`,
		`rung_zone_transaction_seconds_count{zone="worker"}`, `rung_zone_ownership_overridden{zone="worker"} 0`, "go_goroutines", "process_",
	} {
		if !strings.Contains(text, "\n"+want) {
			t.Errorf("no metric %s", want)
		}
	}
	if strings.Contains(text, `action="Pass",direction="Ingress"} 0`+"\novnkube_controller_baseline") {
		t.Error("the baseline has no Pass")
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if got := get(path); got != "200 OK\nok\n" {
			t.Errorf("%s: %q", path, got)
		}
	}

	// Another hand.
	other := nbdb.Dial(nbdb.Config{Name: "worker", Addr: addr})
	done := make(chan struct{})
	ctx := t.Context()
	synced := make(chan struct{}, 100)
	octx, cancel := context.WithCancel(ctx)
	go func() {
		defer close(done)
		other.Run(octx, func(u model.ZoneUpdate) {
			if u.Resync {
				synced <- struct{}{}
			}
		})
	}()
	defer func() { cancel(); <-done }()
	<-synced
	acl := e.Revision().Zone("worker").DB.ACLByID(nb.DefaultController + ":AdminNetworkPolicy:isolate:Ingress:0:None")
	if _, err := other.Transact(ctx, []nb.Op{{Kind: nb.OpUpdate, Table: nb.TableACL, UUID: acl.UUID, Row: map[string]any{"priority": 7}}}); err != nil {
		t.Fatal(err)
	}
	until("another writer went unseen", func(z *model.ZoneState) bool {
		return strings.Contains(z.Paused, "another writer changed ACL "+acl.ID())
	})
	if got := get("/readyz"); !strings.HasPrefix(got, "503 ") || !strings.Contains(got, "another writer") {
		t.Errorf("%q", got)
	}
	until("it was not mended after the time of quiet", func(z *model.ZoneState) bool { return z.Paused == "" && z.DB.ACL(acl.UUID).Priority == acl.Priority })

	// What is not written makes nothing unready, but is said everywhere.
	if got := get("/readyz?verbose"); got != "200 OK\n[+]the objects were read\n[+]zone worker: written\nok\n" {
		t.Errorf("%q", got)
	}
	const old = nb.DefaultController + ":EgressFirewall:a:10000"
	if _, err := other.Transact(ctx, []nb.Op{
		{Kind: nb.OpInsert, Table: nb.TableACL, UUIDName: "old", Row: map[string]any{"priority": 10000, "direction": "to-lport", "match": "ip4", "action": "drop",
			"external_ids": map[string]string{nb.KeyOwnerController: nb.DefaultController, nb.KeyOwnerType: nb.OwnerEgressFirewall, nb.KeyName: "a", nb.KeyID: old}}},
		{Kind: nb.OpInsert, Table: nb.TablePortGroup, Row: map[string]any{"name": "theirs", "acls": []nb.Ref{{Name: "old"}}}},
	}); err != nil {
		t.Fatal(err)
	}
	until("it is not said to stay", func(z *model.ZoneState) bool {
		return z.DB.ACLByID(old) != nil && e.Ready() == nil && len(e.Unwritten(z)) > 0
	})
	want := "200 OK\n[+]the objects were read\n[+]zone worker: written\n[!]zone worker: EgressFirewall/a/default: blocked: " +
		"extra ACL " + old + ": a row that is not the policy's refers to it\nok\n"
	if got := get("/readyz?verbose"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := get("/metrics"); !strings.Contains(got, "\n"+`rung_zone_unwritten{reason="blocked",zone="worker"} 1`) ||
		!strings.Contains(got, "\n"+`rung_zone_unwritten{reason="disowned",zone="worker"} 0`) {
		t.Error("no metric of what is not written")
	}
}
