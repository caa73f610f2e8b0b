package revision

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
)

// TestPodCount: a pod that waits for a node is no subject of a policy; one that does not exist yet is
// counted as its controller will make it.
func TestPodCount(t *testing.T) {
	var objects []model.Object
	add := func(name string, p model.Pod) {
		p.Key = model.Key{Kind: model.KindPod, Namespace: "a", Name: name}
		objects = append(objects, &p)
	}
	add("runs", model.Pod{NodeName: "n", Phase: "Running"})
	add("waits", model.Pod{Phase: "Pending"})
	add("deployment/web", model.Pod{Phase: "Pending", Planned: &model.PlannedPod{}})
	add("daemonset/agent", model.Pod{Phase: "Pending", HostNetwork: true, Planned: &model.PlannedPod{}})
	add("done", model.Pod{NodeName: "n", Phase: "Succeeded"})
	c, _ := (*model.Cluster)(nil).Upsert(objects, nil)
	n := New(Facts{Cluster: c}, nil).PodCount()
	if diff := cmp.Diff(PodCount{All: 5, Subjects: 2, Host: 1, Completed: 1, Unscheduled: 1}, n); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
