package manifests

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
)

// given makes a workload of a kind that wants some pods.
func given(kind model.Kind, name string, wanted int, more ...func(*Workload)) *Workload {
	w := &Workload{Meta: model.Meta{Key: model.Key{Kind: kind, Namespace: "a", Name: name}}, Wanted: wanted,
		Pod: &model.Pod{Meta: model.Meta{Labels: model.NewLabels(map[string]string{"app": name})}}}
	for _, change := range more {
		change(w)
	}
	return w
}

func ownedPod(name, workload string) *model.Pod {
	return &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: "a", Name: name}}, Workload: workload}
}

func labelledNode(name, role string) *model.Node {
	return &model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: name}, Labels: model.NewLabels(map[string]string{"role": role})}}
}

// TestPods holds which pods stand for which workloads, whatever the order in which the objects
// come, and whatever came and went before.
func TestPods(t *testing.T) {
	ownedBy := func(owner string) func(*Workload) { return func(w *Workload) { w.Owner = owner } }
	takes := func(template string) func(*Workload) {
		return func(w *Workload) { w.Pod, w.TemplateWorkload = nil, template }
	}
	for _, c := range []struct {
		name       string
		objects    []model.Object
		pods       []string
		idle, lost []string
	}{
		{"one replica, several, none", []model.Object{given(model.KindDeployment, "one", 1), given(model.KindDeployment, "many", 7), given(model.KindStatefulSet, "none", 0)},
			[]string{"deployment/many", "deployment/many/2", "deployment/one"}, []string{"statefulset/none"}, nil},
		{"pods exist", []model.Object{given(model.KindDeployment, "web", 3), ownedPod("web-1", "deployment/web"), ownedPod("api-1", "deployment/api")}, nil, nil, nil},
		{"a Deployment and its ReplicaSets", []model.Object{given(model.KindDeployment, "web", 1), given(model.KindReplicaSet, "web-1", 1, ownedBy("deployment/web")), given(model.KindReplicaSet, "web-0", 0, ownedBy("deployment/web"))},
			[]string{"deployment/web"}, nil, nil},
		{"ReplicaSets without their Deployment", []model.Object{given(model.KindReplicaSet, "web-1", 1, ownedBy("deployment/web")), given(model.KindReplicaSet, "web-2", 1, ownedBy("deployment/web")), given(model.KindReplicaSet, "web-0", 0, ownedBy("deployment/web"))},
			[]string{"deployment/web"}, nil, nil},
		{"a DaemonSet without nodes, on two assumed ones", []model.Object{given(model.KindDaemonSet, "agent", 1)}, []string{"daemonset/agent", "daemonset/agent/2"}, nil, nil},
		{"a DaemonSet whose pods name their node", []model.Object{given(model.KindDaemonSet, "agent", 1, func(w *Workload) { w.Pod.NodeName = "n7" })}, []string{"daemonset/agent n7"}, nil, nil},
		{"a DaemonSet on the nodes that it selects", []model.Object{given(model.KindDaemonSet, "agent", 1, func(w *Workload) { w.NodeSelector = map[string]string{"role": "w"} }),
			labelledNode("n1", "w"), labelledNode("n2", "c"), labelledNode("n3", "w")}, []string{"daemonset/agent n1", "daemonset/agent/2 n3"}, nil, nil},
		{"a Rollout that takes a Deployment's template", []model.Object{given(model.KindDeployment, "web", 0), given(model.KindRollout, "web", 2, takes("deployment/web"))},
			[]string{"rollout/web", "rollout/web/2"}, nil, nil},
		{"a Rollout whose Deployment is not there", []model.Object{given(model.KindRollout, "web", 2, takes("deployment/web"))}, nil, nil, []string{"rollout/web"}},
		{"a StatefulSet whose pods a policy tells apart", []model.Object{given(model.KindStatefulSet, "db", 4),
			&model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: "b", Name: "x"}}, YAML: "matchLabels: {apps.kubernetes.io/pod-index: '3'}"}},
			[]string{"statefulset/db", "statefulset/db/2", "statefulset/db/3", "statefulset/db/4"}, nil, nil},
		{"two names that begin alike", []model.Object{given(model.KindJob, "a", 1), given(model.KindCronJob, "a", 1)}, []string{"cronjob/a", "job/a"}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for range 20 {
				s := NewSet()
				order := slices.Clone(c.objects)
				r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
				gone := []model.Object{given(model.KindDeployment, "gone", 2), ownedPod("gone-1", "deployment/one"), labelledNode("gone", "w")}
				for _, o := range slices.Concat(gone, order) {
					s.Put(o)
				}
				for _, o := range gone {
					if !s.Remove(o.ObjectKey()) {
						t.Errorf("%s went and matters", o.ObjectKey())
					}
				}
				pods, idle, lost := s.Pods()
				var names []string
				for _, p := range pods {
					name := p.Name
					if p.Planned.Node != "" {
						name += " " + p.Planned.Node
					}
					names = append(names, name)
					if p.NodeName != "" || len(p.IPs) > 0 || p.Workload == "" {
						t.Errorf("%s has a place, or no workload", p.Key)
					}
				}
				if diff := cmp.Diff([][]string{c.pods, c.idle, c.lost}, [][]string{names, refs(idle), refs(lost)}); diff != "" {
					t.Fatalf("-want +got\n%s", diff)
				}
			}
		})
	}
}

func refs(all []*Workload) (out []string) {
	for _, w := range all {
		out = append(out, w.Ref())
	}
	return out
}

func namespaceOf(name string, labels map[string]string) *model.Namespace {
	return &model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: name}, Labels: model.NewLabels(labels)}}
}

// TestPutMatters: only what can change the pods that workloads stand for is worth looking again.
func TestPutMatters(t *testing.T) {
	s := NewSet()
	for _, c := range []struct {
		what string
		o    model.Object
		want bool
	}{
		{"a workload", given(model.KindDeployment, "web", 1), true},
		{"its first pod", ownedPod("web-1", "deployment/web"), true},
		{"that pod, changed", ownedPod("web-1", "deployment/web"), false},
		{"its second pod", ownedPod("web-2", "deployment/web"), false},
		{"a pod of its own", ownedPod("x", ""), false},
		{"a node", labelledNode("n", "w"), true},
		{"the node, unchanged", labelledNode("n", "w"), false},
		{"the node with other labels", labelledNode("n", "c"), true},
		{"a Service", &model.Service{}, false},
		{"a namespace", namespaceOf("shop", nil), false},
		{"the namespace with a network of its own", namespaceOf("shop", map[string]string{model.LabelPrimaryUDN: ""}), true},
		{"the same", namespaceOf("shop", map[string]string{model.LabelPrimaryUDN: "", "a": "b"}), false},
	} {
		if got := s.Put(c.o); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
	if s.Remove(ownedPod("web-2", "").Key) || !s.Remove(ownedPod("web-1", "").Key) || s.Remove(ownedPod("x", "").Key) {
		t.Error("only the last pod of a workload matters when it goes")
	}
}

// TestOwnerOf: what somebody wrote, not the object between.
func TestOwnerOf(t *testing.T) {
	yes := true
	for _, c := range []struct {
		kind, name string
		labels     map[string]string
		want       string
	}{
		{"ReplicaSet", "web-5f7", map[string]string{"pod-template-hash": "5f7"}, "deployment/web"},
		{"ReplicaSet", "web-5f7", map[string]string{"rollouts-pod-template-hash": "5f7", "pod-template-hash": "other"}, "rollout/web"},
		{"ReplicaSet", "web", nil, "replicaset/web"},
		{"ReplicaSet", "web-1", map[string]string{"pod-template-hash": "2"}, "replicaset/web-1"},
		{"ReplicationController", "web-3", map[string]string{"deploymentconfig": "web"}, "deploymentconfig/web"},
		{"ReplicationController", "web", nil, "replicationcontroller/web"},
		{"Job", "report-28478520", nil, "cronjob/report"},
		{"Job", "report-1", nil, "job/report-1"},
		{"StatefulSet", "db", nil, "statefulset/db"},
		{"VirtualMachineInstance", "old", nil, "virtualmachine/old"},
		{"Prometheus", "main", nil, ""},
	} {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: c.labels, OwnerReferences: []metav1.OwnerReference{{Kind: "ConfigMap", Name: "other"}, {Kind: c.kind, Name: c.name, Controller: &yes}}}}
		if got := PodWorkload(p); got != c.want {
			t.Errorf("%s %s %v: %q, want %q", c.kind, c.name, c.labels, got, c.want)
		}
	}
}
