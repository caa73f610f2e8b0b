package engine

import (
	"context"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/change/write"
	"rung/engine/zones"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/sources/kube"
	"rung/sources/nbdb"
	"rung/sources/sandbox"
	"rung/test/given"
	"rung/test/ownerapi"
	"rung/test/wait"
)

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
	api := &ownerapi.API{Leases: map[string][]byte{}, Pods: []corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Namespace: "ovn-kubernetes", Name: "ovnkube-node-x"},
		Spec:   corev1.PodSpec{NodeName: "worker", Containers: []corev1.Container{{Name: "ovnkube-controller"}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning}}}}
	e, err := New(t.Context(), Config{Mode: revision.Mode{Name: "files"}, Sources: []kube.Source{write.NewFiles(write.FileOptions{Paths: []string{path}})}, Kube: api.Open(t),
		NB: map[string]string{"worker": addr}, Reconcile: true,
		Own: zones.OwnerOptions{Writer: "w1", Report: true, Quiet: 2 * time.Second, Lease: &zones.LeaseConfig{Namespace: "rung", Duration: 3 * time.Second,
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
	if err := e.Health().Ready(); err == nil {
		t.Error("ready although the zone it leads is not written")
	}
	api.Mu.Lock()
	api.Pods = nil
	api.Mu.Unlock()
	until("not written", func(z *model.ZoneState) bool {
		p := z.PolicyJoin(model.PolicyKey{Kind: model.KindANP, Name: "isolate"})
		return z.RowsHeld && z.Epoch == 1 && z.Writer == "w1" && p != nil && p.InSync
	})
	until("not ready", func(*model.ZoneState) bool { return e.Health().Ready() == nil })
	until("not reported", func(*model.ZoneState) bool {
		api.Mu.Lock()
		defer api.Mu.Unlock()
		return len(api.Applied) > 0 && strings.HasSuffix(api.Applied[0], "/adminnetworkpolicies/isolate/status?fieldManager=worker&force=true")
	})

	srv := httptest.NewServer(e.Health().Handler())
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
		return z.DB.ACLByID(old) != nil && e.Health().Ready() == nil && len(e.Health().UnwrittenIn(z)) > 0
	})
	want := "200 OK\n[+]the objects were read\n[+]zone worker: written\n[!]zone worker: EgressFirewall/a/default: blocked: " +
		"extra ACL " + old + ": still referenced by a row outside the policy\nok\n"
	if got := get("/readyz?verbose"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := get("/metrics"); !strings.Contains(got, "\n"+`rung_zone_unwritten{reason="blocked",zone="worker"} 1`) ||
		!strings.Contains(got, "\n"+`rung_zone_unwritten{reason="disowned",zone="worker"} 0`) {
		t.Error("no metric of what is not written")
	}
}
