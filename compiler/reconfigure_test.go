package compiler

import (
	"testing"

	"rung/model"
	"rung/test/made"
)

// Options change all rows at once; those that come to the same change none.
func TestReconfigure(t *testing.T) {
	p := anp("one", 5, nsSubject(t, ""), rule(model.Ingress, model.Deny, nil, nsPeer(t, "")))
	cluster := clusterOf(p, pod("a/p", "", "n1", "10.0.0.1"))
	c := New(Options{})
	d, _ := c.Apply(cluster, changesOfAll(cluster))
	if got, delta := c.Reconfigure(Options{IPv4: true}); got != d || !delta.IsEmpty() {
		t.Errorf("the families of the pods, said aloud: %+v", delta)
	}
	next, delta := c.Reconfigure(Options{IPv4: true, IPv6: true})
	if !delta.Everything {
		t.Errorf("another family: %+v", delta)
	}
	if was, is := len(d.RowsOfUnit(p.Key, "", nil).AddressSets), len(next.RowsOfUnit(p.Key, "", nil).AddressSets); is != 2*was {
		t.Errorf("%d address sets before, %d after", was, is)
	}
	want := Compile(cluster, Options{IPv4: true, IPv6: true})
	diffRows(t, want.RowsOfUnit(p.Key, "", nil), next.RowsOfUnit(p.Key, "", nil))
	step, changes := cluster.Upsert(nil, []model.Key{p.Key})
	if d, _ := c.Apply(step, changes); d.Policy(p.Key) != nil {
		t.Error("the compiler does not go on")
	}
}

// Pods add their families to those that rows show: a writer wrote the rows before there were such pods.
func TestPodFamilies(t *testing.T) {
	for name, tt := range map[string]struct {
		options Options
		ips     []string
		v4, v6  bool
	}{
		"rows of IPv4, pods of both":      {Options{IPv4: true, PodFamilies: true}, []string{"10.1.0.1", "fd00::1"}, true, true},
		"rows of both, pods of IPv4":      {Options{IPv4: true, IPv6: true, PodFamilies: true}, []string{"10.1.0.1"}, true, true},
		"a flag for IPv4, pods of both":   {Options{IPv4: true}, []string{"10.1.0.1", "fd00::1"}, true, false},
		"nothing is known but IPv6's pod": {Options{}, []string{"fd00::1"}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			v4, v6 := Compile(made.Cluster(made.NS("a", ""), made.Pod("a/p", "x=y", tt.ips...)), tt.options).Families()
			if v4 != tt.v4 || v6 != tt.v6 {
				t.Errorf("IPv4 %v, IPv6 %v", v4, v6)
			}
		})
	}
}
