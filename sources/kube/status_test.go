package kube

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"rung/model"
)

// said is one request.
type said struct {
	Line, ContentType string
	Body              map[string]any
}

// reportAPI is an API server that keeps what it is told.
type reportAPI struct {
	mu     sync.Mutex
	said   []said
	answer func(r *http.Request, n int) (status int, body string)
}

func (a *reportAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := said{Line: r.Method + " " + r.URL.RequestURI(), ContentType: r.Header.Get("Content-Type")}
	if raw, _ := io.ReadAll(r.Body); len(raw) > 0 {
		if err := json.Unmarshal(raw, &s.Body); err != nil {
			s.Body = map[string]any{"not JSON": string(raw)}
		}
	}
	a.said = append(a.said, s)
	status, body := http.StatusOK, `{"kind":"AdminNetworkPolicy","apiVersion":"policy.networking.k8s.io/v1alpha1","metadata":{"name":"x"}}`
	if a.answer != nil {
		if st, b := a.answer(r, len(a.said)); st != 0 {
			status, body = st, b
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func (a *reportAPI) taken() []said {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := a.said
	a.said = nil
	return out
}

func (a *reportAPI) cluster(t *testing.T) *Cluster {
	t.Helper()
	srv := httptest.NewServer(a)
	t.Cleanup(srv.Close)
	c := clusterAt(t, &rest.Config{Host: srv.URL, QPS: 1000, Burst: 1000})
	t.Cleanup(func() { http.DefaultTransport.(*http.Transport).CloseIdleConnections() })
	return c
}

func reporting(t *testing.T, c *Cluster, trouble func(error)) (*Reporter, func()) {
	r := NewReporter(c, trouble)
	return r, runs(t, r)
}

// runs keeps a Reporter going until the test ends, or stop is called.
func runs(t *testing.T, r *Reporter) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); r.Run(ctx) }()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(stop)
	return stop
}

func idle(t *testing.T, r *Reporter) {
	t.Helper()
	eventually(t, "the reports are not written", func() bool { n, _ := r.WaitingReports(); return n == 0 })
}

var reported = time.Date(2026, 8, 1, 10, 0, 0, 0, time.UTC)

// A condition is applied by force under the node's name, on the status alone; a
// zone that is gone applies an empty status (ovn-kubernetes.md#status-conditions).
func TestConditionsOut(t *testing.T) {
	api := &reportAPI{}
	r, _ := reporting(t, api.cluster(t), func(err error) { t.Error(err) })
	anp, banp := model.PolicyKey{Kind: model.KindANP, Name: "isolate"}, model.PolicyKey{Kind: model.KindBANP, Name: "default"}
	r.SetCondition("n1", anp, model.Condition{Type: "Ready-In-Zone-n1", Status: "True", Reason: "SetupSucceeded",
		Message: "Setting up OVN DB plumbing was successful", Changed: model.Stamp{Time: reported}})
	idle(t, r)
	r.ClearZone("n1", banp)
	r.SetCondition("n1", model.PolicyKey{Kind: model.KindNP, Namespace: "a", Name: "np"}, model.Condition{Type: "x"}) // has none
	idle(t, r)
	const group = "/apis/policy.networking.k8s.io/v1alpha1/"
	want := []said{
		{"PATCH " + group + "adminnetworkpolicies/isolate/status?fieldManager=n1&force=true", "application/apply-patch+yaml", map[string]any{
			"apiVersion": "policy.networking.k8s.io/v1alpha1", "kind": "AdminNetworkPolicy", "metadata": map[string]any{"name": "isolate"},
			"status": map[string]any{"conditions": []any{map[string]any{"type": "Ready-In-Zone-n1", "status": "True", "reason": "SetupSucceeded",
				"message": "Setting up OVN DB plumbing was successful", "lastTransitionTime": "2026-08-01T10:00:00Z"}}}}},
		{"PATCH " + group + "baselineadminnetworkpolicies/default/status?fieldManager=n1&force=true", "application/apply-patch+yaml", map[string]any{
			"apiVersion": "policy.networking.k8s.io/v1alpha1", "kind": "BaselineAdminNetworkPolicy", "metadata": map[string]any{"name": "default"},
			"status": map[string]any{}}},
	}
	if diff := cmp.Diff(want, api.taken()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A server that stumbles is asked again with the newest news; a policy that is
// gone, or a zone nobody may report, is given up.
func TestConditionsRetried(t *testing.T) {
	api := &reportAPI{answer: func(r *http.Request, n int) (int, string) {
		switch {
		case strings.Contains(r.URL.Path, "/gone/"):
			return 404, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"not found","reason":"NotFound","code":404}`
		case n <= 2:
			return 500, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no\u001b[31m way","reason":"InternalError","code":500}`
		}
		return 0, ""
	}}
	var mu sync.Mutex
	var troubles []string
	r, _ := reporting(t, api.cluster(t), func(err error) { mu.Lock(); defer mu.Unlock(); troubles = append(troubles, err.Error()) })
	k := model.PolicyKey{Kind: model.KindANP, Name: "isolate"}
	r.SetCondition("n1", k, model.Condition{Type: "Ready-In-Zone-n1", Status: "False", Message: "one"})
	eventually(t, "no first try", func() bool { api.mu.Lock(); defer api.mu.Unlock(); return len(api.said) > 0 })
	r.SetCondition("n1", k, model.Condition{Type: "Ready-In-Zone-n1", Status: "True", Message: "two"})
	r.SetCondition("n1", model.PolicyKey{Kind: model.KindANP, Name: "gone"}, model.Condition{Type: "Ready-In-Zone-n1", Status: "True"})
	idle(t, r)
	var last string
	for _, s := range api.taken() {
		if strings.Contains(s.Line, "isolate") {
			last = s.Body["status"].(map[string]any)["conditions"].([]any)[0].(map[string]any)["message"].(string)
		}
	}
	if last != "two" {
		t.Errorf("the last condition written is %q", last)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(troubles) == 0 || strings.Contains(troubles[0], "\x1b") || !strings.Contains(troubles[0], "apply the condition of zone n1 to") {
		t.Errorf("troubles %q", troubles)
	}
	if _, dropped := r.WaitingReports(); dropped != 0 {
		t.Errorf("%d dropped: a policy that is gone is no loss", dropped)
	}
}

// Events have OVN-Kubernetes' texts and names (ovn-kubernetes.md#events); the same news
// again counts up.
func TestEventsOut(t *testing.T) {
	c, _ := clusterOf(t)
	r, _ := reporting(t, c, func(err error) { t.Error(err) })
	e := model.Event{About: model.PolicyKey{Kind: model.KindANP, Name: "isolate"}, Type: "Warning", Reason: "ANPWithDuplicatePriority",
		Message: "This ANP isolate has a conflicting priority with ANP other:Please verify", Reporter: "n1", Last: reported, Count: 1}
	r.Event(e)
	idle(t, r)
	e.Last = reported.Add(time.Hour)
	r.Event(e)
	idle(t, r)
	e.Reporter = "n2"
	r.Event(e)
	idle(t, r)
	list, err := c.Builtin().Events("default").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 2 {
		t.Fatalf("%d events, %v", len(list.Items), err)
	}
	var got corev1.Event
	for _, x := range list.Items {
		if x.ReportingInstance == "n1" {
			got = x
		}
	}
	if !strings.HasPrefix(got.Name, "isolate.") {
		t.Errorf("named %q", got.Name)
	}
	got.Name, got.UID, got.ResourceVersion, got.TypeMeta = "", "", "", metav1.TypeMeta{}
	want := corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "default"},
		InvolvedObject: corev1.ObjectReference{Kind: "AdminNetworkPolicy", Name: "isolate"}, Type: "Warning", Reason: "ANPWithDuplicatePriority",
		Message: e.Message, Source: corev1.EventSource{Component: "n1", Host: "n1"}, ReportingController: "n1", ReportingInstance: "n1",
		FirstTimestamp: metav1.NewTime(reported), LastTimestamp: metav1.NewTime(e.Last), Count: 2}
	got.LastTimestamp = metav1.NewTime(got.LastTimestamp.UTC())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A container that runs, waits or may start again counts; one that never will, or
// another program, does not.
func TestControllers(t *testing.T) {
	pod := func(ns, name, node, container string, phase corev1.PodPhase, restart corev1.RestartPolicy, st ...corev1.ContainerState) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name},
			Spec:   corev1.PodSpec{NodeName: node, RestartPolicy: restart, Containers: []corev1.Container{{Name: "nbdb"}, {Name: container}}},
			Status: corev1.PodStatus{Phase: phase}}
		for _, s := range st {
			p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{Name: container, State: s})
		}
		return p
	}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	waiting := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
	objects := []metav1.Object{
		pod("ovn-kubernetes", "running", "n1", "ovnkube-controller", corev1.PodRunning, corev1.RestartPolicyAlways, running),
		pod("ovn-kubernetes", "waits", "n2", "ovnkube-controller", corev1.PodRunning, corev1.RestartPolicyAlways, waiting),
		pod("openshift-ovn-kubernetes", "unknown", "n3", "ovnkube-node", corev1.PodPending, corev1.RestartPolicyAlways),
		pod("ovn-kubernetes", "over", "n4", "ovnkube-controller", corev1.PodSucceeded, corev1.RestartPolicyNever, ended),
		pod("ovn-kubernetes", "halted", "n4", "ovnkube-controller", corev1.PodRunning, corev1.RestartPolicyNever, ended),
		pod("ovn-kubernetes", "other", "n4", "ovn-controller", corev1.PodRunning, corev1.RestartPolicyAlways, running),
		pod("elsewhere", "forged", "n4", "ovnkube-controller", corev1.PodRunning, corev1.RestartPolicyAlways, running),
	}
	c, _ := clusterOf(t, objects...)
	got, err := c.Controllers(t.Context(), OVNNamespaces(), "")
	if err != nil {
		t.Fatal(err)
	}
	want := []Controller{{"n1", "ovn-kubernetes", "running", "ovnkube-controller"}, {"n2", "ovn-kubernetes", "waits", "ovnkube-controller"},
		{"n3", "openshift-ovn-kubernetes", "unknown", "ovnkube-node"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	api := &reportAPI{answer: func(*http.Request, int) (int, string) {
		return 403, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"pods is forbidden","reason":"Forbidden","code":403}`
	}}
	if _, err := api.cluster(t).Controllers(t.Context(), OVNNamespaces(), "n1"); err == nil || !strings.Contains(err.Error(), "forbidden") {
		t.Errorf("no permission: %v", err)
	}
	if got := api.taken()[0].Line; !strings.Contains(got, "fieldSelector=spec.nodeName%3Dn1") {
		t.Error(got)
	}
}
