package revision

import (
	"fmt"
	"strings"

	"rung/model/words"
)

// PodCount counts the pods of a cluster by whether policies can select them.
type PodCount struct {
	All      int `json:"all"`
	Subjects int `json:"subjects"` // pods that policies can select: all others than these
	// Host counts pods on the host network, Completed pods that ended, and Unscheduled existing pods without a
	// node.
	Host        int `json:"host_network"`
	Completed   int `json:"completed"`
	Unscheduled int `json:"unscheduled"`
}

// PodCount counts the pods, once for each cluster.
func (r *Revision) PodCount() PodCount {
	return r.shared.pods.Get(func() (n PodCount) {
		for p := range r.Cluster.Pods() {
			n.All++
			switch {
			case p.HostNetwork:
				n.Host++
			case p.IsCompleted():
				n.Completed++
			case !p.CanBeSubject() && p.Planned == nil:
				n.Unscheduled++
			default:
				n.Subjects++
			}
		}
		return n
	})
}

// String returns "41 in all: policies can select 39; 1 on the host network, 1 completed".
func (n PodCount) String() string {
	var without []string
	for _, w := range []struct {
		n    int
		text string
	}{{n.Host, "on the host network"}, {n.Completed, "completed"}, {n.Unscheduled, "without a node"}} {
		if w.n > 0 {
			without = append(without, words.Thousands(w.n)+" "+w.text)
		}
	}
	if len(without) == 0 {
		return words.Thousands(n.All) + " in all: policies can select all of them"
	}
	return fmt.Sprintf("%s in all: policies can select %s; %s", words.Thousands(n.All), words.Thousands(n.Subjects),
		strings.Join(without, ", "))
}
