package network

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/test/made"
)

// Pods of other networks are counted by network, and one of which nothing is read says so.
func TestPodsElsewhere(t *testing.T) {
	on := func(name, key string) *model.Pod {
		p := made.Pod(name, "app=x", "10.1.0.1")
		p.Networks = []model.PodNetwork{{Name: key, Role: "primary"}}
		return p
	}
	c := made.Cluster(made.NS("a", model.LabelPrimaryUDN+"="), on("a/p", "a/net"), on("a/q", "a/net"), on("b/p", "b/lost"), made.Pod("c/p", "app=x", "10.1.0.2"))
	table := &Table{byNAD: map[string]*Network{"a/net": {Config: Config{Name: "a_net"}}}}
	var got []string
	for _, o := range table.PodsElsewhere(c) {
		got = append(got, o.String()+" | "+o.Remedy)
	}
	want := []string{"2 pods are on the network a_net: --network a_net shows them | --network a_net", "1 pod (b/p) is on the network of b/lost, which was not read | "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
