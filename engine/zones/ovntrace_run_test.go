//go:build unix

package zones

import (
	"context"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model/ovn/flow"
	"rung/model/verdict"
	"rung/sources/kube"
	"rung/test/streaming"
)

const ovnNamespace = "ovn-kubernetes"

// inPods is a tracer on a cluster whose node n1 has an ovnkube-node pod with these
// programs, each a script.
func inPods(t *testing.T, programs map[string]string) (*OVNTracer, *streaming.Server) {
	t.Helper()
	s, err := streaming.Start(streaming.Options{TLS: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	dir, yes := t.TempDir(), true
	for name, script := range programs {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.SetDaemonSet(&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: ovnNamespace, Name: "ovnkube-node", UID: "set"}})
	s.Set(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: ovnNamespace, Name: "ovnkube-node-a", UID: "pod", Labels: map[string]string{"app": "ovnkube-node"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "ovnkube-node", UID: "set", Controller: &yes}}},
		Spec: corev1.PodSpec{NodeName: "n1", Containers: []corev1.Container{{Name: "ovn-controller"}, {Name: "nb-ovsdb"}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{
			{Name: "nb-ovsdb", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}},
	}, streaming.Image{Bin: dir})
	ca := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	file := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: %q, certificate-authority-data: %q}}]\n"+
		"users: [{name: u, user: {token: abc}}]\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n", s.URL, ca)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := kube.Open(kube.Options{Kubeconfig: file, ZonePodsFor: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return &OVNTracer{Parts: Parts{Pods: &Pods{Cluster: c, Namespaces: []string{ovnNamespace}}}}, s
}

func askN1() *flow.PacketQuestion {
	return &flow.PacketQuestion{Zone: "n1", Datapath: "n1", Inport: "blue_api-0", EthSrc: "0a:58:0a:f4:01:03", EthDst: "0a:58:0a:f4:01:01",
		Src: netip.MustParseAddr("10.244.1.3"), Dst: netip.MustParseAddr("10.244.2.4"), Protocol: verdict.UDP, Port: 53}
}

// In a zone's pod ovn-trace gets its arguments as they are, in the container that sees the
// databases; what keeps it from running is said.
func TestOVNTraceInPod(t *testing.T) {
	tr, s := inPods(t, map[string]string{"ovn-trace": `printf '%s\n' "$@"`})
	where, cmd, text, err := tr.runInPod(t.Context(), askN1())
	if err != nil || where != "exec:ovn-kubernetes/ovnkube-node-a/nb-ovsdb" {
		t.Errorf("ran in %s: %v", where, err)
	}
	if diff := cmp.Diff(cmd[1:], strings.Split(strings.TrimSuffix(text, "\n"), "\n")); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(cmd, " "); !strings.Contains(got, " --db=unix:/var/run/ovn/ovnsb_db.sock ") || !strings.Contains(got, ` -- n1 inport == "blue_api-0" && `) {
		t.Error(got)
	}
	bad := askN1()
	bad.Datapath = "--ovs"
	ran := len(s.Commands())
	if _, _, _, err := tr.runInPod(t.Context(), bad); !errors.Is(err, flow.ErrUnsafe) || len(s.Commands()) != ran {
		t.Errorf("a hostile switch: %v, ran %q", err, s.Commands()[ran:])
	}

	s.Refuse(func(_, resource string) bool { return resource == "pods/exec" })
	if _, _, _, err := tr.runInPod(t.Context(), askN1()); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "auth can-i create pods/exec -n ovn-kubernetes") {
		t.Errorf("without pods/exec: %v", err)
	}
	s.Refuse(func(_, resource string) bool { return resource == "pods" })
	if _, _, _, err := tr.runInPod(t.Context(), askN1()); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "list pods -n ovn-kubernetes") {
		t.Errorf("without pods: %v", err)
	}

	tr, _ = inPods(t, nil)
	if _, _, _, err := tr.runInPod(t.Context(), askN1()); !errors.Is(err, ErrNoProgram) {
		t.Errorf("without the program: %v", err)
	}
	tr, _ = inPods(t, map[string]string{"ovn-trace": "echo 'ovn-trace: unix:/x: database connection failed' >&2; exit 1"})
	if _, _, _, err := tr.runInPod(t.Context(), askN1()); err == nil || !strings.Contains(err.Error(), "database connection failed") {
		t.Errorf("where it fails: %v", err)
	}
}

// In a zone one trace runs after the other, and who waits hears it.
func TestOVNTraceOneAtATime(t *testing.T) {
	tr := NewOVNTracer(nil)
	first, err := tr.takeZone(t.Context(), "n1", func() { t.Error("waited for nobody") })
	if err != nil {
		t.Fatal(err)
	}
	other, err := tr.takeZone(t.Context(), "n2", func() { t.Error("waited for another zone") })
	if err != nil {
		t.Fatal(err)
	}
	other()
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := tr.takeZone(ctx, "n1", cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	var done sync.WaitGroup
	waits := make(chan struct{})
	done.Go(func() {
		second, err := tr.takeZone(t.Context(), "n1", func() { close(waits) })
		if err != nil {
			t.Error(err)
			return
		}
		second()
	})
	<-waits
	first()
	done.Wait()
}
