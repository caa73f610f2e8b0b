package workload

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rung/compiler"
	"rung/model"
	"rung/sources/manifests"
)

// What is made directly is what would be read.
func TestObjectsAreWhatIsWritten(t *testing.T) {
	for name, s := range map[string]Size{
		"in turn":   {Nodes: 3, Namespaces: 12, Pods: 90, Policies: 4, Rules: 6, Peers: 2, NetworkPolicies: 5},
		"at random": {Nodes: 3, Namespaces: 12, Pods: 90, Policies: 4, Rules: 20, Peers: 3, NetworkPolicies: 5, Seed: 9},
	} {
		t.Run(name, func(t *testing.T) {
			var text bytes.Buffer
			if err := Write(&text, s); err != nil {
				t.Fatal(err)
			}
			res := manifests.Parse("w.yaml", text.Bytes(), manifests.Options{})
			if len(res.Broken) > 0 {
				t.Fatalf("the manifests are not good: %+v", res.Broken)
			}
			read, _ := (*model.Cluster)(nil).Upsert(res.Objects, nil)
			made, err := Cluster(s)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(objects(read), objects(made), cmpopts.IgnoreTypes(model.Origin{}),
				cmp.Comparer(func(a, b model.Labels) bool { return a.Key() == b.Key() }),
				cmp.Comparer(func(a, b model.Selector) bool { return a.Key() == b.Key() && a.IsNil() == b.IsNil() })); diff != "" {
				t.Errorf("(-read +made)\n%s", diff)
			}
		})
	}
}

func objects(c *model.Cluster) (out []model.Object) {
	for o := range c.Objects() {
		out = append(out, o)
	}
	return out
}

// W2 is what its figures are promised for.
func TestW2(t *testing.T) {
	c, err := Cluster(W2)
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]bool{}
	for p := range c.Pods() {
		labels[p.Labels.Key()] = true
	}
	lists := map[string]bool{}
	sets, members := 0, 0
	d := compiler.Compile(c, compiler.Options{})
	for p := range d.Policies() {
		for _, s := range p.Sets {
			m := d.SetMembers(s)
			lists[strings.Join(m, " ")] = true
			sets++
			members += len(m)
		}
	}
	t.Logf("%d label sets of pods, %d address sets, %d distinct lists, %d members", len(labels), sets, len(lists), members)
	if len(labels) != 160 || sets != 2000 || len(lists) < 1950 || members < 800_000 || members > 832_000 {
		t.Error("want 160 label sets, 2,000 address sets, nearly all distinct, of about 408 members (816,000 in all)")
	}
}
