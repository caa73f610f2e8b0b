package revision_test

import (
	"fmt"
	"strings"
	"testing"

	"rung/bench/workload"
	"rung/model"
	"rung/revision"
	"rung/test/given"
)

// TestAddress: pods that count first, then nodes, then pods that do not.
func TestAddress(t *testing.T) {
	var objects []model.Object
	pod := func(name, ip string, set func(*model.Pod)) {
		p := &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: "n", Name: name}}, NodeName: "x", IPs: []string{ip, "fd00::" + name}}
		set(p)
		objects = append(objects, p)
	}
	none := func(*model.Pod) {}
	pod("a", "10.0.0.1", func(p *model.Pod) { p.Phase = "Succeeded" }) // its address is another's by now
	pod("b", "10.0.0.1", none)
	pod("c", "10.0.0.2", none)
	pod("d", "172.18.0.2", func(p *model.Pod) { p.HostNetwork = true })
	pod("e", "10.0.0.2", none) // two of them for a moment
	objects = append(objects, &model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: "x"}},
		HostIPs: []string{"172.18.0.2", "172.18.0.2"}, InternalIPs: []string{"172.18.0.2", "172.18.0.3"}})
	c, _ := (*model.Cluster)(nil).Upsert(objects, nil)
	r := revision.New(revision.Facts{Cluster: c}, nil)
	for ip, want := range map[string]string{
		"10.0.0.1":   "b a(completed)",
		"10.0.0.2":   "c e",
		"172.18.0.2": "x d(host network)",
		"172.18.0.3": "x",
		"fd00::c":    "c",
		"10.0.0.9":   "",
	} {
		var got []string
		for _, o := range r.AddressOwners(ip) {
			text := o.Key.Name
			if o.Note != "" {
				text += fmt.Sprintf("(%s)", o.Note)
			}
			got = append(got, text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", ip, got, want)
		}
	}
	for name, want := range map[string]*model.Pod{"n_b": objects[1].(*model.Pod), "n_zz": nil, "nb": nil, "": nil, "_": nil} {
		if got := revision.PortPod(r, name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// BenchmarkAddress is the first question after a revision came.
func BenchmarkAddress(b *testing.B) {
	r := revision.New(revision.Facts{Cluster: given.Workload(b, workload.Large)}, nil)
	b.ReportAllocs()
	for b.Loop() {
		r = revision.New(r.Facts, nil)
		if len(r.AddressOwners(workload.PodIP(7))) != 1 {
			b.Fatal("nobody has it")
		}
	}
}
