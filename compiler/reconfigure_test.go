package compiler

import (
	"testing"

	"rung/model"
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
