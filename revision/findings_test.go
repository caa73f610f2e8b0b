package revision

import (
	"net/netip"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/compiler"
	"rung/model"
	"rung/model/ladder"
	"rung/model/lint"
	"rung/sources/manifests"
	"rung/test/given"
)

// TestFindings: findings of a revision are its own, those that are known may be
// older and then say so.
func TestFindings(t *testing.T) {
	var newest *Revision
	// next is the revision in which the policy has another priority.
	next := func(priority int) *Revision {
		c := &model.Cluster{}
		if newest != nil {
			c = newest.Cluster
		}
		p, broken := manifests.ParsePolicy([]byte(given.ANP("one", priority, "", "in deny *")))
		if p == nil {
			t.Fatal(broken)
		}
		c, _ = c.Upsert([]model.Object{p}, nil)
		newest = New(Facts{Number: uint64(priority), Cluster: c}, newest)
		return newest
	}
	first := next(1)
	known, current := KnownFindings(first)
	if !current || len(known) == 0 {
		t.Fatalf("the first to ask waits: %v %v", known, current)
	}
	second := next(200)
	if f, current := KnownFindings(second); current || cmp.Diff(known, f) != "" {
		t.Errorf("those before, and not of this revision: %v %v", f, current)
	}
	if f := FindingsOfObjects(first); cmp.Diff(known, f) != "" {
		t.Error("the first revision's own are what they were")
	}
	own := FindingsOfObjects(second)
	if diff := cmp.Diff(lint.Run(second.Cluster, nil, lint.Options{MaxPriority: model.MaxPriority}), own); diff != "" {
		t.Errorf("with the index and ladder of the revision (-alone +shared):\n%s", diff)
	}
	if HasFindings(second) || !FindSome(second) {
		t.Error("a small cluster has them all at once, when asked")
	}
	if f, current := KnownFindings(second); !current || cmp.Diff(own, f) != "" {
		t.Error("worked out by now")
	}
	// An older revision that is asked late does not put back what is known.
	FindingsOfObjects(New(first.Facts, second))
	third := next(201)
	if f, current := KnownFindings(third); current || cmp.Diff(own, f) != "" {
		t.Error("the newest known ones")
	}
	// What is not about objects changes nothing about them.
	FindSome(third)
	f := third.Facts
	f.Number++
	same := New(f, third)
	if _, current := KnownFindings(same); !current || same.Ladder() != third.Ladder() {
		t.Error("findings of the same objects were not kept")
	}
}

// TestDerivedOnce asks a revision from many sides at once.
func TestDerivedOnce(t *testing.T) {
	r := New(Facts{Cluster: given.Example(t)}, nil)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			KnownFindings(r)
			r.Ladder()
			FindingsOfObjects(r)
			r.AddressOwners("10.244.0.2")
		})
	}
	wg.Wait()
	if len(r.Ladder().Conflicts) == 0 {
		t.Error("the example has policies that conflict")
	}
}

// TestPlanPreviewLeavesRevisionAlone: working out a plan looks at objects as they
// will be; the revision must not take over what follows from them.
func TestPlanPreviewLeavesRevisionAlone(t *testing.T) {
	r := revisionOf(t, given.ANP("one", 1, "", "in deny *"))
	old := r.Cluster.Policy(given.ANPKey("one"))
	now := *old
	now.Priority = 7
	next := r.WithPolicies([]model.Object{&now}, nil)
	if next.Ladder().RungAt(7) == nil || r.Ladder().RungAt(7) != nil || r.Ladder().RungAt(1) == nil {
		t.Error("two revisions of different objects share a ladder")
	}
}

// Which units there are, the families and the subnets hang on the options: with others,
// nothing is taken over from a revision of the same objects.
func TestOtherOptions(t *testing.T) {
	res := manifests.Parse("a.yaml", []byte(`
apiVersion: v1
kind: Namespace
metadata: {name: a}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: a}
spec: {nodeName: w, containers: [{name: c}]}
status: {phase: Running, podIP: 10.128.0.5}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: np, namespace: a}
spec: {podSelector: {}}
---
apiVersion: k8s.ovn.org/v1
kind: EgressFirewall
metadata: {name: default, namespace: a}
spec: {egress: [{type: Deny, to: {cidrSelector: 0.0.0.0/0}}]}
`), manifests.Options{})
	if len(res.Broken) > 0 {
		t.Fatal(res.Broken)
	}
	c, _ := (&model.Cluster{}).Upsert(res.Objects, nil)
	with := func(o compiler.Options) Facts {
		return Facts{Cluster: c, Desired: compiler.Compile(c, o)}
	}
	subnets := func(r *Revision) bool {
		return slices.ContainsFunc(FindingsOfObjects(r), func(f model.Finding) bool { return f.Code == lint.FirewallSubnets.Code })
	}
	hairpin := func(r *Revision) bool {
		return slices.ContainsFunc(r.Ladder().Tiers[model.TierNetwork].Units, func(u ladder.Unit) bool { return u.Key.Kind == model.KindNetpolDefault })
	}
	first := New(with(compiler.Options{IPv4: true, Defaults: compiler.Off}), nil)
	if !subnets(first) || hairpin(first) {
		t.Fatalf("with the options of the first: subnets unknown %v, hairpin rows %v", subnets(first), hairpin(first))
	}
	second := New(with(compiler.Options{IPv4: true, Defaults: compiler.On, ClusterSubnets: []netip.Prefix{netip.MustParsePrefix("10.128.0.0/14")}}), first)
	if subnets(second) || !hairpin(second) {
		t.Errorf("with those of the second: subnets unknown %v, hairpin rows %v", subnets(second), hairpin(second))
	}
	if !FindSome(first) || !FindSome(second) {
		t.Fatal("not all")
	}
	if _, current := KnownFindings(first); !current {
		t.Error("the first has lost its own")
	}
}
